//! Configuration files of others: replaced whole, with a copy beside them.

use std::{
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

    /// What stood here before the present text was put here by us.
    pub(super) fn before(&self, text: &str) -> Option<String> {
        fs::read_to_string(self.copy_before(text)).ok()
    }

    /// Puts a text here, and keeps what stood here beside it; says where that copy is.
    pub(super) fn replace(&self, text: &str) -> Result<Option<PathBuf>, Failure> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(|error| self.failed(&error))?;
        let copy = match &self.text {
            None => None,
            Some(present) => {
                let copy = self.copy_before(text);
                self.write(&copy, present)?;
                Some(copy)
            }
        };
        self.write(&self.path, text)?;
        Ok(copy)
    }

    /// Puts a text back, or takes the file away; copies that led to the present one go.
    pub(super) fn put_back(&self, text: Option<&str>) -> Result<(), Failure> {
        match text {
            Some(text) => self.write(&self.path, text)?,
            None => fs::remove_file(&self.path).map_err(|error| self.failed(&error))?,
        }
        let mut led = self.text.clone();
        while let Some(present) = led {
            let copy = self.copy_before(&present);
            led = fs::read_to_string(&copy).ok();
            if led.is_some() {
                fs::remove_file(&copy).map_err(|error| self.failed(&error))?;
            }
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
