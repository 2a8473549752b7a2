//! The registry of files (FIL-1), and what models read of them (PRV-5).

use std::collections::HashSet;

use plimsoll_domain::{ContentHash, Delivery, File, FileId, PairId, ProviderFileId, TopicId};

use crate::{
    HeldSend, Workspace,
    sql::{files, tool_calls},
};

/// One call of a tool, and what it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCallRecord {
    pub name: String,
    /// What it was asked, as the model wrote it.
    pub arguments: String,
    pub result: String,
    pub failed: bool,
    /// What call and result weigh.
    pub tokens: u64,
    pub millis: u64,
    pub made: Vec<FileId>,
}

/// Of which messages the files are that models may be told of and may read, besides those that
/// were added for models (FIL-6). The default is all of a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListedIn {
    /// Of one conversation alone.
    pub conversation: Option<TopicId>,
    /// Of pinned messages alone.
    pub pinned: bool,
    /// Of this message in any case.
    pub also: Option<PairId>,
}

jobs! {
    /// The registry. A file belongs to one workspace and is known by its id.
    pub trait Files {
        /// Writes a file down, on the disk when this returns. One with the same id is refused
        /// with `Exists`.
        write put_file(workspace: &Workspace, file: &File) -> () = files::put;

        read file(workspace: &Workspace, id: FileId) -> File = files::get;

        /// All files of a workspace, newest first.
        read files(workspace: &Workspace) -> Vec<File> = files::all;

        /// The files that models may be told of and may read (FIL-6), newest first: those that a
        /// message holds which was sent, those that a tool made for an answer, and those that
        /// were added for models. What only a draft holds is not among them.
        read listed_files(workspace: &Workspace, of: ListedIn) -> Vec<File> = files::listed;

        /// One of those; any other is `NotFound`.
        read listed_file(workspace: &Workspace, of: ListedIn, id: FileId)
            -> File = files::listed_one;

        /// Says whether models may be told of a file that no message holds (FIL-6).
        write set_listed(workspace: &Workspace, id: FileId, listed: bool) -> () = files::set_listed;

        /// The newest file of a workspace with these bytes (TOK-5).
        read file_by_hash(workspace: &Workspace, hash: &ContentHash)
            -> Option<File> = files::by_hash;

        /// Keeps the words that came with those of the files that have none yet (FIL-2).
        write set_upload_context(ids: &[FileId], words: &str) -> u64 = files::set_context;

        /// Keeps the id of a copy; an earlier one at the same provider is replaced (FIL-4).
        write_lazily put_provider_id(file: FileId, copy: &ProviderFileId) -> () = files::put_copy;

        /// Deletes a file; gives the pairs whose tokens are broken by it. Their estimates are
        /// stale (EST-7).
        write_alone delete_file(workspace: &Workspace, id: FileId) -> Vec<PairId> = files::delete;

        /// The pairs whose messages hold the file, oldest first.
        read used_by(file: FileId) -> Vec<PairId> = files::used_by;

        /// Changes how one attachment of a pair is delivered; its estimates are stale.
        write set_delivery(pair: PairId, place: usize, delivery: Delivery)
            -> () = files::set_delivery;

        /// The hashes that files of a workspace refer to (BLB-4).
        read hashes_in_use(workspace: &Workspace) -> HashSet<ContentHash> = files::hashes;

        /// Writes down what a tool gave, after those of the answer that stands.
        write_lazily add_tool_call(send: HeldSend, call: &ToolCallRecord) -> () = tool_calls::add;

        /// What was read for the answer that stands, in order.
        read tool_calls(pair: PairId) -> Vec<ToolCallRecord> = tool_calls::list_of;
    }
}
