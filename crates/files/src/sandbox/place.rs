//! The directory of one run on the host: the code, the inputs, the filter, and our copies of
//! what the program wrote. What it writes itself is in memory of the sandbox (`rooms.rs`).

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;

use super::{Input, filter, group, system};

const PREFIX: &str = group::PREFIX;

/// A directory that was just made may not have its lock yet.
const NEW: Duration = Duration::from_secs(60);

/// The directory of one run. It is locked as long as the run goes on, so that what a killed
/// run left can be told from what is in use.
pub(super) struct Place {
    root: TempDir,
    _lock: File,
}

impl Place {
    pub(super) fn make(code: Option<&str>, inputs: &[Input], nobody: bool) -> io::Result<Self> {
        Self::make_below(&std::env::temp_dir(), code, inputs, nobody)
    }

    pub(super) fn make_below(
        temporary: &Path,
        code: Option<&str>,
        inputs: &[Input],
        nobody: bool,
    ) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temporary)?;
        let lock = File::create(root.path().join("lock"))?;
        lock.try_lock().map_err(io::Error::from)?;
        let place = Self { root, _lock: lock };
        for directory in [place.inputs(), place.kept()] {
            fs::create_dir(directory)?;
        }
        fs::write(place.filter(), filter::bytes().ok_or(io::ErrorKind::Unsupported)?)?;
        if let Some(code) = code {
            fs::write(place.code(), code)?;
            system::set_mode(&place.code(), 0o444)?;
        }
        for input in inputs {
            fs::copy(&input.path, place.input(&input.name))?;
            system::set_mode(&place.input(&input.name), 0o444)?;
        }
        if nobody {
            system::set_mode(place.path(), 0o711)?;
            system::set_mode(&place.kept(), 0o700)?;
            system::set_mode(&place.inputs(), 0o711)?;
        }
        Ok(place)
    }

    pub(super) fn path(&self) -> &Path {
        self.root.path()
    }

    /// A name that nothing else has: of the directory, the group, and a sign inside.
    pub(super) fn name(&self) -> String {
        let name = self.root.path().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub(super) fn code(&self) -> PathBuf {
        self.path().join("main.py")
    }

    pub(super) fn filter(&self) -> PathBuf {
        self.path().join("filter")
    }

    fn inputs(&self) -> PathBuf {
        self.path().join("in")
    }

    pub(super) fn input(&self, name: &str) -> PathBuf {
        self.inputs().join(name)
    }

    /// Where our copies of what it wrote are.
    pub(super) fn kept(&self) -> PathBuf {
        self.path().join("kept")
    }

    /// Leaves the directory as a killed process would: there, but no longer locked.
    #[cfg(test)]
    pub(super) fn forget(self) -> PathBuf {
        self.root.keep()
    }
}

/// Removes the directories of runs that were killed together with Plimsoll.
pub(super) fn clear_left(temporary: &Path) {
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            // This does not follow links.
            && entry.metadata().is_ok_and(|found| found.is_dir() && system::is_ours(&found));
        if ours && is_left(&entry.path()) {
            // What cannot be removed now is tried again at the next start.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether nobody holds the lock. One without a lock is being made, or was made by an older
/// version, which made none.
fn is_left(directory: &Path) -> bool {
    match File::open(directory.join("lock")) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => {
            let made = directory.metadata().and_then(|found| found.modified()).ok();
            made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > NEW)
        }
    }
}
