//! The registry of files (FIL-1), and what models read of them (PRV-5).

use std::collections::HashSet;

use async_trait::async_trait;
use plimsoll_domain::{ContentHash, Delivery, File, FileId, PairId, ProviderFileId};

use crate::{StoreResult, Workspace};

/// One call of a tool, and what it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCallRecord {
    /// The tool.
    pub name: String,
    /// What it was asked, as the model wrote it.
    pub arguments: String,
    /// What it said.
    pub result: String,
    /// Whether that was an error.
    pub failed: bool,
    /// What call and result weigh.
    pub tokens: u64,
    /// How long it took.
    pub millis: u64,
    /// The files that it made.
    pub made: Vec<FileId>,
}

/// The registry. A file belongs to one workspace and is known by its id.
#[async_trait]
pub trait Files: Send + Sync {
    /// Writes a file down, on the disk when this returns. One with the same id is refused
    /// with `Exists`.
    async fn put_file(&self, workspace: &Workspace, file: &File) -> StoreResult<()>;

    /// One file of a workspace.
    async fn file(&self, workspace: &Workspace, id: FileId) -> StoreResult<File>;

    /// All files of a workspace, newest first.
    async fn files(&self, workspace: &Workspace) -> StoreResult<Vec<File>>;

    /// The files that models may be told of and may read (FIL-6), newest first: those that a
    /// message holds which was sent, those that a tool made for an answer, and those that
    /// were added for models. What only a draft holds is not among them.
    async fn listed_files(&self, workspace: &Workspace) -> StoreResult<Vec<File>>;

    /// One of those; any other is `NotFound`.
    async fn listed_file(&self, workspace: &Workspace, id: FileId) -> StoreResult<File>;

    /// Says whether models may be told of a file that no message holds (FIL-6).
    async fn set_listed(&self, workspace: &Workspace, id: FileId, listed: bool) -> StoreResult<()>;

    /// The newest file of a workspace with these bytes (TOK-5).
    async fn file_by_hash(
        &self,
        workspace: &Workspace,
        hash: &ContentHash,
    ) -> StoreResult<Option<File>>;

    /// Keeps the words that came with those of the files that have none yet (FIL-2).
    async fn set_upload_context(&self, ids: &[FileId], words: &str) -> StoreResult<u64>;

    /// Keeps the id of a copy; an earlier one at the same provider is replaced (FIL-4).
    async fn put_provider_id(&self, file: FileId, copy: &ProviderFileId) -> StoreResult<()>;

    /// Deletes a file; gives the pairs whose tokens are broken by it. Their estimates are
    /// stale (EST-7).
    async fn delete_file(&self, workspace: &Workspace, id: FileId) -> StoreResult<Vec<PairId>>;

    /// The pairs whose messages hold the file, oldest first.
    async fn used_by(&self, file: FileId) -> StoreResult<Vec<PairId>>;

    /// Changes how one attachment of a pair is delivered; its estimates are stale.
    async fn set_delivery(&self, pair: PairId, place: usize, delivery: Delivery)
    -> StoreResult<()>;

    /// The hashes that files of a workspace refer to (BLB-4).
    async fn hashes_in_use(&self, workspace: &Workspace) -> StoreResult<HashSet<ContentHash>>;

    /// Writes down what a tool gave, after those of the answer that stands.
    async fn add_tool_call(&self, pair: PairId, call: &ToolCallRecord) -> StoreResult<()>;

    /// What was read for the answer that stands, in order.
    async fn tool_calls(&self, pair: PairId) -> StoreResult<Vec<ToolCallRecord>>;
}
