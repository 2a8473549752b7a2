//! A server over a store and a project of its own, and clients for it.

// Roots are of the older protocol.
#![allow(deprecated)]

use std::{path::PathBuf, sync::Arc, thread};

use plimsoll_domain::Timestamp;
use plimsoll_mcp::{Offer, Server, ServerParts, serve};
use plimsoll_store::{Store, Workspace};
use plimsoll_store_sql::{OpenOptions, PostgresStore, SqlStore};
use plimsoll_testkit::switch::test_store;
use plimsoll_tokens::Estimator;
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
        ListRootsResult, ProtocolVersion, Root,
    },
    service::{RequestContext, RunningService},
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(crate) const NOW: i64 = 1_763_200_000_000;

/// A server with all that it stands on.
pub(crate) struct Harness {
    pub(crate) server: Server,
    parts: ServerParts,
    pub(crate) project: PathBuf,
    kept: Arc<dyn Store>,
    _store: TempDir,
    _project: TempDir,
}

/// The two eras of the protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Era {
    Handshake,
    Stateless,
}

impl Era {
    pub(crate) fn mode(self) -> ClientLifecycleMode {
        match self {
            Self::Handshake => ClientLifecycleMode::Initialize,
            Self::Stateless => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        }
    }
}

/// A client that shows the text beside the structured part, and so gets both (MDC-4).
pub(crate) const SHOWS_BOTH: &str = "mcp-inspector";

pub(crate) const ERAS: [Era; 2] = [Era::Handshake, Era::Stateless];

/// A client with a name.
#[derive(Clone)]
pub(crate) struct Named(pub(crate) &'static str);

impl ClientHandler for Named {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(Default::default(), Implementation::new(self.0, "1.0"))
    }
}

/// A client that says where it works.
#[derive(Clone)]
pub(crate) struct Rooted(pub(crate) Vec<String>);

impl ClientHandler for Rooted {
    fn get_info(&self) -> ClientConfig {
        let can = ClientCapabilities::builder().enable_roots().build();
        ClientConfig::new(can, Implementation::new("rooted", "1.0"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.0.iter().map(Root::new).collect()))
    }
}

pub(crate) type Client = RunningService<RoleClient, Named>;

pub(crate) async fn harness() -> Harness {
    harness_with(|_| {}).await
}

pub(crate) async fn harness_with(change: impl FnOnce(&mut ServerParts)) -> Harness {
    let (store, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let path = store.path().join("plimsoll.db");
    let at = Timestamp::from_millis(NOW);
    let directory = project.path().canonicalize().unwrap().join("tide-tables");
    std::fs::create_dir(&directory).unwrap();
    let options = OpenOptions::default();
    let kept: Arc<dyn Store> = match test_store(store.path(), make) {
        Some(address) => Arc::new(PostgresStore::open(&address, options, at).await.unwrap()),
        None => Arc::new(SqlStore::open_sqlite(&path, options, at).await.unwrap()),
    };
    let mut parts = ServerParts {
        store: Arc::clone(&kept),
        clock: Arc::new(move || at),
        workspace: Workspace::parse("default/main").unwrap(),
        directory: directory.clone(),
        clients_are_elsewhere: false,
        home: None,
        project: None,
        offer: Offer::default(),
        session_budget: None,
        answer_limit: None,
        counter: Estimator::Bytes4,
        extra: None,
        review: Arc::new(|| false),
        meaning: Arc::new(|| None),
        wrote: Arc::new(|| ()),
    };
    change(&mut parts);
    let server = Server::new(parts.clone());
    Harness { server, parts, project: directory, kept, _store: store, _project: project }
}

/// Makes a store in an empty database, on a thread that may wait for it.
fn make(address: &str) {
    let open = PostgresStore::open(address, OpenOptions::default(), Timestamp::from_millis(NOW));
    let made = || drop(Runtime::new().unwrap().block_on(open).unwrap());
    thread::scope(|scope| scope.spawn(made).join().unwrap());
}

impl Harness {
    /// What the server keeps things in.
    pub(crate) fn server_store(&self) -> &Arc<dyn Store> {
        &self.kept
    }

    /// Another server over the same store and project.
    pub(crate) fn again(mut self, change: impl FnOnce(&mut ServerParts)) -> Self {
        change(&mut self.parts);
        Self { server: Server::new(self.parts.clone()), ..self }
    }

    /// A client over a pair of pipes in memory, of whom nothing is known.
    pub(crate) async fn client(&self, era: Era) -> Client {
        self.client_named(era, "a-client").await
    }

    pub(crate) async fn client_named(&self, era: Era, name: &'static str) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = self.server.clone();
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(ours);
            serve(&server, read, write).await.unwrap();
        });
        Named(name).serve_with_lifecycle(theirs, era.mode()).await.unwrap()
    }
}

/// Calls a tool.
pub(crate) async fn call(client: &Client, name: &'static str, arguments: Value) -> CallToolResult {
    let mut params = CallToolRequestParams::new(name);
    params.arguments = arguments.as_object().cloned();
    client.call_tool(params).await.unwrap()
}

/// The text of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    let block = result.content.first().and_then(|block| block.as_text());
    block.map(|block| block.text.clone()).unwrap_or_default()
}

/// Calls a tool that must succeed.
pub(crate) async fn told(client: &Client, name: &'static str, arguments: Value) -> String {
    let result = call(client, name, arguments).await;
    assert_ne!(result.is_error, Some(true), "{name}: {}", text(&result));
    text(&result)
}

/// Calls a tool that must fail in a way that a model can read.
pub(crate) async fn refused(client: &Client, name: &'static str, arguments: Value) -> String {
    let result = call(client, name, arguments).await;
    assert_eq!(result.is_error, Some(true), "{name}: {}", text(&result));
    text(&result)
}
