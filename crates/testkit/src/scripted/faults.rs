//! Ready-made failures: one for each class of fault, and every misbehaviour of REL-4.

use std::time::Duration;

use serde_json::json;

use super::{Reply, Step};

/// An error object in the OpenAI style, with a type and a code.
fn refusal(status: u16, kind: &str, code: &str, message: &str) -> Reply {
    let body = json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
    Reply::json(status, body.to_string())
}

/// Faults, by their class (FAU-1).
impl Reply {
    /// `overflow`: the input is larger than the window.
    pub fn overflow(limit: u64, requested: u64) -> Self {
        let message = format!(
            "This model's maximum context length is {limit} tokens. However, your messages \
             resulted in {requested} tokens. Please reduce the length of the messages."
        );
        refusal(400, "invalid_request_error", "context_length_exceeded", &message)
    }

    /// `overflow` in the words of llama.cpp.
    pub fn overflow_llama_cpp(limit: u64, requested: u64) -> Self {
        let message = format!(
            "request ({requested} tokens) exceeds the available context size ({limit} tokens), \
             try increasing it"
        );
        let body = json!({"error": {
            "code": 400,
            "message": message,
            "type": "exceed_context_size_error",
            "n_prompt_tokens": requested,
            "n_ctx": limit,
        }});
        Self::json(400, body.to_string())
    }

    /// `overflow_output`, subkind sum: input and requested output together.
    pub fn overflow_sum(limit: u64, input: u64, output: u64) -> Self {
        let message = format!(
            "This model's maximum context length is {limit} tokens. However, you requested \
             {} tokens ({input} in the messages, {output} in the completion). Please reduce \
             the length of the messages or completion.",
            input + output
        );
        refusal(400, "invalid_request_error", "context_length_exceeded", &message)
    }

    /// `overflow`, subkind tpm: one request above the tokens of a minute.
    pub fn overflow_tpm(limit: u64, requested: u64) -> Self {
        let message = format!(
            "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit \
             {limit}, Requested {requested}. The input or output tokens must be reduced in order \
             to run successfully."
        );
        refusal(429, "tokens", "rate_limit_exceeded", &message)
    }

    /// `rate`, with `Retry-After` where a time is given.
    pub fn rate(retry_after: Option<Duration>) -> Self {
        let body = json!({"error": {
            "message": "Rate limit reached for requests",
            "type": "requests",
            "code": "rate_limit_exceeded",
        }});
        let seconds = retry_after.map(|time| time.as_secs().to_string());
        let mut headers = vec![("content-type", "application/json")];
        if let Some(seconds) = &seconds {
            headers.push(("retry-after", seconds));
        }
        Self::whole(429, &headers, body.to_string())
    }

    /// `quota`: no money.
    pub fn quota() -> Self {
        let message =
            "You exceeded your current quota, please check your plan and billing details.";
        refusal(429, "insufficient_quota", "insufficient_quota", message)
    }

    /// `auth`: a wrong key.
    pub fn auth() -> Self {
        let message = "Incorrect API key provided. You can find your API key in your account.";
        refusal(401, "invalid_request_error", "invalid_api_key", message)
    }

    /// `model`: it is not there.
    pub fn model_missing(model: &str) -> Self {
        let message =
            format!("The model `{model}` does not exist or you do not have access to it.");
        refusal(404, "invalid_request_error", "model_not_found", &message)
    }

    /// `server`: it broke.
    pub fn server() -> Self {
        let message = "The server had an error while processing your request. Sorry about that!";
        refusal(500, "server_error", "server_error", message)
    }

    /// `content_filter`: the content was refused.
    pub fn content_filter() -> Self {
        let message = "The response was filtered due to the prompt triggering the content \
                       management policy.";
        refusal(400, "invalid_request_error", "content_filter", message)
    }

    /// `invalid`: the request is wrong in another way.
    pub fn invalid() -> Self {
        refusal(400, "invalid_request_error", "invalid_type", "'messages' is required")
    }
}

/// Misbehaviour (REL-4).
impl Reply {
    /// HTTP 200 and a stream without a single event, as llama-cpp-python reports an
    /// overflow.
    pub fn empty_stream() -> Self {
        Self::stream().end()
    }

    /// A stream that breaks off with an error object.
    pub fn error_in_mid_stream(texts: &[&str]) -> Self {
        let error =
            json!({"error": {"message": "The engine has crashed.", "type": "server_error"}});
        Self::openai_open(texts).event(error.to_string()).end()
    }

    /// HTTP 200, and bytes that are no answer.
    pub fn garbage() -> Self {
        Self::whole(200, &[("content-type", "text/event-stream")], b"\x00\x01\xfe<%& what?\n\n\x7f")
    }

    /// A stream whose events are not JSON.
    pub fn garbage_events() -> Self {
        Self::stream().event("{\"choices\":[{\"delta\"").event("[DONE]").end()
    }

    /// A good stream, except that its text holds bytes that are not UTF-8.
    pub fn invalid_utf8() -> Self {
        let mut event = b"data: {\"choices\":[{\"delta\":{\"content\":\"caf\xe9 \xff!\"},".to_vec();
        event.extend_from_slice(b"\"finish_reason\":\"stop\"}]}\n\n");
        Self::stream().chunk(event).event("[DONE]").end()
    }

    /// A good stream at one byte a pause.
    pub fn byte_by_byte(pause: Duration) -> Self {
        Self::openai(&["Slow", " bytes."], 5, 2).dripping(1, pause)
    }

    /// It takes the request and never says a word.
    pub fn never_answers() -> Self {
        Self::of([Step::Hang])
    }

    /// It sends texts and then nothing more.
    pub fn stalls_after(texts: &[&str]) -> Self {
        Self::openai_open(texts).hang()
    }

    /// It sends texts and then closes the connection.
    pub fn closes_after(texts: &[&str]) -> Self {
        Self::openai_open(texts).close()
    }

    /// It takes the request and closes the connection.
    pub fn closes_at_once() -> Self {
        Self::of([Step::Close])
    }

    /// A redirect to an address; to its own path it makes a loop.
    pub fn redirect(to: &str) -> Self {
        Self::whole(307, &[("location", to)], "")
    }

    /// One line of this many megabytes without an end.
    pub fn endless_line(megabytes: usize) -> Self {
        let piece = vec![b'x'; 1024 * 1024];
        Self::stream().chunk("data: ").step(Step::Repeat { chunk: piece, times: megabytes }).hang()
    }

    /// An error with a body of this many megabytes.
    pub fn huge_error(megabytes: usize) -> Self {
        let headers = [("content-type", "text/plain"), ("transfer-encoding", "chunked")];
        let piece = vec![b'e'; 1024 * 1024];
        Self::head(500, &headers).step(Step::Repeat { chunk: piece, times: megabytes }).end()
    }
}
