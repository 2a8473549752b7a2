//! All of the memory, taken out and brought in (MEM-9).

use super::{Observation, ObservationRevision, ProgressDocument, Prompt, Relation, Session};
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
    Prompt(Prompt),
    Observation(Box<ArchivedObservation>),
    Relation(Relation),
    Progress(ProgressDocument),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brought {
    /// The id that it has here; 0 for what has no number.
    pub id: u64,
    /// Whether it was not there before.
    pub fresh: bool,
}
