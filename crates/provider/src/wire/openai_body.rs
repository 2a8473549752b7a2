//! Requests for chat completions in the OpenAI style (PAY-5).

use std::borrow::Cow;

use plimsoll_send::{FilePart, Message, Part, Request, Role, ToolCall, ToolDefinition, ToolResult};
use serde::Serialize;
use serde_json::value::RawValue;

use super::openai_options::{Options, options, plain};
use crate::encoded::Marks;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Typed<Tool<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(flatten)]
    options: Options<'a>,
    stream: bool,
    stream_options: StreamOptions,
}

/// Without this option a stream ends without the usage that receipts need.
#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    content: Option<Content<'a>>,
    /// Servers that think aloud want it back under the name that they gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

/// A text, or parts where something stands between the words.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<ContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Address },
    File { file: Document<'a> },
}

#[derive(Serialize)]
struct Address {
    url: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Document<'a> {
    Whole { filename: &'static str, file_data: String },
    Copy { file_id: &'a str },
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(flatten)]
    function: Typed<Function<'a>>,
}

#[derive(Serialize)]
struct Typed<T> {
    r#type: &'static str,
    function: T,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

pub(crate) fn body<'a>(request: &'a Request, marks: &Marks<'a>) -> String {
    let body = Body {
        model: &request.model,
        messages: request.messages.iter().flat_map(|message| said(message, marks)).collect(),
        tools: request.tools.iter().map(tool).collect(),
        temperature: request.temperature.and_then(plain),
        max_tokens: request.max_output,
        options: options(request),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
    };
    // Strings and finite numbers always serialise.
    serde_json::to_string(&body).unwrap_or_default()
}

fn tool(tool: &ToolDefinition) -> Typed<Tool<'_>> {
    let parameters = RawValue::from_string(tool.parameters.clone()).unwrap_or_default();
    let (name, description, strict) = (&tool.name, &tool.description, tool.strict);
    let function = Tool { name, description, parameters, strict };
    Typed { r#type: "function", function }
}

/// A message; of several results of tools each is one.
fn said<'a>(message: &'a Message, marks: &Marks<'a>) -> Vec<Said<'a>> {
    let role = message.role.name();
    if message.role == Role::Tool {
        let results = message.parts.iter().filter_map(result);
        return results.map(|result| answered(role, result)).collect();
    }
    let tool_calls: Vec<Call<'_>> = message.parts.iter().filter_map(call).collect();
    let has_files =
        message.parts.iter().any(|part| matches!(part, Part::File(_) | Part::PictureAt(_)));
    let content = match text(message) {
        _ if has_files => Some(Content::Parts(parts(message, marks))),
        text if !text.is_empty() || tool_calls.is_empty() => Some(Content::Text(text)),
        _ => None,
    };
    vec![Said {
        role,
        tool_call_id: None,
        content,
        reasoning_content: reasoning(message),
        tool_calls,
    }]
}

/// All of its text. Calls and thoughts stand beside it in this protocol, wherever they stood.
fn text(message: &Message) -> Cow<'_, str> {
    let mut texts = message.texts();
    match (texts.next(), texts.next()) {
        (Some(text), None) => Cow::Borrowed(text),
        (None, _) => Cow::Borrowed(""),
        _ => Cow::Owned(message.text()),
    }
}

fn reasoning(message: &Message) -> Option<String> {
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Reasoning(text) => Some(text.as_str()),
        _ => None,
    });
    let thoughts: Vec<&str> = thoughts.collect();
    (!thoughts.is_empty()).then(|| thoughts.join("\n\n"))
}

fn answered<'a>(role: &'static str, result: &'a ToolResult) -> Said<'a> {
    Said {
        role,
        tool_call_id: Some(&result.call),
        content: Some(Content::Text(Cow::Borrowed(&result.text))),
        reasoning_content: None,
        tool_calls: Vec::new(),
    }
}

fn result(part: &Part) -> Option<&ToolResult> {
    if let Part::ToolResult(result) = part { Some(result) } else { None }
}

fn call(part: &Part) -> Option<Call<'_>> {
    let Part::ToolCall(ToolCall { id, name, arguments, .. }) = part else { return None };
    let function = Function { name, arguments };
    Some(Call { id, function: Typed { r#type: "function", function } })
}

fn parts<'a>(message: &'a Message, marks: &Marks<'a>) -> Vec<ContentPart<'a>> {
    let part = |part: &'a Part| match part {
        // A blank text between two pictures says nothing, and some servers refuse it.
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(ContentPart::Text { text }),
        Part::File(file) => Some(file_part(file, marks)),
        Part::PictureAt(url) => {
            let image_url = Address { url: url.clone() };
            Some(ContentPart::ImageUrl { image_url })
        }
        Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolResult(_) => None,
    };
    message.parts.iter().filter_map(part).collect()
}

/// Pictures stand in the body themselves; this protocol has no other name for them. Documents
/// are named by their copies, and without one they too go as they are.
fn file_part<'a>(file: &'a FilePart, marks: &Marks<'a>) -> ContentPart<'a> {
    let data_url = || format!("data:{};base64,{}", file.mime, marks.data(file));
    match &file.remote {
        _ if file.is_picture() => ContentPart::ImageUrl { image_url: Address { url: data_url() } },
        Some(file_id) => ContentPart::File { file: Document::Copy { file_id } },
        None => {
            let file = Document::Whole { filename: "document.pdf", file_data: data_url() };
            ContentPart::File { file }
        }
    }
}
