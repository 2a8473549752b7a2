//! One line of an export, field by field. Domain types carry no serde, so these do.

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    ArchivedObservation, MemoryRecord, Observation, ObservationRevision, ProgressDocument, Prompt,
    Relation, Session,
};
use serde::{Deserialize, Serialize};

use crate::{
    MAX_CONTENT_BYTES, MAX_TITLE_BYTES,
    checks::{self, MAX_NAME_BYTES, MAX_PATH_BYTES},
    redact,
};

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

/// A file may have been written by hand: what it says is redacted and bounded like all else.
fn kept(what: &str, text: String, limit: usize) -> Result<String, String> {
    let text = redact(&text);
    if text.len() > limit {
        return Err(format!("{what} has {} bytes, at most {limit} are kept", text.len()));
    }
    Ok(text)
}

fn name(what: &str, text: String) -> Result<String, String> {
    let text = checks::one_line(&kept(what, text, MAX_NAME_BYTES)?);
    if text.is_empty() { Err(format!("{what} is empty")) } else { Ok(text) }
}

fn opt_name(what: &str, text: Option<String>) -> Result<Option<String>, String> {
    text.map(|text| name(what, text)).transpose()
}

fn content(text: String) -> Result<String, String> {
    kept("content", text, MAX_CONTENT_BYTES)
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
                summary: session.summary,
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
    })));
    lines
}

impl SessionLine {
    pub(super) fn record(self) -> Read {
        Ok(MemoryRecord::Session(Session {
            id: name("id", self.id)?,
            project: name("project", self.project)?,
            directory: self
                .directory
                .map(|path| kept("directory", path, MAX_PATH_BYTES))
                .transpose()?,
            started_at: Timestamp::from_millis(self.started_at),
            ended_at: self.ended_at.map(Timestamp::from_millis),
            summary: self.summary.map(content).transpose()?,
        }))
    }
}

impl PromptLine {
    pub(super) fn record(self) -> Read {
        Ok(MemoryRecord::Prompt(Prompt {
            id: id("id", self.id)?,
            session: name("session", self.session)?,
            content: content(self.content)?,
            project: name("project", self.project)?,
            namespace: opt_name("namespace", self.namespace)?,
            created_at: Timestamp::from_millis(self.created_at),
        }))
    }
}

impl RevisionLine {
    pub(super) fn record(self) -> Result<ObservationRevision, String> {
        id("observation", self.observation)?;
        Ok(ObservationRevision {
            revision: self.revision,
            kind: name("type", self.kind)?,
            title: kept("title", self.title, MAX_TITLE_BYTES)?,
            content: content(self.content)?,
            replaced_at: Timestamp::from_millis(self.replaced_at),
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
            session: name("session", self.session)?,
            kind: name("type", self.kind)?,
            title: kept("title", self.title, MAX_TITLE_BYTES)?,
            content: content(self.content)?,
            tool_name: opt_name("tool_name", self.tool_name)?,
            project: name("project", self.project)?,
            scope: self.scope.parse().map_err(|error| format!("{error}"))?,
            topic_key: opt_name("topic_key", self.topic_key)?,
            namespace: opt_name("namespace", self.namespace)?,
            revision_count: self.revision_count,
            duplicate_count: counted("duplicate_count", self.duplicate_count)?,
            last_seen_at: self.last_seen_at.map(Timestamp::from_millis),
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
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
            kind: name("type", self.kind)?,
            note: self.note.map(|note| kept("note", note, 4 * MAX_TITLE_BYTES)).transpose()?,
            created_at: Timestamp::from_millis(self.created_at),
        }))
    }
}

impl ProgressLine {
    pub(super) fn record(self) -> Read {
        let content = content(self.content)?;
        let json: Result<serde_json::Value, _> = serde_json::from_str(&content);
        json.map_err(|error| format!("its content is no JSON: {error}"))?;
        Ok(MemoryRecord::Progress(ProgressDocument {
            project: name("project", self.project)?,
            namespace: opt_name("namespace", self.namespace)?,
            content,
            updated_at: Timestamp::from_millis(self.updated_at),
        }))
    }
}
