//! The memory as one connection uses it.

use std::{path::PathBuf, sync::Arc};

use plimsoll_budget::{Allowance, Answer, AnswerSpec, Piece};
use plimsoll_domain::Timestamp;
use plimsoll_store::{Change, Noun, Store, StoreError, Workspace};
use plimsoll_tokens::Estimator;

use crate::{
    DetailLevel, Ledger, Meaning, MemoryError, OwnProject, PresentMeaning, Reading, Reply,
    StartedSessions, Writer, anchors::ProjectDisk, checks, time,
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
    meaning: Option<PresentMeaning>,
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
    /// Whether there are more than that.
    pub(crate) uncounted: bool,
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
        Self { store, clock, workspace, own, counter, ledger, started, meaning: None, disk, writer }
    }

    /// The same with search by meaning, whenever there is any (MEM-10).
    #[must_use]
    pub fn with_meaning(mut self, meaning: PresentMeaning) -> Self {
        self.meaning = Some(meaning);
        self
    }

    /// Search by meaning, where it is switched on at this moment.
    pub fn meaning(&self) -> Option<Arc<Meaning>> {
        self.meaning.as_ref().and_then(|present| present())
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

    /// An answer of a tool that reads, within what was asked for and what is left. Pieces that
    /// are about no observation are not counted.
    pub(crate) fn told(&self, telling: &Telling<'_>) -> Result<Reply, MemoryError> {
        let answer = self.read(telling.tool, telling.reading.max_tokens, |allowance| {
            self.weighed(telling, allowance, false)
        })?;
        Ok(Reply::of(answer, telling.ids))
    }

    /// The same where every piece counts, whatever it is about.
    pub(crate) fn told_all(&self, telling: &Telling<'_>) -> Result<Reply, MemoryError> {
        let answer = self.read(telling.tool, telling.reading.max_tokens, |allowance| {
            self.spec(telling, allowance, &allowance.more()).build()
        })?;
        Ok(Reply::of(answer, telling.ids))
    }

    /// The same without footers: what finds no room is told by a mark, with `rest` on how to
    /// get it (MBG-9).
    pub(crate) fn told_plainly(
        &self,
        telling: &Telling<'_>,
        rest: &str,
    ) -> Result<Reply, MemoryError> {
        let answer = self.read(telling.tool, telling.reading.max_tokens, |allowance| {
            let more = format!("{rest}{}", allowance.remedy());
            AnswerSpec { footers: false, ..self.spec(telling, allowance, &more) }.build()
        })?;
        Ok(Reply::of(answer, telling.ids))
    }

    /// A read, told within what it may weigh and written down.
    pub(crate) fn read(
        &self,
        tool: &str,
        max_tokens: Option<u64>,
        tell: impl Fn(Allowance) -> Answer,
    ) -> Result<Answer, MemoryError> {
        loop {
            let allowance = self.ledger.allow(max_tokens)?;
            let answer = tell(allowance);
            if self.ledger.record_read(tool, answer.estimated_tokens, allowance) {
                return Ok(answer);
            }
        }
    }

    /// What is told, before it is written down; `shortened` is less than was asked for.
    pub(crate) fn weighed(
        &self,
        telling: &Telling<'_>,
        allowance: Allowance,
        shortened: bool,
    ) -> Answer {
        let ids = telling.ids;
        let more = allowance.more();
        let spec = AnswerSpec { shortened, ..self.spec(telling, allowance, &more) };
        spec.build_counting(|worth| counts(ids, worth))
    }

    fn spec<'t>(
        &self,
        telling: &Telling<'t>,
        allowance: Allowance,
        more: &'t str,
    ) -> AnswerSpec<'t> {
        AnswerSpec {
            head: telling.head,
            intro: telling.intro,
            pieces: telling.pieces,
            total: telling.total,
            uncounted: telling.uncounted,
            noun: telling.noun,
            others: "prompts or sessions",
            footers: true,
            summary_hint: telling.reading.detail_level.hint(),
            next_call: telling.next_call,
            shortened: false,
            more,
            max_tokens: allowance.max_tokens(),
            counter: self.counter,
        }
    }
}

fn counts(ids: &[Option<u64>], worth: usize) -> bool {
    ids.get(worth).copied().flatten().is_some()
}

impl Reading {
    /// Everything, as far as the budget goes.
    pub(crate) fn whole(max_tokens: Option<u64>) -> Self {
        Self { detail_level: DetailLevel::Full, max_tokens }
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
