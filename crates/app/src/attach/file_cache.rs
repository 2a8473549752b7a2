//! What was looked up and weighed already, so that a keystroke reads no file.

use std::{collections::HashMap, sync::Arc};

use plimsoll_domain::{Attachment, ContentHash, File, FileId};
use plimsoll_store::{Store, StoreError, Workspace};
use plimsoll_tokens::odd_bytes;

use crate::AppError;

/// Files and their weights.
#[derive(Default)]
pub(crate) struct FileCache {
    files: HashMap<FileId, Option<Arc<File>>>,
    newest: HashMap<ContentHash, Option<Arc<File>>>,
    /// Tokens of whole blocks, under the stamp that they were counted with.
    blocks: HashMap<FileId, u64>,
    /// How much of a block estimates misjudge by far (EST-9), as a share of it.
    odd: HashMap<FileId, f64>,
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

    pub(crate) fn block(&self, file: FileId) -> Option<u64> {
        self.blocks.get(&file).copied()
    }

    pub(crate) fn note_block(&mut self, file: FileId, text: &str, tokens: u64) {
        self.blocks.insert(file, tokens);
        self.odd.insert(file, odd_bytes(text) as f64 / text.len().max(1) as f64);
    }

    /// What of a block of this many tokens estimates misjudge by far.
    pub(crate) fn odd_tokens(&self, file: FileId, tokens: u64) -> u64 {
        (tokens as f64 * self.odd.get(&file).copied().unwrap_or(0.0)) as u64
    }

    /// The file that a token with these bytes means: the one it came with if that is still
    /// there, else the newest with the same bytes (TOK-5).
    pub(crate) async fn file(
        &mut self,
        store: &dyn Store,
        workspace: &Workspace,
        attachment: Attachment,
        hash: &ContentHash,
    ) -> Result<Option<Arc<File>>, AppError> {
        if let Some(id) = attachment.file {
            let known = match self.files.get(&id) {
                Some(known) => known.clone(),
                None => {
                    let found = match store.file(workspace, id).await {
                        Err(StoreError::NotFound(_)) => None,
                        found => Some(Arc::new(found?)),
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
        let found = store.file_by_hash(workspace, hash).await?.map(Arc::new);
        self.newest.insert(hash.clone(), found.clone());
        Ok(found)
    }
}
