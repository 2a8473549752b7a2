//! Chat completions.

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    asked::Asked,
    upstream::{Call, INPUT, OUTPUT, TOO_MUCH, Turn, WINDOW},
    wire::{call_id, pieces},
};

pub(crate) fn reply(asked: &Asked, turn: &Turn) -> Reply {
    let (text, calls) = match turn {
        Turn::Overflow => return Reply::overflow(WINDOW, TOO_MUCH),
        Turn::Text(text) => (Some(text.as_str()), &[][..]),
        Turn::Calls(calls) => (None, calls.as_slice()),
    };
    if asked.streamed() { stream(asked, text, calls) } else { whole(asked, text, calls) }
}

fn usage() -> Value {
    json!({"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0}})
}

fn finish(calls: &[Call]) -> &'static str {
    if calls.is_empty() { "stop" } else { "tool_calls" }
}

fn whole(asked: &Asked, text: Option<&str>, calls: &[Call]) -> Reply {
    let mut message = json!({"role": "assistant", "content": text, "refusal": null});
    if !calls.is_empty() {
        let call = |(at, call): (usize, &Call)| {
            json!({"id": call_id(asked, at), "type": "function",
                "function": {"name": call.name, "arguments": call.arguments.to_string()}})
        };
        message["tool_calls"] = calls.iter().enumerate().map(call).collect();
    }
    let body = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
        "model": asked.model(), "usage": usage(), "choices": [{"index": 0, "message": message,
        "finish_reason": finish(calls), "logprobs": null}]});
    Reply::json(200, body.to_string())
}

fn stream(asked: &Asked, text: Option<&str>, calls: &[Call]) -> Reply {
    let event = |choices: Value, usage: Option<Value>| {
        let mut event = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk",
            "created": 1_700_000_000, "model": asked.model(), "choices": choices});
        if let Some(usage) = usage {
            event["usage"] = usage;
        }
        event.to_string()
    };
    let chunk = |delta: Value, finish: Option<&str>| {
        event(json!([{"index": 0, "delta": delta, "finish_reason": finish}]), None)
    };
    let mut reply = Reply::stream().event(chunk(json!({"role": "assistant", "content": ""}), None));
    for piece in text.map(pieces).into_iter().flatten() {
        reply = reply.event(chunk(json!({"content": piece}), None));
    }
    for (at, call) in calls.iter().enumerate() {
        let begun = json!({"tool_calls": [{"index": at, "id": call_id(asked, at),
            "type": "function", "function": {"name": call.name, "arguments": ""}}]});
        reply = reply.event(chunk(begun, None));
        for piece in pieces(&call.arguments.to_string()) {
            let more = json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]});
            reply = reply.event(chunk(more, None));
        }
    }
    reply = reply.event(chunk(json!({}), Some(finish(calls))));
    if asked.wants_usage() {
        reply = reply.event(event(json!([]), Some(usage())));
    }
    reply.event("[DONE]").end()
}
