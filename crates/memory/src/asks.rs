//! What can be asked of the memory: one plain struct a tool, with the words of the spec's
//! table. Whoever speaks a wire format fills them in; an absent option is the default. A project
//! that is not given is the own one, and where something is read `*` is all; a session that is not
//! given is `manual-save`.

#![allow(missing_docs)]

use plimsoll_domain::Timestamp;
use plimsoll_store::Scope;

use crate::DetailLevel;

/// How a read is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub detail_level: DetailLevel,
    pub max_tokens: Option<u64>,
}

/// `mem_session_start`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartSession {
    pub id: String,
    pub project: String,
    pub directory: Option<String>,
}

/// `mem_session_end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndSession {
    pub id: String,
    pub summary: Option<String>,
}

/// `mem_session_summary`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummariseSession {
    pub id: String,
    pub content: String,
    pub project: Option<String>,
}

/// `mem_save`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Save {
    pub title: String,
    pub content: String,
    /// `decision`, `bugfix`, …; `manual` if not given.
    pub kind: Option<String>,
    pub project: Option<String>,
    pub scope: Scope,
    /// Same key, project, scope and namespace: the note is updated in place (MEM-3).
    pub topic_key: Option<String>,
    pub namespace: Option<String>,
    pub session_id: Option<String>,
    /// The tool that the note is about, if any.
    pub tool_name: Option<String>,
    pub relate_to: Vec<u64>,
    /// The revision of the note with its topic key that the caller saw, 0 if there was none.
    pub seen_revision: Option<u64>,
    /// What it is about: `src/auth.rs`, `src/auth.rs#Session::renew`, `commit:1f3c9a2`.
    pub anchors: Vec<String>,
    /// Notes whose place it takes.
    pub supersedes: Vec<u64>,
    /// A day, a time, or an age such as `30d`.
    pub expires: Option<String>,
}

/// `mem_save_prompt`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavePrompt {
    pub content: String,
    pub project: Option<String>,
    pub namespace: Option<String>,
    pub session_id: Option<String>,
}

/// `mem_capture_passive`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturePassive {
    /// A text that may have a "Key Learnings" section.
    pub content: String,
    pub project: Option<String>,
    pub session_id: Option<String>,
    /// Where the text comes from, such as the name of a tool.
    pub source: Option<String>,
}

/// `mem_search`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Find {
    pub query: String,
    /// Only this type; prompts have none.
    pub kind: Option<String>,
    pub project: Option<String>,
    pub scope: Option<Scope>,
    pub namespace: Option<String>,
    /// Only what was written or changed since then; `parse_since`
    /// reads what clients send.
    pub since: Option<Timestamp>,
    /// How many, 10 if not given, at most 50.
    pub limit: Option<usize>,
    pub reading: Reading,
}

/// `mem_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recall {
    pub project: Option<String>,
    pub scope: Option<Scope>,
    pub namespace: Option<String>,
    /// How many observations, 20 if not given, at most 200.
    pub limit: Option<usize>,
    pub reading: Reading,
}

/// `mem_timeline`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    pub observation_id: u64,
    /// How many before it in its session, 5 if not given, at most 100.
    pub before: Option<usize>,
    /// How many after it, 5 if not given, at most 100.
    pub after: Option<usize>,
    pub reading: Reading,
}

/// `mem_get_observation`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetObservation {
    pub id: u64,
    /// An earlier text of it; 1 is the first.
    pub revision: Option<u64>,
    /// The first line of its text that is wanted; 1 is the first there is.
    pub from: Option<usize>,
    /// How many lines; all if not given.
    pub lines: Option<usize>,
    pub max_tokens: Option<u64>,
}

/// `mem_update`. What is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    pub id: u64,
    pub title: Option<String>,
    pub content: Option<String>,
    pub kind: Option<String>,
    pub project: Option<String>,
    pub scope: Option<Scope>,
    pub topic_key: Option<String>,
    /// Takes title, text and type from this revision before the rest is applied.
    pub restore_revision: Option<u64>,
    /// The revision that the caller saw; a note that has another by now is left alone.
    pub seen_revision: Option<u64>,
    /// What it is about, in the place of what it named; an empty list is nothing.
    pub anchors: Option<Vec<String>>,
    /// Notes whose place it takes.
    pub supersedes: Vec<u64>,
    /// A day, a time, or an age such as `30d`; `never` takes an expiry away.
    pub expires: Option<String>,
    /// Brings it back first if it was deleted.
    pub undelete: bool,
}

/// `mem_suggest_topic_key`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuggestTopicKey {
    pub title: String,
    /// Its text, which is used where the title has no word.
    pub content: Option<String>,
    pub kind: Option<String>,
}

/// `mem_relate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relate {
    pub from: u64,
    pub to: u64,
    /// `relates_to` if not given.
    pub kind: Option<String>,
    pub note: Option<String>,
    pub bidirectional: bool,
}

/// `mem_build_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildContext {
    pub id: u64,
    /// How many relations away, 2 if not given, at most 5.
    pub depth: Option<u32>,
    pub max_tokens: Option<u64>,
}

/// `mem_stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub project: Option<String>,
    pub max_tokens: Option<u64>,
}

/// `mem_progress`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub project: String,
    /// The new document, as JSON text; none reads the one there is.
    pub content: Option<String>,
    pub namespace: Option<String>,
    /// For reading.
    pub max_tokens: Option<u64>,
}

/// `mem_compact`. Without a summary it lists what would be replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compact {
    /// Only what has not been changed for so many days.
    pub older_than_days: u64,
    pub project: Option<String>,
    pub scope: Option<Scope>,
    pub namespace: Option<String>,
    /// Those to replace, at most 200; all candidates if empty.
    pub ids: Vec<u64>,
    pub summary_title: Option<String>,
    pub summary_content: Option<String>,
}
