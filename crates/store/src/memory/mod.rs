//! The memory of coding agents (MEM-1 to MEM-9): sessions, prompts, observations with
//! their revisions, relations, progress. Ids are small integers, never used twice.

mod anchors;
mod archive;
mod observations;
mod pending;
mod records;
mod search;
mod sync;
mod vectors;

use plimsoll_domain::Timestamp;

use crate::{Workspace, sql::memory as sql};

pub use anchors::{Anchor, AnchorState};
pub use archive::{ArchivedObservation, Brought, MemoryRecord};
pub use observations::{
    Around, Change, DeletedObservation, MemoryCounts, NewObservation, Order, Saved,
    SavedObservation,
};
pub use pending::{PendingNote, Proposal};
pub use records::{
    BadScope, MemoryFilter, NewPrompt, NewRelation, NewSession, Observation, ObservationRevision,
    ProgressDocument, Projects, Prompt, Related, Relation, SESSION_SUMMARY, SHARED_SESSION,
    SUPERSEDES, Scope, Session, Summarised,
};
pub use search::{HowFound, MemoryFound, MemoryHit, MemoryHits, MemoryQuery};
pub use sync::{MemorySync, SeenNote, SyncBase, SyncChange, SyncNote, SyncOutcome};
pub use vectors::{KeptVectors, NoteText, NoteVectors, VectorCounts, Vectors};

jobs! {
    /// The memory. What was deleted is found by none of these, nor is a relation one end of which
    /// was deleted.
    ///
    /// Whoever names a session that is not there makes it. One that is there refuses whoever
    /// names it for another project (MEM-12); case does not matter, and [`SHARED_SESSION`]
    /// belongs to none. The summary of a session is a note of the type [`SESSION_SUMMARY`], so
    /// that it is found, shown and revised like any other.
    pub trait Memory {
        /// Starts a session; says whether it is new. One that is there goes on: its end is
        /// taken back, its directory becomes the one given.
        write start_session(workspace: &Workspace, session: &NewSession, at: Timestamp)
            -> bool = sql::sessions::start;

        /// Ends a session. A summary is put behind the one that it has, once.
        write end_session(
            workspace: &Workspace, session: &NewSession, summary: Option<&str>, at: Timestamp
        ) -> Summarised = sql::sessions::end;

        /// Replaces the summary of a session; the earlier text stays as a revision.
        write summarise_session(
            workspace: &Workspace, session: &NewSession, summary: &str, at: Timestamp
        ) -> Summarised = sql::sessions::summarise;

        read session(workspace: &Workspace, id: &str) -> Session = sql::sessions::get;

        /// Sessions, the newest first. Only the filter's projects are looked at.
        read sessions(workspace: &Workspace, filter: &MemoryFilter, limit: usize)
            -> Vec<Session> = sql::sessions::newest;

        read progress(workspace: &Workspace, project: &str, namespace: Option<&str>)
            -> Option<ProgressDocument> = sql::sessions::progress;

        write put_progress(workspace: &Workspace, document: &ProgressDocument)
            -> () = sql::sessions::put_progress;

        write save_prompt(workspace: &Workspace, prompt: &NewPrompt, at: Timestamp)
            -> u64 = sql::prompts::save;

        read prompts(workspace: &Workspace, filter: &MemoryFilter, limit: usize)
            -> Vec<Prompt> = sql::prompts::newest;

        /// Saves observations, all or none.
        ///
        /// One with a topic key revises the one that has the same key, project, scope and
        /// namespace, if there is one; the same text again is a repetition (MEM-3). One without
        /// a topic key is a repetition of one that has the same text but for case and white
        /// space, the same type, title, project, scope and namespace, and was saved at
        /// `same_since` or later (MEM-4).
        ///
        /// A session that belongs to another project refuses it (MEM-12).
        write save_observations(
            workspace: &Workspace, observations: &[NewObservation], at: Timestamp,
            same_since: Timestamp
        ) -> Vec<SavedObservation> = sql::saving::save_all;

        read observation(workspace: &Workspace, id: u64) -> Observation = sql::observations::get;

        /// The one that has a topic key in a project, scope and namespace (MEM-3).
        read observation_by_key(
            workspace: &Workspace, key: &str, project: &str, scope: Scope, namespace: Option<&str>
        ) -> Option<Observation> = sql::saving::under_key;

        /// Those of these that are there, in the order of the ids.
        read observations_by_id(workspace: &Workspace, ids: &[u64])
            -> Vec<Observation> = sql::observations::by_id;

        /// The earlier texts of an observation, the first first.
        read observation_revisions(workspace: &Workspace, id: u64)
            -> Vec<ObservationRevision> = sql::observations::revisions;

        /// Observations in an order, and how many there are in all.
        read observations(workspace: &Workspace, filter: &MemoryFilter, order: Order, limit: usize)
            -> (Vec<Observation>, u64) = sql::observations::listed;

        /// Those that were not changed for longest, and not how many there are.
        read oldest_observations(workspace: &Workspace, filter: &MemoryFilter, limit: usize)
            -> Vec<Observation> = sql::observations::oldest;

        /// An observation and those of these projects that are next to it in its session.
        read around(
            workspace: &Workspace, id: u64, projects: &Projects, before: usize, after: usize
        ) -> Around = sql::observations::around;

        /// Changes an observation; another title, text or type is a new revision. Whether it
        /// still is what the caller saw is looked at in the same transaction. It does not move
        /// to where another has its topic key (MEM-3).
        write change_observation(workspace: &Workspace, id: u64, change: &Change, at: Timestamp)
            -> Observation = sql::changes::change;

        /// Deletes an observation. A hard deletion leaves nothing of it, its revisions and its
        /// relations; it also takes one that was deleted softly before.
        write delete_observation(workspace: &Workspace, id: u64, hard: bool, at: Timestamp)
            -> () = sql::changes::delete;

        /// Those that were deleted softly and not purged yet, the last deleted first, and how
        /// many there are.
        read deleted_observations(workspace: &Workspace, limit: usize)
            -> (Vec<DeletedObservation>, u64) = sql::changes::deleted;

        /// Brings back an observation that was deleted softly (MEM-12). Refused when another has
        /// got its topic key meanwhile; one that is there is left as it is.
        write bring_back_observation(workspace: &Workspace, id: u64)
            -> Observation = sql::changes::bring_back;

        /// Keeps apart what a person has to look at first (MEM-16); says the numbers under which
        /// it waits. What waits already in the same words is not kept twice.
        write propose(workspace: &Workspace, proposals: &[Proposal], at: Timestamp)
            -> Vec<u64> = sql::pending::propose;

        /// What waits, the first first, and how much that is.
        read pending_notes(workspace: &Workspace, limit: usize)
            -> (Vec<PendingNote>, u64) = sql::pending::listed;

        read pending_note(workspace: &Workspace, id: u64)
            -> PendingNote = sql::pending::get;

        /// Saves what waits as it would have been saved then.
        write approve(workspace: &Workspace, id: u64, at: Timestamp)
            -> SavedObservation = sql::pending::approve;

        /// Takes away what waits. A note to be is put among the deleted ones, unless it is to be
        /// gone for good.
        write reject(workspace: &Workspace, id: u64, hard: bool, at: Timestamp)
            -> () = sql::pending::reject;

        /// Replaces observations by a summary, all or none: the given ones are deleted softly
        /// and the summary is saved (MEM-8). All of them must be there and must have been
        /// changed last before `before`.
        write compact(
            workspace: &Workspace, ids: &[u64], before: Timestamp, summary: &NewObservation,
            at: Timestamp
        ) -> u64 = sql::changes::compact;

        read memory_counts(workspace: &Workspace, projects: &Projects)
            -> MemoryCounts = sql::totals::counts;

        /// The names of all projects that anything is kept of, in order.
        read memory_projects(workspace: &Workspace) -> Vec<String> = sql::totals::projects;

        /// Relates observations, all or none. None relates to itself.
        write relate(workspace: &Workspace, relations: &[NewRelation], at: Timestamp)
            -> Vec<Related> = sql::graph::relate;

        /// Takes a relation away; says which it was.
        write unrelate(workspace: &Workspace, id: u64) -> Relation = sql::graph::unrelate;

        /// The relations that start or end at any of these, at most `limit`, by id.
        read relations_of(workspace: &Workspace, ids: &[u64], limit: usize)
            -> Vec<Relation> = sql::graph::relations_of;

        /// What comes after a record, in one order: sessions, prompts, observations, relations,
        /// progress. None is the start; an empty list is the end.
        read memory_after(workspace: &Workspace, last: Option<&MemoryRecord>, limit: usize)
            -> Vec<MemoryRecord> = sql::archive::after;

        /// Brings records in, all or none. An id that is free is kept, one that is taken by
        /// something else is replaced by a new one, and what is there already stays as it is.
        /// An observation whose topic key another has here gives its texts to that one (MEM-3):
        /// those that it does not have become its revisions, and the newer text is the present
        /// one.
        /// The ends of relations are ids of this store.
        write bring_memory(workspace: &Workspace, records: &[MemoryRecord])
            -> Vec<Brought> = sql::archive::bring;
    }
}
