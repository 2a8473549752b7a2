//! What can go wrong. Each message is read by a model, and says what to do next.

use plimsoll_store::StoreError;
use plimsoll_tokens::commas;
use thiserror::Error;

use crate::BudgetSpent;

/// Why the memory did not do what it was asked. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MemoryError {
    /// There is no such observation, or not any more.
    #[error("no observation #{0}; search with mem_search")]
    NoObservation(u64),
    /// The observation has no such revision.
    #[error("observation #{id} has no revision {revision}; it has 1 to {newest}")]
    NoRevision {
        /// The observation.
        id: u64,
        /// What was asked for.
        revision: u64,
        /// The newest one, which is the present text.
        newest: u64,
    },
    /// There is no such relation.
    #[error("no relation #{0}; mem_build_context shows the relations of an observation")]
    NoRelation(u64),
    /// Something that is needed is blank.
    #[error("{0} must not be empty; say what it is")]
    Blank(&'static str),
    /// A text is too long; it is refused, not cut (MEM-2).
    #[error(
        "{what} has {} bytes, at most {} are kept; split it or shorten it",
        commas(u64::try_from(*.bytes).unwrap_or(u64::MAX)),
        commas(u64::try_from(*.limit).unwrap_or(u64::MAX))
    )]
    TooLong {
        /// Which text.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A number is outside of what it may be.
    #[error("{what} must be from {least} to {most}, not {found}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What was asked for.
        found: u64,
        /// The smallest there can be.
        least: u64,
        /// The largest there can be.
        most: u64,
    },
    /// A time that cannot be read.
    #[error(
        "'{0}' is no time; write a day as 2026-11-01, a time as 2026-11-01T08:00:00Z, or an age as 7d, 12h or 2w"
    )]
    BadTime(String),
    /// The progress is no JSON.
    #[error("content is no JSON document: {0}; send one JSON value")]
    BadJson(String),
    /// An update that changes nothing.
    #[error(
        "nothing to change; give title, content, type, project, scope, topic_key, restore_revision, anchors, supersedes, expires or undelete"
    )]
    NothingToChange,
    /// The observation is no longer what the caller saw.
    #[error("somebody changed #{id} meanwhile: it has revision {revision} by now; read it again")]
    ChangedMeanwhile {
        /// The observation.
        id: u64,
        /// The revision that it has.
        revision: u64,
    },
    /// Another observation has the topic key there (MEM-3).
    #[error("#{by} has the topic_key {key} there already; update #{by} or choose another key")]
    KeyTaken {
        key: String,
        /// Who has it.
        by: u64,
    },
    /// The session belongs to another project (MEM-12).
    #[error(
        "session {session} belongs to project {project}, not to {asked}; use another id, or call mem_session_start with project {project} to go on with it"
    )]
    OfAnotherProject {
        session: String,
        /// The project that it belongs to.
        project: String,
        /// The project that the call was for.
        asked: String,
    },
    /// All projects were named where there can be one.
    #[error("project * is for reading; name the one project that it belongs to")]
    NoOneProject,
    /// A relation from something to itself.
    #[error("#{0} cannot relate to itself; name two observations")]
    SelfRelation(u64),
    /// Another note has got the topic key of one that was deleted (MEM-3, MEM-12).
    #[error("#{by} has the topic_key of #{id} by now; give #{by} another key, or delete it, first")]
    ReplacedMeanwhile { id: u64, by: u64 },
    /// Notes that would supersede one another in a circle (MEM-15).
    #[error("#{to} supersedes #{from} already, so #{from} cannot supersede it; name another note")]
    Circle { from: u64, to: u64 },
    /// Something that cannot be an anchor (MEM-15).
    #[error("'{anchor}' is no anchor: {why}")]
    BadAnchor {
        anchor: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nothing waits for review under this number (MEM-16).
    #[error("nothing waits for review as #{0}; it was approved or deleted")]
    NotWaiting(u64),
    /// An agent cannot take notes away while a person looks at what it saves (MEM-16).
    #[error(
        "memoryReview is on: agents cannot replace notes, erase them or bring them back; ask a \
         person"
    )]
    NotWhileReviewed,
    /// A change waits whose note is gone (MEM-16).
    #[error(
        "#{0} changes a note that is gone; take it away with `plimsoll memory reject {0}`. What \
         was approved with it counts"
    )]
    NothingToApply(u64),
    /// An observation that is too young to be compacted.
    #[error("#{id} was changed less than {days} days ago; leave it out or lower older_than_days")]
    TooYoung {
        id: u64,
        /// How old it must be.
        days: u64,
    },
    /// There is nothing to replace by a summary.
    #[error("nothing is older than {days} days; lower older_than_days")]
    NothingToCompact {
        /// How old it must be.
        days: u64,
    },
    /// The session budget is used up (MBG-7).
    #[error(transparent)]
    Budget(#[from] BudgetSpent),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}
