//! A request: messages of typed parts, as every provider's encoder takes them.

use std::{path::PathBuf, sync::Arc};

use plimsoll_domain::{File, FileId, PairId};
use serde::{Deserialize, Serialize};

use crate::{AnswerOptions, ToolCall, ToolDefinition, ToolResult};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
    /// What tools gave, after the message that called them.
    Tool,
}

impl Role {
    /// The name in requests of the OpenAI style and in receipts.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A file that goes along with a message as bytes (DLV-1).
#[derive(Clone, PartialEq, Eq)]
pub struct FilePart {
    /// The file of the workspace; none for a picture that only a tool looks at.
    pub file: Option<Arc<File>>,
    /// What the bytes are, which may be made from what the file is.
    pub mime: String,
    pub bytes: Arc<[u8]>,
    /// Where they are on this machine, for providers that read the disk.
    pub path: PathBuf,
    /// The id of a copy at the provider, which then stands for the bytes (FIL-4).
    pub remote: Option<String>,
}

impl FilePart {
    /// Whether it is a picture; else it is a document.
    pub fn is_picture(&self) -> bool {
        self.mime.starts_with("image/")
    }

    /// The id of the file of the workspace.
    pub fn id(&self) -> Option<FileId> {
        self.file.as_ref().map(|file| file.id)
    }

    fn hash(&self) -> &str {
        self.file.as_ref().map_or("", |file| file.hash.as_str())
    }
}

impl std::fmt::Debug for FilePart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FilePart({} bytes of {}, {:?})", self.bytes.len(), self.mime, self.remote)
    }
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    File(FilePart),
    /// A picture by its address, which the provider reads itself.
    PictureAt(String),
    /// What the model thought aloud in an earlier turn.
    Reasoning(String),
    ToolCall(ToolCall),
    ToolResult(ToolResult),
}

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    /// In order. No two texts follow each other.
    pub parts: Vec<Part>,
    /// The pair it comes from; of several that were joined, the first.
    pub pair: Option<PairId>,
}

impl Message {
    /// A message that is a text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::Text(text.into())], pair: None }
    }

    /// Adds a part; a text behind a text is the rest of it.
    pub fn push(&mut self, part: Part) {
        match (self.parts.last_mut(), part) {
            (Some(Part::Text(text)), Part::Text(more)) => text.push_str(&more),
            (_, part) => self.parts.push(part),
        }
    }

    /// All of its text, without what stands between.
    pub fn text(&self) -> String {
        let mut texts = self.texts();
        // Nearly all messages are one text.
        let first = texts.next().unwrap_or_default().to_owned();
        texts.fold(first, |all, more| all + more)
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    pub fn files(&self) -> impl Iterator<Item = &FilePart> {
        self.parts.iter().filter_map(|part| match part {
            Part::File(file) => Some(file),
            _ => None,
        })
    }

    /// Its text, if it is nothing else.
    pub fn only_text(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether there is nothing in it but what the model thought.
    pub fn only_reasons(&self) -> bool {
        let reasons = |part: &Part| matches!(part, Part::Reasoning(_));
        !self.parts.is_empty() && self.parts.iter().all(reasons)
    }

    /// A hash of its text and its files, for receipts.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        self.texts().fold(&mut hasher, |hasher, text| hasher.update(text.as_bytes()));
        self.files().fold(&mut hasher, |hasher, file| hasher.update(file.hash().as_bytes()));
        hasher.finalize().to_hex().to_string()
    }

    /// What the hash of a history is made of: who speaks, what, and where files stand in it.
    pub(crate) fn hashed_into(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.role.name().as_bytes());
        let length: usize = self.texts().map(str::len).sum();
        out.extend_from_slice(&(length as u64).to_le_bytes());
        self.texts().for_each(|text| out.extend_from_slice(text.as_bytes()));
        let mut at = 0;
        for part in &self.parts {
            match part {
                Part::Text(text) => at += text.len(),
                Part::File(file) => {
                    out.extend_from_slice(&(at as u64).to_le_bytes());
                    out.extend_from_slice(file.hash().as_bytes());
                }
                // The workbench sends none of these as history.
                Part::PictureAt(_)
                | Part::Reasoning(_)
                | Part::ToolCall(_)
                | Part::ToolResult(_) => {}
            }
        }
    }
}

/// What a send asks of a provider, built once for each attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The model, as the provider knows it.
    pub model: String,
    /// In order, already fit for what the provider's protocol takes.
    pub messages: Vec<Message>,
    pub temperature: Option<f32>,
    /// The largest answer in tokens, if one is asked for.
    pub max_output: Option<u64>,
    /// The tools that the model may use (PRV-5).
    pub tools: Vec<ToolDefinition>,
    pub options: AnswerOptions,
    /// A hash over the history: two requests with the same one sent the same history (PAY-5).
    pub history_hash: String,
}

impl Request {
    /// A request of messages alone.
    pub fn new(model: impl Into<String>, messages: Vec<Message>) -> Self {
        Self { model: model.into(), messages, ..Self::default() }
    }

    /// The same for those who take no thoughts of earlier turns. A message of nothing else goes.
    pub fn without_reasoning(&self) -> Self {
        let mut request = self.clone();
        request.messages.retain(|message| !message.only_reasons());
        for message in &mut request.messages {
            message.parts.retain(|part| !matches!(part, Part::Reasoning(_)));
        }
        request
    }

    pub fn files(&self) -> impl Iterator<Item = &FilePart> {
        self.messages.iter().flat_map(Message::files)
    }
}

/// PAY-3b: the largest answer to ask for, which is never more than the room left. None when
/// neither the topic nor the provider wants one. Where the estimate leaves no room the reply
/// reserve is asked for: the provider then reports an overflow, which trims, where a 0 would be
/// an invalid request.
pub fn largest_answer(
    topic: Option<u64>,
    required: Option<u64>,
    room: u64,
    reply_reserve: u64,
) -> Option<u64> {
    topic.or(required).map(|wanted| wanted.min(room.max(reply_reserve).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pay_3b_the_largest_answer_is_bounded_by_the_room() {
        for (topic, required, room, reserve, expected) in [
            (None, None, 3096, 500, None),
            (Some(800), None, 3096, 500, Some(800)),
            (Some(8000), None, 3096, 500, Some(3096)),
            (None, Some(4096), 3096, 500, Some(3096)),
            (Some(800), Some(4096), 0, 500, Some(500)),
            (Some(800), None, 0, 0, Some(1)),
        ] {
            let asked = largest_answer(topic, required, room, reserve);
            assert_eq!(asked, expected, "{topic:?} {required:?} {room} {reserve}");
        }
    }
}
