//! The records of the memory (MEM-1), and what is handed over to be kept.

use std::str::FromStr;

use plimsoll_domain::Timestamp;
use thiserror::Error;

use super::Anchor;

/// Whom an observation is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everybody who works on the project.
    #[default]
    Project,
    Personal,
}

/// A text that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no scope; use project or personal")]
pub struct BadScope(pub String);

impl Scope {
    /// The name used in stores and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Personal => "personal",
        }
    }
}

impl FromStr for Scope {
    type Err = BadScope;

    fn from_str(text: &str) -> Result<Self, BadScope> {
        [Self::Project, Self::Personal]
            .into_iter()
            .find(|scope| scope.name() == text)
            .ok_or_else(|| BadScope(text.to_owned()))
    }
}

/// A stretch of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id, chosen by whoever works.
    pub id: String,
    pub project: String,
    pub directory: Option<String>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// What came of it: the text of the note that is its summary.
    pub summary: Option<String>,
    pub summary_id: Option<u64>,
}

/// The session of whoever names none (MEM-1). It is the only one that belongs to no project.
pub const SHARED_SESSION: &str = "manual-save";

/// The type of a relation from a note to the one whose place it takes (MEM-15). There are no
/// circles of these.
pub const SUPERSEDES: &str = "supersedes";

/// The type of the note that is the summary of its session (MEM-12).
pub const SESSION_SUMMARY: &str = "session_summary";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub id: u64,
    pub session: String,
    pub content: String,
    pub project: String,
    pub namespace: Option<String>,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    pub id: u64,
    pub session: String,
    /// Its type: `decision`, `bugfix`, …; free text.
    pub kind: String,
    pub title: String,
    pub content: String,
    pub tool_name: Option<String>,
    pub project: String,
    pub scope: Scope,
    /// What it is updated by (MEM-3).
    pub topic_key: Option<String>,
    pub namespace: Option<String>,
    /// Which revision of its text this is; the first is 1.
    pub revision_count: u64,
    /// How often the same was saved again (MEM-4).
    pub duplicate_count: u64,
    /// When the same was last saved again.
    pub last_seen_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// When its text or its place was last changed.
    pub updated_at: Timestamp,
    /// Who wrote its text (MEM-16); none if that was not kept.
    pub author: Option<String>,
    /// From when on it does not count any more (MEM-15).
    pub expires_at: Option<Timestamp>,
    /// What it names of its project (MEM-15).
    pub anchors: Vec<Anchor>,
    /// The newest note that supersedes it, as the relations say (MEM-15).
    pub superseded_by: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservationRevision {
    /// Which one; the first is 1.
    pub revision: u64,
    pub kind: String,
    pub title: String,
    pub content: String,
    pub replaced_at: Timestamp,
    /// Who wrote it.
    pub author: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub id: u64,
    pub from: u64,
    pub to: u64,
    /// What it means, such as `relates_to`.
    pub kind: String,
    pub note: Option<String>,
    pub created_at: Timestamp,
}

/// The state of a project, as one JSON document (MEM-8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressDocument {
    pub project: String,
    pub namespace: Option<String>,
    pub content: String,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    pub id: String,
    pub project: String,
    pub directory: Option<String>,
    /// Who works in it; its summary is theirs.
    pub author: Option<String>,
}

/// What became of a session that was ended or summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summarised {
    pub known: bool,
    /// The note that is its summary, if one was written.
    pub note: Option<u64>,
    /// Which revision of that note the text is.
    pub revision: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPrompt {
    /// Its session, made if it is not there.
    pub session: String,
    pub content: String,
    pub project: String,
    pub namespace: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRelation {
    pub from: u64,
    pub to: u64,
    pub kind: String,
    pub note: Option<String>,
}

/// A relation that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    pub id: u64,
    /// Whether it is new; one of the same ends and type is kept, and gets the new note.
    pub fresh: bool,
}

/// Which projects are read (MEM-11). Names are those that [`Memory::memory_projects`]
/// gives, spelt as they are kept.
///
/// [`Memory::memory_projects`]: super::Memory::memory_projects
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Projects {
    /// All of the workspace.
    #[default]
    All,
    /// What is of these projects.
    Only(Vec<String>),
    /// The same, and what is read in every project: personal notes, and notes and prompts
    /// without a project.
    Seen(Vec<String>),
}

/// Narrows what is listed or found; what is not given does not narrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Only this type. Prompts and sessions have none and are not asked.
    pub kind: Option<String>,
    pub without_kind: Option<String>,
    pub projects: Projects,
    /// Only this scope. Prompts and sessions have none and are not asked.
    pub scope: Option<Scope>,
    /// Only this namespace. Sessions have none and are not asked.
    pub namespace: Option<String>,
    /// Only what was written or changed at this time or later.
    pub since: Option<Timestamp>,
    /// Only what was last changed before this time.
    pub before: Option<Timestamp>,
    /// Only what still counts at this time: neither superseded nor expired (MEM-15). Prompts
    /// and sessions always do.
    pub current_at: Option<Timestamp>,
    /// Only what does not count any more at this time.
    pub outdated_at: Option<Timestamp>,
    /// Only what names files, symbols or commits (MEM-15).
    pub anchored: bool,
}
