//! Calls of other people's programs: weighed, sent on, reconciled, written down (GWY-1 to GWY-9).
//!
//! A client's request takes the way of every send: it is weighed, planned, and made by the same
//! attempts. Its messages are the history, and whole exchanges are what may be left out.

mod answers;
mod attempts;
mod books;
mod clients;
mod passing;
mod plan;
mod routes;
mod translated;

use std::{sync::Arc, time::Duration};

use futures_util::stream::BoxStream;
use plimsoll_budget::ClientOverBudget;
use plimsoll_domain::{Protocol, ReceiptId};
use plimsoll_gateway::{CallReceipt, Problem};
use plimsoll_provider::Secret;
use plimsoll_store::ClientKey;
use tokio::sync::Semaphore;

use crate::{App, Payer};

pub use clients::{KEY_PREFIX, key_hash};
pub use passing::PassedCall;
pub use plan::DryRun;

/// The gateway of one app.
pub struct Gateway {
    app: Arc<App>,
    routes: routes::Routes,
    clients: clients::Clients,
    books: books::Books,
    /// Calls that are under way or not written down yet (GWY-15).
    room: Arc<Semaphore>,
}

/// A client's request.
pub struct ClientCall {
    pub protocol: Protocol,
    /// The body as it came.
    pub text: String,
    /// Whose key came with it; none is the account that the server runs as.
    pub client: Option<Arc<ClientKey>>,
    /// The project that it is counted in, where the client is somebody of a team (TEA-10).
    pub project: Option<Arc<str>>,
    /// What the client wants to happen if it is too large (GWY-7).
    pub over_budget: Option<ClientOverBudget>,
    /// Whether what has no counterpart may be passed over (GWY-4).
    pub lossy: bool,
    /// What the client says in headers and the provider should hear.
    pub headers: Vec<(String, String)>,
    /// The client's own key for the provider.
    pub key: Option<Secret>,
}

impl ClientCall {
    fn payer(&self) -> Option<Payer> {
        payer_of(self.client.as_deref(), self.project.as_ref())
    }
}

/// Whose keys go along with a call: those of somebody of a team, and of the project that they
/// work in. A client of a server without a team has none here.
fn payer_of(client: Option<&ClientKey>, project: Option<&Arc<str>>) -> Option<Payer> {
    Some(Payer { person: client?.name.as_str().into(), project: Arc::clone(project?) })
}

/// What is said in headers before the first byte of an answer (GWY-9).
#[derive(Clone, Debug)]
pub struct CallHead {
    pub receipt: ReceiptId,
    pub model: String,
    pub window: u64,
    pub estimate: u64,
    pub basis: &'static str,
    pub trimmed_exchanges: usize,
    pub trimmed_rounds: usize,
    pub trimmed_tokens: u64,
    pub attempts: u32,
    /// By how much it is larger than the window, where it is and went all the same.
    pub over: Option<u64>,
    /// A window of the account that has no room for it, where it went all the same (VAL-4).
    pub over_quota: Option<String>,
    /// Whether earlier turns are the provider's and not weighed.
    pub partial: bool,
    /// Parameters without a counterpart that were passed over.
    pub passed_over: Vec<String>,
}

/// An answer for a client.
pub struct ClientAnswer {
    pub head: CallHead,
    pub body: AnswerBody,
}

pub enum AnswerBody {
    /// The provider's own bytes, as they arrive.
    Relayed {
        status: u16,
        headers: Vec<(String, String)>,
        /// An error breaks the answer off.
        bytes: BoxStream<'static, Result<Vec<u8>, String>>,
    },
    /// An answer in the client's protocol, written here, as events.
    Events(BoxStream<'static, String>),
    /// The same as one body.
    Whole(serde_json::Value),
}

/// Why a call was not answered.
pub struct CallRefused {
    pub problem: Problem,
    /// What is known of it, if it was weighed.
    pub head: Option<Box<CallHead>>,
    pub retry_after: Option<Duration>,
    /// What the provider itself said, in the client's protocol.
    pub verbatim: Option<Box<(u16, String)>>,
    /// What would help (GWY-7).
    pub suggestions: Vec<String>,
    /// Whether the client reads a stream.
    pub streamed: bool,
}

impl From<Problem> for CallRefused {
    fn from(problem: Problem) -> Self {
        Self {
            problem,
            head: None,
            retry_after: None,
            verbatim: None,
            suggestions: Vec::new(),
            streamed: false,
        }
    }
}

/// Looking through a request takes as long as other work on a part of it.
fn looking<T>(text: &str, look: impl FnOnce() -> T) -> T {
    const PART: usize = 16;
    crate::heavy(text.len() / PART, look)
}

impl Gateway {
    /// The gateway of an app. Somebody has to [keep its books](Self::keep_books).
    pub fn new(app: Arc<App>) -> Arc<Self> {
        let most = usize::try_from(app.settings().gateway_concurrent()).unwrap_or(usize::MAX);
        let room = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        let (routes, clients) = (routes::Routes::default(), clients::Clients::default());
        Arc::new(Self { app, routes, clients, books: books::Books::default(), room })
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// What came of a call; the newest may not be written yet, and are waited for.
    pub async fn receipt(&self, id: ReceiptId) -> Result<Option<CallReceipt>, crate::AppError> {
        self.settle().await;
        let kept = self.app.store.gateway_call(id).await?;
        Ok(kept.and_then(|kept| serde_json::from_str(&kept.body).ok()))
    }
}
