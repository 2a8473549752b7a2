//! Anthropic's messages.

use plimsoll_domain::Usage;
use plimsoll_send::ToolCall;
use serde_json::Value;

use super::{Decode, Deltas, EACH_CALL, Read, Refused, number};
use crate::Finish;

pub(crate) use super::anthropic_body::{REQUIRED_MAX_OUTPUT, body};

/// Reads the events of a stream, which name themselves in `type`, and whole messages.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    usage: Usage,
    /// The call whose arguments are arriving.
    call: Option<ToolCall>,
}

impl Decode for Decoder {
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused> {
        match object.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => self.tell_usage(object.pointer("/message/usage"), out),
            "content_block_start" => self.block(object.get("content_block"), out)?,
            "content_block_delta" => self.block(object.get("delta"), out)?,
            "content_block_stop" => self.end_block(out),
            "message_delta" => {
                self.tell_usage(object.get("usage"), out);
                stop(object.pointer("/delta/stop_reason"), out);
            }
            "message_stop" => return Ok(Read::Last),
            "ping" => {}
            "message" => {
                let blocks = object.get("content").and_then(Value::as_array);
                for content in blocks.into_iter().flatten() {
                    self.block(Some(content), out)?;
                    self.end_block(out);
                }
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

    /// A block or a piece of one.
    fn block(&mut self, block: Option<&Value>, out: &mut Deltas) -> Result<(), Refused> {
        let text = |key| block.and_then(|block| block.get(key)).and_then(Value::as_str);
        match text("type").unwrap_or_default() {
            "text" | "text_delta" => out.text(text("text").unwrap_or_default()),
            "thinking" | "thinking_delta" => out.reasoning(text("thinking").unwrap_or_default()),
            "tool_use" => {
                let word = |key| text(key).unwrap_or_default().to_owned();
                // A whole call has its input; one that arrives in pieces starts empty.
                let input = block.and_then(|block| block.get("input")).and_then(Value::as_object);
                let whole = input.filter(|input| !input.is_empty());
                let arguments = whole.map(|input| Value::from(input.clone()).to_string());
                let (id, name) = (word("id"), word("name"));
                let arguments = arguments.unwrap_or_default();
                out.room_for_call(EACH_CALL + id.len() + name.len() + arguments.len())?;
                self.call = Some(ToolCall { id, name, arguments, signature: None });
            }
            "input_json_delta" => {
                if let Some(call) = &mut self.call {
                    let piece = text("partial_json").unwrap_or_default();
                    out.room_for_call(piece.len())?;
                    call.arguments.push_str(piece);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end_block(&mut self, out: &mut Deltas) {
        if let Some(mut call) = self.call.take() {
            if call.arguments.is_empty() {
                call.arguments.push_str("{}");
            }
            out.tool_call(call);
        }
    }
}

fn stop(reason: Option<&Value>, out: &mut Deltas) {
    let finish = match reason.and_then(Value::as_str) {
        None => return,
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("tool_use") => Finish::ToolCalls,
        Some("refusal") => Finish::ContentFilter,
        Some(other) => Finish::Other(other.to_owned()),
    };
    out.finish(finish);
}
