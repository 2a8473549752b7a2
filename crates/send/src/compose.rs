//! The messages of a request, in order, made of the pairs (PAY-1 to PAY-4).

use plimsoll_budget::{is_emitted, sent_answer};
use plimsoll_domain::{Lifecycle, PairId};

use crate::{Message, Part, Role};

/// What is sent before or beside the history, and shown as a row (PAY-3). A part that is switched
/// off is absent, and not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions<'a> {
    /// The topic's system message. It rarely changes, so it goes first.
    pub system: Option<&'a str>,
    /// The files section. It changes from send to send, so it goes right before the
    /// new message, and the provider's prefix cache survives.
    pub files: Option<&'a str>,
}

/// An INCLUDED pair.
#[derive(Clone, Copy, Debug)]
pub struct IncludedTexts<'a> {
    pub id: PairId,
    pub lifecycle: Lifecycle,
    /// The question as it was written.
    pub user: &'a str,
    /// The question as it is delivered, where that is not its text alone.
    pub rendered: Option<&'a [Part]>,
    pub assistant: Option<&'a str>,
}

/// What a provider's protocol takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireRules {
    /// Whether a system message may stand after the first message.
    pub late_system: bool,
    /// Whether two messages of one role may follow each other.
    pub repeated_roles: bool,
    /// Whether the first message after the system message may be the assistant's.
    pub assistant_first: bool,
}

impl WireRules {
    /// OpenAI-style chat completions.
    pub const OPENAI: Self =
        Self { late_system: true, repeated_roles: true, assistant_first: true };

    /// Protocols that want user and assistant in turns.
    pub const STRICT: Self =
        Self { late_system: false, repeated_roles: false, assistant_first: false };
}

/// Between two messages that had to become one.
const JOINT: &str = "\n\n";

/// The messages of a request (system message, INCLUDED pairs in chronological order, files
/// section, new message) and the hash of the history among them (PAY-5).
pub fn compose<'a>(
    instructions: &Instructions<'a>,
    included: impl IntoIterator<Item = IncludedTexts<'a>>,
    new_message: &[Part],
    rules: WireRules,
) -> (Vec<Message>, String) {
    let mut messages = Vec::new();
    messages.extend(instructions.system.map(|text| Message::new(Role::System, text)));
    let first = messages.len();
    for pair in included {
        if let Some(parts) = question(&pair) {
            push(&mut messages, Message { role: Role::User, parts, pair: Some(pair.id) }, rules);
        }
        if let Some(answer) = sent_answer(pair.lifecycle, pair.assistant) {
            let leads = messages.len() == first && !rules.assistant_first;
            let message = match leads {
                true => Message::new(Role::User, marked("assistant", answer)),
                false => Message::new(Role::Assistant, answer),
            };
            push(&mut messages, Message { pair: Some(pair.id), ..message }, rules);
        }
    }
    // The new message may be joined to the last of these, and is no part of the history.
    let hash = history_hash(&messages[first..]);
    let mut message = Message { role: Role::User, parts: Vec::new(), pair: None };
    match instructions.files {
        Some(files) if rules.late_system => messages.push(Message::new(Role::System, files)),
        Some(files) => message.push(Part::Text(marked("files", files) + JOINT)),
        None => {}
    }
    new_message.iter().cloned().for_each(|part| message.push(part));
    push(&mut messages, message, rules);
    (messages, hash)
}

/// The messages are hashed as one text: in pieces it takes several times as long.
fn history_hash(messages: &[Message]) -> String {
    let mut text = Vec::new();
    messages.iter().for_each(|message| message.hashed_into(&mut text));
    blake3::hash(&text).to_hex().to_string()
}

/// The question of a pair, unless it is blank (PAY-2). A picture alone is a message too.
fn question(pair: &IncludedTexts<'_>) -> Option<Vec<Part>> {
    let says = |part: &Part| match part {
        Part::Text(text) => is_emitted(text),
        Part::File(_) | Part::PictureAt(_) => true,
        Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolResult(_) => false,
    };
    match pair.rendered {
        Some(parts) => parts.iter().any(says).then(|| parts.to_vec()),
        None => is_emitted(pair.user).then(|| vec![Part::Text(pair.user.to_owned())]),
    }
}

/// A block that says what it is, for protocols that have no better place for it.
fn marked(name: &str, text: &str) -> String {
    format!("<{name}>\n{text}\n</{name}>")
}

/// Adds a message, or joins it to the last one where the protocol wants turns. No text is lost
/// either way.
fn push(messages: &mut Vec<Message>, message: Message, rules: WireRules) {
    match messages.last_mut() {
        Some(last) if last.role == message.role && !rules.repeated_roles => {
            last.push(Part::Text(JOINT.to_owned()));
            message.parts.into_iter().for_each(|part| last.push(part));
        }
        _ => messages.push(message),
    }
}

#[cfg(test)]
#[path = "compose_tests.rs"]
mod tests;
