//! One line of an export, field by field. Domain types carry no serde, so these do.

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Anchor, AnchorState, ArchivedObservation, MemoryRecord, Observation, ObservationRevision,
    ProgressDocument, Prompt, Relation, Session,
};
use serde::{Deserialize, Serialize};

use crate::{MemoryError, checks, progress};

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// One line.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub(super) enum Line {
    #[serde(rename = "plimsoll-memory")]
    Header {
        version: u32,
    },
    Session(SessionLine),
    Prompt(PromptLine),
    Revision(RevisionLine),
    Observation(Box<ObservationLine>),
    Relation(RelationLine),
    Progress(ProgressLine),
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct SessionLine {
    id: String,
    project: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<String>,
    started_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
    /// Only in files of earlier versions: it is a note among the others since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct PromptLine {
    id: u64,
    session: String,
    content: String,
    project: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    created_at: i64,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct RevisionLine {
    pub(super) observation: u64,
    revision: u64,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    content: String,
    replaced_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ObservationLine {
    pub(super) id: u64,
    session: String,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    project: String,
    scope: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    topic_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    revision_count: u64,
    duplicate_count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_seen_at: Option<i64>,
    created_at: i64,
    updated_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    anchors: Vec<AnchorLine>,
}

/// What an observation names; without a hash where nobody could look.
#[derive(Debug, Deserialize, Serialize)]
struct AnchorLine {
    target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(default)]
    size: u64,
    #[serde(default)]
    changed: i64,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct RelationLine {
    id: u64,
    pub(super) from: u64,
    pub(super) to: u64,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    created_at: i64,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ProgressLine {
    project: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    content: String,
    updated_at: i64,
}

type Read = Result<MemoryRecord, String>;

/// The largest id that is taken from a file. Ids go on behind the largest there is, and a
/// huge one would leave none to come.
const LARGEST_ID: u64 = u32::MAX as u64;

fn id(what: &str, id: u64) -> Result<u64, String> {
    counted(what, id)?;
    if id == 0 { Err(format!("{what} is 0, and ids begin with 1")) } else { Ok(id) }
}

fn counted(what: &str, number: u64) -> Result<u64, String> {
    if number > LARGEST_ID {
        return Err(format!("{what} is {number}, at most {LARGEST_ID} is taken"));
    }
    Ok(number)
}

/// A file may have been written by hand: what it says goes through the same checks as what
/// is saved, so that nothing comes in that could not have been saved here.
fn checked<T>(found: Result<T, MemoryError>) -> Result<T, String> {
    found.map_err(|error| error.to_string())
}

fn name(what: &'static str, text: &str) -> Result<String, String> {
    checked(checks::name(what, text))
}

fn opt_name(what: &'static str, text: Option<&str>) -> Result<Option<String>, String> {
    checked(checks::opt_name(what, text))
}

/// A note or a prompt may have none; it is read in every project then (MEM-11).
fn project(text: &str) -> Result<String, String> {
    Ok(opt_name("project", Some(text))?.unwrap_or_default())
}

fn content(text: &str) -> Result<String, String> {
    checked(checks::text("content", text))
}

impl Line {
    /// The lines of a record.
    pub(super) fn of(record: &MemoryRecord) -> Vec<Self> {
        match record.clone() {
            MemoryRecord::Session(session) => vec![Self::Session(SessionLine {
                id: session.id,
                project: session.project,
                directory: session.directory,
                started_at: session.started_at.millis(),
                ended_at: session.ended_at.map(Timestamp::millis),
                summary: None,
            })],
            MemoryRecord::Prompt(prompt) => vec![Self::Prompt(PromptLine {
                id: prompt.id,
                session: prompt.session,
                content: prompt.content,
                project: prompt.project,
                namespace: prompt.namespace,
                created_at: prompt.created_at.millis(),
            })],
            MemoryRecord::Observation(whole) => of_observation(*whole),
            MemoryRecord::Relation(relation) => vec![Self::Relation(RelationLine {
                id: relation.id,
                from: relation.from,
                to: relation.to,
                kind: relation.kind,
                note: relation.note,
                created_at: relation.created_at.millis(),
            })],
            MemoryRecord::Progress(document) => vec![Self::Progress(ProgressLine {
                project: document.project,
                namespace: document.namespace,
                content: document.content,
                updated_at: document.updated_at.millis(),
            })],
        }
    }
}

fn of_observation(whole: ArchivedObservation) -> Vec<Line> {
    let note = whole.observation;
    let earlier = whole.revisions.into_iter().map(|earlier| {
        Line::Revision(RevisionLine {
            observation: note.id,
            revision: earlier.revision,
            kind: earlier.kind,
            title: earlier.title,
            content: earlier.content,
            replaced_at: earlier.replaced_at.millis(),
            author: earlier.author,
        })
    });
    let mut lines: Vec<Line> = earlier.collect();
    lines.push(Line::Observation(Box::new(ObservationLine {
        id: note.id,
        session: note.session,
        kind: note.kind,
        title: note.title,
        content: note.content,
        tool_name: note.tool_name,
        project: note.project,
        scope: note.scope.name().to_owned(),
        topic_key: note.topic_key,
        namespace: note.namespace,
        revision_count: note.revision_count,
        duplicate_count: note.duplicate_count,
        last_seen_at: note.last_seen_at.map(Timestamp::millis),
        created_at: note.created_at.millis(),
        updated_at: note.updated_at.millis(),
        author: note.author,
        expires_at: note.expires_at.map(Timestamp::millis),
        anchors: note.anchors.into_iter().map(AnchorLine::of).collect(),
    })));
    lines
}

impl AnchorLine {
    fn of(anchor: Anchor) -> Self {
        let (hash, size, changed) = match anchor.state {
            Some(state) => (Some(state.hash), state.size, state.changed),
            None => (None, 0, 0),
        };
        Self { target: anchor.target, hash, size, changed }
    }

    fn record(self) -> Result<Anchor, String> {
        let target = checked(checks::anchor(&self.target))?;
        let state = match self.hash {
            Some(hash) if !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Some(AnchorState { hash, size: self.size, changed: self.changed })
            }
            Some(_) => return Err("the hash of an anchor is none".to_owned()),
            None => None,
        };
        Ok(Anchor { target, state })
    }
}

impl SessionLine {
    pub(super) fn record(self) -> Read {
        Ok(MemoryRecord::Session(Session {
            id: name("id", &self.id)?,
            project: name("project", &self.project)?,
            directory: checked(checks::opt_path("directory", self.directory.as_deref()))?,
            started_at: Timestamp::from_millis(self.started_at),
            ended_at: self.ended_at.map(Timestamp::from_millis),
            summary: checked(checks::opt_text("summary", self.summary.as_deref()))?,
            summary_id: None,
        }))
    }
}

impl PromptLine {
    pub(super) fn record(self) -> Read {
        Ok(MemoryRecord::Prompt(Prompt {
            id: id("id", self.id)?,
            session: name("session", &self.session)?,
            content: content(&self.content)?,
            project: project(&self.project)?,
            namespace: opt_name("namespace", self.namespace.as_deref())?,
            created_at: Timestamp::from_millis(self.created_at),
        }))
    }
}

impl RevisionLine {
    pub(super) fn record(self) -> Result<ObservationRevision, String> {
        id("observation", self.observation)?;
        Ok(ObservationRevision {
            revision: self.revision,
            kind: name("type", &self.kind)?,
            title: checked(checks::title(&self.title))?,
            content: content(&self.content)?,
            replaced_at: Timestamp::from_millis(self.replaced_at),
            author: opt_name("author", self.author.as_deref())?,
        })
    }
}

impl ObservationLine {
    pub(super) fn record(self, revisions: Vec<ObservationRevision>) -> Read {
        // Revisions are numbered from 1 without a gap, and the present text is the next.
        let numbered = (1..).zip(&revisions).all(|(number, one)| one.revision == number);
        let count = u64::try_from(revisions.len()).unwrap_or(u64::MAX) + 1;
        if !numbered || self.revision_count != count {
            return Err("its revisions are not complete".to_owned());
        }
        let observation = Observation {
            id: id("id", self.id)?,
            session: name("session", &self.session)?,
            kind: name("type", &self.kind)?,
            title: checked(checks::title(&self.title))?,
            content: content(&self.content)?,
            tool_name: opt_name("tool_name", self.tool_name.as_deref())?,
            project: project(&self.project)?,
            scope: self.scope.parse().map_err(|error| format!("{error}"))?,
            topic_key: opt_name("topic_key", self.topic_key.as_deref())?,
            namespace: opt_name("namespace", self.namespace.as_deref())?,
            revision_count: self.revision_count,
            duplicate_count: counted("duplicate_count", self.duplicate_count)?,
            last_seen_at: self.last_seen_at.map(Timestamp::from_millis),
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
            author: opt_name("author", self.author.as_deref())?,
            expires_at: self.expires_at.map(Timestamp::from_millis),
            anchors: self.anchors.into_iter().map(AnchorLine::record).collect::<Result<_, _>>()?,
            superseded_by: None,
        };
        let whole = ArchivedObservation { observation, revisions };
        Ok(MemoryRecord::Observation(Box::new(whole)))
    }
}

impl RelationLine {
    pub(super) fn record(self, from: u64, to: u64) -> Read {
        Ok(MemoryRecord::Relation(Relation {
            id: id("id", self.id)?,
            from,
            to,
            kind: name("type", &self.kind)?,
            note: checked(checks::opt_remark(self.note.as_deref()))?,
            created_at: Timestamp::from_millis(self.created_at),
        }))
    }
}

impl ProgressLine {
    pub(super) fn record(self) -> Read {
        Ok(MemoryRecord::Progress(ProgressDocument {
            project: name("project", &self.project)?,
            namespace: opt_name("namespace", self.namespace.as_deref())?,
            content: checked(progress::document(&self.content))?,
            updated_at: Timestamp::from_millis(self.updated_at),
        }))
    }
}
