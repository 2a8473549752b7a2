//! OpenAI's responses, as far as somebody who looks on has to understand them: they are relayed,
//! and never asked for here.

use plimsoll_domain::Usage;
use serde_json::Value;

use super::{Decode, Deltas, Read, Refused, number};
use crate::Finish;

/// Reads the events of a stream, which name themselves in `type`, and whole responses.
#[derive(Debug)]
pub(crate) struct Decoder;

impl Decode for Decoder {
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused> {
        if object.get("object").and_then(Value::as_str) == Some("response") {
            return response(object, out);
        }
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
        match (kind, object.get("response")) {
            ("response.completed" | "response.incomplete", Some(ended)) => response(ended, out),
            ("response.failed", _) => Err(Refused::Told),
            _ if kind.starts_with("response.") => Ok(Read::Part),
            _ => Ok(Read::Unknown),
        }
    }
}

fn response(response: &Value, out: &mut Deltas) -> Result<Read, Refused> {
    let word = |pointer| response.pointer(pointer).and_then(Value::as_str);
    if word("/status") == Some("failed") {
        return Err(Refused::Told);
    }
    if let Some(usage) = response.get("usage").and_then(usage_of) {
        out.usage(usage);
    }
    out.finish(match word("/incomplete_details/reason") {
        Some("max_output_tokens") => Finish::Length,
        Some("content_filter") => Finish::ContentFilter,
        Some(other) => Finish::Other(other.to_owned()),
        None => Finish::Stop,
    });
    Ok(Read::Last)
}

fn usage_of(usage: &Value) -> Option<Usage> {
    Some(Usage {
        prompt: number(usage, &["input_tokens"])?,
        cached: number(usage, &["input_tokens_details", "cached_tokens"]).unwrap_or(0),
        completion: number(usage, &["output_tokens"]).unwrap_or(0),
        reasoning: number(usage, &["output_tokens_details", "reasoning_tokens"]).unwrap_or(0),
    })
}
