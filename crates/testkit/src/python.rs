//! Programs of Python's world for tests: each in a directory of its own, installed once.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Why a program is not there.
#[derive(Debug)]
pub struct Unavailable(pub(crate) String);

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<io::Error> for Unavailable {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// A Python that has this package (`name==version`), made on first use below `cache`,
/// which is `CARGO_TARGET_TMPDIR`. Processes that come together take turns; a directory
/// without its mark is half made and made anew.
pub fn python(cache: &Path, name: &str, package: &str) -> Result<PathBuf, Unavailable> {
    fs::create_dir_all(cache)?;
    let venv = cache.join(name);
    let mark = venv.join(package);
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let turn = File::create(cache.join(format!("{name}.lock")))?;
    turn.lock()?;
    if mark.exists() {
        return Ok(python);
    }
    if venv.exists() {
        fs::remove_dir_all(&venv)?;
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let mut pip = Command::new(&python);
    // A wheel is only copied; a source package would have to be compiled for minutes.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    run(pip.args(["--only-binary", ":all:", "--retries", "2", "--timeout", "15", package]))?;
    File::create(mark)?;
    Ok(python)
}

pub(crate) fn run(command: &mut Command) -> Result<(), Unavailable> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Unavailable(format!("{program}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    Err(Unavailable(format!("{program}: {}", last.unwrap_or("it failed without a word"))))
}
