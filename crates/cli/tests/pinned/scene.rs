//! A server, a provider behind it, and what happened between them.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use plimsoll_testkit::{
    http::{self, Events},
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::{served::Served, told::Told};

/// In whose way a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
    Gemini,
}

pub(crate) const WIRES: [Wire; 3] = [Wire::OpenAi, Wire::Anthropic, Wire::Gemini];

impl Wire {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// A good answer.
    pub(crate) fn answer(self, text: &str, prompt: u64) -> Reply {
        match self {
            Self::OpenAi => Reply::openai(&[text], prompt, 3),
            Self::Anthropic => Reply::anthropic(&[text], prompt, 0, 3),
            Self::Gemini => Reply::gemini(&[text], prompt, 3),
        }
    }
}

pub(crate) struct Scene {
    pub(crate) served: Served,
    pub(crate) wire: Wire,
    pub(crate) told: Told,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    events: Events,
    server: ScriptedServer,
    /// So many requests are told already.
    requests: usize,
}

/// How a scene differs from the usual one.
pub(crate) struct Set {
    pub(crate) wire: Wire,
    pub(crate) window: u64,
    /// Lines of the model in `models.toml`.
    pub(crate) model: &'static str,
    /// Lines of `config.toml`.
    pub(crate) config: &'static str,
}

impl Set {
    pub(crate) fn of(wire: Wire) -> Self {
        Self { wire, window: 8192, model: "", config: "retries = 1" }
    }

    pub(crate) fn begin(self) -> Scene {
        let replies: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let (script, wire) = (Arc::clone(&replies), self.wire);
        let answer = move |request: &Recorded| match request.method.as_str() {
            "POST" => {
                let next = script.lock().unwrap().pop_front();
                next.unwrap_or_else(|| wire.answer("All is well.", 0))
            }
            _ => Reply::model_missing("any"),
        };
        let server = ScriptedServer::answering(answer).unwrap();
        let address = match wire {
            Wire::OpenAi => server.base_url(),
            Wire::Anthropic | Wire::Gemini => server.root_url(),
        };
        let served = Served::start_with(&server, self.window, |home| {
            let model = |id: &str, window: u64| {
                let (provider, more) = (wire.name(), self.model);
                format!(
                    "[[model]]\nid = \"{id}\"\nprovider = \"{provider}\"\nbaseUrl = \"{address}\"\n\
                     keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = {window}\n{more}\n"
                )
            };
            let models = model("test", self.window) + &model("larger", self.window * 4);
            std::fs::write(home.join("models.toml"), models).unwrap();
            // By characters: ids of files have the same number of them each time.
            let config =
                format!("defaultModel = \"test\"\nestimator = \"heuristic\"\n{}\n", self.config);
            std::fs::write(home.join("config.toml"), config).unwrap();
        });
        let events = served.events();
        let told = Told::default();
        Scene { served, wire, told, replies, events, server, requests: 0 }
    }
}

impl Scene {
    /// What the provider answers next.
    pub(crate) fn replies(&self, replies: impl IntoIterator<Item = Reply>) {
        self.replies.lock().unwrap().extend(replies);
    }

    /// A conversation of so many pairs, of which nothing is told.
    pub(crate) fn history(&mut self, pairs: usize) {
        for n in 1..=pairs {
            self.replies([self.wire.answer(&format!("Answer {n}, of the sea."), 0)]);
            self.served.json("POST", "/api/send", Some(json!({"text": format!("Question {n}?")})));
            self.events.until("ended").unwrap();
        }
        self.requests = self.server.requests().len();
    }

    pub(crate) fn set(&self, path: &str, body: Value) -> Value {
        self.served.json("PUT", path, Some(body))
    }

    /// Takes a file in and gives the text that refers to it, and its id.
    pub(crate) fn file(&mut self, name: &str, bytes: &[u8]) -> (String, Value) {
        self.told.names_files = true;
        let kind = [("Content-Type", "application/octet-stream")];
        let path = format!("/api/files?name={name}");
        let answer = http::request(&self.served.address, "POST", &path, &kind, bytes).unwrap();
        assert_eq!(answer.status, 201, "{}", answer.body);
        let file: Value = serde_json::from_str(&answer.body).unwrap();
        (file["token"].as_str().unwrap().to_owned(), file["id"].clone())
    }

    /// Sends, and tells everything that comes of it.
    pub(crate) fn send(&mut self, body: Value) -> Value {
        self.told.value("weighed", &self.weighed(&body));
        let answer = self.served.ask("POST", "/api/send", Some(body));
        let begun: Value = serde_json::from_str(&answer.body).unwrap();
        if answer.status != 202 {
            self.told.value(&format!("refused with {}", answer.status), &begun);
            return begun;
        }
        self.ended(begun["pair"].as_str().unwrap())
    }

    fn weighed(&self, body: &Value) -> Value {
        if body.get("regenerate").is_some() || body.get("reask").is_some() {
            return Value::Null;
        }
        let empty = json!([]);
        let attachments = body.get("attachments").unwrap_or(&empty);
        let message = json!({"text": body["text"], "attachments": attachments});
        self.served.json("POST", "/api/weigh", Some(message))
    }

    /// Begins to send; it is ended by what follows.
    pub(crate) fn begin(&mut self, text: &str) -> String {
        let begun = self.served.json("POST", "/api/send", Some(json!({"text": text})));
        begun["pair"].as_str().unwrap().to_owned()
    }

    /// Waits until the provider was asked once more.
    pub(crate) fn asked(&self) {
        let within = std::time::Duration::from_secs(60);
        assert!(self.server.wait_for_requests(self.requests + 1, within), "nothing was sent");
    }

    /// Waits for the end of a send and tells what left, what happened and what is kept.
    pub(crate) fn ended(&mut self, id: &str) -> Value {
        let mut events = self.events.until("ended").unwrap();
        // What a command sent before is told late: it is a process of its own.
        while !events.iter().any(|event| event.data.contains(id)) {
            events = self.events.until("ended").unwrap();
        }
        self.tell_requests();
        let steps = ["attempt", "trim", "retry", "waiting", "ended", "receipt", "tool"];
        for event in events.iter().filter(|event| steps.contains(&event.name.as_str())) {
            let mut data: Value = serde_json::from_str(&event.data).unwrap();
            // How it is drawn is not what was sent.
            data.as_object_mut().unwrap().remove("html");
            self.told.value(&format!("event {}", event.name), &data);
        }
        let pair = self.served.json("GET", &format!("/api/pairs/{id}"), None);
        self.told.value("pair", &pair);
        if let Some(receipt) = pair["receiptId"].as_str() {
            let receipt = self.served.json("GET", &format!("/api/receipts/{receipt}"), None);
            self.told.value("receipt", &receipt);
        }
        pair
    }

    /// Tells the requests that left since the last time, as they left.
    pub(crate) fn tell_requests(&mut self) {
        let requests = self.server.requests();
        let fresh = requests.iter().skip(self.requests).filter(|request| request.method == "POST");
        for request in fresh {
            self.told.text(&format!("request to {}", request.path), &request.body);
        }
        self.requests = requests.len();
    }

    /// `plimsoll` on the same home.
    pub(crate) fn command(&mut self, arguments: &[&str], input: &str) {
        use std::io::Write;
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PLIMSOLL_") {
                command.env_remove(name);
            }
        }
        let home = self.served.home();
        let mut child = command
            .args(arguments)
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .envs(crate::served::store::variables(&home.join("data")))
            .env("PLIMSOLL_TIME_ZONE", "UTC")
            .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
            .current_dir(home)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Whoever reads nothing has closed it already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let said = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code();
        self.told
            .text(&format!("{} ended with {code:?}", arguments.join(" ")), &said(output.stdout));
        self.told.text("standard error", &said(output.stderr));
        self.tell_requests();
    }
}
