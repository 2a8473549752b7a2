//! Where the blobs of a workspace lie: a folder of this machine or an object store. This is all
//! that the rest of the crate knows of it.

use std::{
    fmt::Debug,
    fs::File,
    path::{Path, PathBuf},
};

use plimsoll_domain::ContentHash;

use crate::{Blob, BlobError, BlobName, Broken, Stored, disk::Temporary, intake::Sealed};

/// A place for the blobs of one workspace. What it lists is whole, and its name is its hash.
pub(crate) trait Place: Debug + Send + Sync {
    /// Makes what must be there before anything is taken in.
    fn prepare(&self) -> Result<(), BlobError>;

    /// Keeps whole bytes under their names, in the order given. Whatever happens meanwhile,
    /// only whole blobs are found later; what was answered is kept for good.
    fn place_all(&self, all: Vec<Sealed>) -> Result<Vec<Blob>, BlobError>;

    /// A blob as a file of this machine. Its bytes are not checked; its name is no link.
    fn open(&self, name: &BlobName) -> Result<File, BlobError>;

    /// Where such a file is. It may be read at once, and must not be kept in mind.
    fn local_path(&self, name: &BlobName) -> Result<PathBuf, BlobError>;

    /// The first bytes of a blob, or all if there are fewer.
    fn read_start(&self, name: &BlobName, bytes: u64) -> Result<Vec<u8>, BlobError>;

    /// Hands out the bytes as they are kept, part by part, whatever copies there are.
    fn read_parts(&self, name: &BlobName, take: &mut dyn FnMut(&[u8])) -> Result<(), BlobError>;

    /// How large a blob is and when it was last taken in; none if it is not there.
    fn stat(&self, name: &BlobName) -> Result<Option<Stored>, BlobError>;

    /// Whether a token may stand for it.
    fn is_there(&self, name: &BlobName) -> Result<(), Broken>;

    /// The blob that a path of this machine names when all links are followed.
    fn canonical(&self, path: &Path) -> Option<BlobName>;

    /// All blobs, by name. What is no blob is not listed.
    fn list(&self) -> Result<Vec<Stored>, BlobError>;

    /// Removes a blob, if it is still as it was listed; says whether it did. `before` is done
    /// once that is sure.
    fn discard(
        &self,
        garbage: &Stored,
        before: &mut dyn FnMut() -> Result<(), BlobError>,
    ) -> Result<bool, BlobError>;

    /// Removes a blob. One that is not there is as good as removed.
    fn remove(&self, name: &BlobName) -> Result<(), BlobError>;

    /// Throws away a copy of the bytes that is not the store's own; says whether there was one.
    fn forget_copy(&self, name: &BlobName) -> bool;
}

/// The steps of keeping one blob. A folder does them while nobody else changes it.
pub(crate) trait Placing {
    /// The name under which these bytes are kept already.
    fn find(&mut self, hash: &ContentHash) -> Result<Option<BlobName>, BlobError>;

    /// Whether a blob is there with all its bytes. If so, it counts as new from now on, so that
    /// nobody takes it for garbage before the message that needs it is written.
    fn touch(&mut self, name: &BlobName, size: u64) -> Result<bool, BlobError>;

    /// Gives bytes this name. What has the name and another size is replaced.
    fn put(&mut self, temporary: Temporary, name: &BlobName, size: u64) -> Result<(), BlobError>;
}

/// Keeps one blob: the same bytes once, under the name of the first time.
pub(crate) fn place_one(at: &mut dyn Placing, sealed: Sealed) -> Result<Blob, BlobError> {
    let Sealed { temporary, name, size, facts, exact } = sealed;
    let known = if exact { Some(name.clone()) } else { at.find(name.hash())? };
    let there = match &known {
        Some(known) => at.touch(known, size)?,
        None => false,
    };
    // What has the name but not the size was damaged; it is put right under that name.
    let name = known.unwrap_or(name);
    if !there {
        at.put(temporary, &name, size)?;
    }
    let (hash, extension) = (name.hash().clone(), name.extension().to_owned());
    Ok(Blob { name, hash, extension, size, facts, new: !there })
}
