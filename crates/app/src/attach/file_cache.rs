//! What was looked up and weighed already, so that a keystroke reads no file.

use std::{collections::HashMap, sync::Arc};

use plimsoll_blobs::Blobs;
use plimsoll_domain::{Attachment, ContentHash, Delivery, File, FileId};
use plimsoll_files::DocumentReaders;
use plimsoll_store::{Store, StoreError, Workspace};
use plimsoll_tokens::odd_bytes;

use crate::{AppError, shelf::with_text};

/// Where files are looked up.
#[derive(Clone, Copy)]
pub(crate) struct Shelf<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) blobs: &'a Blobs,
    pub(crate) documents: &'a DocumentReaders,
    pub(crate) workspace: &'a Workspace,
}

impl Shelf<'_> {
    /// A file with what came of reading its text, if it is a document (VAL-1: it is weighed by
    /// that).
    async fn with_text(&self, file: File) -> Result<File, AppError> {
        with_text(self.blobs, self.documents, file).await
    }
}

/// Files and their weights.
#[derive(Default)]
pub(crate) struct FileCache {
    files: HashMap<FileId, Option<Arc<File>>>,
    newest: HashMap<ContentHash, Option<Arc<File>>>,
    /// Tokens of whole blocks, under the stamp that they were counted with.
    blocks: HashMap<(FileId, Delivery), u64>,
    /// How much of a block estimates misjudge by far (EST-9), as a share of it.
    odd: HashMap<(FileId, Delivery), f64>,
    stamp: String,
    /// How many references were looked up, for the test that says how often a send does.
    pub(crate) resolutions: u64,
}

impl FileCache {
    /// Files came or went.
    pub(crate) fn forget(&mut self) {
        self.files.clear();
        self.newest.clear();
    }

    /// Weights counted otherwise are worth nothing.
    pub(crate) fn weigh_by(&mut self, stamp: &str) {
        if self.stamp != stamp {
            self.blocks.clear();
            self.stamp = stamp.to_owned();
        }
    }

    /// What a file weighs as it is delivered, with the frame around it.
    pub(crate) fn block(&self, file: FileId, delivery: Delivery) -> Option<u64> {
        self.blocks.get(&(file, delivery)).copied()
    }

    pub(crate) fn note_block(&mut self, file: FileId, how: Delivery, text: &str, tokens: u64) {
        self.blocks.insert((file, how), tokens);
        self.odd.insert((file, how), odd_bytes(text) as f64 / text.len().max(1) as f64);
    }

    /// What of a block of this many tokens estimates misjudge by far.
    pub(crate) fn odd_tokens(&self, file: FileId, delivery: Delivery, tokens: u64) -> u64 {
        let odd = self.odd.get(&(file, delivery)).copied().unwrap_or(0.0);
        (tokens as f64 * odd) as u64
    }

    /// The file that a token with these bytes means: the one it came with if that is still
    /// there, else the newest with the same bytes (TOK-5).
    pub(crate) async fn file(
        &mut self,
        shelf: Shelf<'_>,
        attachment: Attachment,
        hash: &ContentHash,
    ) -> Result<Option<Arc<File>>, AppError> {
        if let Some(id) = attachment.file {
            let known = match self.files.get(&id) {
                Some(known) => known.clone(),
                None => {
                    let found = match shelf.store.file(shelf.workspace, id).await {
                        Err(StoreError::NotFound(_)) => None,
                        found => Some(Arc::new(shelf.with_text(found?).await?)),
                    };
                    self.files.insert(id, found.clone());
                    found
                }
            };
            if let Some(file) = known.filter(|file| file.hash == *hash) {
                return Ok(Some(file));
            }
        }
        if let Some(known) = self.newest.get(hash) {
            return Ok(known.clone());
        }
        let found = match shelf.store.file_by_hash(shelf.workspace, hash).await? {
            Some(found) => Some(Arc::new(shelf.with_text(found).await?)),
            None => None,
        };
        self.newest.insert(hash.clone(), found.clone());
        Ok(found)
    }
}
