//! The events of `codex exec --json`: one object a line, read tolerantly (DLV-5).
//!
//! Only two events end a turn: `turn.completed` and `turn.failed`. An `error` may be a
//! connection that is being made again, and an item of the kind `error` is a warning that
//! comes in turns which end well ("Falling back from WebSockets…"), so both are only
//! remembered, for a turn that ends without a word.

use std::borrow::Cow;

use plimsoll_domain::{Usage, json_is_bounded};
use serde_json::{Value, json};

use crate::{Finish, wire::Deltas};

/// As much as is kept of lines that are no events.
const MAX_STRAY: usize = 16 * 1024;

/// What a line was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// A part of the answer, or of the work on it.
    Part,
    /// Something before any part.
    Opening,
    /// Codex tries to reach its server again.
    Reconnecting,
    /// The turn ended well.
    Completed,
    /// The turn ended badly; these are the words.
    Failed(String),
    /// No event.
    Stray,
}

/// The events of one run.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Whether a message of the agent has come.
    spoke: bool,
    /// The last error, as a body.
    error: Option<String>,
    /// The last warning, as a body.
    warning: Option<String>,
    /// What was said of the connection last.
    reconnecting: Option<String>,
    stray: String,
}

impl Events {
    pub(super) fn line(&mut self, line: &[u8], out: &mut Deltas) -> Heard {
        let text = String::from_utf8_lossy(line);
        let bounded = Some(text.trim()).filter(|text| json_is_bounded(text.as_bytes()));
        let event: Option<Value> = bounded.and_then(|text| serde_json::from_str(text).ok());
        let kind = event.as_ref().and_then(|event| event.get("type")?.as_str());
        let (Some(event), Some(kind)) = (&event, kind) else {
            self.stray(&text);
            return Heard::Stray;
        };
        match kind {
            "item.completed" => self.item(&event["item"], out),
            "turn.completed" => {
                if let Some(usage) = usage(&event["usage"]) {
                    out.usage(usage);
                }
                out.finish(Finish::Stop);
                return Heard::Completed;
            }
            "turn.failed" => return Heard::Failed(self.failed(&event["error"])),
            "error" => {
                let message = message(event);
                if is_reconnecting(&message) {
                    self.reconnecting = Some(message.into_owned());
                    return Heard::Reconnecting;
                }
                self.error = body_of(&message).or(self.error.take());
            }
            _ => {}
        }
        let begun = kind.starts_with("item.");
        if begun {
            self.reconnecting = None;
        }
        if begun && event["item"]["type"] != "error" { Heard::Part } else { Heard::Opening }
    }

    /// The last error, for a run that ends without a word.
    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The last warning, for one that left no other trace.
    pub(super) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// What was said of the connection last, if nothing came after it.
    pub(super) fn reconnecting(&self) -> Option<&str> {
        self.reconnecting.as_deref()
    }

    /// Lines that were no events.
    pub(super) fn strays(&self) -> &str {
        &self.stray
    }

    fn item(&mut self, item: &Value, out: &mut Deltas) {
        let text = item.get("text").and_then(Value::as_str).unwrap_or_default();
        match item.get("type").and_then(Value::as_str) {
            // Nothing follows the end of an answer.
            _ if out.finished() => {}
            Some("agent_message") if !text.is_empty() => {
                // An agent may speak more than once; each message is whole.
                if std::mem::replace(&mut self.spoke, true) {
                    out.text("\n\n");
                }
                out.text(text);
            }
            Some("reasoning") if !text.is_empty() => {
                out.reasoning(text);
                out.reasoning("\n\n");
            }
            Some("error") => self.warning = body_of(&message(item)).or(self.warning.take()),
            _ => {}
        }
    }

    fn failed(&self, error: &Value) -> String {
        let told = body_of(&message(error)).or_else(|| self.error.clone());
        let told = told.or_else(|| self.warning.clone());
        told.unwrap_or_else(|| body("the turn failed, and codex does not say why"))
    }

    fn stray(&mut self, line: &str) {
        let room = line.floor_char_boundary(MAX_STRAY.saturating_sub(self.stray.len() + 1));
        if room > 0 {
            self.stray.push_str(&line[..room]);
            self.stray.push('\n');
        }
    }
}

/// Words in the form in which a server would send them. They often hold the server's own
/// JSON, which is found inside (FAU-3).
fn body(message: &str) -> String {
    json!({"error": {"message": message}}).to_string()
}

fn body_of(message: &str) -> Option<String> {
    (!message.trim().is_empty()).then(|| body(message))
}

/// The words of an error, whatever its form.
fn message(error: &Value) -> Cow<'_, str> {
    match error.get("message").unwrap_or(error) {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}

/// Codex reports its own further attempts as errors.
fn is_reconnecting(message: &str) -> bool {
    let start = message.trim_start().to_ascii_lowercase();
    start.starts_with("reconnecting") || start.contains("; retrying ")
}

fn usage(usage: &Value) -> Option<Usage> {
    let number = |key: &str| usage.get(key).and_then(Value::as_u64);
    Some(Usage {
        prompt: number("input_tokens")?,
        cached: number("cached_input_tokens").unwrap_or_default(),
        completion: number("output_tokens").unwrap_or_default(),
        reasoning: number("reasoning_output_tokens").unwrap_or_default(),
    })
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
