//! Chat completions in the OpenAI style, as many servers speak it and as few agree on.

use plimsoll_domain::Usage;
use plimsoll_send::ToolCall;
use serde_json::Value;

pub(crate) use super::openai_body::body;
use super::{Decode, Deltas, EACH_CALL, Read, Refused, number};
use crate::Finish;

/// Reads chunks and whole completions alike: a whole one has `message` where a chunk
/// has `delta`.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// Calls whose arguments are still arriving, by their index.
    calls: Vec<(u64, ToolCall)>,
}

impl Decode for Decoder {
    fn object(&mut self, object: &Value, out: &mut Deltas) -> Result<Read, Refused> {
        let choices = object.get("choices").and_then(Value::as_array);
        let mut read = if choices.is_some() { Read::Part } else { Read::Unknown };
        // One answer is asked for, so there is one choice; servers that send more number
        // them, and the others repeat the first.
        let index = |choice: &&Value| number(choice, &["index"]).unwrap_or(0) == 0;
        for choice in choices.into_iter().flatten().filter(index) {
            self.choice(choice, out)?;
        }
        // Groq hides the usage of a stream under a name of its own.
        let usage = [object.get("usage"), object.pointer("/x_groq/usage")];
        if let Some(usage) = usage.into_iter().flatten().find_map(usage_of) {
            out.usage(usage);
            read = Read::Part;
        }
        Ok(read)
    }
}

impl Decoder {
    fn choice(&mut self, choice: &Value, out: &mut Deltas) -> Result<(), Refused> {
        if super::is_error(choice) {
            return Err(Refused::Told);
        }
        if let Some(said) = choice.get("delta").or_else(|| choice.get("message")) {
            let reasoning = ["reasoning_content", "reasoning"];
            let reasoning = reasoning.iter().filter_map(|key| said.get(key)?.as_str());
            out.reasoning(reasoning.into_iter().next().unwrap_or_default());
            if let Some(content) = said.get("content") {
                speak(content, out);
            }
            let calls = said.get("tool_calls").and_then(Value::as_array);
            for (place, call) in calls.into_iter().flatten().enumerate() {
                self.piece_of_call(call, place as u64, out)?;
            }
            // A refusal stands where the answer would be, and people should read it.
            out.text(said.get("refusal").and_then(Value::as_str).unwrap_or_default());
        }
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.calls.drain(..).for_each(|(_, call)| out.tool_call(call));
            out.finish(finish(reason));
        }
        Ok(())
    }

    /// A call comes in pieces that belong together by their index; servers that send it
    /// whole leave the index out, and some the id.
    fn piece_of_call(
        &mut self,
        piece: &Value,
        place: u64,
        out: &mut Deltas,
    ) -> Result<(), Refused> {
        let index = number(piece, &["index"]).unwrap_or(place);
        let text = |path: &str| piece.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let at = self.calls.iter().position(|(known, _)| *known == index);
        let words = text("/id").len() + text("/function/name").len();
        out.room_for_call(if at.is_some() { words } else { words + EACH_CALL })?;
        let at = at.unwrap_or_else(|| {
            let (id, name, arguments) = (format!("call_{index}"), String::new(), String::new());
            self.calls.push((index, ToolCall { id, name, arguments, signature: None }));
            self.calls.len() - 1
        });
        let call = &mut self.calls[at].1;
        if !text("/id").is_empty() {
            call.id = text("/id").to_owned();
        }
        call.name.push_str(text("/function/name"));
        match piece.pointer("/function/arguments") {
            Some(Value::String(arguments)) => {
                out.room_for_call(arguments.len())?;
                call.arguments.push_str(arguments);
            }
            // Some write an object where a text belongs.
            Some(object @ Value::Object(_)) => {
                call.arguments = object.to_string();
                out.room_for_call(call.arguments.len())?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Content is a text, nothing, or a list of parts of which some are thoughts.
fn speak(content: &Value, out: &mut Deltas) {
    match content {
        Value::String(text) => out.text(text),
        Value::Array(parts) => {
            for part in parts {
                let text =
                    |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
                match part.get("thinking") {
                    Some(Value::String(thought)) => out.reasoning(thought),
                    Some(Value::Array(thoughts)) => {
                        thoughts
                            .iter()
                            .filter_map(text)
                            .for_each(|thought| out.reasoning(&thought));
                    }
                    _ => out.text(&text(part).unwrap_or_default()),
                }
            }
        }
        _ => {}
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "content_filter" | "safety" | "refusal" => Finish::ContentFilter,
        other => Finish::Other(other.to_owned()),
    }
}

fn usage_of(usage: &Value) -> Option<Usage> {
    let prompt = number(usage, &["prompt_tokens"]);
    let completion = number(usage, &["completion_tokens"]);
    if prompt.is_none() && completion.is_none() {
        return None;
    }
    let (prompt, mut completion) = (prompt.unwrap_or(0), completion.unwrap_or(0));
    let cached = number(usage, &["prompt_tokens_details", "cached_tokens"])
        .or_else(|| number(usage, &["prompt_cache_hit_tokens"]));
    let reasoning = number(usage, &["completion_tokens_details", "reasoning_tokens"]).unwrap_or(0);
    // Some count the reasoning beside the completion; their sum gives it away.
    let beside = prompt.saturating_add(completion).saturating_add(reasoning);
    if reasoning > 0 && number(usage, &["total_tokens"]) == Some(beside) {
        completion = completion.saturating_add(reasoning);
    }
    Some(Usage { prompt, cached: cached.unwrap_or(0), completion, reasoning })
}
