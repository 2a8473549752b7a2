//! The notebook's files: read with bounds, written whole or not at all, never through a
//! link.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use plimsoll_tokens::cut_at_line;

use crate::{
    SpecsError,
    root::{NOTEBOOK, STATE},
};

/// The longest text that one argument may have, in bytes.
pub const LONGEST_FIELD: usize = 64 * 1024;

/// How much is read of one file. A notebook's files stay far below it.
pub(crate) const LONGEST_FILE: u64 = 1024 * 1024;

/// How many entries of one of the notebook's directories are looked at.
const MOST_ENTRIES: usize = 2_000;

/// How long to wait for another process that writes: this many times 20 ms.
const PATIENCE: usize = 150;

/// The files below a root. Paths are given from the notebook's directory, with `/`.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
}

/// Held while files are changed; one process at a time.
pub(crate) struct Held(Option<File>);

impl Files {
    pub(crate) fn below(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The text of a file; none if it does not exist. More than a megabyte is refused.
    pub(crate) fn read(&self, name: &str) -> Result<Option<String>, SpecsError> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        if bytes.len() as u64 > LONGEST_FILE {
            let problem = format!("it is larger than {LONGEST_FILE} bytes");
            return Err(SpecsError::Broken { file: shown(name), problem });
        }
        let text = String::from_utf8(bytes).map_err(|_| SpecsError::Broken {
            file: shown(name),
            problem: "it is not UTF-8 text".to_owned(),
        })?;
        Ok(Some(text))
    }

    /// What can be read of a file that people may have edited: its first megabyte, with
    /// odd bytes replaced.
    pub(crate) fn read_leniently(&self, name: &str) -> Result<Option<String>, SpecsError> {
        let bytes = self.bytes(name)?;
        Ok(bytes.map(|bytes| lenient(&bytes)))
    }

    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, SpecsError> {
        let path = self.inside(name)?;
        let failed = |problem| SpecsError::Io { file: shown(name), problem };
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(found) if !found.file_type().is_file() => {
                return Err(SpecsError::Outside(shown(name)));
            }
            Ok(_) => {}
        }
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(failed)?;
        file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
    }

    /// Writes a file so that a reader, or who comes after a power cut, sees the old text
    /// or the new one and nothing between.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), SpecsError> {
        self.put(name, text, false)
    }

    /// The same, where no file of this name may be there yet.
    pub(crate) fn write_new(&self, name: &str, text: &str) -> Result<(), SpecsError> {
        self.put(name, text, true)
    }

    fn put(&self, name: &str, text: &str, new: bool) -> Result<(), SpecsError> {
        let path = self.inside(name)?;
        let failed = |problem| SpecsError::Io { file: shown(name), problem };
        let parent = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(parent).map_err(failed)?;
        // The way may have been made of links only now.
        self.inside(name)?;
        if path.symlink_metadata().is_ok_and(|found| !found.file_type().is_file()) {
            return Err(SpecsError::Outside(shown(name)));
        }
        let mut temporary = temporary_in(parent).map_err(failed)?;
        temporary.write_all(text.as_bytes()).map_err(failed)?;
        temporary.as_file().sync_all().map_err(failed)?;
        let kept = if new { temporary.persist_noclobber(&path) } else { temporary.persist(&path) };
        kept.map_err(|error| failed(error.error))?;
        sync_directory(parent);
        Ok(())
    }

    /// The names in a directory of the notebook, sorted; none if there is no directory.
    pub(crate) fn names(&self, directory: &str) -> Result<Vec<String>, SpecsError> {
        let path = self.inside(&format!("{directory}/x"))?;
        let path = path.parent().unwrap_or(&self.root);
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(problem) => return Err(SpecsError::Io { file: shown(directory), problem }),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MOST_ENTRIES).collect();
        names.sort();
        Ok(names)
    }

    /// As [`Files::hold`], where a notebook must be there already: a tool that is refused
    /// leaves no directory behind.
    pub(crate) fn hold_existing(&self) -> Result<Held, SpecsError> {
        match self.root.join(NOTEBOOK).symlink_metadata() {
            Ok(_) => self.hold(),
            Err(_) => Ok(Held(None)),
        }
    }

    /// Waits for other writers and keeps them out.
    pub(crate) fn hold(&self) -> Result<Held, SpecsError> {
        let name = STATE;
        let path = self.inside(name)?;
        let directory = path.parent().unwrap_or(&self.root);
        let failed = |problem| SpecsError::Io { file: shown(name), problem };
        fs::create_dir_all(directory).map_err(failed)?;
        self.inside(name)?;
        // Where a directory cannot be opened or locked, writes are still whole; only two
        // writers at once may then see each other late.
        let Ok(handle) = File::open(directory) else { return Ok(Held(None)) };
        for _ in 0..PATIENCE {
            match handle.try_lock() {
                Ok(()) => return Ok(Held(Some(handle))),
                Err(fs::TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
                Err(fs::TryLockError::Error(_)) => return Ok(Held(None)),
            }
        }
        Err(SpecsError::Busy)
    }

    /// The path of a file of the notebook, after a look at every directory on the way:
    /// none of them may be a link.
    fn inside(&self, name: &str) -> Result<PathBuf, SpecsError> {
        let mut path = self.root.join(NOTEBOOK);
        let mut parts = name.split('/').peekable();
        loop {
            if path.symlink_metadata().is_ok_and(|found| !found.file_type().is_dir()) {
                let below = path.strip_prefix(&self.root).unwrap_or(&path);
                return Err(SpecsError::Outside(below.display().to_string()));
            }
            let Some(part) = parts.next().filter(|part| !matches!(*part, "" | "." | "..")) else {
                return Err(SpecsError::Outside(shown(name)));
            };
            path.push(part);
            if parts.peek().is_none() {
                return Ok(path);
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            // Closing the handle would do the same; a failure changes nothing.
            let _ = handle.unlock();
        }
    }
}

/// The first megabyte of a text that may be no text.
pub(crate) fn lenient(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    cut_at_line(&text, LONGEST_FILE as usize).to_owned()
}

/// A path as messages name it.
fn shown(name: &str) -> String {
    format!("{NOTEBOOK}/{name}")
}

fn temporary_in(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".writing-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any file that a person makes: the umask decides who else may read it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// Makes a rename last. Not every system lets a directory be opened.
fn sync_directory(directory: &Path) {
    if let Ok(handle) = File::open(directory) {
        let _ = handle.sync_all();
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
