//! Wire formats: a request body out, deltas in. Nothing here touches a network, so each
//! format is a table of inputs and what is expected.

pub(crate) mod anthropic;
mod anthropic_body;
pub(crate) mod gemini;
mod long_strings;
pub(crate) mod openai;
mod openai_body;
mod openai_options;
pub(crate) mod responses;
pub(crate) mod unsayable;
pub(crate) mod usage_only;

use std::collections::VecDeque;

use plimsoll_domain::json_is_bounded;
use plimsoll_send::{Message, Role};
use serde_json::Value;

pub(crate) use self::long_strings::cut_long_strings;
use crate::{Delta, Finish, sse::SseEvent};

/// What a piece of an answer was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// A part of the answer; more may follow.
    Part,
    /// The very last part. Nothing more is waited for.
    Last,
    /// Nothing that this wire knows.
    Unknown,
}

/// Why a piece of an answer ends it. The piece itself is the body of the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The server said that it failed.
    Told,
    /// The server refused the content, in words that only its own wire knows.
    Filtered,
    /// The piece is not what the wire promises.
    Malformed,
}

/// Reads the objects of one answer.
pub(crate) trait Decode: Send {
    /// Reads an object: one event of a stream, or a whole answer.
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused>;
}

/// The calls of tools in one answer may have so many bytes together: they are kept until
/// the answer has ended, and an answer that goes on for ever would fill the memory (REL-4).
const MAX_CALLS: usize = 512 << 10;
/// What a call takes beside its words, so that empty ones have an end too.
pub(crate) const EACH_CALL: usize = 256;

/// No more than this is taken of one text or one thought (REL-7): no longer answer is kept, and
/// one in a single piece would be copied on every step of its way.
const MAX_TEXT: usize = 4 << 20;
/// A text goes on in pieces of so many bytes, so that a copy of a piece is small.
const PIECE: usize = 256 << 10;

/// Deltas on their way out.
#[derive(Debug, Default)]
pub(crate) struct Deltas {
    queue: VecDeque<Delta>,
    finished: bool,
    /// What the calls of tools have taken so far.
    called: usize,
    /// Counts what is progress: text, reasoning and calls of tools (REL-8).
    progress: u64,
    last_usage: Option<plimsoll_domain::Usage>,
}

impl Deltas {
    /// Adds a piece of the answer. One that is too long is cut, and the answer says so.
    pub(crate) fn text(&mut self, text: &str) {
        if self.pieces(text, Delta::Text) {
            self.finish(Finish::Length);
        }
    }

    /// Adds a piece of reasoning. Nobody keeps it, so nobody misses the end of a long one.
    pub(crate) fn reasoning(&mut self, text: &str) {
        self.pieces(text, Delta::Reasoning);
    }

    /// Adds a text in pieces; says whether it was cut.
    fn pieces(&mut self, text: &str, delta: fn(String) -> Delta) -> bool {
        let mut rest = &text[..text.floor_char_boundary(MAX_TEXT)];
        let cut = rest.len() < text.len();
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.progress += 1;
            self.queue.push_back(delta(piece.to_owned()));
            rest = more;
        }
        cut
    }

    /// Adds a call of a tool.
    pub(crate) fn tool_call(&mut self, call: plimsoll_send::ToolCall) {
        self.queue.push_back(Delta::ToolCall(call));
    }

    /// Makes room for so many bytes of a call, as long as there is any.
    pub(crate) fn room_for_call(&mut self, bytes: usize) -> Result<(), Refused> {
        self.progress += u64::from(bytes > 0);
        self.called = self.called.saturating_add(bytes);
        if self.called > MAX_CALLS { Err(Refused::Malformed) } else { Ok(()) }
    }

    /// Adds the end, once: some servers repeat it.
    pub(crate) fn finish(&mut self, finish: Finish) {
        if !std::mem::replace(&mut self.finished, true) {
            self.queue.push_back(Delta::Finished(finish));
        }
    }

    /// Adds usage where it changed: some servers send it with every chunk.
    pub(crate) fn usage(&mut self, usage: plimsoll_domain::Usage) {
        if self.last_usage.replace(usage) != Some(usage) {
            self.queue.push_back(Delta::Usage(usage));
        }
    }

    /// Grows with every piece that is progress; comments, empty deltas and usage are none.
    pub(crate) fn progress(&self) -> u64 {
        self.progress
    }

    /// Whether the answer has ended.
    pub(crate) fn finished(&self) -> bool {
        self.finished
    }

    /// The oldest delta.
    pub(crate) fn pop(&mut self) -> Option<Delta> {
        self.queue.pop_front()
    }
}

/// Reads one event of a stream.
pub(crate) fn read_event(
    decoder: &mut dyn Decode,
    event: &SseEvent,
    out: &mut Deltas,
) -> Result<Read, Refused> {
    let data = event.data.trim();
    if event.name == "error" {
        return Err(Refused::Told);
    }
    if !json_is_bounded(data.as_bytes()) {
        return Err(Refused::Malformed);
    }
    if let Ok(value) = serde_json::from_str(data) {
        return objects(decoder, &value, out);
    }
    // Some servers forget the blank line between two events, so each line may be one.
    let mut read = Read::Unknown;
    for line in data.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line == "[DONE]" {
            return Ok(Read::Last);
        }
        let value = serde_json::from_str(line).map_err(|_| Refused::Malformed)?;
        read = objects(decoder, &value, out)?;
    }
    Ok(read)
}

/// Reads an answer that came in one piece.
pub(crate) fn read_whole(
    decoder: &mut dyn Decode,
    body: &str,
    out: &mut Deltas,
) -> Result<(), Refused> {
    let body = body.trim_start_matches('\u{feff}');
    if !json_is_bounded(body.as_bytes()) {
        return Err(Refused::Malformed);
    }
    let value: Value = serde_json::from_str(body).map_err(|_| Refused::Malformed)?;
    match objects(decoder, &value, out)? {
        // An object that is no answer may be an error in a shape that nobody agreed on.
        Read::Unknown => Err(Refused::Told),
        Read::Part | Read::Last => Ok(()),
    }
}

/// An array holds what a stream would have sent one by one.
fn objects(decoder: &mut dyn Decode, value: &Value, out: &mut Deltas) -> Result<Read, Refused> {
    let Some(array) = value.as_array() else { return object(decoder, value, out) };
    let mut read = Read::Unknown;
    for value in array {
        read = object(decoder, value, out)?;
    }
    Ok(read)
}

fn object(decoder: &mut dyn Decode, value: &Value, out: &mut Deltas) -> Result<Read, Refused> {
    if is_error(value) { Err(Refused::Told) } else { decoder.object(value, out) }
}

/// Whether an object says that something failed, in one of the shapes that are common.
fn is_error(value: &Value) -> bool {
    let error = match value.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    let named = |key| value.get(key).and_then(Value::as_str) == Some("error");
    error || named("object") || named("type")
}

/// A number under a path of keys; absent and null are the same.
fn number(value: &Value, path: &[&str]) -> Option<u64> {
    path.iter().try_fold(value, |value, key| value.get(key)).and_then(Value::as_u64)
}

/// The arguments of a call as the object that they should be; a model may have written
/// anything.
fn arguments(call: &plimsoll_send::ToolCall) -> Value {
    let bounded = Some(&call.arguments).filter(|text| json_is_bounded(text.as_bytes()));
    let read = bounded.and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
    read.unwrap_or_else(|| serde_json::json!({}))
}

/// A schema as the object that it is.
fn schema(tool: &plimsoll_send::ToolDefinition) -> Value {
    json_or_object(&tool.parameters)
}

/// A schema in a text; one that cannot be read allows every object.
fn json_or_object(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_else(|_| serde_json::json!({"type": "object"}))
}

/// A number as it was written, where a tree of JSON would show it with more digits.
fn exact(number: Option<f32>) -> Option<Value> {
    number.and_then(|number| serde_json::from_str(&number.to_string()).ok())
}

/// The text of the system messages, wherever they stand, and the other messages: for
/// wires that keep the system apart. They take no thoughts, and no message without anything.
fn apart(messages: &[Message]) -> (Option<String>, impl Iterator<Item = &Message>) {
    let is_system = |message: &&Message| message.role == Role::System;
    let system: Vec<String> = messages.iter().filter(is_system).map(Message::text).collect();
    let system = (!system.is_empty()).then(|| system.join("\n\n"));
    let says = move |message: &&Message| !is_system(message) && !message.only_reasons();
    (system, messages.iter().filter(says))
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod body_tests;

#[cfg(test)]
#[path = "decode_tests.rs"]
mod decode_tests;

#[cfg(test)]
#[path = "option_tests.rs"]
mod option_tests;
