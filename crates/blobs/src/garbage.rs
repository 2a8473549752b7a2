//! What is stored, what of it is needed no more (BLB-4), and what dead runs left behind.

use std::{collections::HashSet, fs, io, time::SystemTime};

use plimsoll_domain::ContentHash;

use crate::{BlobError, BlobName, Blobs};

/// A blob as it lies in its place.
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
        self.shared.place.list()
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
        let mut derived = || self.remove_derived(&garbage.name);
        self.shared.place.discard(garbage, &mut derived)
    }

    /// Removes a blob and what was derived from it. One that is not there is as good as
    /// removed.
    pub fn remove(&self, name: &BlobName) -> Result<(), BlobError> {
        self.remove_derived(name)?;
        self.shared.place.remove(name)
    }

    /// Removes everything, for a workspace that is gone.
    pub fn clear(&self) -> Result<(), BlobError> {
        for stored in self.list()? {
            self.remove(&stored.name)?;
        }
        let context = &self.shared.context;
        // The directory of the workspace has nothing else in it.
        let dir = context.parent().unwrap_or(context);
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(BlobError::io("remove", dir)(error))
            }
            _ => Ok(()),
        }
    }

    /// Goes before the blob: a thumbnail without one would never be found again.
    fn remove_derived(&self, name: &BlobName) -> Result<(), BlobError> {
        let path = self.thumbnail_path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(BlobError::io("remove", &path)(error))
            }
            _ => Ok(()),
        }
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
