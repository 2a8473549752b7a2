//! Requests to Anthropic's messages.

use plimsoll_send::{
    AnswerFormat, AnswerOptions, Effort, FilePart, Part, Request, Role, ToolChoice, ToolDefinition,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{apart, arguments, exact, json_or_object, schema};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
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
    let body = Body {
        model: &request.model,
        max_tokens: request.max_output.unwrap_or(REQUIRED_MAX_OUTPUT),
        system,
        messages: messages.map(|one| message(one, marks)).collect(),
        tools: request.tools.iter().map(tool).collect(),
        temperature: request.temperature.filter(|value| value.is_finite()),
        top_p: exact(request.options.top_p),
        top_k: request.options.top_k,
        stop_sequences: &request.options.stop,
        tool_choice: choice(request),
        output_config: output_config(&request.options),
        stream: true,
    };
    // Strings and finite numbers always serialise.
    serde_json::to_string(&body).unwrap_or_default()
}

fn tool(tool: &ToolDefinition) -> Value {
    let (name, description) = (&tool.name, &tool.description);
    let mut said = json!({"name": name, "description": description, "input_schema": schema(tool)});
    if tool.strict == Some(true) {
        said["strict"] = json!(true);
    }
    said
}

/// Whether several tools may be called stands in the choice, and they may where nothing is said.
fn choice(request: &Request) -> Option<Value> {
    let one_by_one = request.options.parallel_tool_calls == Some(false);
    let mut said = match &request.options.tool_choice {
        _ if request.tools.is_empty() => return None,
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Auto if !one_by_one => return None,
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
    };
    if one_by_one {
        said["disable_parallel_tool_use"] = json!(true);
    }
    Some(said)
}

fn output_config(options: &AnswerOptions) -> Option<Value> {
    let mut config = json!({});
    if let Some(effort) = options.effort.filter(|effort| is_known(*effort)) {
        config["effort"] = json!(effort.name());
    }
    if let Some(AnswerFormat::JsonSchema(schema)) = &options.format {
        let schema = json_or_object(&schema.schema);
        config["format"] = json!({"type": "json_schema", "schema": schema});
    }
    Some(config).filter(|config| config.as_object().is_some_and(|config| !config.is_empty()))
}

/// Whether this protocol has such an effort.
pub(super) fn is_known(effort: Effort) -> bool {
    effort >= Effort::Low
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
        Part::PictureAt(url) => json!({"type": "image", "source": {"type": "url", "url": url}}),
        // Thoughts are taken back only with the signature of the one who thought them.
        Part::Reasoning(_) => return None,
        Part::ToolCall(call) => {
            let input = arguments(call);
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
        }
        Part::ToolResult(result) => {
            let content = match result.parts.as_slice() {
                [] => json!(result.text),
                parts => parts.iter().filter_map(|one| block(one, marks)).collect(),
            };
            json!({
                "type": "tool_result", "tool_use_id": result.call, "content": content,
                "is_error": result.failed,
            })
        }
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
