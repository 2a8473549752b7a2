//! A client of the API that looks, says what it saw, and sends.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use plimsoll_testkit::{
    history::Random,
    http::{self, Answer, Events},
    scripted::{Recorded, Reply, ScriptedServer, Step},
};
use serde_json::{Value, json};

use super::look::Shown;
use crate::served::Served;

/// More pairs than this are thinned out.
const MOST_PAIRS: usize = 40;

/// The newest of so many files are kept.
const MOST_FILES: usize = 5;

/// What a client sends.
#[derive(Debug)]
pub(super) enum Asked {
    /// A message, its text and its files.
    New(Value),
    /// A failed pair, asked again.
    Reask(Value),
    /// The newest complete pair, answered again with this model.
    Regenerate(Value, &'static str),
}

impl Asked {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::New(message) if message["attachments"] == json!([]) => "message",
            Self::New(_) => "message with a file",
            Self::Reask(_) => "question again",
            Self::Regenerate(..) => "answer again",
        }
    }

    /// The pair that it is about.
    pub(super) fn pair(&self) -> &str {
        match self {
            Self::New(_) => "",
            Self::Reask(pair) | Self::Regenerate(pair, _) => pair["id"].as_str().unwrap(),
        }
    }
}

/// What becomes of a send.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    Fine,
    Error,
    Overflow,
    Cancelled,
}

impl Fate {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Error => "error",
            Self::Overflow => "overflow",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What the file of a step's message holds.
pub(super) fn file_words(step: u64) -> String {
    format!("written at {step} sharp")
}

pub(super) struct Client {
    pub(super) served: Served,
    pub(super) dice: Random,
    /// What was sent to the provider since the last look.
    pub(super) calls: Arc<Mutex<Vec<Value>>>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    events: Events,
    /// All pairs, whatever the filter shows, as they were at the beginning of a step.
    pub(super) pairs: Vec<Value>,
    /// The id of the topic that everything is in.
    pub(super) topic: String,
    pub(super) step: u64,
    pub(super) sent: u64,
    pub(super) refused: u64,
    pub(super) kinds: BTreeMap<&'static str, u64>,
    _server: ScriptedServer,
}

impl Client {
    pub(super) fn begin(seed: u64) -> Self {
        let calls: Arc<Mutex<Vec<Value>>> = Arc::default();
        let replies: Arc<Mutex<VecDeque<Reply>>> = Arc::default();
        let (heard, script) = (Arc::clone(&calls), Arc::clone(&replies));
        let answer = move |request: &Recorded| {
            if request.method != "POST" {
                return Reply::model_missing("any");
            }
            heard.lock().unwrap().push(serde_json::from_str(&request.body).unwrap());
            let next = script.lock().unwrap().pop_front();
            next.unwrap_or_else(|| Reply::openai(&["fine"], 0, 2))
        };
        let server = ScriptedServer::answering(answer).unwrap();
        let address = server.base_url();
        let served = Served::start_with(&server, 1_500, |home| {
            let file = home.join("models.toml");
            let test = std::fs::read_to_string(&file).unwrap();
            let small = format!(
                "[[model]]\nid = \"small\"\nprovider = \"openai\"\nbaseUrl = \"{address}\"\n\
                 keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 900\n"
            );
            std::fs::write(&file, format!("{test}tools = true\n{small}tools = true\n")).unwrap();
            let config = "defaultModel = \"test\"\noverBudget = \"trim\"\nretries = 0\n";
            std::fs::write(home.join("config.toml"), config).unwrap();
        });
        let topic = served.json("POST", "/api/topics", Some(json!({ "path": "/General" })));
        served.json("PUT", "/api/view", Some(json!({ "topic": "/General" })));
        let events = served.events();
        Self {
            served,
            dice: Random::new(seed),
            calls,
            replies,
            events,
            pairs: Vec::new(),
            topic: topic["id"].as_str().unwrap().to_owned(),
            step: 0,
            sent: 0,
            refused: 0,
            kinds: BTreeMap::new(),
            _server: server,
        }
    }

    pub(super) fn count(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.dice.below(bound as u64)).unwrap()
    }

    /// Few pairs and few files, so that a request has room for them.
    pub(super) fn thin_out(&mut self) {
        let all = self.served.json("GET", "/api/export?filter=", None);
        self.pairs.clone_from(all["pairs"].as_array().unwrap());
        let many = if self.pairs.len() > MOST_PAIRS { MOST_PAIRS / 2 } else { 0 };
        for pair in self.pairs.drain(..many) {
            let id = pair["id"].as_str().unwrap();
            self.served.json("DELETE", &format!("/api/pairs/{id}?forGood=true"), None);
        }
        let files = self.served.json("GET", "/api/files", None);
        for file in files["files"].as_array().unwrap().iter().skip(MOST_FILES) {
            let id = file["id"].as_str().unwrap();
            self.served.json("DELETE", &format!("/api/files/{id}?forGood=true"), None);
        }
    }

    /// Takes a file in.
    pub(super) fn bring(&mut self, query: &str, text: &str) -> Value {
        let kind = [("Content-Type", "application/octet-stream")];
        let path = format!("/api/files?{query}");
        let address = &self.served.address;
        let answer = http::request(address, "POST", &path, &kind, text.as_bytes()).unwrap();
        assert_eq!(answer.status, 201, "{}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// What is to be sent next.
    pub(super) fn ask(&mut self) -> Asked {
        let dice = self.below(10);
        let in_state = |states: &[&str]| {
            let state = |pair: &&Value| states.contains(&pair["lifecycleState"].as_str().unwrap());
            self.pairs.iter().rfind(state).cloned()
        };
        if dice < 2
            && let Some(pair) = in_state(&["complete"])
        {
            return Asked::Regenerate(pair, ["test", "small"][self.below(2)]);
        }
        if dice < 5
            && let Some(pair) = in_state(&["error", "cancelled"])
        {
            let path = format!("/api/pairs/{}", pair["id"].as_str().unwrap());
            return Asked::Reask(self.served.json("GET", &path, None));
        }
        let mut text = format!("message {} ", self.step);
        let mut attachments = Vec::new();
        if dice > 7 {
            let file = self.bring(&format!("name=f{}.txt", self.step), &file_words(self.step));
            text.push_str(file["token"].as_str().unwrap());
            let delivery = ["inline", "on-demand"][self.below(2)];
            attachments.push(json!({ "fileId": file["id"], "delivery": delivery }));
        }
        Asked::New(json!({ "text": text, "attachments": attachments }))
    }

    /// What the provider makes of the next message.
    pub(super) fn fate(&mut self) -> Fate {
        let (fate, reply) = match self.below(12) {
            0 => (Fate::Error, Reply::invalid()),
            1 => (Fate::Overflow, Reply::overflow(400, 2_000)),
            2 => (Fate::Cancelled, Reply::of([Step::Hang])),
            3 => (Fate::Cancelled, Reply::stalls_after(&["half "])),
            _ => return Fate::Fine,
        };
        self.replies.lock().unwrap().push_back(reply);
        fate
    }

    pub(super) fn send(&mut self, asked: &Asked, shown: &Shown) -> Answer {
        let mut body = match asked {
            Asked::New(message) => message.clone(),
            Asked::Reask(pair) => json!({
                "text": pair["userText"], "attachments": pair["attachments"], "reask": pair["id"],
            }),
            Asked::Regenerate(pair, model) => {
                json!({ "text": "", "regenerate": pair["id"], "model": model })
            }
        };
        body["seen"] = shown.seen.clone();
        body["overBudget"] = "trim".into();
        let answer = self.served.ask("POST", "/api/send", Some(body));
        if answer.status != 202 {
            self.replies.lock().unwrap().clear();
        }
        answer
    }

    /// Waits for the end of a send.
    pub(super) fn end(&mut self, fate: Fate) {
        if fate == Fate::Cancelled {
            while self.calls.lock().unwrap().is_empty() {
                std::thread::yield_now();
            }
            self.served.json("POST", "/api/cancel", None);
        }
        self.events.until("ended").unwrap();
        self.replies.lock().unwrap().clear();
    }
}
