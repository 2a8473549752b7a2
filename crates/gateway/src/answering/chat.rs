//! Chunks of `/v1/chat/completions`.

use plimsoll_provider::Finish;
use plimsoll_send::ToolCall;
use serde_json::{Value, json};

use super::{AnswerWriter, Block, Change};

pub(super) fn begin(writer: &AnswerWriter) -> String {
    chunk(writer, &json!({"role": "assistant", "content": ""}), None)
}

pub(super) fn changed(writer: &AnswerWriter, change: &Change<'_>) -> String {
    let delta = match (writer.blocks.last(), change) {
        (Some(Block::Text(_)), Change::Grows(more)) => json!({"content": more}),
        (Some(Block::Thought(_)), Change::Grows(more)) => json!({"reasoning_content": more}),
        (Some(Block::Call(call)), Change::Begins) => {
            let mut call = written(call);
            call["index"] = index(writer).into();
            json!({"tool_calls": [call]})
        }
        (Some(Block::Call(_)), Change::Grows(more)) => {
            json!({"tool_calls": [{"index": index(writer), "function": {"arguments": more}}]})
        }
        _ => return String::new(),
    };
    chunk(writer, &delta, None)
}

pub(super) fn end(writer: &AnswerWriter) -> String {
    let mut said = chunk(writer, &json!({}), Some(reason(writer)));
    if writer.head.include_usage {
        let mut last = framed(writer, "chat.completion.chunk", json!([]));
        last["usage"] = usage(writer);
        said.push_str(&format!("data: {last}\n\n"));
    }
    said + "data: [DONE]\n\n"
}

pub(super) fn body(writer: &AnswerWriter) -> Value {
    let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    for block in &writer.blocks {
        match block {
            Block::Text(more) => text.push_str(more),
            Block::Thought(more) => thought.push_str(more),
            Block::Call(call) => calls.push(written(call)),
        }
    }
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    let mut message = json!({"role": "assistant", "content": content, "refusal": null});
    if !thought.is_empty() {
        message["reasoning_content"] = thought.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice =
        json!({"index": 0, "message": message, "logprobs": null, "finish_reason": reason(writer)});
    let mut body = framed(writer, "chat.completion", json!([choice]));
    body["usage"] = usage(writer);
    body
}

fn chunk(writer: &AnswerWriter, delta: &Value, reason: Option<&str>) -> String {
    let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]);
    format!("data: {}\n\n", framed(writer, "chat.completion.chunk", choices))
}

fn framed(AnswerWriter { head, .. }: &AnswerWriter, object: &str, choices: Value) -> Value {
    json!({"id": head.id, "object": object, "created": head.created, "model": head.model, "choices": choices})
}

fn written(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": call.id, "type": "function", "function": function})
}

/// The number of the last call among the calls.
fn index(writer: &AnswerWriter) -> usize {
    let calls = writer.blocks.iter().filter(|block| matches!(block, Block::Call(_)));
    calls.count().saturating_sub(1)
}

fn reason(writer: &AnswerWriter) -> &'static str {
    match writer.ended() {
        Finish::Stop | Finish::Other(_) => "stop",
        Finish::Length => "length",
        Finish::ContentFilter => "content_filter",
        Finish::ToolCalls => "tool_calls",
    }
}

fn usage(writer: &AnswerWriter) -> Value {
    let used = writer.used();
    json!({
        "prompt_tokens": used.prompt,
        "completion_tokens": used.completion,
        "total_tokens": used.prompt.saturating_add(used.completion),
        "prompt_tokens_details": {"cached_tokens": used.cached},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning},
    })
}
