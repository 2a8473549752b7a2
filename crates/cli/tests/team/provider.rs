//! A provider whose answer to a message is made from the message, and who remembers how often it
//! was asked for each.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use plimsoll_testkit::scripted::{Gate, Recorded, Reply, ScriptedServer};
use serde_json::Value;

/// The calls for each message, by the key of the node that made them.
type Calls = Arc<Mutex<HashMap<String, Vec<String>>>>;

pub(crate) struct Provider {
    pub(crate) server: ScriptedServer,
    calls: Calls,
    /// What is behind the first pieces of the answer to a message that says `gated`.
    pub(crate) gate: Gate,
}

/// The word by which a message is known: its first one.
fn mark(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// A number that is the same for the same word.
fn number(word: &str) -> usize {
    word.bytes().fold(17, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)))
}

/// The answer to a message, in the pieces in which it comes. Each piece says which one it is.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let mark = mark(text);
    let count = 4 + number(mark) % 23;
    (0..count).map(|n| if n == 0 { format!("{mark}.0") } else { format!(" {mark}.{n}") }).collect()
}

pub(crate) fn answer(text: &str) -> String {
    pieces(text).concat()
}

fn reply(text: &str, gate: &Gate) -> Reply {
    let pieces = pieces(text);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    if text.contains("gated") {
        let (first, rest) = pieces.split_at(2);
        return Reply::openai_open(first).gate(gate).openai_more(rest).openai_end(14, 8);
    }
    let pause = [5, 40, 150][number(mark(text)) / 23 % 3];
    Reply::openai(&pieces, 14, 8).paced(Duration::from_millis(pause))
}

impl Provider {
    pub(crate) fn start() -> Self {
        let (calls, gate) = (Calls::default(), Gate::default());
        let (heard, held) = (Arc::clone(&calls), gate.clone());
        let server = ScriptedServer::answering(move |request: &Recorded| {
            if request.method != "POST" {
                return Reply::model_missing("any");
            }
            let body: Value = serde_json::from_str(&request.body).unwrap();
            let text = body["messages"].as_array().and_then(|all| all.last());
            let text = text.and_then(|last| last["content"].as_str()).unwrap_or_default();
            let by = request.header("authorization").unwrap_or_default().to_owned();
            heard.lock().unwrap().entry(mark(text).to_owned()).or_default().push(by);
            reply(text, &held)
        });
        Self { server: server.unwrap(), calls, gate }
    }

    /// Who called for a message, in order.
    pub(crate) fn calls_for(&self, text: &str) -> Vec<String> {
        self.calls.lock().unwrap().get(mark(text)).cloned().unwrap_or_default()
    }

    pub(crate) fn messages(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}
