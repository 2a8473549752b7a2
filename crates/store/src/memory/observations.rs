//! Observations: saving, changing, listing, forgetting.

use plimsoll_domain::Timestamp;

use super::{Anchor, Observation, Scope};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewObservation {
    /// Its session, made if it is not there.
    pub session: String,
    pub kind: String,
    pub title: String,
    pub content: String,
    pub tool_name: Option<String>,
    pub project: String,
    pub scope: Scope,
    /// What it is updated by.
    pub topic_key: Option<String>,
    pub namespace: Option<String>,
    /// Observations that it relates to, as `relates_to`. The one that it revises or repeats
    /// is not among them.
    pub relate_to: Vec<u64>,
    /// The revision of the note with its topic key that the caller saw, 0 if there was none;
    /// where there is another by now, nothing is saved.
    pub seen: Option<u64>,
    pub author: Option<String>,
    pub expires_at: Option<Timestamp>,
    /// What it names. A note that it revises or repeats keeps its own where these are none.
    pub anchors: Vec<Anchor>,
    /// Observations that it takes the place of (MEM-15).
    pub supersedes: Vec<u64>,
}

/// What became of an observation that was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
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
    pub id: u64,
    pub saved: Saved,
    pub relations: Vec<u64>,
}

/// A change of an observation; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The revision that the caller saw; a note that has another by now is left alone.
    pub seen: Option<u64>,
    /// Takes type, title and text of this revision, before the rest is applied.
    pub restore: Option<u64>,
    pub title: Option<String>,
    pub content: Option<String>,
    pub kind: Option<String>,
    pub project: Option<String>,
    pub scope: Option<Scope>,
    pub topic_key: Option<String>,
    /// Who changes it; a new text is theirs.
    pub author: Option<String>,
    /// [`Change::NEVER`] takes the expiry away.
    pub expires_at: Option<Timestamp>,
    pub anchors: Option<Vec<Anchor>>,
    /// Observations that it takes the place of (MEM-15).
    pub supersedes: Vec<u64>,
}

impl Change {
    /// An expiry that is none.
    pub const NEVER: Timestamp = Timestamp::from_millis(i64::MAX);
}

/// An observation that was deleted softly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletedObservation {
    pub observation: Observation,
    pub deleted_at: Timestamp,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one changed last comes first.
    Newest,
    /// The one that has not been changed for longest comes first.
    Oldest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    pub sessions: u64,
    pub prompts: u64,
    /// Observations, without deleted ones.
    pub observations: u64,
    /// Relations between observations that are there.
    pub relations: u64,
    /// Observations by type, the most first, at most [`MOST_GROUPS`](Self::MOST_GROUPS).
    pub kinds: Vec<(String, u64)>,
    pub kind_count: u64,
    /// Observations by project, the most first, at most [`MOST_GROUPS`](Self::MOST_GROUPS).
    pub projects: Vec<(String, u64)>,
    pub project_count: u64,
}

impl MemoryCounts {
    /// Types are free text, so that there may be very many.
    pub const MOST_GROUPS: usize = 50;
}
