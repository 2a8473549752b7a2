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
/// which is `CARGO_TARGET_TMPDIR`.
pub fn python(cache: &Path, name: &str, package: &str) -> Result<PathBuf, Unavailable> {
    python_with(cache, name, &[package])
}

/// A Python that has these packages. Processes that come together take turns; a directory
/// without its mark is half made, or made for other packages, and made anew.
pub fn python_with(cache: &Path, name: &str, packages: &[&str]) -> Result<PathBuf, Unavailable> {
    fs::create_dir_all(cache)?;
    let venv = cache.join(name);
    let (mark, wanted) = (venv.join("packages.txt"), packages.join("\n"));
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let turn = File::create(cache.join(format!("{name}.lock")))?;
    turn.lock()?;
    if fs::read_to_string(&mark).is_ok_and(|made_for| made_for == wanted) {
        return Ok(python);
    }
    if venv.exists() {
        fs::remove_dir_all(&venv)?;
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let mut pip = Command::new(&python);
    // A wheel is only copied; a source package would have to be compiled for minutes.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
    pip.args(["--only-binary", ":all:", "--retries", "2", "--timeout", "15"]);
    run(pip.args(packages))?;
    fs::write(mark, wanted)?;
    Ok(python)
}

/// The unpacked source archive of a package (`name==version`), with the tests that a wheel
/// leaves out. `python` must have what the package is built with, since pip asks it for the
/// package's name even when nothing is built.
pub fn python_source(cache: &Path, python: &Path, package: &str) -> Result<PathBuf, Unavailable> {
    fs::create_dir_all(cache)?;
    let home = cache.join(format!("source-{package}"));
    let turn = File::create(cache.join(format!("source-{package}.lock")))?;
    turn.lock()?;
    let unpacked = home.join("unpacked");
    if !unpacked.exists() {
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        pip.args(["--no-binary", ":all:", "--no-build-isolation", "--no-input", "--retries", "2"]);
        run(pip.args(["--timeout", "15", "--dest"]).arg(&home).arg(package))?;
        let archive = only_entry(&home)?;
        let partial = home.join("partial");
        run(Command::new(python).args(["-m", "tarfile", "-e"]).arg(archive).arg(&partial))?;
        fs::rename(partial, &unpacked)?;
    }
    only_entry(&unpacked)
}

fn only_entry(directory: &Path) -> Result<PathBuf, Unavailable> {
    let mut entries = fs::read_dir(directory)?;
    match (entries.next(), entries.next()) {
        (Some(only), None) => Ok(only?.path()),
        _ => Err(Unavailable(format!("{} holds not exactly one entry", directory.display()))),
    }
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
