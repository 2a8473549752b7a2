//! Requests to Anthropic's messages.

use plimsoll_send::{Role, ToolRound};
use serde::Serialize;
use serde_json::{Value, json};

use super::{apart, arguments, schema};
use crate::{ChatMessage, ChatRequest, Enclosed};

/// The largest answer that is asked for when nobody sets one; the wire requires it.
pub(crate) const REQUIRED_MAX_OUTPUT: u64 = 4096;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
}

/// A text, or blocks where there is more than words.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Blocks(Vec<Value>),
}

/// The request body.
pub(crate) fn body(request: &ChatRequest) -> String {
    let (system, messages) = apart(&request.messages);
    let tool = |tool: &plimsoll_send::ToolDefinition| json!({"name": tool.name, "description": tool.description, "input_schema": schema(tool)});
    let body = Body {
        model: &request.model,
        max_tokens: request.max_output.unwrap_or(REQUIRED_MAX_OUTPUT),
        system,
        messages: messages.map(message).chain(request.rounds.iter().flat_map(round)).collect(),
        tools: request.tools.iter().map(tool).collect(),
        temperature: request.temperature.filter(|value| value.is_finite()),
        stream: true,
    };
    // Strings and finite numbers always serialise.
    serde_json::to_string(&body).unwrap_or_default()
}

fn message(message: &ChatMessage) -> Message<'_> {
    let role = message.role.name();
    if message.enclosed.is_empty() {
        return Message { role, content: Content::Text(&message.content) };
    }
    let mut blocks = Vec::new();
    for (words, enclosed) in message.stretches() {
        // An empty text block is refused.
        if !words.trim().is_empty() {
            blocks.push(json!({"type": "text", "text": words}));
        }
        blocks.extend(enclosed.map(enclosure));
    }
    Message { role, content: Content::Blocks(blocks) }
}

/// A picture or a document by the id of its copy, else by its bytes.
fn enclosure(one: &Enclosed) -> Value {
    let source = match &one.remote {
        Some(id) => json!({"type": "file", "file_id": id}),
        None => json!({"type": "base64", "media_type": one.mime, "data": one.data.base64()}),
    };
    let kind = if one.is_picture() { "image" } else { "document" };
    json!({"type": kind, "source": source})
}

/// What the model wanted, and what the tools said: two messages.
fn round(round: &ToolRound) -> [Message<'_>; 2] {
    let mut wanted = Vec::new();
    if !round.text.trim().is_empty() {
        wanted.push(json!({"type": "text", "text": round.text}));
    }
    let mut given = Vec::new();
    for (call, result) in &round.calls {
        let input = arguments(call);
        wanted.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
        given.push(json!({
            "type": "tool_result", "tool_use_id": call.id, "content": result.text,
            "is_error": result.failed,
        }));
    }
    [(Role::Assistant, wanted), (Role::User, given)]
        .map(|(role, blocks)| Message { role: role.name(), content: Content::Blocks(blocks) })
}
