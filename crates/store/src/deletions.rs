//! Deleting so that it can be undone (REC-5): what is deleted is put aside for a time.
//!
//! What is put aside is in no list, no search, no export and no request: it stands in the
//! tables of none of them. One act of deleting is one step, however many things it took.

use plimsoll_domain::{DeletionId, FileId, PairId, Timestamp, TopicId};

use crate::{Workspace, sql::deletions};

/// Something that can be deleted and brought back. Notes of the memory are put aside by
/// [`delete_observation`](crate::Memory::delete_observation).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletable {
    /// Those of the pairs that exist.
    Pairs(Vec<PairId>),
    /// A file of the registry.
    File(FileId),
    /// A topic that holds nothing.
    Topic(TopicId),
    /// A topic with its pairs, but without topics below it (HIS-9b).
    Conversation(TopicId),
    /// A saved filter, by its name.
    Filter(String),
    /// A snippet, by its name.
    Snippet(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletedKind {
    Pairs,
    File,
    Topic,
    Conversation,
    Filter,
    Snippet,
    Notes,
}

impl DeletedKind {
    pub const ALL: [Self; 7] = [
        Self::Pairs,
        Self::File,
        Self::Topic,
        Self::Conversation,
        Self::Filter,
        Self::Snippet,
        Self::Notes,
    ];

    /// The name under which it is kept and told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::File => "file",
            Self::Topic => "topic",
            Self::Conversation => "conversation",
            Self::Filter => "filter",
            Self::Snippet => "snippet",
            Self::Notes => "notes",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeletion {
    pub id: DeletionId,
    pub workspace: Workspace,
    pub at: Timestamp,
    /// What people know it by: how a message begins, the name of a file.
    pub words: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    pub id: DeletionId,
    pub at: Timestamp,
    pub kind: DeletedKind,
    pub count: u64,
    /// What people know it by.
    pub words: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutAside {
    /// How many things it took; with none there is no deletion to undo.
    pub count: u64,
    /// Pairs whose tokens are broken by it.
    pub changed: Vec<PairId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub deletion: Deletion,
    pub pairs: Vec<PairId>,
    /// Pairs whose tokens stand for a file again.
    pub changed: Vec<PairId>,
}

jobs! {
    pub trait Deletions {
        /// Deletes and puts aside, all or none. What is refused elsewhere is refused here: a
        /// pair that is being sent, a topic that is not empty.
        write put_aside(new: &NewDeletion, what: &Deletable) -> PutAside = deletions::put_aside;

        /// The deletions of a workspace since a time, newest first.
        read deletions(workspace: &Workspace, since: Timestamp) -> Vec<Deletion> = deletions::all;

        /// The newest deletion that took a note of the memory.
        read deletion_of_note(workspace: &Workspace, note: u64)
            -> Option<DeletionId> = deletions::of_note;

        /// Brings back what a deletion of this workspace took: the same ids, order and labels.
        /// What is there again by another way is left as it is. A topic that a pair belongs to
        /// and that was deleted since comes back with it. Refused when a name is taken by now.
        write restore(workspace: &Workspace, id: DeletionId) -> Restored = deletions::restore;

        /// The messages that are put aside. What their tokens name is still needed (BLB-4).
        read deleted_texts(workspace: &Workspace) -> Vec<String> = deletions::texts;

        /// Purges one deletion of a workspace for good; says whether there was one.
        write_alone purge_deletion(workspace: &Workspace, id: DeletionId) -> bool = deletions::purge;

        /// Whether anything was deleted before a time, in any workspace.
        read any_deleted_before(before: Timestamp) -> bool = deletions::any_before;

        /// Purges what was deleted before a time, in all workspaces; says how many deletions.
        write_alone purge_all_before(before: Timestamp) -> u64 = deletions::purge_before;
    }
}
