//! Cutting a file, and letting go of what nothing refers to any more (LIM-3, BLB-4).

use std::time::{Duration, SystemTime};

use plimsoll_blobs::{Blob, BlobError, Blobs, Stored};
use plimsoll_domain::{File, SegmentBody, segments};
use plimsoll_store::Workspace;

use super::{blob_name, blocking};
use crate::{App, AppError};

/// Blobs that nothing refers to.
pub struct Garbage {
    /// Each with its size.
    pub found: Vec<Stored>,
    /// How many more there are that are younger than the grace time.
    pub waiting: Collected,
    /// How many there are that are older than the store itself: it cannot know who needed
    /// them, so that they stay (REL-10).
    pub unjudged: Collected,
    blobs: Blobs,
}

/// What a collection removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Bytes that are kept beside the store, of all workspaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobUsage {
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The directory, or the part of an object store, where they are.
    pub place: String,
}

impl App {
    /// What a copy of the store alone does not have.
    pub async fn beside_the_store(&self) -> Result<BlobUsage, AppError> {
        let mut beside = BlobUsage { place: self.keeper().place(), ..BlobUsage::default() };
        for workspace in self.store.workspaces().await? {
            let blobs = self.blobs(&workspace)?;
            for stored in blocking(move || blobs.list()).await?? {
                beside.blobs += 1;
                beside.bytes += stored.size;
            }
        }
        Ok(beside)
    }

    /// Blobs that no message, draft or file refers to and that are older than the grace
    /// time: the dry run (BLB-4). What can still be brought back refers to them too.
    pub async fn garbage(
        &self,
        workspace: &Workspace,
        grace: Duration,
    ) -> Result<Garbage, AppError> {
        let blobs = self.blobs(workspace)?;
        let made = self.store.schema_version().await?.made_at.millis();
        let made = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(made).unwrap_or(0));
        let mut keep = self.store.hashes_in_use(workspace).await?;
        let rows = self.store.rows(workspace).await?;
        let with: Vec<_> = rows.iter().filter(|row| row.has_attachment).map(|row| row.id).collect();
        let mut texts: Vec<String> = Vec::new();
        for ids in with.chunks(256) {
            let stored = self.store.get_many(ids).await?;
            texts.extend(stored.into_iter().map(|stored| stored.pair.user_text));
        }
        texts.extend(self.store.deleted_texts(workspace).await?);
        texts.extend(self.store.draft_texts(workspace).await?);
        let found = blocking(move || -> Result<Garbage, BlobError> {
            for text in &texts {
                for segment in segments(text) {
                    if let SegmentBody::Token(token) = segment.body
                        && let Ok(name) = blobs.resolve(&token.path)
                    {
                        keep.insert(name.hash().clone());
                    }
                }
            }
            let older_than = SystemTime::now().checked_sub(grace).unwrap_or(SystemTime::UNIX_EPOCH);
            blobs.sweep(older_than)?;
            let mut found = blobs.garbage(&keep, older_than)?;
            let mut all = blobs.garbage(&keep, SystemTime::now())?;
            let before = |one: &mut Stored| one.modified < made;
            let unjudged: Vec<Stored> = all.extract_if(.., before).collect();
            found.retain(|one| one.modified >= made);
            let sum = |stored: &[Stored]| stored.iter().map(|one| one.size).sum::<u64>();
            let waiting = Collected {
                blobs: (all.len() as u64).saturating_sub(found.len() as u64),
                bytes: sum(&all).saturating_sub(sum(&found)),
            };
            let unjudged = Collected { blobs: unjudged.len() as u64, bytes: sum(&unjudged) };
            Ok(Garbage { found, waiting, unjudged, blobs })
        });
        Ok(found.await??)
    }

    /// Removes what a dry run found, unless the same bytes came again since.
    pub async fn collect(&self, garbage: Garbage) -> Result<Collected, AppError> {
        let collect = move || -> Result<Collected, BlobError> {
            let mut collected = Collected::default();
            for stored in &garbage.found {
                if garbage.blobs.discard(stored)? {
                    collected.blobs += 1;
                    collected.bytes += stored.size;
                }
            }
            Ok(collected)
        };
        Ok(blocking(collect).await??)
    }
}

/// The first bytes of a text, whole characters.
pub(super) fn first_text(blobs: &Blobs, file: &File, bytes: u64) -> Result<String, AppError> {
    let start = blobs.read_start(&blob_name(file)?, bytes)?;
    let text = String::from_utf8_lossy(&start);
    Ok(text.trim_end_matches('\u{fffd}').to_owned())
}

/// The first bytes of a text, cut at its last whole line, or character where a line is too
/// long, and a note about it.
pub(super) fn head(blobs: &Blobs, name: &str, text: &str, whole: u64) -> Result<Blob, AppError> {
    let kept = match text.rfind('\n') {
        Some(end) if (text.len() as u64) < whole => &text[..=end],
        _ => text,
    };
    let note = format!("\n[cut: the first {} of {whole} bytes]\n", kept.len());
    let mut intake = blobs.begin(name, None)?;
    intake.write(kept.as_bytes())?;
    intake.write(note.as_bytes())?;
    Ok(intake.finish()?)
}
