//! Anthropic's messages.

use plimsoll_domain::Usage;
use serde::Serialize;
use serde_json::Value;

use super::{Decode, Deltas, Read, Refused, apart, number};
use crate::{ChatRequest, Finish};

/// The largest answer that is asked for when nobody sets one; the wire requires it.
pub(crate) const REQUIRED_MAX_OUTPUT: u64 = 4096;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

/// The request body.
pub(crate) fn body(request: &ChatRequest) -> String {
    let (system, messages) = apart(&request.messages);
    let message = |message: &'_ crate::ChatMessage| message.role.name();
    let body = Body {
        model: &request.model,
        max_tokens: request.max_output.unwrap_or(REQUIRED_MAX_OUTPUT),
        system,
        messages: messages
            .map(|each| Message { role: message(each), content: &each.content })
            .collect(),
        temperature: request.temperature.filter(|value| value.is_finite()),
        stream: true,
    };
    // Strings and finite numbers always serialise.
    serde_json::to_string(&body).unwrap_or_default()
}

/// Reads the events of a stream, which name themselves in `type`, and whole messages.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    usage: Usage,
}

impl Decode for Decoder {
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused> {
        match object.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => self.tell_usage(object.pointer("/message/usage"), out),
            "content_block_start" => block(object.get("content_block"), out),
            "content_block_delta" => block(object.get("delta"), out),
            "message_delta" => {
                self.tell_usage(object.get("usage"), out);
                stop(object.pointer("/delta/stop_reason"), out);
            }
            "message_stop" => return Ok(Read::Last),
            "ping" | "content_block_stop" => {}
            "message" => {
                let blocks = object.get("content").and_then(Value::as_array);
                blocks.into_iter().flatten().for_each(|content| block(Some(content), out));
                self.tell_usage(object.get("usage"), out);
                stop(object.get("stop_reason"), out);
                return Ok(Read::Last);
            }
            _ => return Ok(Read::Unknown),
        }
        Ok(Read::Part)
    }
}

impl Decoder {
    /// The first event tells the prompt, later ones the answer, some both. What is read
    /// from the cache or written to it is not part of `input_tokens`, but of the prompt.
    fn tell_usage(&mut self, usage: Option<&Value>, out: &mut Deltas) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        if let Some(input) = number(usage, &["input_tokens"]) {
            let cached = number(usage, &["cache_read_input_tokens"]).unwrap_or(0);
            let written = number(usage, &["cache_creation_input_tokens"]).unwrap_or(0);
            self.usage.prompt = input.saturating_add(cached).saturating_add(written);
            self.usage.cached = cached;
        }
        if let Some(output) = number(usage, &["output_tokens"]) {
            self.usage.completion = output;
        }
        out.usage(self.usage);
    }
}

/// A block or a piece of one.
fn block(block: Option<&Value>, out: &mut Deltas) {
    let text = |key| block.and_then(|block| block.get(key)).and_then(Value::as_str);
    match text("type").unwrap_or_default() {
        "text" | "text_delta" => out.text(text("text").unwrap_or_default()),
        "thinking" | "thinking_delta" => out.reasoning(text("thinking").unwrap_or_default()),
        _ => {}
    }
}

fn stop(reason: Option<&Value>, out: &mut Deltas) {
    let finish = match reason.and_then(Value::as_str) {
        None => return,
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::ContentFilter,
        Some(other) => Finish::Other(other.to_owned()),
    };
    out.finish(finish);
}
