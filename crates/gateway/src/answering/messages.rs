//! Events of `/v1/messages`: blocks that begin, grow and stop one after the other.

use plimsoll_provider::Finish;
use serde_json::{Value, json};

use super::{AnswerWriter, Block, Change, named};

pub(super) fn begin(writer: &AnswerWriter) -> String {
    let mut message = framed(writer, &[]);
    // What the request weighs is read here and nowhere else.
    message["usage"] = json!({"input_tokens": writer.head.estimate, "output_tokens": 0});
    said("message_start", json!({"message": message}))
}

pub(super) fn changed(writer: &AnswerWriter, change: &Change<'_>) -> String {
    let Some((at, block)) = writer.blocks.iter().enumerate().next_back() else {
        return String::new();
    };
    let delta = match (block, change) {
        (block, Change::Begins) => {
            let begun = match block {
                Block::Text(_) => json!({"type": "text", "text": ""}),
                Block::Thought(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
                Block::Call(call) => {
                    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}})
                }
            };
            return said("content_block_start", json!({"index": at, "content_block": begun}));
        }
        (Block::Text(_), Change::Grows(more)) => json!({"type": "text_delta", "text": more}),
        (Block::Thought(_), Change::Grows(more)) => {
            json!({"type": "thinking_delta", "thinking": more})
        }
        (Block::Call(_), Change::Grows(more)) => {
            json!({"type": "input_json_delta", "partial_json": more})
        }
    };
    said("content_block_delta", json!({"index": at, "delta": delta}))
}

pub(super) fn closed(at: usize) -> String {
    said("content_block_stop", json!({"index": at}))
}

pub(super) fn end(writer: &AnswerWriter) -> String {
    let last = writer.blocks.len().checked_sub(1).map(closed);
    let delta = json!({"stop_reason": reason(writer), "stop_sequence": null});
    last.unwrap_or_default()
        + &said("message_delta", json!({"delta": delta, "usage": usage(writer)}))
        + &said("message_stop", json!({}))
}

pub(super) fn body(writer: &AnswerWriter) -> Value {
    let blocks: Vec<Value> = writer
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::Thought(text) => json!({"type": "thinking", "thinking": text, "signature": ""}),
            Block::Call(call) => {
                // What a model wrote may be no JSON; then it is what it wrote.
                let input: Value = serde_json::from_str(&call.arguments)
                    .unwrap_or_else(|_| json!({"arguments": call.arguments}));
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
            }
        })
        .collect();
    let mut body = framed(writer, &blocks);
    body["stop_reason"] = reason(writer).into();
    body["usage"] = usage(writer);
    body
}

fn said(event: &str, mut data: Value) -> String {
    data["type"] = event.into();
    named(event, &data)
}

fn framed(AnswerWriter { head, .. }: &AnswerWriter, content: &[Value]) -> Value {
    json!({
        "id": head.id, "type": "message", "role": "assistant", "model": head.model,
        "content": content, "stop_reason": null, "stop_sequence": null,
    })
}

fn reason(writer: &AnswerWriter) -> &'static str {
    match writer.ended() {
        Finish::Stop | Finish::Other(_) => "end_turn",
        Finish::Length => "max_tokens",
        Finish::ContentFilter => "refusal",
        Finish::ToolCalls => "tool_use",
    }
}

/// Here the tokens from the cache stand beside the others, not among them.
fn usage(writer: &AnswerWriter) -> Value {
    let used = writer.used();
    json!({
        "input_tokens": used.prompt.saturating_sub(used.cached),
        "cache_read_input_tokens": used.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": used.completion,
    })
}
