//! The payload: the messages of a request, in order, borrowed from the pairs
//! (PAY-1 to PAY-4).

use std::borrow::Cow;

use plimsoll_budget::PairText;
use plimsoll_domain::{ContentHash, FileId, Lifecycle, PairId};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The prelude.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Something that is sent before or beside the history, and shown as a row (PAY-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreludePart<'a> {
    /// What is sent.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: u64,
}

/// The prelude's parts. A part that is switched off is absent, and not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreludeParts<'a> {
    /// The topic's system message. It rarely changes, so it goes first.
    pub system: Option<PreludePart<'a>>,
    /// The files section. It changes from send to send, so it goes right before the
    /// new message, and the provider's prefix cache survives.
    pub files: Option<PreludePart<'a>>,
}

impl PreludeParts<'_> {
    /// What both parts weigh.
    pub fn tokens(&self) -> u64 {
        let parts = [self.system, self.files];
        parts.into_iter().flatten().map(|part| part.tokens).fold(0, u64::saturating_add)
    }
}

/// A file that goes along as bytes, at its place in the words (DLV-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosure {
    /// Before which byte of the words it stands.
    pub at: usize,
    /// The file.
    pub file: FileId,
    /// Its bytes.
    pub hash: ContentHash,
    /// What its bytes are.
    pub mime: String,
}

/// What a person said, as it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'a> {
    /// The text.
    pub text: &'a str,
    /// What is enclosed, in order.
    pub enclosures: &'a [Enclosure],
}

impl<'a> From<&'a str> for Words<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, enclosures: &[] }
    }
}

impl<'a> From<&'a String> for Words<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

/// An INCLUDED pair.
#[derive(Clone, Copy, Debug)]
pub struct HistoryPair<'a> {
    /// Its id.
    pub id: PairId,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// The user's words, as they are delivered.
    pub user: Words<'a>,
    /// The answer.
    pub assistant: Option<&'a str>,
}

/// What a provider's wire takes.
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

    /// Wires that want user and assistant in turns.
    pub const STRICT: Self =
        Self { late_system: false, repeated_roles: false, assistant_first: false };
}

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Cow<'a, str>,
    /// The pair it comes from; of several that were merged, the first.
    pub pair: Option<PairId>,
    /// What is enclosed, in order.
    pub enclosures: Vec<Enclosure>,
}

/// The messages of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload<'a> {
    /// In the order in which they are sent.
    pub messages: Vec<Message<'a>>,
    /// Where the history stands among them.
    history: std::ops::Range<usize>,
    /// Bytes of the last history message before the new message was joined to it.
    joined_at: Option<usize>,
}

/// Between two messages that had to become one.
const JOINT: &str = "\n\n";

/// Builds the payload: system message, INCLUDED pairs in chronological order, files
/// section, new message.
pub fn compose<'a>(
    prelude: &PreludeParts<'a>,
    included: impl IntoIterator<Item = HistoryPair<'a>>,
    new_message: impl Into<Words<'a>>,
    rules: WireRules,
) -> Payload<'a> {
    let new_message = new_message.into();
    let mut messages = Vec::new();
    if let Some(system) = prelude.system {
        messages.push(Message {
            role: Role::System,
            content: Cow::Borrowed(system.text),
            pair: None,
            enclosures: Vec::new(),
        });
    }
    let first = messages.len();
    for pair in included {
        let text = PairText {
            lifecycle: pair.lifecycle,
            user: pair.user.text,
            assistant: pair.assistant,
            attachment_tokens: 0,
        };
        let (user, assistant) = text.messages();
        // A picture alone is a message too.
        let user = user.or_else(|| (!pair.user.enclosures.is_empty()).then_some(pair.user.text));
        for (role, content) in [(Role::User, user), (Role::Assistant, assistant)] {
            let Some(content) = content else { continue };
            let enclosures = if role == Role::User { pair.user.enclosures } else { &[] };
            let leads = messages.len() == first && role == Role::Assistant;
            let (role, content) = if leads && !rules.assistant_first {
                (Role::User, Cow::Owned(marked("assistant", content)))
            } else {
                (role, Cow::Borrowed(content))
            };
            let message = Message::new(role, content, Some(pair.id), enclosures);
            push(&mut messages, message, rules);
        }
    }
    let history = first..messages.len();
    let content = match prelude.files {
        Some(files) if rules.late_system => {
            let content = Cow::Borrowed(files.text);
            messages.push(Message::new(Role::System, content, None, &[]));
            Cow::Borrowed(new_message.text)
        }
        Some(files) => Cow::Owned(marked("files", files.text) + JOINT + new_message.text),
        None => Cow::Borrowed(new_message.text),
    };
    let before_words = content.len() - new_message.text.len();
    let mut message = Message::new(Role::User, content, None, new_message.enclosures);
    message.enclosures.iter_mut().for_each(|one| one.at += before_words);
    let before = messages.last().map(|last| last.content.len());
    let count = messages.len();
    push(&mut messages, message, rules);
    let joined_at = before.filter(|_| messages.len() == count);
    Payload { messages, history, joined_at }
}

/// A block that says what it is, for wires that have no better place for it.
fn marked(name: &str, text: &str) -> String {
    format!("<{name}>\n{text}\n</{name}>")
}

/// Adds a message, or joins it to the last one where the wire wants turns. No text
/// is lost either way.
fn push<'a>(messages: &mut Vec<Message<'a>>, message: Message<'a>, rules: WireRules) {
    match messages.last_mut() {
        Some(last) if last.role == message.role && !rules.repeated_roles => {
            let joined = last.content.to_mut();
            joined.push_str(JOINT);
            let before = joined.len();
            joined.push_str(&message.content);
            let moved = |one: Enclosure| Enclosure { at: one.at + before, ..one };
            last.enclosures.extend(message.enclosures.into_iter().map(moved));
        }
        _ => messages.push(message),
    }
}

impl Payload<'_> {
    /// Roles and contents that come from the history, in order. Where the wire wants
    /// turns, the new message may have been joined to the last of them; it is not
    /// part of what this gives.
    pub fn history(&self) -> impl Iterator<Item = (Role, &str)> {
        let last = self.history.end;
        self.history.clone().map(move |at| {
            let message = &self.messages[at];
            let end = match self.joined_at {
                Some(end) if at + 1 == last => end,
                _ => message.content.len(),
            };
            (message.role, &message.content[..end])
        })
    }

    /// A hash over the history part: roles, contents and enclosures in order (PAY-5).
    /// Two requests with the same hash sent the same history.
    pub fn history_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for ((role, content), at) in self.history().zip(self.history.clone()) {
            hasher.update(role.name().as_bytes());
            hasher.update(&(content.len() as u64).to_le_bytes());
            hasher.update(content.as_bytes());
            let enclosures = &self.messages[at].enclosures;
            for one in enclosures.iter().filter(|one| one.at <= content.len()) {
                hasher.update(&(one.at as u64).to_le_bytes());
                hasher.update(one.hash.as_str().as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

impl<'a> Message<'a> {
    fn new(
        role: Role,
        content: Cow<'a, str>,
        pair: Option<PairId>,
        enclosures: &[Enclosure],
    ) -> Self {
        Self { role, content, pair, enclosures: enclosures.to_vec() }
    }

    /// A hash of the content, for receipts.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.content.as_bytes());
        for one in &self.enclosures {
            hasher.update(one.hash.as_str().as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
#[path = "payload_tests.rs"]
mod tests;
