//! The memory of coding agents (MEM-1 to MEM-9): sessions, prompts, observations with
//! their revisions, relations, progress. Ids are small integers, never used twice.

mod archive;
mod graph;
mod observations;
mod prompts;
mod records;
mod search;
mod sessions;

pub use archive::{ArchivedObservation, Brought, MemoryArchive, MemoryRecord};
pub use graph::{Graph, NewRelation, Related};
pub use observations::{
    Around, Change, MemoryCounts, NewObservation, Observations, Order, Saved, SavedObservation,
};
pub use prompts::{NewPrompt, Prompts};
pub use records::{
    BadScope, MemoryFilter, Observation, ObservationRevision, ProgressDocument, Projects, Prompt,
    Relation, SESSION_SUMMARY, SHARED_SESSION, Scope, Session,
};
pub use search::{MemoryFound, MemoryHit, MemoryHits, MemoryQuery, MemorySearch};
pub use sessions::{NewSession, Sessions, Summarised};

/// All of the memory.
pub trait Memory: Sessions + Prompts + Observations + Graph + MemorySearch + MemoryArchive {}

impl<M> Memory for M where
    M: Sessions + Prompts + Observations + Graph + MemorySearch + MemoryArchive
{
}
