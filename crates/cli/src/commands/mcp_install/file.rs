//! Configuration files of others: replaced whole, with a copy beside them.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, input::unreadable, machine::sync_name};

/// A configuration as it is on the disk.
pub(super) struct ConfigFile {
    /// Where it is; a link leads to where it really is.
    path: PathBuf,
    /// None if there is no such file.
    pub(super) text: Option<String>,
}

/// A text that stood here once.
pub(super) struct Earlier {
    pub(super) text: String,
    /// The copies on the way to it, with its own.
    copies: Vec<PathBuf>,
}

/// Whether a copy is the one that is wanted.
pub(super) enum Sought {
    Found,
    Further,
    Nowhere,
}

impl ConfigFile {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let text = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
                Failure::failed(format!("{} is not UTF-8 text; it was left alone", path.display()))
            })?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(&path, &error)),
        };
        Ok(Self { path, text })
    }

    /// Where a copy is kept of what stood here before this text.
    fn copy_before(&self, text: &str) -> PathBuf {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".plimsoll-backup-{}", &hash[..12]));
        self.path.with_file_name(name)
    }

    /// Follows the copies back from the present text to the first that is sought.
    pub(super) fn earlier(&self, sought: impl Fn(&str) -> Sought) -> Option<Earlier> {
        let mut text = self.text.clone()?;
        let (mut seen, mut copies) = (HashSet::new(), Vec::new());
        // Copies may lead round in a circle.
        while seen.insert(blake3::hash(text.as_bytes())) {
            let copy = self.copy_before(&text);
            text = fs::read_to_string(&copy).ok()?;
            copies.push(copy);
            match sought(&text) {
                Sought::Found => return Some(Earlier { text, copies }),
                Sought::Further => {}
                Sought::Nowhere => return None,
            }
        }
        None
    }

    /// Puts a text here, or takes the file away, and keeps what stood here beside it; says where
    /// that copy is.
    pub(super) fn replace(&self, text: Option<&str>) -> Result<Option<PathBuf>, Failure> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(|error| self.failed(&error))?;
        let copy = match &self.text {
            None => None,
            Some(present) => Some(self.keep(present, text.unwrap_or_default())?),
        };
        match text {
            Some(text) => self.write(&self.path, text)?,
            None => fs::remove_file(&self.path).map_err(|error| self.failed(&error))?,
        }
        Ok(copy)
    }

    /// Keeps a copy of the present text. One that is there already is never written over.
    fn keep(&self, present: &str, next: &str) -> Result<PathBuf, Failure> {
        let first = self.copy_before(next);
        let (mut copy, mut number) = (first.clone(), 1);
        loop {
            match fs::read(&copy) {
                Ok(kept) if kept == present.as_bytes() => return Ok(copy),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(unreadable(&copy, &error)),
            }
            number += 1;
            let mut name = first.file_name().unwrap_or_default().to_owned();
            name.push(format!("-{number}"));
            copy = first.with_file_name(name);
        }
        self.write(&copy, present)?;
        Ok(copy)
    }

    /// Puts an earlier text back. The copies that led to it go: it stands here again, and all
    /// between was written by us.
    pub(super) fn put_back(&self, earlier: &Earlier) -> Result<(), Failure> {
        self.write(&self.path, &earlier.text)?;
        for copy in &earlier.copies {
            fs::remove_file(copy).map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// Writes a file whole, for whom the configuration was readable.
    fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let failed = |error: io::Error| self.failed(&error);
        let directory = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
        io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
        if let Ok(about) = fs::metadata(&self.path) {
            file.as_file().set_permissions(about.permissions()).map_err(failed)?;
        }
        file.as_file().sync_all().map_err(failed)?;
        // Its owner may be at work: what was shown is what is changed, or nothing is.
        if fs::read_to_string(&self.path).ok() != self.text {
            return Err(Failure::failed(format!("{} was changed meanwhile", self.path.display()))
                .hint("run it again"));
        }
        file.persist(path).map_err(|error| failed(error.error))?;
        sync_name(path).map_err(failed)
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::failed(format!("cannot write {}: {error}", self.path.display()))
    }
}
