//! Requests to Anthropic's messages.

use plimsoll_send::{FilePart, Part, Request, Role, ToolDefinition};
use serde::Serialize;
use serde_json::{Value, json};

use super::{apart, arguments, schema};
use crate::encoded::Marks;

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

pub(crate) fn body<'a>(request: &'a Request, marks: &Marks<'a>) -> String {
    let (system, messages) = apart(&request.messages);
    let tool = |tool: &ToolDefinition| json!({"name": tool.name, "description": tool.description, "input_schema": schema(tool)});
    let body = Body {
        model: &request.model,
        max_tokens: request.max_output.unwrap_or(REQUIRED_MAX_OUTPUT),
        system,
        messages: messages.map(|one| message(one, marks)).collect(),
        tools: request.tools.iter().map(tool).collect(),
        temperature: request.temperature.filter(|value| value.is_finite()),
        stream: true,
    };
    // Strings and finite numbers always serialise.
    serde_json::to_string(&body).unwrap_or_default()
}

fn message<'a>(message: &'a plimsoll_send::Message, marks: &Marks<'a>) -> Message<'a> {
    // What tools gave is said by the user.
    let role = if message.role == Role::Tool { Role::User } else { message.role }.name();
    let content = match message.only_text() {
        Some(text) => Content::Text(text),
        None => Content::Blocks(message.parts.iter().filter_map(|one| block(one, marks)).collect()),
    };
    Message { role, content }
}

fn block<'a>(part: &'a Part, marks: &Marks<'a>) -> Option<Value> {
    Some(match part {
        // An empty text block is refused.
        Part::Text(text) if text.trim().is_empty() => return None,
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::File(file) => file_block(file, marks),
        Part::ToolCall(call) => {
            let input = arguments(call);
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
        }
        Part::ToolResult(result) => json!({
            "type": "tool_result", "tool_use_id": result.call, "content": result.text,
            "is_error": result.failed,
        }),
    })
}

/// A picture or a document by the id of its copy, else by its bytes.
fn file_block<'a>(file: &'a FilePart, marks: &Marks<'a>) -> Value {
    let source = match &file.remote {
        Some(id) => json!({"type": "file", "file_id": id}),
        None => json!({"type": "base64", "media_type": file.mime, "data": marks.data(file)}),
    };
    let kind = if file.is_picture() { "image" } else { "document" };
    json!({"type": kind, "source": source})
}
