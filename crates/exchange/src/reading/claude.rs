//! Claude's conversations: a list of messages, each a text or a list of blocks.

use serde::Deserialize;

use super::json::bounded;
use crate::{
    Conversation, LeftOut,
    conversation::{Said, Speaker, Turns, key, model_name},
    times,
};

#[derive(Deserialize)]
struct Exported {
    uuid: Option<String>,
    name: Option<String>,
    created_at: Option<String>,
    model: Option<String>,
    chat_messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    uuid: Option<String>,
    sender: String,
    text: Option<String>,
    content: Option<Vec<Block>>,
    created_at: Option<String>,
    attachments: Option<Vec<Attachment>>,
    files: Option<Vec<Attachment>>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Attachment {
    file_name: Option<String>,
    /// The text of a file, or what was pasted.
    extracted_content: Option<String>,
}

pub(super) fn read(raw: &str) -> Result<(Conversation, LeftOut), String> {
    let mut exported: Exported =
        serde_json::from_str(bounded(raw)?).map_err(|error| error.to_string())?;
    let key = match &exported.uuid {
        Some(uuid) => key("claude", &[uuid.as_bytes()]),
        None => key("claude without an id", &[raw.as_bytes()]),
    };
    let time = |text: &Option<String>| text.as_deref().and_then(times::parse);
    let mut left_out = LeftOut::default();
    let mut turns = Turns::new(key, time(&exported.created_at));
    let model = exported.model.take().map(model_name);
    for message in exported.chat_messages {
        let speaker = match message.sender.as_str() {
            "human" | "user" => Speaker::User,
            "assistant" => Speaker::Assistant,
            other => {
                let start: String = other.chars().take(40).collect();
                return Err(format!("sender '{start}' is neither human nor assistant"));
            }
        };
        let at = time(&message.created_at);
        let id = message.uuid.clone();
        let model = model.clone();
        let text = whole_text(message, &mut left_out);
        turns.say(Said { id, speaker, text, model, at })?;
    }
    Ok((Conversation { key, title: exported.name, turns: turns.finish() }, left_out))
}

/// The words of a message, and after them the texts that were attached to it.
fn whole_text(message: Message, left_out: &mut LeftOut) -> String {
    let mut texts: Vec<String> = Vec::new();
    for block in message.content.unwrap_or_default() {
        match (block.kind.as_deref(), block.text) {
            (Some("text") | None, Some(text)) => texts.push(text),
            (Some("image" | "document" | "file"), _) => left_out.attachments += 1,
            _ => left_out.tool += 1,
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    if texts.is_empty() {
        texts.extend(message.text.filter(|text| !text.trim().is_empty()));
    }
    for attachment in message.attachments.into_iter().flatten() {
        match attachment.extracted_content.filter(|text| !text.trim().is_empty()) {
            Some(text) => {
                let name = attachment.file_name.filter(|name| !name.is_empty());
                texts.push(format!("[{}]\n{text}", name.as_deref().unwrap_or("pasted text")));
            }
            None => left_out.attachments += 1,
        }
    }
    left_out.attachments += message.files.map_or(0, |files| files.len() as u64);
    texts.join("\n\n")
}
