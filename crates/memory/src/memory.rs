//! The memory as one connection uses it.

use std::sync::Arc;

use plimsoll_budget::{Answer, AnswerSpec, Piece};
use plimsoll_domain::Timestamp;
use plimsoll_store::{Noun, Store, StoreError, Workspace};
use plimsoll_tokens::Estimator;

use crate::{DetailLevel, Ledger, MemoryError, Reading, Reply, checks, time};

/// The session of whoever names none (MEM-1).
pub const DEFAULT_SESSION: &str = "manual-save";

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
    pub default_project: String,
    /// How answers are weighed; EST-2 unless the server was told otherwise.
    pub counter: Estimator,
    /// What is sent in this connection.
    pub ledger: Arc<Ledger>,
}

/// The use cases of the memory, for one connection.
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Arc<dyn Store>,
    clock: Clock,
    pub(crate) workspace: Workspace,
    default_project: String,
    pub(crate) counter: Estimator,
    ledger: Arc<Ledger>,
}

/// What is told, before it is weighed.
pub(crate) struct Telling<'a> {
    pub(crate) tool: &'static str,
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
        let MemoryParts { store, clock, workspace, default_project, counter, ledger } = parts;
        // It is kept like one that was named, and must come in again like it.
        let default_project = checks::of_folder(&default_project);
        Self { store, clock, workspace, default_project, counter, ledger }
    }

    /// What was sent in this connection.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// The project of what names none.
    pub fn default_project(&self) -> &str {
        &self.default_project
    }

    /// Reads a time as clients send it: a day, a time, or an age such as `7d`.
    pub fn parse_since(&self, text: &str) -> Result<Timestamp, MemoryError> {
        time::parse(text, self.now()).ok_or_else(|| MemoryError::BadTime(text.to_owned()))
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn project(&self, named: Option<&str>) -> Result<String, MemoryError> {
        let named = checks::opt_name("project", named)?;
        Ok(named.unwrap_or_else(|| self.default_project.clone()))
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
            intro: telling.intro,
            pieces: telling.pieces,
            total: telling.total,
            noun: telling.noun,
            summary_hint: telling.reading.detail_level.hint(),
            next_call: telling.next_call,
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
