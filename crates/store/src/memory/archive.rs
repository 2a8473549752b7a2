//! All of the memory, taken out and brought in (MEM-9).

use async_trait::async_trait;

use super::{Observation, ObservationRevision, ProgressDocument, Prompt, Relation, Session};
use crate::{StoreResult, Workspace};

/// An observation with its earlier texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedObservation {
    /// As it is.
    pub observation: Observation,
    /// As it was, the first first.
    pub revisions: Vec<ObservationRevision>,
}

/// One thing of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryRecord {
    /// A stretch of work.
    Session(Session),
    /// What a user asked.
    Prompt(Prompt),
    /// A note.
    Observation(Box<ArchivedObservation>),
    /// An arrow between two notes.
    Relation(Relation),
    /// The state of a project.
    Progress(ProgressDocument),
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brought {
    /// The id that it has here; 0 for what has no number.
    pub id: u64,
    /// Whether it was not there before.
    pub fresh: bool,
}

/// The whole memory, a piece at a time.
#[async_trait]
pub trait MemoryArchive: Send + Sync {
    /// What comes after a record, in one order: sessions, prompts, observations, relations,
    /// progress. None is the start; an empty list is the end.
    async fn memory_after(
        &self,
        workspace: &Workspace,
        last: Option<&MemoryRecord>,
        limit: usize,
    ) -> StoreResult<Vec<MemoryRecord>>;

    /// Brings records in, all or none. An id that is free is kept, one that is taken by
    /// something else is replaced by a new one, and what is there already stays as it is.
    /// An observation whose topic key another has here gives its texts to that one (MEM-3):
    /// those that it does not have become its revisions, and the newer text is the present one.
    /// The ends of relations are ids of this store.
    async fn bring_memory(
        &self,
        workspace: &Workspace,
        records: &[MemoryRecord],
    ) -> StoreResult<Vec<Brought>>;
}
