//! Many at once. One call to the disk for each of ten thousand small files would be most of
//! the time of taking them in; here all are written first, made durable together, and only
//! then named.

use std::{fs::File, path::Path};

use crate::{Blob, BlobError, Blobs, Intake, intake::Sealed};

/// Up to so many files are made durable one by one: making the whole file system durable
/// also waits for what others are writing.
const FEW: usize = 16;

/// Blobs that become durable together. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Batch {
    blobs: Blobs,
    sealed: Vec<Sealed>,
}

/// How far an import of many files is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done with, taken in or not.
    pub files: usize,
    /// Bytes that have been read.
    pub bytes: u64,
}

impl Batch {
    pub(crate) fn new(blobs: &Blobs) -> Self {
        Self { blobs: blobs.clone(), sealed: Vec::new() }
    }

    /// How many have been added.
    pub fn len(&self) -> usize {
        self.sealed.len()
    }

    /// Whether none has been added.
    pub fn is_empty(&self) -> bool {
        self.sealed.is_empty()
    }

    /// Ends the writing of one that the same store began. It gets no name before
    /// [`Batch::finish`].
    pub fn add(&mut self, intake: Intake) -> Result<(), BlobError> {
        let (sealed, file) = intake.seal()?;
        if !TOGETHER {
            file.sync_all().map_err(BlobError::io("synchronise", sealed.temporary.path()))?;
        }
        self.sealed.push(sealed);
        Ok(())
    }

    /// Makes all durable and gives them their names, in the order in which they were added.
    pub fn finish(self) -> Result<Vec<Blob>, BlobError> {
        if self.sealed.is_empty() {
            return Ok(Vec::new());
        }
        if TOGETHER && self.sealed.len() > FEW {
            sync_together(&self.blobs.shared.tmp)?;
        } else if TOGETHER {
            for sealed in &self.sealed {
                let path = sealed.temporary.path();
                let synced = File::open(path).and_then(|file| file.sync_all());
                synced.map_err(BlobError::io("synchronise", path))?;
            }
        }
        self.blobs.shared.place.place_all(self.sealed)
    }
}

/// Whether this system can make all files of a file system durable in one call that also
/// says whether it worked.
const TOGETHER: bool = cfg!(target_os = "linux");

#[cfg(target_os = "linux")]
fn sync_together(dir: &Path) -> Result<(), BlobError> {
    let synced = File::open(dir).and_then(|dir| Ok(rustix::fs::syncfs(&dir)?));
    synced.map_err(BlobError::io("synchronise", dir))
}

#[cfg(not(target_os = "linux"))]
fn sync_together(_: &Path) -> Result<(), BlobError> {
    Ok(())
}

impl Blobs {
    /// Takes in many files of this machine; see [`Blobs::import_file`] for what each goes
    /// through. The answers are in the order of the paths. A file that cannot be taken in
    /// does not keep the others back. A cancelled import and a full disk are errors of the
    /// whole: nothing is kept of it but, if naming itself failed, blobs that are whole.
    pub fn import_many(
        &self,
        paths: &[impl AsRef<Path>],
        limit: Option<u64>,
        progress: &mut dyn FnMut(Progress),
        cancel: &dyn Fn() -> bool,
    ) -> Result<Vec<Result<Blob, BlobError>>, BlobError> {
        let mut batch = self.batch();
        let mut answers: Vec<Result<(), BlobError>> = Vec::with_capacity(paths.len());
        let mut bytes = 0;
        for (files, path) in paths.iter().enumerate() {
            let mut during = |done, _| progress(Progress { files, bytes: bytes + done });
            let poured = self.pour(path.as_ref(), limit, &mut during, cancel);
            match poured {
                Ok(intake) => {
                    bytes += intake.size();
                    batch.add(intake)?;
                    answers.push(Ok(()));
                }
                Err(whole @ (BlobError::Cancelled | BlobError::DiskFull)) => return Err(whole),
                Err(this_one) => answers.push(Err(this_one)),
            }
            progress(Progress { files: files + 1, bytes });
        }
        let mut blobs = batch.finish()?.into_iter();
        let answer = |answer: Result<(), BlobError>| {
            answer.and_then(|()| blobs.next().ok_or(BlobError::Spoiled))
        };
        Ok(answers.into_iter().map(answer).collect())
    }
}
