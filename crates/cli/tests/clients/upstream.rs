//! The provider behind the gateway: a scripted one that speaks all three protocols, streaming
//! and not, and remembers what came.

use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::{
    asked::{Asked, Protocol},
    wire,
};

/// What the model says.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    Text(String),
    Calls(Vec<Call>),
    /// The request does not fit, said as the protocol's own provider says it.
    Overflow,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// The tokens of every answer.
pub(crate) const INPUT: u64 = 110;
pub(crate) const OUTPUT: u64 = 7;

/// The window that an overflow tells, and what was asked for.
pub(crate) const WINDOW: u64 = 200_000;
pub(crate) const TOO_MUCH: u64 = 250_000;

/// The provider. It runs until it is dropped.
pub(crate) struct Upstream {
    server: ScriptedServer,
}

impl Upstream {
    /// Asks a function what to say.
    pub(crate) fn saying(turn: impl Fn(&Asked) -> Turn + Send + Sync + 'static) -> Self {
        let script = move |request: &Recorded| match Asked::read(request) {
            Some(asked) => match asked.protocol {
                Protocol::Chat => wire::chat::reply(&asked, &turn(&asked)),
                Protocol::Responses => wire::responses::reply(&asked, &turn(&asked)),
                Protocol::Messages => wire::messages::reply(&asked, &turn(&asked)),
            },
            None => other(request),
        };
        Self { server: ScriptedServer::answering(script).unwrap() }
    }

    /// `http://127.0.0.1:port`
    pub(crate) fn root(&self) -> String {
        self.server.root_url()
    }

    /// The calls of the model so far, in order of arrival.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.server.requests().iter().filter_map(Asked::read).collect()
    }
}

/// What is no call of the model: counts and lists of models.
fn other(request: &Recorded) -> Reply {
    let path = request.path.split('?').next().unwrap_or_default();
    let anthropic = request.header("anthropic-version").is_some();
    let model = |id: &str| {
        if anthropic {
            json!({"type": "model", "id": id, "display_name": id, "lifecycle": "active",
                "created_at": "2026-01-01T00:00:00Z"})
        } else {
            json!({"id": id, "object": "model", "created": 1_700_000_000, "owned_by": "scripted"})
        }
    };
    let body = match (request.method.as_str(), path) {
        ("POST", "/v1/messages/count_tokens") => json!({"input_tokens": INPUT}),
        ("POST", "/v1/responses/input_tokens") => {
            json!({"object": "response.input_tokens", "input_tokens": INPUT})
        }
        ("GET", "/v1/models") => {
            let models = ["test", "claude-test"].map(model);
            json!({"object": "list", "data": models, "has_more": false,
                "first_id": "test", "last_id": "claude-test"})
        }
        ("GET", path) if path.starts_with("/v1/models/") => model(&path["/v1/models/".len()..]),
        _ => return Reply::error(404, "There is nothing here."),
    };
    Reply::json(200, body.to_string())
}
