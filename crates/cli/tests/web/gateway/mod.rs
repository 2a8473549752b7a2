//! Other people's programs through the served binary, with a scripted provider behind it.

mod faults_of_peers;
mod hostile;
mod keys;
mod policy;
mod relay;

use plimsoll_testkit::{
    http::{self, Answer},
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

pub(super) const CHAT: &str = "/v1/chat/completions";
pub(super) const RESPONSES: &str = "/v1/responses";
pub(super) const MESSAGES: &str = "/v1/messages";

/// A gateway with one model, `test`, whose server takes all three protocols.
pub(super) struct Gateway {
    pub(super) server: ScriptedServer,
    pub(super) served: Served,
}

impl Gateway {
    pub(super) fn new(server: ScriptedServer, window: u64) -> Self {
        Self::with(server, window, "", "")
    }

    /// The same with more lines in `models.toml` and `config.toml`.
    pub(super) fn with(server: ScriptedServer, window: u64, model: &str, config: &str) -> Self {
        let served = Served::start_with(&server, window, |home| {
            let models = home.join("models.toml");
            let known = std::fs::read_to_string(&models).unwrap();
            let protocols = "protocols = [\"chat\", \"responses\", \"messages\"]\n";
            std::fs::write(&models, format!("{known}{protocols}{model}")).unwrap();
            let settings = home.join("config.toml");
            let known = std::fs::read_to_string(&settings).unwrap();
            std::fs::write(&settings, format!("{known}retries = 0\n{config}")).unwrap();
        });
        Self { server, served }
    }

    pub(super) fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        http::request(&self.served.address, "POST", path, headers, body).unwrap()
    }

    pub(super) fn ask(&self, path: &str, body: &Value) -> Answer {
        self.post(path, &[], body.to_string().as_bytes())
    }

    /// The calls that the provider got.
    pub(super) fn calls(&self) -> Vec<Recorded> {
        self.server.requests().into_iter().filter(|one| one.method == "POST").collect()
    }

    /// The receipt of an answer.
    #[track_caller]
    pub(super) fn receipt(&self, answer: &Answer) -> Value {
        let id = answer.header("x-plimsoll-receipt").unwrap_or_else(|| panic!("{answer:?}"));
        self.served.json("GET", &format!("/api/receipts/{id}"), None)
    }
}

/// A server that answers every call in the same way.
pub(super) fn always(reply: Reply) -> ScriptedServer {
    ScriptedServer::chats([reply]).unwrap()
}

/// A chat of the user and the model in turns, each message this many words long; the user has the
/// last word.
pub(super) fn chat(exchanges: usize, words: usize) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "Be brief."})];
    for number in 0..exchanges {
        let text = format!("{number} {}", "word ".repeat(words));
        messages.push(json!({"role": "user", "content": text}));
        if number + 1 < exchanges {
            messages.push(json!({"role": "assistant", "content": text}));
        }
    }
    json!({"model": "test", "messages": messages})
}

/// The body of an answer as JSON.
#[track_caller]
pub(super) fn parsed(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
}
