//! OpenAI's Responses.

use plimsoll_testkit::scripted::Reply;
use serde_json::{Value, json};

use crate::{
    asked::Asked,
    upstream::{Call, INPUT, OUTPUT, Turn},
    wire::{call_id, named, pieces},
};

const TOO_LONG: &str = "Your input exceeds the context window of this model. Please adjust your \
                        input and try again.";

pub(crate) fn reply(asked: &Asked, turn: &Turn) -> Reply {
    let items = match turn {
        Turn::Overflow => return overflow(asked),
        Turn::Text(text) => vec![message(text)],
        Turn::Calls(calls) => {
            calls.iter().enumerate().map(|(at, call)| function_call(asked, at, call)).collect()
        }
    };
    let response = response(asked, "completed", &items);
    if asked.streamed() {
        stream(asked, &items, &response)
    } else {
        Reply::json(200, response.to_string())
    }
}

/// A refusal before the first token: in a stream it is an event and no status.
fn overflow(asked: &Asked) -> Reply {
    let error = json!({"code": "context_length_exceeded", "message": TOO_LONG});
    if !asked.streamed() {
        let mut error = error;
        error["type"] = json!("invalid_request_error");
        error["param"] = json!("input");
        return Reply::json(400, json!({ "error": error }).to_string());
    }
    let mut failed = response(asked, "failed", &[]);
    failed["error"] = error;
    numbered(vec![
        json!({"type": "response.created", "response": response(asked, "in_progress", &[])}),
        json!({"type": "response.failed", "response": failed}),
    ])
}

/// What is asked is said again in the answer, and clients go by that: LangChain parses
/// structured output only where `text.format` comes back.
fn response(asked: &Asked, status: &str, output: &[Value]) -> Value {
    let usage = json!({"input_tokens": INPUT, "output_tokens": OUTPUT,
        "total_tokens": INPUT + OUTPUT, "output_tokens_details": {"reasoning_tokens": 0},
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}});
    let text = &asked.body["text"];
    let text = if text.is_object() { text.clone() } else { json!({"format": {"type": "text"}}) };
    json!({"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "status": status,
        "error": null, "incomplete_details": null, "instructions": null, "metadata": {},
        "model": asked.model(), "output": output, "parallel_tool_calls": true,
        "previous_response_id": null, "store": false, "temperature": 1.0, "text": text,
        "tool_choice": "auto", "tools": [], "top_p": 1.0, "truncation": "disabled",
        "usage": if status == "completed" { usage } else { Value::Null }})
}

fn message(text: &str) -> Value {
    json!({"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]})
}

fn function_call(asked: &Asked, at: usize, call: &Call) -> Value {
    let id = call_id(asked, at);
    json!({"id": format!("fc_{id}"), "type": "function_call", "status": "completed",
        "call_id": id, "name": call.name, "arguments": call.arguments.to_string()})
}

fn stream(asked: &Asked, items: &[Value], completed: &Value) -> Reply {
    let begun = response(asked, "in_progress", &[]);
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (at, item) in items.iter().enumerate() {
        let mut added = item.clone();
        added["status"] = json!("in_progress");
        let call = item["type"] == "function_call";
        let emptied = if call { "arguments" } else { "content" };
        added[emptied] = if call { json!("") } else { json!([]) };
        let id = &item["id"];
        events
            .push(json!({"type": "response.output_item.added", "output_index": at, "item": added}));
        if call {
            let arguments = item["arguments"].as_str().unwrap_or_default();
            events.extend(pieces(arguments).map(|piece| {
                json!({"type": "response.function_call_arguments.delta", "item_id": id,
                    "output_index": at, "delta": piece})
            }));
            events.push(json!({"type": "response.function_call_arguments.done", "item_id": id,
                "output_index": at, "name": item["name"], "arguments": arguments}));
        } else {
            events.extend(text_events(at, item));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": completed}));
    numbered(events)
}

fn text_events(at: usize, item: &Value) -> Vec<Value> {
    let part = &item["content"][0];
    let text = part["text"].as_str().unwrap_or_default();
    let mut empty = part.clone();
    empty["text"] = json!("");
    let event = |kind: &str, member: &str, value: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "item_id": item["id"],
            "output_index": at, "content_index": 0});
        event[member] = value;
        if kind.starts_with("output_text") {
            event["logprobs"] = json!([]);
        }
        event
    };
    let mut events = vec![event("content_part.added", "part", empty)];
    events.extend(pieces(text).map(|piece| event("output_text.delta", "delta", json!(piece))));
    events.push(event("output_text.done", "text", json!(text)));
    events.push(event("content_part.done", "part", part.clone()));
    events
}

fn numbered(mut events: Vec<Value>) -> Reply {
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    named(&events)
}
