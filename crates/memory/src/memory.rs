//! The memory as one connection uses it.

use std::{path::PathBuf, sync::Arc};

use plimsoll_budget::{Answer, AnswerSpec, MORE, Piece};
use plimsoll_domain::Timestamp;
use plimsoll_store::{Change, Noun, Store, StoreError, Workspace};
use plimsoll_tokens::Estimator;

use crate::{
    DetailLevel, Ledger, MemoryError, OwnProject, Reading, Reply, StartedSessions, Writer,
    anchors::ProjectDisk, checks, time,
};

/// The session of whoever names none (MEM-1).
pub const DEFAULT_SESSION: &str = plimsoll_store::SHARED_SESSION;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a [`Memory`] is made of.
#[derive(Clone)]
pub struct MemoryParts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Clock,
    /// The workspace that all of it belongs to; it must be there.
    pub workspace: Workspace,
    /// The project of what names none.
    pub own_project: OwnProject,
    /// How answers are weighed; EST-2 unless the server was told otherwise.
    pub counter: Estimator,
    /// What is sent in this connection.
    pub ledger: Arc<Ledger>,
    /// The sessions that this connection has started.
    pub started: Arc<StartedSessions>,
    /// The root of the own project, where it is known; what notes name is looked at below it.
    pub root: Option<PathBuf>,
    pub writer: Writer,
}

/// The use cases of the memory, for one connection.
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Arc<dyn Store>,
    clock: Clock,
    pub(crate) workspace: Workspace,
    pub(crate) own: OwnProject,
    pub(crate) counter: Estimator,
    ledger: Arc<Ledger>,
    pub(crate) started: Arc<StartedSessions>,
    pub(crate) disk: Option<Arc<ProjectDisk>>,
    pub(crate) writer: Writer,
}

/// What is told, before it is weighed.
pub(crate) struct Telling<'a> {
    pub(crate) tool: &'static str,
    /// A line that no budget takes away.
    pub(crate) head: &'a str,
    pub(crate) intro: &'a str,
    pub(crate) pieces: &'a [Piece],
    /// The observation that each piece is about.
    pub(crate) ids: &'a [Option<u64>],
    pub(crate) total: usize,
    pub(crate) noun: &'a str,
    pub(crate) next_call: Option<&'a str>,
    pub(crate) reading: Reading,
}

impl Memory {
    /// A memory of these parts.
    pub fn new(parts: MemoryParts) -> Self {
        let MemoryParts {
            store,
            clock,
            workspace,
            own_project,
            counter,
            ledger,
            started,
            root,
            writer,
        } = parts;
        let disk = root.map(|root| Arc::new(ProjectDisk::below(&root)));
        // It is kept like one that was named, and must come in again like it.
        let own = match own_project {
            OwnProject::Is(name) => OwnProject::Is(checks::of_folder(&name)),
            OwnProject::ReadsAll(name) => OwnProject::ReadsAll(checks::of_folder(&name)),
            OwnProject::Unknown => OwnProject::Unknown,
        };
        Self { store, clock, workspace, own, counter, ledger, started, disk, writer }
    }

    /// What was sent in this connection.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// The project of what names none.
    pub fn default_project(&self) -> &str {
        self.own.name()
    }

    /// Reads a time as clients send it: a day, a time, or an age such as `7d`.
    pub fn parse_since(&self, text: &str) -> Result<Timestamp, MemoryError> {
        time::parse(text, self.now()).ok_or_else(|| MemoryError::BadTime(text.to_owned()))
    }

    /// Reads when a note is to expire: a day, a time, or an age such as `30d`; `never` is never.
    pub(crate) fn parse_expiry(&self, text: &str) -> Result<Timestamp, MemoryError> {
        if text.trim().eq_ignore_ascii_case("never") {
            return Ok(Change::NEVER);
        }
        let read = time::parse_ahead(text, self.now());
        read.ok_or_else(|| MemoryError::BadTime(text.to_owned()))
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn session_id(&self, named: Option<&str>) -> Result<String, MemoryError> {
        let named = checks::opt_name("session_id", named)?;
        Ok(named.unwrap_or_else(|| DEFAULT_SESSION.to_owned()))
    }

    /// A short answer of a tool that writes.
    pub(crate) fn said(&self, tool: &str, text: String, ids: Vec<u64>) -> Reply {
        let estimated_tokens = self.counter.count(&text);
        self.ledger.record(tool, estimated_tokens);
        Reply { shown: ids.len(), total: ids.len(), text, ids, estimated_tokens, cut: false }
    }

    /// The same of a call that may have named its project.
    pub(crate) fn said_of(
        &self,
        tool: &str,
        named: Option<&str>,
        text: String,
        ids: Vec<u64>,
    ) -> Reply {
        let head = self.head(named);
        let text = if head.is_empty() { text } else { format!("{head}\n{text}") };
        self.said(tool, text, ids)
    }

    /// The same of a call in a session, whose project need not be named again.
    pub(crate) fn said_in(
        &self,
        tool: &str,
        session: &str,
        named: Option<&str>,
        text: String,
        ids: Vec<u64>,
    ) -> Reply {
        let started = self.started.project(session);
        let named = named.filter(|named| !named.trim().is_empty());
        self.said_of(tool, named.or(started.as_deref()), text, ids)
    }

    /// An answer of a tool that reads, within what was asked for and what is left.
    pub(crate) fn told(&self, telling: &Telling<'_>) -> Result<Reply, MemoryError> {
        let ids = telling.ids;
        self.told_as(telling, |spec| spec.build_counting(|worth| counts(ids, worth)))
    }

    /// The same where every piece counts, whatever it is about.
    pub(crate) fn told_all(&self, telling: &Telling<'_>) -> Result<Reply, MemoryError> {
        self.told_as(telling, |spec| spec.build())
    }

    fn told_as(
        &self,
        telling: &Telling<'_>,
        build: impl Fn(&AnswerSpec<'_>) -> Answer,
    ) -> Result<Reply, MemoryError> {
        let spec = AnswerSpec {
            head: telling.head,
            intro: telling.intro,
            pieces: telling.pieces,
            total: telling.total,
            noun: telling.noun,
            summary_hint: telling.reading.detail_level.hint(),
            next_call: telling.next_call,
            more: MORE,
            max_tokens: self.ledger.cap(telling.reading.max_tokens)?,
            counter: self.counter,
        };
        let answer = build(&spec);
        self.ledger.record(telling.tool, answer.estimated_tokens);
        Ok(Reply::of(answer, telling.ids))
    }
}

fn counts(ids: &[Option<u64>], worth: usize) -> bool {
    ids.get(worth).copied().flatten().is_some()
}

impl Reading {
    /// Everything, as far as the session budget goes.
    pub(crate) fn whole() -> Self {
        Self { detail_level: DetailLevel::Full, max_tokens: None }
    }
}

/// Says which observation was not there.
pub(crate) fn missing(id: u64) -> impl Fn(StoreError) -> MemoryError {
    move |error| match error {
        StoreError::NotFound(Noun::Observation) => MemoryError::NoObservation(id),
        StoreError::NotFound(Noun::Relation) => MemoryError::NoRelation(id),
        other => MemoryError::Store(other),
    }
}
