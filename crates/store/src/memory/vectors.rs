//! Vectors beside the notes, for search by meaning (MEM-10).

use plimsoll_domain::Timestamp;

use super::MemoryFilter;
use crate::{Workspace, sql::memory::vectors as sql};

/// The text of a note that has no vectors yet, or those of an earlier text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteText {
    pub id: u64,
    /// Tells this text from earlier and later ones of the note.
    pub fingerprint: String,
    pub title: String,
    pub content: String,
}

/// What was made of a note's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteVectors {
    /// The note.
    pub id: u64,
    /// That of the text.
    pub fingerprint: String,
    /// In a form that the caller knows.
    pub vectors: Vec<u8>,
}

/// Vectors as they are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVectors {
    /// The note.
    pub id: u64,
    /// Larger than that of all that was kept before.
    pub change: u64,
    pub vectors: Vec<u8>,
}

/// How far a workspace has vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorCounts {
    /// Notes that are there.
    pub notes: u64,
    /// Those of them with vectors of their present text.
    pub with_vectors: u64,
}

jobs! {
    /// What models made of notes. A note has vectors of one model at a time; they go with it, and
    /// stay while it is deleted softly.
    pub trait Vectors {
        /// Notes without vectors of this model and their present text, the newest first: those
        /// changed at a time or later, with an id below `before`.
        read notes_without_vectors(
            workspace: &Workspace, model: &str, changed_since: Timestamp, before: u64, limit: usize
        ) -> Vec<NoteText> = sql::missing;

        /// Keeps vectors, in the place of earlier ones; says of how many notes. Those of notes
        /// that are gone or have another text by now are left out.
        write_lazily put_vectors(workspace: &Workspace, model: &str, vectors: &[NoteVectors])
            -> u64 = sql::put;

        /// What was kept after a change, in order; 0 is before all. Of a note that is deleted
        /// softly too.
        read vectors_after(workspace: &Workspace, model: &str, change: u64, limit: usize)
            -> Vec<KeptVectors> = sql::after;

        read vector_counts(workspace: &Workspace, model: &str) -> VectorCounts = sql::counts;

        /// Forgets the vectors of all models; says of how many notes.
        write forget_vectors(workspace: &Workspace) -> u64 = sql::forget;

        /// Those of these ids whose notes pass a filter, in the order given.
        read notes_passing(workspace: &Workspace, filter: &MemoryFilter, ids: &[u64])
            -> Vec<u64> = sql::passing;

        /// The ids of the notes that pass a filter, those changed last first.
        read newest_notes(workspace: &Workspace, filter: &MemoryFilter, limit: usize)
            -> Vec<u64> = sql::newest;
    }
}
