//! How an answer is to be made, in the words of chat completions (GWY-4).

use plimsoll_send::{AnswerFormat, AnswerOptions, Effort, Request, ToolChoice};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

/// A schema has a name in this protocol, whether the one who wrote it gave it one or not.
const SCHEMA_NAME: &str = "answer";

#[derive(Serialize)]
pub(super) struct Options<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<Box<RawValue>>,
}

pub(super) fn options(request: &Request) -> Options<'_> {
    let AnswerOptions { tool_choice, format, effort, .. } = &request.options;
    // Servers refuse both of these where no tool is offered.
    let offers = !request.tools.is_empty();
    Options {
        top_p: request.options.top_p.and_then(plain),
        stop: &request.options.stop,
        tool_choice: choice(tool_choice).filter(|_| offers),
        parallel_tool_calls: request.options.parallel_tool_calls.filter(|_| offers),
        response_format: format.as_ref().map(response_format),
        reasoning_effort: effort.filter(|effort| is_known(*effort)).map(Effort::name),
        seed: request.options.seed,
        frequency_penalty: request.options.frequency_penalty.and_then(plain),
        presence_penalty: request.options.presence_penalty.and_then(plain),
    }
}

/// Whether this protocol has such an effort.
pub(super) fn is_known(effort: Effort) -> bool {
    effort != Effort::Max
}

/// A number as people write it: 1, not 1.0. What is not finite is none.
pub(super) fn plain(number: f32) -> Option<Box<RawValue>> {
    RawValue::from_string(number.to_string()).ok()
}

fn choice(choice: &ToolChoice) -> Option<Value> {
    Some(match choice {
        ToolChoice::Auto => return None,
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({"type": "function", "function": {"name": name}}),
    })
}

fn response_format(format: &AnswerFormat) -> Value {
    let AnswerFormat::JsonSchema(schema) = format else { return json!({"type": "json_object"}) };
    let name = schema.name.as_deref().unwrap_or(SCHEMA_NAME);
    let mut written = json!({"name": name, "schema": super::json_or_object(&schema.schema)});
    if let Some(description) = &schema.description {
        written["description"] = json!(description);
    }
    if let Some(strict) = schema.strict {
        written["strict"] = json!(strict);
    }
    json!({"type": "json_schema", "json_schema": written})
}
