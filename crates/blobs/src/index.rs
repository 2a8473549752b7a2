//! Which contents are stored, so that the same bytes are stored once whatever their ending.

use std::{collections::HashMap, fs, path::Path, time::SystemTime};

use plimsoll_domain::ContentHash;

use crate::{BlobError, BlobName};

/// The names in `blobs/`, as they were when the directory last changed. It may miss what
/// another process does in the same moment; then bytes are stored under two endings, which
/// costs space and nothing else.
#[derive(Debug, Default)]
pub(crate) struct Index {
    seen: Option<SystemTime>,
    extensions: HashMap<ContentHash, String>,
}

impl Index {
    /// Reads the directory again if it changed.
    pub(crate) fn refresh(&mut self, dir: &Path) -> Result<(), BlobError> {
        let modified = modified(dir);
        if modified.is_some() && modified == self.seen {
            return Ok(());
        }
        self.extensions.clear();
        for entry in fs::read_dir(dir).map_err(BlobError::io("list", dir))? {
            let entry = entry.map_err(BlobError::io("list", dir))?;
            let name = entry.file_name();
            if let Some(Ok(name)) = name.to_str().map(BlobName::parse) {
                self.add(&name);
            }
        }
        self.seen = modified;
        Ok(())
    }

    /// The name under which these bytes are stored, as far as the directory tells.
    pub(crate) fn find(&self, hash: &ContentHash) -> Option<BlobName> {
        let extension = self.extensions.get(hash)?;
        BlobName::new(hash.clone(), extension).ok()
    }

    pub(crate) fn add(&mut self, name: &BlobName) {
        self.extensions.insert(name.hash().clone(), name.extension().to_owned());
    }

    /// The directory was changed by ourselves, and the index knows it.
    pub(crate) fn settle(&mut self, dir: &Path) {
        self.seen = modified(dir);
    }

    /// Nothing is known for sure any more.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

fn modified(dir: &Path) -> Option<SystemTime> {
    fs::metadata(dir).and_then(|dir| dir.modified()).ok()
}
