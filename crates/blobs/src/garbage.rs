//! What is stored, what of it is needed no more (BLB-4), and what dead runs left behind.

use std::{collections::HashSet, fs, io, time::SystemTime};

use plimsoll_domain::ContentHash;

use crate::{BlobError, BlobName, Blobs, disk::sync_dir};

/// A blob as it lies on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub name: BlobName,
    /// Its bytes.
    pub size: u64,
    /// When it was last taken in.
    pub modified: SystemTime,
}

/// What a sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub files: usize,
    /// How many bytes.
    pub bytes: u64,
}

impl Blobs {
    /// All blobs, by name. What is no blob is not listed: foreign names, links, directories.
    pub fn list(&self) -> Result<Vec<Stored>, BlobError> {
        let dir = &self.shared.blobs;
        let entries = match fs::read_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(BlobError::io("list", dir))?,
        };
        let mut all = Vec::new();
        for entry in entries {
            let entry = entry.map_err(BlobError::io("list", dir))?;
            let Some(Ok(name)) = entry.file_name().to_str().map(BlobName::parse) else { continue };
            // One that vanished since was removed by somebody else.
            let Ok(found) = entry.metadata() else { continue };
            if found.is_file() {
                let modified = found.modified().map_err(BlobError::io("look at", &entry.path()))?;
                all.push(Stored { name, size: found.len(), modified });
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// The blobs that are not among those to keep and were last taken in before
    /// `older_than`. Nothing is removed: this is the dry run, and [`Blobs::discard`] is the
    /// real one.
    pub fn garbage(
        &self,
        keep: &HashSet<ContentHash>,
        older_than: SystemTime,
    ) -> Result<Vec<Stored>, BlobError> {
        let mut all = self.list()?;
        all.retain(|one| one.modified < older_than && !keep.contains(one.name.hash()));
        Ok(all)
    }

    /// Removes a blob that [`Blobs::garbage`] found, unless the same bytes were taken in
    /// since; says whether it did.
    pub fn discard(&self, garbage: &Stored) -> Result<bool, BlobError> {
        let mut index = self.shared.index();
        let found = fs::symlink_metadata(self.path(&garbage.name));
        let unchanged = found.is_ok_and(|found| {
            found.is_file() && found.modified().is_ok_and(|time| time == garbage.modified)
        });
        if unchanged {
            index.forget();
            self.unlink(&garbage.name)?;
        }
        Ok(unchanged)
    }

    /// Removes a blob and what was derived from it. One that is not there is as good as
    /// removed.
    pub fn remove(&self, name: &BlobName) -> Result<(), BlobError> {
        let mut index = self.shared.index();
        index.forget();
        self.unlink(name)
    }

    fn unlink(&self, name: &BlobName) -> Result<(), BlobError> {
        // The blob goes last: a thumbnail without one would never be found again.
        for path in [self.thumbnail_path(name), self.path(name)] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(BlobError::io("remove", &path)(error));
                }
                _ => {}
            }
        }
        if self.shared.blobs.is_dir() { sync_dir(&self.shared.blobs) } else { Ok(()) }
    }

    /// Removes what imports of dead runs left in `tmp/`: files that nobody has written to
    /// since `older_than`. An import that rests longer than that is taken for dead.
    pub fn sweep(&self, older_than: SystemTime) -> Result<Swept, BlobError> {
        let dir = &self.shared.tmp;
        let entries = match fs::read_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Swept::default()),
            entries => entries.map_err(BlobError::io("list", dir))?,
        };
        let mut swept = Swept::default();
        for entry in entries {
            let entry = entry.map_err(BlobError::io("list", dir))?;
            let Ok(found) = entry.metadata() else { continue };
            let old = found.modified().is_ok_and(|modified| modified < older_than);
            if old && !found.is_dir() && fs::remove_file(entry.path()).is_ok() {
                swept.files += 1;
                swept.bytes += found.len();
            }
        }
        Ok(swept)
    }
}
