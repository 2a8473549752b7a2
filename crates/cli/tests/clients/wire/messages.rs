//! Anthropic's Messages.

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    asked::Asked,
    upstream::{INPUT, OUTPUT, TOO_MUCH, Turn, WINDOW},
    wire::{call_id, named, pieces},
};

pub(crate) fn reply(asked: &Asked, turn: &Turn) -> Reply {
    let (blocks, stop) = match turn {
        Turn::Overflow => return overflow(),
        Turn::Text(text) => (vec![json!({"type": "text", "text": text})], "end_turn"),
        Turn::Calls(calls) => {
            let block = |(at, call): (usize, &crate::upstream::Call)| {
                json!({"type": "tool_use", "id": call_id(asked, at), "name": call.name,
                    "input": call.arguments})
            };
            (calls.iter().enumerate().map(block).collect(), "tool_use")
        }
    };
    if asked.streamed() {
        return stream(asked, &blocks, stop);
    }
    Reply::json(200, message(asked, &blocks, Some(stop), OUTPUT).to_string())
}

fn overflow() -> Reply {
    let message = format!("prompt is too long: {TOO_MUCH} tokens > {WINDOW} maximum");
    let error = json!({"type": "invalid_request_error", "message": message});
    let body = json!({"type": "error", "error": error, "request_id": "req_1"});
    Reply::json(400, body.to_string())
}

fn message(asked: &Asked, blocks: &[Value], stop: Option<&str>, output: u64) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model(),
        "content": blocks, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": INPUT, "output_tokens": output,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}})
}

fn stream(asked: &Asked, blocks: &[Value], stop: &str) -> Reply {
    let begun = message(asked, &[], None, 1);
    let mut events = vec![json!({"type": "message_start", "message": begun})];
    for (at, block) in blocks.iter().enumerate() {
        let call = block["type"] == "tool_use";
        let mut empty = block.clone();
        empty[if call { "input" } else { "text" }] = if call { json!({}) } else { json!("") };
        let whole = if call {
            block["input"].to_string()
        } else {
            block["text"].as_str().unwrap_or_default().to_owned()
        };
        events.push(json!({"type": "content_block_start", "index": at, "content_block": empty}));
        events.push(json!({"type": "ping"}));
        events.extend(pieces(&whole).map(|piece| {
            let delta = if call {
                json!({"type": "input_json_delta", "partial_json": piece})
            } else {
                json!({"type": "text_delta", "text": piece})
            };
            json!({"type": "content_block_delta", "index": at, "delta": delta})
        }));
        events.push(json!({"type": "content_block_stop", "index": at}));
    }
    events.push(json!({"type": "message_delta", "usage": {"output_tokens": OUTPUT},
        "delta": {"stop_reason": stop, "stop_sequence": null}}));
    events.push(json!({"type": "message_stop"}));
    named(&events)
}
