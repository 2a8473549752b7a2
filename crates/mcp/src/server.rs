//! What all connections share.

use std::{path::PathBuf, sync::Arc};

use plimsoll_domain::Timestamp;
use plimsoll_memory::{Ledger, Memory, MemoryParts, OwnProject, PresentMeaning, Writer};
use plimsoll_store::{Store, Workspace};
use plimsoll_tokens::Estimator;
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    Connection, ExtraTools, Offer,
    books::{Books, Stateless},
    instructions::Told,
    table::tool,
};

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a server is made of.
#[derive(Clone)]
pub struct ServerParts {
    /// Where memories are kept.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: Clock,
    /// The workspace that the memories belong to.
    pub workspace: Workspace,
    /// The directory from which a project's root is looked for, unless the client names
    /// its own.
    pub directory: PathBuf,
    /// Whether clients work on other machines: the roots that they name are no paths of this one
    /// (SEC-3).
    pub clients_are_elsewhere: bool,
    /// The user's home directory, which is never a project.
    pub home: Option<PathBuf>,
    /// The project of what names none (`--project`); else it is the root's folder.
    pub project: Option<String>,
    /// Which tools are offered.
    pub offer: Offer,
    /// What one connection may send in all (`--session-budget`).
    pub session_budget: Option<u64>,
    /// What one read may send at most, whatever it is asked for (`--answer-limit`).
    pub answer_limit: Option<u64>,
    /// How answers are weighed: bytes by four, unless an exact tokenizer was asked for.
    pub counter: Estimator,
    /// The file tools.
    pub extra: Option<Arc<dyn ExtraTools>>,
    /// Whether a person looks at what agents save before it counts (`memoryReview`), as it is at
    /// this moment.
    pub review: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Search by meaning, as it is at this moment (`memoryMeaning`).
    pub meaning: PresentMeaning,
    /// Called after each call that may have changed the memory, for whoever shows it.
    pub wrote: Arc<dyn Fn() + Send + Sync>,
}

/// A server. Copies are the same server.
#[derive(Clone)]
pub struct Server {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) parts: ServerParts,
    /// For clients without a connection: in the newest protocol, every HTTP request stands
    /// alone.
    pub(crate) stateless: Stateless,
    pub(crate) stop: CancellationToken,
}

impl Server {
    /// A server of these parts.
    pub fn new(parts: ServerParts) -> Self {
        let (stateless, stop) = (Stateless::default(), CancellationToken::new());
        Self { shared: Arc::new(Shared { parts, stateless, stop }) }
    }

    /// An empty book for one client.
    pub(crate) fn ledger(&self) -> Ledger {
        let parts = &self.shared.parts;
        Ledger::new(parts.session_budget).with_answer_limit(parts.answer_limit)
    }

    /// What serves one client.
    pub fn connect(&self) -> Connection {
        Connection::new(self.clone())
    }

    /// Ends every HTTP session, so that a server that goes down does not wait for them.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }

    /// The tools that clients are offered.
    pub fn tools(&self) -> Vec<Tool> {
        let parts = &self.shared.parts;
        let mut tools: Vec<Tool> = parts.offer.tools().map(|spec| spec.tool()).collect();
        for extra in parts.extra.iter().flat_map(|extra| extra.tools()) {
            let taken = tools.iter().any(|tool| tool.name == extra.name);
            if !taken && parts.offer.has_extra(&extra.name) {
                let schema = match extra.schema {
                    Value::Object(schema) => schema,
                    _ => JsonObject::new(),
                };
                tools.push(tool(extra.name, extra.title, extra.about, schema, extra.effect));
            }
        }
        tools
    }

    /// What clients are told about this server.
    pub fn instructions(&self) -> String {
        let parts = &self.shared.parts;
        let tools: Vec<String> =
            self.tools().into_iter().map(|tool| tool.name.into_owned()).collect();
        let told = Told {
            tools: &tools,
            counter: parts.counter,
            answer_limit: parts.answer_limit,
            session_budget: parts.session_budget,
        };
        told.text()
    }

    /// A memory that books what it sends in a ledger.
    pub(crate) fn memory(
        &self,
        own_project: OwnProject,
        root: Option<PathBuf>,
        client: Option<&str>,
        books: &Books,
    ) -> Memory {
        let parts = &self.shared.parts;
        Memory::new(MemoryParts {
            store: parts.store.clone(),
            clock: parts.clock.clone(),
            workspace: parts.workspace.clone(),
            own_project,
            counter: parts.counter,
            ledger: Arc::clone(&books.ledger),
            started: Arc::clone(&books.started),
            root,
            writer: Writer::client(client, Arc::clone(&parts.review)),
        })
        .with_meaning(Arc::clone(&parts.meaning))
    }
}
