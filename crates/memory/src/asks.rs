//! What can be asked of the memory: one plain struct a tool, with the words of the spec's
//! table. Whoever speaks a wire format fills them in; an absent option is the default.

use plimsoll_domain::Timestamp;
use plimsoll_store::Scope;

use crate::DetailLevel;

/// How a read is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How much of each item.
    pub detail_level: DetailLevel,
    /// The budget of the whole answer; none is none.
    pub max_tokens: Option<u64>,
}

/// `mem_session_start`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartSession {
    /// Its id.
    pub id: String,
    /// The project that is worked on.
    pub project: String,
    /// The directory that is worked in.
    pub directory: Option<String>,
}

/// `mem_session_end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndSession {
    /// Its id.
    pub id: String,
    /// What was done.
    pub summary: Option<String>,
}

/// `mem_session_summary`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummariseSession {
    /// Its id.
    pub id: String,
    /// Goal, discoveries, done, next.
    pub content: String,
}

/// `mem_save`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Save {
    /// One line.
    pub title: String,
    /// The text, up to 64 KB.
    pub content: String,
    /// `decision`, `bugfix`, …; `manual` if not given.
    pub kind: Option<String>,
    /// The default project if not given.
    pub project: Option<String>,
    /// Whom it is for.
    pub scope: Scope,
    /// Same key, project, scope and namespace: the note is updated in place (MEM-3).
    pub topic_key: Option<String>,
    /// A room of its own.
    pub namespace: Option<String>,
    /// `manual-save` if not given.
    pub session_id: Option<String>,
    /// The tool that the note is about, if any.
    pub tool_name: Option<String>,
    /// Observations that it relates to.
    pub relate_to: Vec<u64>,
    /// The revision of the note with its topic key that the caller saw, 0 if there was none.
    pub seen_revision: Option<u64>,
}

/// `mem_save_prompt`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavePrompt {
    /// What the user asked.
    pub content: String,
    /// The default project if not given.
    pub project: Option<String>,
    /// A room of its own.
    pub namespace: Option<String>,
    /// `manual-save` if not given.
    pub session_id: Option<String>,
}

/// `mem_capture_passive`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturePassive {
    /// A text that may have a "Key Learnings" section.
    pub content: String,
    /// The default project if not given.
    pub project: Option<String>,
    /// `manual-save` if not given.
    pub session_id: Option<String>,
    /// Where the text comes from, such as the name of a tool.
    pub source: Option<String>,
}

/// `mem_search`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Find {
    /// Any text.
    pub query: String,
    /// Only this type; prompts have none.
    pub kind: Option<String>,
    /// Only this project, the own one if not given; `*` is all.
    pub project: Option<String>,
    /// Only this scope.
    pub scope: Option<Scope>,
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Only what was written or changed since then; `parse_since`
    /// reads what clients send.
    pub since: Option<Timestamp>,
    /// How many, 10 if not given, at most 50.
    pub limit: Option<usize>,
    /// How it is told.
    pub reading: Reading,
}

/// `mem_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recall {
    /// Only this project, the own one if not given; `*` is all.
    pub project: Option<String>,
    /// Only observations of this scope.
    pub scope: Option<Scope>,
    /// Only this namespace.
    pub namespace: Option<String>,
    /// How many observations, 20 if not given, at most 200.
    pub limit: Option<usize>,
    /// How it is told.
    pub reading: Reading,
}

/// `mem_timeline`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The focus.
    pub observation_id: u64,
    /// How many before it in its session, 5 if not given, at most 100.
    pub before: Option<usize>,
    /// How many after it, 5 if not given, at most 100.
    pub after: Option<usize>,
    /// How it is told.
    pub reading: Reading,
}

/// `mem_get_observation`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GetObservation {
    /// Its id.
    pub id: u64,
    /// An earlier text of it; 1 is the first.
    pub revision: Option<u64>,
}

/// `mem_update`. What is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Its id.
    pub id: u64,
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
    /// Takes title, text and type from this revision before the rest is applied.
    pub restore_revision: Option<u64>,
    /// The revision that the caller saw; a note that has another by now is left alone.
    pub seen_revision: Option<u64>,
}

/// `mem_suggest_topic_key`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuggestTopicKey {
    /// The title of a note to be.
    pub title: String,
    /// Its text, which is used where the title has no word.
    pub content: Option<String>,
    /// Its type.
    pub kind: Option<String>,
}

/// `mem_relate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relate {
    /// From this observation
    pub from: u64,
    /// to that one.
    pub to: u64,
    /// `relates_to` if not given.
    pub kind: Option<String>,
    /// Why.
    pub note: Option<String>,
    /// Also the other way round.
    pub bidirectional: bool,
}

/// `mem_build_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildContext {
    /// Where to start.
    pub id: u64,
    /// How many relations away, 2 if not given, at most 5.
    pub depth: Option<u32>,
}

/// `mem_progress`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The project.
    pub project: String,
    /// The new document, as JSON text; none reads the one there is.
    pub content: Option<String>,
    /// A room of its own.
    pub namespace: Option<String>,
}

/// `mem_compact`. Without ids and summary it lists candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compact {
    /// Only what has not been changed for so many days.
    pub older_than_days: u64,
    /// Only this project, the own one if not given; `*` is all.
    pub project: Option<String>,
    /// Only this scope.
    pub scope: Option<Scope>,
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Those to replace, at most 200; all candidates if empty.
    pub ids: Vec<u64>,
    /// The title of what replaces them.
    pub summary_title: Option<String>,
    /// The text of what replaces them.
    pub summary_content: Option<String>,
}
