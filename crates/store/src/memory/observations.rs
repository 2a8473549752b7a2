//! Observations: saving, changing, listing, forgetting.

use super::{Observation, Scope};
/// An observation to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewObservation {
    /// Its session, made if it is not there.
    pub session: String,
    /// Its type.
    pub kind: String,
    /// One line.
    pub title: String,
    /// The text.
    pub content: String,
    /// The tool that it is about, if any.
    pub tool_name: Option<String>,
    /// The project.
    pub project: String,
    /// Whom it is for.
    pub scope: Scope,
    /// What it is updated by.
    pub topic_key: Option<String>,
    /// A room of its own, if it has one.
    pub namespace: Option<String>,
    /// Observations that it relates to, as `relates_to`. The one that it revises or repeats
    /// is not among them.
    pub relate_to: Vec<u64>,
    /// The revision of the note with its topic key that the caller saw, 0 if there was none;
    /// where there is another by now, nothing is saved.
    pub seen: Option<u64>,
}

/// What became of an observation that was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is new.
    Added,
    /// One with the same topic key has a new text (MEM-3).
    Revised {
        /// The revision that the new text is.
        revision: u64,
    },
    /// The same is there already (MEM-4).
    Repeated {
        /// How often it was saved again.
        duplicates: u64,
    },
}

/// An observation that was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedObservation {
    /// Its id.
    pub id: u64,
    /// What became of it.
    pub saved: Saved,
    /// The relations that it asked for.
    pub relations: Vec<u64>,
}

/// A change of an observation; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The revision that the caller saw; a note that has another by now is left alone.
    pub seen: Option<u64>,
    /// Takes type, title and text of this revision, before the rest is applied.
    pub restore: Option<u64>,
    /// Another title.
    pub title: Option<String>,
    /// Another text.
    pub content: Option<String>,
    /// Another type.
    pub kind: Option<String>,
    /// Another project.
    pub project: Option<String>,
    /// Another scope.
    pub scope: Option<Scope>,
    /// Another topic key.
    pub topic_key: Option<String>,
}

/// An observation among those of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// The one that was asked for.
    pub focus: Observation,
    /// Those before it, the nearest first.
    pub before: Vec<Observation>,
    /// Those after it, the nearest first.
    pub after: Vec<Observation>,
    /// How many the session has in all.
    pub in_session: u64,
}

/// How observations are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one changed last comes first.
    Newest,
    /// The one that has not been changed for longest comes first.
    Oldest,
}

/// What the memory holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    /// Sessions.
    pub sessions: u64,
    /// Prompts.
    pub prompts: u64,
    /// Observations, without deleted ones.
    pub observations: u64,
    /// Relations between observations that are there.
    pub relations: u64,
    /// Observations by type, the most first, at most [`MOST_GROUPS`](Self::MOST_GROUPS).
    pub kinds: Vec<(String, u64)>,
    /// How many types there are.
    pub kind_count: u64,
    /// Observations by project, the most first, at most [`MOST_GROUPS`](Self::MOST_GROUPS).
    pub projects: Vec<(String, u64)>,
    /// How many projects there are.
    pub project_count: u64,
}

impl MemoryCounts {
    /// Types are free text, so that there may be very many.
    pub const MOST_GROUPS: usize = 50;
}
