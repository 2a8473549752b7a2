//! FAU-2: failures that speak of tokens, contexts and limits and are no overflow.

use super::{wordings::check, *};

#[test]
fn fau_2_limits_of_time_and_money() {
    check(&[
        (429, "rate", "Too many tokens, please wait before trying again."),
        (0, "rate", "Too many tokens per day, please wait before trying again."),
        (429, "rate", "Request rate/token rate exceeded. Slow down."),
        (429, "rate", "You have reached your limit of tokens per day for this model."),
        (429, "rate", "Number of request tokens has exceeded your per-minute rate limit"),
        (429, "rate", "Maximum number of concurrent requests exceeded"),
        (0, "rate", "You have exceeded the maximum number of concurrent requests for this model."),
        (429, "rate", "Too many tokens"),
        (403, "quota", "Key limit exceeded (monthly limit). Manage it in your settings."),
        (
            0,
            "quota",
            "Spending limit reached: this prompt would exceed the maximum budget of tokens",
        ),
        (400, "quota", "ExceededBudget: Max budget: 10.0, current spend: 10.2"),
        (
            429,
            "quota",
            "Monthly token quota: you have reached your usage limit for this plan's context tokens",
        ),
        (429, "server", "The model is overloaded: too many tokens in flight"),
    ]);
}

#[test]
fn fau_2_tokens_that_are_credentials() {
    check(&[
        (0, "auth", "Invalid token: the token is too long"),
        (0, "auth", "Your access token has expired. The maximum age was exceeded."),
        (0, "auth", "CSRF token missing or incorrect"),
        (0, "auth", "invalid bearer token"),
        (401, "auth", "maximum context length exceeded"),
        (0, "auth", "JWT exceeds maximum length"),
        (403, "auth", "Your account has been deactivated. Contact support."),
        (400, "auth", "User location is not supported for the API use."),
    ]);
}

#[test]
fn fau_2_sizes_of_other_things() {
    check(&[
        (
            400,
            "invalid",
            "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
        ),
        (
            400,
            "invalid",
            "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        ),
        (400, "invalid", "Too many images in request: 120 > 100"),
        (413, "invalid", "File too large. The maximum size is 32 MB."),
        (400, "invalid", "A maximum of 100 PDF pages may be provided."),
        (413, "invalid", "Request exceeds the maximum allowed number of bytes."),
        (413, "invalid", "Request Entity Too Large"),
        (
            413,
            "invalid",
            r#"{"error":{"type":"request_too_large","message":"Request too large (max 32MB)"}}"#,
        ),
        (0, "invalid", "413 Payload Too Large"),
        (
            400,
            "invalid",
            "Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.",
        ),
        (
            400,
            "invalid",
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 212 instead.",
        ),
        (400, "invalid", "tools.0.custom.name: String should have at most 64 characters"),
        (400, "invalid", "Too many stop sequences: at most 4 are allowed"),
        (400, "invalid", "n must be at most 8"),
        (400, "invalid", "2.5 is greater than the maximum of 2 - 'temperature'"),
        (400, "invalid", "temperature: Input should be less than or equal to 1"),
        (
            400,
            "invalid",
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        ),
        (
            400,
            "invalid",
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation.",
        ),
        (400, "invalid", "max_tokens must be at least 1, got 0."),
        (400, "invalid", "Batch size exceeds the maximum of 2048 embedding inputs"),
        (400, "invalid", "Requested 410000 tokens, max 300000 tokens per request"),
        (400, "invalid", "grpc: received message larger than max (5242880 vs. 4194304)"),
        (400, "invalid", "JSON nesting depth exceeds maximum of 100"),
        (400, "invalid", "Unexpected token } in JSON at position 5"),
        (400, "invalid", "tool_choice: too many tools were given, maximum 128"),
        (400, "invalid", "audio duration exceeds the maximum of 1500 seconds"),
    ]);
}

#[test]
fn fau_2_contexts_that_are_not_windows() {
    check(&[
        (0, "network", "Post \"https://api.example.com/v1/chat\": context deadline exceeded"),
        (0, "network", "context canceled"),
        (
            0,
            "network",
            "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
        ),
        (0, "network", "cannot create SSL context: certificate too long"),
        (0, "network", "Max retries exceeded with url: /v1/messages"),
        (0, "network", "Connection pool is full, discarding connection; maximum 10"),
        (0, "network", "Request timed out."),
        (504, "server", "upstream timed out while reading input"),
        (500, "server", "CUDA out of memory. Tried to allocate 2.00 GiB for the context"),
        (500, "server", "maximum recursion depth exceeded"),
        (0, "server", "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON"),
        (404, "model", "context length exceeded"),
        (0, "model", "The model `gpt-9-128k` does not exist or you do not have access to it."),
        (
            400,
            "content_filter",
            "The prompt was flagged: it exceeds the safety threshold of our content policy",
        ),
        (400, "invalid", "Unrecognized request argument supplied: context_length"),
    ]);
}

#[test]
fn fau_2_a_wait_is_never_an_overflow() {
    let headers = vec![("Retry-After".to_owned(), "20".to_owned())];
    for status in [None, Some(400), Some(413), Some(429), Some(500)] {
        let body = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.";
        let fault = ProviderFailure { status, headers: headers.clone(), ..of_body(body) }.fault();
        assert!(!fault.shrink_helps(), "{status:?} {fault:?}");
        assert!(fault.retryable());
    }
    let body = "Request too large on tokens per min (TPM): Limit 30000, Requested 45000.";
    let fault = ProviderFailure { headers, ..of_body(body) }.fault();
    assert_eq!(fault.subkind, Some(Subkind::Tpm), "FAU-5 comes first");
}

#[test]
fn a_transport_error_without_words_is_network() {
    let fault = ProviderFailure { transport: Some("boom".to_owned()), ..of_body("") }.fault();
    assert_eq!((fault.label, fault.message.as_str()), (Label::Network, "boom"));
    let fault =
        ProviderFailure { transport: Some("operation timed out".to_owned()), ..of_body("") }
            .fault();
    assert_eq!(fault.label, Label::Network);
}
