//! Ready-made answers of providers that behave, each in the words of its wire.

use serde_json::{Value, json};

use super::{Reply, Step};

/// One chunk of a chat completion.
fn chunk(delta: Value, finish: Option<&str>) -> String {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
    .to_string()
}

impl Reply {
    /// A good stream in the OpenAI style: role, texts, finish, usage, `[DONE]`.
    pub fn openai(texts: &[&str], prompt: u64, completion: u64) -> Self {
        Self::openai_open(texts).openai_end(prompt, completion)
    }

    /// The beginning of a stream in the OpenAI style: role and texts, and no end.
    pub fn openai_open(texts: &[&str]) -> Self {
        Self::stream()
            .event(chunk(json!({"role": "assistant", "content": null}), None))
            .openai_more(texts)
    }

    /// Adds texts to a stream in the OpenAI style.
    pub fn openai_more(self, texts: &[&str]) -> Self {
        texts.iter().fold(self, |reply, text| reply.event(chunk(json!({"content": text}), None)))
    }

    /// Adds the end of a stream in the OpenAI style: finish, usage, `[DONE]`.
    pub fn openai_end(self, prompt: u64, completion: u64) -> Self {
        let usage = json!({
            "object": "chat.completion.chunk",
            "choices": [],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        });
        self.event(chunk(json!({}), Some("stop"))).event(usage.to_string()).event("[DONE]").end()
    }

    /// A stream in the OpenAI style that ends in the call of a tool.
    pub fn openai_calls(name: &str, arguments: &str, prompt: u64) -> Self {
        let call = json!({"tool_calls": [{
            "index": 0, "id": "call_1", "type": "function",
            "function": {"name": name, "arguments": ""},
        }]});
        let rest = json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
        let usage = json!({
            "object": "chat.completion.chunk",
            "choices": [],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 9},
        });
        Self::stream()
            .event(chunk(call, None))
            .event(chunk(rest, None))
            .event(chunk(json!({}), Some("tool_calls")))
            .event(usage.to_string())
            .event("[DONE]")
            .end()
    }

    /// A stream in the OpenAI style that was cut by its length, without usage.
    pub fn openai_cut(texts: &[&str]) -> Self {
        Self::openai_open(texts).event(chunk(json!({}), Some("length"))).event("[DONE]").end()
    }

    /// A stream in the OpenAI style with this many megabytes of text, sent from one
    /// small buffer.
    pub fn openai_megabytes(megabytes: usize) -> Self {
        const PIECE: usize = 16 * 1024;
        let event = format!("data: {}\n\n", chunk(json!({"content": "x".repeat(PIECE)}), None));
        let times = megabytes * 1024 * 1024 / PIECE;
        Self::stream()
            .step(Step::Repeat { chunk: event.into_bytes(), times })
            .event(chunk(json!({}), Some("stop")))
            .event("[DONE]")
            .end()
    }

    /// An answer in one piece in the OpenAI style.
    pub fn openai_whole(text: &str, prompt: u64, completion: u64) -> Self {
        let body = json!({
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "scripted",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }],
            "usage": {"prompt_tokens": prompt, "completion_tokens": completion},
        });
        Self::json(200, body.to_string())
    }

    /// A good stream of Anthropic's messages.
    pub fn anthropic(texts: &[&str], input: u64, cached: u64, output: u64) -> Self {
        let event = |reply: Self, data: Value| {
            let name = data["type"].as_str().unwrap_or_default().to_owned();
            reply.named_event(&name, data.to_string())
        };
        let usage = json!({
            "input_tokens": input,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        });
        let opening = [
            json!({"type": "message_start", "message": {"id": "msg_1", "usage": usage}}),
            json!({"type": "content_block_start", "index": 0,
                   "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
        ];
        let spoken = texts.iter().map(|text| {
            json!({"type": "content_block_delta", "index": 0,
                   "delta": {"type": "text_delta", "text": text}})
        });
        let closing = [
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                   "usage": {"output_tokens": output}}),
            json!({"type": "message_stop"}),
        ];
        let events = opening.into_iter().chain(spoken).chain(closing);
        events.fold(Self::stream(), event).end()
    }

    /// A good stream of Gemini's.
    pub fn gemini(texts: &[&str], prompt: u64, completion: u64) -> Self {
        let last = texts.len().saturating_sub(1);
        let chunk = |(at, text): (usize, &&str)| {
            let parts = json!([{"text": text}]);
            let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
            if at == last {
                candidate["finishReason"] = json!("STOP");
            }
            json!({
                "candidates": [candidate],
                "usageMetadata": {
                    "promptTokenCount": prompt,
                    "candidatesTokenCount": completion,
                    "totalTokenCount": prompt + completion,
                },
                "modelVersion": "scripted",
            })
        };
        let chunks = texts.iter().enumerate().map(chunk);
        chunks.fold(Self::stream(), |reply, data| reply.event(data.to_string())).end()
    }
}
