//! Notes that also stand in files of a folder, which several stores share (MEM-17).

use plimsoll_domain::Timestamp;

use super::{ArchivedObservation, Observation};
use crate::{Workspace, sql::memory::sync as sql};

/// A note as a sync sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncNote {
    /// The note; its revisions are given only while it has no uid, which is made of the first.
    pub note: ArchivedObservation,
    /// What it is called in every store; none before its first sync.
    pub uid: Option<String>,
}

/// What a sync left of one note on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncBase {
    /// The note.
    pub uid: String,
    /// Its file, from the folder, with `/`.
    pub path: String,
    /// What the bytes of the file were.
    pub file_hash: String,
    /// What the fields of the note were.
    pub note_hash: String,
}

/// The state in which a note was seen; one that is in another by now is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenNote {
    /// Its id here.
    pub id: u64,
    /// Its revision.
    pub revision: u64,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// One thing that a sync does to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyncChange {
    /// Gives a note its uid.
    Name {
        /// The note.
        id: u64,
        /// From now on.
        uid: String,
    },
    /// Remembers what both sides are now.
    Remember(SyncBase),
    /// Adds a note that a file holds; its id is made here.
    Add {
        /// As the file says.
        note: Box<Observation>,
        /// The file.
        base: SyncBase,
    },
    /// Puts what a file holds into a note, which comes back if it was deleted. The text that it
    /// had becomes a revision.
    Change {
        /// As it was seen.
        seen: SeenNote,
        /// As the file says.
        note: Box<Observation>,
        /// The file.
        base: SyncBase,
        /// Whether the note was changed too: what it names, and when it expires, then stays
        /// beside what the file says.
        both_changed: bool,
    },
    /// Joins the text of a file to the note that has its topic key here (MEM-3).
    Join {
        /// As it was seen.
        seen: SeenNote,
        /// As the file says.
        note: Box<Observation>,
        /// Whether the text of the file becomes the present one; the other is a revision.
        file_wins: bool,
        /// What the note is called from now on.
        uid: String,
    },
    /// Deletes notes softly, as one step that can be undone.
    Delete(Vec<(SeenNote, String)>),
    /// Remembers nothing of a file any more.
    Forget(String),
}

/// What became of a [`SyncChange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncOutcome {
    /// It is done.
    Done,
    /// The note is not as it was seen; nothing was done.
    Meanwhile,
    /// Another note has the topic key that the file names; nothing was done.
    KeyTaken(u64),
}

jobs! {
    /// Notes in files.
    pub trait MemorySync {
        /// Notes after an id, by id.
        read sync_notes_after(workspace: &Workspace, id: u64, limit: usize)
            -> Vec<SyncNote> = sql::after;

        /// The notes that were deleted softly and have a uid.
        read sync_deleted(workspace: &Workspace) -> Vec<(String, SeenNote)> = sql::deleted;

        /// What the last sync of a folder left behind.
        read sync_bases(workspace: &Workspace, folder: &str) -> Vec<SyncBase> = sql::bases;

        /// Carries changes out, all or none but for those that say otherwise.
        write sync_apply(
            workspace: &Workspace, folder: &str, changes: &[SyncChange], at: Timestamp
        ) -> Vec<SyncOutcome> = sql::apply;
    }
}
