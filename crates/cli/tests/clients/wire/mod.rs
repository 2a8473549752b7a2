//! How a turn is written in each protocol: all members that the SDKs' strict checks want.

pub(crate) mod chat;
pub(crate) mod messages;
pub(crate) mod responses;

use plimsoll_testkit::scripted::Reply;
use serde_json::Value;

use crate::asked::Asked;

/// An answer in pieces, so that a stream is more than one event.
fn pieces(text: &str) -> [&str; 2] {
    let middle = text.len() / 2;
    text.split_at(text.floor_char_boundary(middle)).into()
}

/// The id of a call: no two of a conversation are the same.
fn call_id(asked: &Asked, at: usize) -> String {
    format!("call_{}", asked.results().len() + at)
}

/// Events that bear their type as their name.
fn named(events: &[Value]) -> Reply {
    let event = |reply: Reply, event: &Value| {
        reply.named_event(event["type"].as_str().unwrap_or_default(), event.to_string())
    };
    events.iter().fold(Reply::stream(), event).end()
}
