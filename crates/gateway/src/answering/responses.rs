//! Events of `/v1/responses`: items that are added and done, and the whole response at the end.

use plimsoll_provider::Finish;
use serde_json::{Value, json};

use super::{AnswerWriter, Block, Change, named};

pub(super) fn begin(writer: &mut AnswerWriter) -> String {
    let response = response(writer, "in_progress", &[]);
    said(writer, "response.created", json!({"response": response}))
        + &said(writer, "response.in_progress", json!({"response": response}))
}

pub(super) fn changed(writer: &mut AnswerWriter, change: &Change<'_>) -> String {
    let Some(at) = writer.blocks.len().checked_sub(1) else { return String::new() };
    let id = item_id(writer, at);
    match change {
        Change::Begins => {
            let item = item(writer, at, "in_progress");
            let added = said(
                writer,
                "response.output_item.added",
                json!({"output_index": at, "item": item}),
            );
            match writer.blocks[at] {
                Block::Text(_) => {
                    let part = json!({"type": "output_text", "text": "", "annotations": []});
                    added + &part_said(writer, "response.content_part.added", at, &part)
                }
                _ => added,
            }
        }
        Change::Grows(more) => {
            let event = match writer.blocks[at] {
                Block::Text(_) => "response.output_text.delta",
                Block::Thought(_) => "response.reasoning_text.delta",
                Block::Call(_) => "response.function_call_arguments.delta",
            };
            let mut data = json!({"item_id": id, "output_index": at, "delta": more});
            if !matches!(writer.blocks[at], Block::Call(_)) {
                data["content_index"] = 0.into();
            }
            said(writer, event, data)
        }
    }
}

pub(super) fn closed(writer: &mut AnswerWriter, at: usize) -> String {
    let id = item_id(writer, at);
    let mut said_all = match writer.blocks[at].clone() {
        Block::Text(text) => {
            let part = json!({"type": "output_text", "text": text, "annotations": []});
            let done = json!({"item_id": id, "output_index": at, "content_index": 0, "text": text});
            said(writer, "response.output_text.done", done)
                + &part_said(writer, "response.content_part.done", at, &part)
        }
        Block::Thought(text) => {
            let done = json!({"item_id": id, "output_index": at, "content_index": 0, "text": text});
            said(writer, "response.reasoning_text.done", done)
        }
        Block::Call(call) => {
            let done = json!({"item_id": id, "output_index": at, "name": call.name, "arguments": call.arguments});
            said(writer, "response.function_call_arguments.done", done)
        }
    };
    let item = item(writer, at, "completed");
    said_all.push_str(&said(
        writer,
        "response.output_item.done",
        json!({"output_index": at, "item": item}),
    ));
    said_all
}

pub(super) fn end(writer: &mut AnswerWriter) -> String {
    let last = writer.blocks.len().checked_sub(1);
    let closed = last.map(|at| closed(writer, at)).unwrap_or_default();
    let event =
        if ending(writer).1.is_some() { "response.incomplete" } else { "response.completed" };
    let response = body(writer);
    closed + &said(writer, event, json!({"response": response}))
}

pub(super) fn body(writer: &AnswerWriter) -> Value {
    let (status, reason) = ending(writer);
    let items: Vec<Value> =
        (0..writer.blocks.len()).map(|at| item(writer, at, "completed")).collect();
    let mut body = response(writer, status, &items);
    if let Some(reason) = reason {
        body["incomplete_details"] = json!({ "reason": reason });
    }
    let used = writer.used();
    body["usage"] = json!({
        "input_tokens": used.prompt,
        "input_tokens_details": {"cached_tokens": used.cached, "cache_write_tokens": 0},
        "output_tokens": used.completion,
        "output_tokens_details": {"reasoning_tokens": used.reasoning},
        "total_tokens": used.prompt.saturating_add(used.completion),
    });
    body
}

/// Its status, and why it is not whole.
fn ending(writer: &AnswerWriter) -> (&'static str, Option<&'static str>) {
    match writer.ended() {
        Finish::Length => ("incomplete", Some("max_output_tokens")),
        Finish::ContentFilter => ("incomplete", Some("content_filter")),
        Finish::Stop | Finish::ToolCalls | Finish::Other(_) => ("completed", None),
    }
}

fn said(writer: &mut AnswerWriter, event: &str, mut data: Value) -> String {
    data["type"] = event.into();
    data["sequence_number"] = writer.sequence.into();
    writer.sequence += 1;
    named(event, &data)
}

fn part_said(writer: &mut AnswerWriter, event: &str, at: usize, part: &Value) -> String {
    let id = item_id(writer, at);
    said(
        writer,
        event,
        json!({"item_id": id, "output_index": at, "content_index": 0, "part": part}),
    )
}

fn item_id(writer: &AnswerWriter, at: usize) -> String {
    let kind = match writer.blocks.get(at) {
        Some(Block::Thought(_)) => "rs",
        Some(Block::Call(_)) => "fc",
        _ => "msg",
    };
    format!("{kind}_{}_{at}", writer.head.id)
}

fn item(writer: &AnswerWriter, at: usize, status: &str) -> Value {
    let id = item_id(writer, at);
    match &writer.blocks[at] {
        Block::Text(text) => {
            let part = json!({"type": "output_text", "text": text, "annotations": []});
            let content = if status == "completed" { vec![part] } else { Vec::new() };
            json!({"type": "message", "id": id, "status": status, "role": "assistant", "content": content})
        }
        Block::Thought(text) => {
            let part = json!({"type": "reasoning_text", "text": text});
            let content = if status == "completed" { vec![part] } else { Vec::new() };
            json!({"type": "reasoning", "id": id, "summary": [], "content": content})
        }
        Block::Call(call) => json!({
            "type": "function_call", "id": id, "call_id": call.id, "name": call.name,
            "arguments": call.arguments, "status": status,
        }),
    }
}

fn response(AnswerWriter { head, .. }: &AnswerWriter, status: &str, output: &[Value]) -> Value {
    let mut response = json!({
        "id": head.id, "object": "response", "created_at": head.created, "status": status,
        "model": head.model, "output": output, "error": null, "incomplete_details": null,
        "usage": null,
    });
    if let Some(members) = response.as_object_mut() {
        members.extend(head.repeated.clone());
    }
    response
}
