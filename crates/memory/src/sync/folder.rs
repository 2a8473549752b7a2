//! The folder that notes are kept in: nothing outside it is read or written, whatever links say,
//! and no file of somebody else is touched.

use std::{
    fs::{self, File, TryLockError},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use thiserror::Error;

/// What says which folder this is. It is of this very copy, so git does not see it.
const OWN: &str = ".plimsoll-sync";
/// A file that is larger holds no note: one has 64 KB, and its lines.
const LONGEST_FILE: u64 = 256 * 1024;
/// Folders in folders that are looked into.
const DEEPEST: usize = 16;

/// Why a folder was not synced.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It could not be read or written.
    #[error("cannot use {path}: {problem}; check the folder and sync again")]
    Io {
        /// What was tried.
        path: PathBuf,
        /// Why it did not work.
        problem: io::Error,
    },
    /// There is something else in its place.
    #[error("{0} is no folder; name one, or a name that is free")]
    NoFolder(PathBuf),
    /// Another sync is at work.
    #[error("another sync of {0} is at work; wait for it and sync again")]
    Busy(PathBuf),
}

/// A file that may hold a note.
#[derive(Debug)]
pub(super) struct Listed {
    /// From the folder, with `/`.
    pub(super) path: String,
    /// Its text, or why it cannot be read.
    pub(super) text: Result<String, String>,
    /// Its hash, as far as it was read.
    pub(super) hash: String,
}

/// What a write came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    Done,
    /// The file is another than it was, or there is one where there was none.
    Changed,
}

/// A folder that only one sync uses at a time.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    id: String,
    _lock: Option<File>,
}

impl Folder {
    /// Opens a folder, or makes it. One that has no id yet gets `fresh_id`; a dry run writes
    /// nothing.
    pub(super) fn open(path: &Path, fresh_id: &str, dry_run: bool) -> Result<Self, FolderError> {
        let failed = |problem| FolderError::Io { path: path.to_owned(), problem };
        if !dry_run {
            match fs::create_dir_all(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(FolderError::NoFolder(path.to_owned()));
                }
                made => made.map_err(failed)?,
            }
        }
        let root = match path.canonicalize() {
            Ok(root) => root,
            // A dry run on a folder that would be made.
            Err(error) if dry_run && error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(failed(error)),
        };
        if root.is_file() {
            return Err(FolderError::NoFolder(path.to_owned()));
        }
        let own = root.join(OWN);
        let id_file = own.join("id");
        let known = fs::read_to_string(&id_file).ok();
        let known = known.map(|id| id.trim().to_owned()).filter(|id| is_id(id));
        let mut folder = Self { root, id: fresh_id.to_owned(), _lock: None };
        if dry_run {
            folder.id = known.unwrap_or(folder.id);
            return Ok(folder);
        }
        if own.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(FolderError::NoFolder(own));
        }
        fs::create_dir_all(&own).map_err(failed)?;
        let lock = File::create(own.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(FolderError::Busy(path.to_owned())),
            // Where files cannot be locked, whoever starts two at once sees them meet.
            Ok(()) | Err(TryLockError::Error(_)) => folder._lock = Some(lock),
        }
        match known {
            Some(id) => folder.id = id,
            None => {
                fs::write(own.join(".gitignore"), "*\n").map_err(failed)?;
                fs::write(&id_file, format!("{fresh_id}\n")).map_err(failed)?;
            }
        }
        Ok(folder)
    }

    /// Which copy of the folder this is.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The Markdown files below it, in order, each read once. Links are not followed.
    pub(super) fn each(&self, file: &mut dyn FnMut(Listed)) -> Result<(), FolderError> {
        self.walk(&self.root, "", 0, file)
    }

    fn walk(
        &self,
        directory: &Path,
        prefix: &str,
        depth: usize,
        file: &mut dyn FnMut(Listed),
    ) -> Result<(), FolderError> {
        let failed = |problem| FolderError::Io { path: directory.to_owned(), problem };
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == ErrorKind::NotFound && depth == 0 => return Ok(()),
            entries => entries.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            // A name that is no text is none of ours.
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, entry.file_type().map_err(failed)?));
            }
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in names {
            let path = format!("{prefix}{name}");
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() && depth < DEEPEST {
                self.walk(&directory.join(&name), &format!("{path}/"), depth + 1, file)?;
            } else if kind.is_file() && name.ends_with(".md") {
                let (text, hash) = read(&directory.join(&name));
                file(Listed { path, text, hash });
            }
        }
        Ok(())
    }

    /// One file again.
    pub(super) fn read(&self, path: &str) -> Option<(String, String)> {
        let (text, hash) = read(&self.inside(path)?);
        text.ok().map(|text| (text, hash))
    }

    /// Writes a file, in the place of one with this hash or of none: whole or not at all.
    pub(super) fn write(
        &self,
        path: &str,
        text: &str,
        instead_of: Option<&str>,
    ) -> Result<Written, FolderError> {
        let Some(target) = self.inside(path) else { return Ok(Written::Changed) };
        let failed = |problem| FolderError::Io { path: target.clone(), problem };
        let parent = target.parent().unwrap_or(&self.root);
        fs::create_dir_all(parent).map_err(failed)?;
        // The way may have been made of links only now.
        if self.inside(path).is_none() {
            return Ok(Written::Changed);
        }
        if let Some(hash) = instead_of
            && (target.symlink_metadata().is_ok_and(|found| !found.is_file())
                || read(&target).1 != hash)
        {
            return Ok(Written::Changed);
        }
        let mut temporary = temporary_in(parent).map_err(failed)?;
        temporary.write_all(text.as_bytes()).map_err(failed)?;
        // Where the store believed in a file that a power cut took, the note would be deleted.
        temporary.as_file().sync_data().map_err(failed)?;
        let kept = match instead_of {
            Some(_) => temporary.persist(&target),
            None => temporary.persist_noclobber(&target),
        };
        match kept {
            Ok(_) => Ok(Written::Done),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(Written::Changed),
            Err(error) => Err(failed(error.error)),
        }
    }

    /// Removes a file that has this hash, and its folder if that is empty then.
    pub(super) fn remove(&self, path: &str, hash: &str) -> Result<Written, FolderError> {
        let Some(target) = self.inside(path) else { return Ok(Written::Changed) };
        if read(&target).1 != hash {
            return Ok(Written::Changed);
        }
        fs::remove_file(&target)
            .map_err(|problem| FolderError::Io { path: target.clone(), problem })?;
        if let Some(parent) = target.parent().filter(|parent| *parent != self.root) {
            // It is not empty, which is as good.
            let _ = fs::remove_dir(parent);
        }
        Ok(Written::Done)
    }

    /// The path of a file, after a look at every folder on the way: none of them may be a link.
    fn inside(&self, path: &str) -> Option<PathBuf> {
        let mut whole = self.root.clone();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            if matches!(part, "" | "." | "..") || part.contains(['\\', '\0']) {
                return None;
            }
            whole.push(part);
            let folder = parts.peek().is_some();
            match whole.symlink_metadata() {
                Ok(found) if folder && !found.is_dir() => return None,
                Ok(found) if !folder && !found.is_file() => return None,
                _ => {}
            }
        }
        Some(whole)
    }
}

fn is_id(id: &str) -> bool {
    (8..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn read(path: &Path) -> (Result<String, String>, String) {
    let mut bytes = Vec::new();
    let found =
        File::open(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
    let hash = super::card::bytes(&bytes);
    let text = match found {
        Err(error) => Err(format!("it cannot be read: {error}")),
        Ok(_) if bytes.len() as u64 > LONGEST_FILE => {
            Err(format!("it is larger than {LONGEST_FILE} bytes"))
        }
        Ok(_) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned()),
    };
    (text, hash)
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
