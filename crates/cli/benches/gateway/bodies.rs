//! What is asked, and what the upstream answers: the same bytes every time.

use axum::body::Bytes;
use plimsoll_testkit::history::{Random, prose};
use serde_json::{Value, json};

/// The name of the model, on all ways.
pub(crate) const MODEL: &str = "test";

/// Chunks with text in a stream.
pub(crate) const CHUNKS: usize = 50;

/// What ends a stream.
pub(crate) const DONE: &[u8] = b"data: [DONE]\n\n";

/// A chat of many messages whose body has about this many bytes.
///
/// A stream does not ask for usage: the gateway has to ask for it and take it out again, which
/// is the most that it does to a stream of its own protocol.
pub(crate) fn chat(bytes: usize, stream: bool) -> Bytes {
    let mut words = Random::new(7);
    let mut messages = vec![json!({"role": "system", "content": "You know about ships."})];
    // The keys and quotes around a text are about as long as this.
    let mut left = bytes.saturating_sub(160);
    while left > 0 {
        let user = messages.len() % 2 == 1;
        let length = left.min(if user { 400 } else { 1200 });
        let text = prose(&mut words, length);
        let role = if user { "user" } else { "assistant" };
        left = left.saturating_sub(text.len() + 40);
        messages.push(json!({"role": role, "content": text}));
    }
    if messages.len() % 2 == 1 {
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    let mut body = json!({"model": MODEL, "temperature": 0.2, "messages": messages});
    if stream {
        body["stream"] = Value::Bool(true);
    }
    body.to_string().into()
}

/// A whole answer, with its usage.
pub(crate) fn completion() -> Bytes {
    let text = prose(&mut Random::new(8), 600);
    let message = json!({"role": "assistant", "content": text});
    json!({
        "id": "chatcmpl-bench", "object": "chat.completion", "created": 1_700_000_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage(),
    })
    .to_string()
    .into()
}

/// The events of a streamed answer.
pub(crate) fn events(with_usage: bool) -> Vec<Bytes> {
    let chunk = |delta: Value, finish: Value| json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
    let mut choices = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let text = chunk(json!({"content": "a harbour in winter "}), Value::Null);
    choices.extend(std::iter::repeat_n(text, CHUNKS));
    choices.push(chunk(json!({}), "stop".into()));
    let mut events: Vec<Bytes> = choices.into_iter().map(|choices| event(choices, None)).collect();
    if with_usage {
        events.push(event(json!([]), Some(usage())));
    }
    events.push(Bytes::from_static(DONE));
    events
}

fn event(choices: Value, usage: Option<Value>) -> Bytes {
    let mut data = json!({
        "id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": MODEL, "choices": choices,
    });
    if let Some(usage) = usage {
        data["usage"] = usage;
    }
    format!("data: {data}\n\n").into()
}

fn usage() -> Value {
    json!({"prompt_tokens": 240, "completion_tokens": 150, "total_tokens": 390})
}
