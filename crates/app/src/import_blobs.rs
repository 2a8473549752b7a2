//! The bytes of an archive of ours on their way into a workspace, on the thread that reads.

use std::ops::ControlFlow;

use plimsoll_blobs::{Batch, BlobError, BlobName, Blobs, Intake};
use plimsoll_exchange::{BlobEntry, BlobPart};

/// So many blobs, or so many bytes, become durable together.
const BATCH_BLOBS: usize = 256;
const BATCH_BYTES: u64 = 64 << 20;

/// Takes blobs in as uploads are, and under the names that they had.
pub(crate) struct BlobTaker {
    blobs: Blobs,
    batch: Batch,
    bytes: u64,
    intake: Option<Intake>,
    failed: Option<BlobError>,
}

impl BlobTaker {
    pub(crate) fn new(blobs: Blobs) -> Self {
        let batch = blobs.batch();
        Self { blobs, batch, bytes: 0, intake: None, failed: None }
    }

    /// Takes the next part. A failure of the disk ends it, and is kept.
    pub(crate) fn take(&mut self, part: BlobPart<'_>) -> ControlFlow<()> {
        let taken = match part {
            BlobPart::Begin(entry) => self.begin(entry),
            BlobPart::Bytes(bytes) => match &mut self.intake {
                Some(intake) => intake.write(bytes),
                None => Ok(()),
            },
            BlobPart::Whole => self.end(),
            BlobPart::Bad => {
                self.intake = None;
                Ok(())
            }
        };
        self.answer(taken)
    }

    /// Makes durable what was taken, and gives it its names.
    pub(crate) fn settle(&mut self) -> ControlFlow<()> {
        let batch = std::mem::replace(&mut self.batch, self.blobs.batch());
        self.bytes = 0;
        let settled = batch.finish().map(drop);
        self.answer(settled)
    }

    /// What went wrong, if anything did.
    pub(crate) fn failure(self) -> Option<BlobError> {
        self.failed
    }

    fn begin(&mut self, entry: &BlobEntry) -> Result<(), BlobError> {
        // The reader lets no other names through.
        let name = BlobName::new(entry.hash.clone(), &entry.extension);
        self.intake = name.ok().map(|name| self.blobs.begin_as(&name, None)).transpose()?;
        Ok(())
    }

    fn end(&mut self) -> Result<(), BlobError> {
        let Some(intake) = self.intake.take() else { return Ok(()) };
        self.bytes += intake.size();
        self.batch.add(intake)?;
        if self.batch.len() >= BATCH_BLOBS || self.bytes >= BATCH_BYTES {
            let batch = std::mem::replace(&mut self.batch, self.blobs.batch());
            self.bytes = 0;
            batch.finish()?;
        }
        Ok(())
    }

    fn answer(&mut self, done: Result<(), BlobError>) -> ControlFlow<()> {
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
