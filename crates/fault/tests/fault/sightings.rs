//! FAU-2 to FAU-5: answers of providers and clients that were met in the field and
//! were once misread. The notation is that of `wordings_tests.rs`.

use super::wordings::check;

#[test]
fn fau_2_advice_is_not_the_cause() {
    check(&[
        (408, "server", "Request timed out. Please reduce the length of the prompt or try again."),
        (0, "network", "Request timed out. Please reduce the length of the prompt or try again."),
        (500, "server", "Request timed out. Please reduce the length of the prompt or try again."),
        (400, "invalid", "timeout must be a positive number"),
        (
            404,
            "model",
            "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.",
        ),
        (
            0,
            "model",
            r#"{"error":{"code":"DeploymentNotFound","message":"Not there. If you just made it, please wait a moment and try again."}}"#,
        ),
        (429, "rate", "Too many tokens, please wait before trying again."),
    ]);
}

#[test]
fn fau_2_limits_of_the_account() {
    check(&[
        (
            429,
            "rate 90000 -",
            r#"{"error":{"code":"token_limit_exceeded","message":"Enqueued token limit reached for gpt-4o in organization org-x. Limit: 90,000 enqueued tokens. Please try again once some in_progress batches have been completed."}}"#,
        ),
        (
            0,
            "quota",
            "API Error: Usage credits required for 1M context · turn on usage credits, or use --model to switch to standard context",
        ),
        (0, "quota", "You've hit your limit · resets May 5 at 9pm (America/New_York)"),
        (0, "rate", "You've hit your limit of requests per minute"),
        (
            403,
            "auth",
            "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/x/publishers/google/models/gemini-1.5-pro' (or it may not exist).",
        ),
    ]);
}

#[test]
fn fau_2_sizes_in_other_units() {
    check(&[
        (400, "invalid", "prompt is too long - 'prompt' must be 1000 characters or less"),
        (
            400,
            "overflow",
            "The conversation is too long: 40000 characters, at most 20000 characters",
        ),
        (
            413,
            "invalid",
            r#"{"error":{"message":"Maximum content size limit (26214400) exceeded (26351234 bytes read)","type":"server_error"}}"#,
        ),
        (
            400,
            "overflow",
            r#"{"error":{"code":"string_above_max_length","message":"Your input is too long for this model. Maximum context: 128k tokens"}}"#,
        ),
        (400, "overflow", "[error: Copilot error: text-too-long]"),
    ]);
}

#[test]
fn fau_1_refusals_failures_and_nothing() {
    check(&[
        (0, "content_filter", "Message is being blocked for reason: SAFETY"),
        (0, "content_filter", "blocked: candidate: FinishReasonSafety"),
        (
            200,
            "content_filter",
            r#"{"candidates":[{"finishReason":"SAFETY"}],"usageMetadata":{"promptTokenCount":752}}"#,
        ),
        (200, "content_filter", r#"{"candidates":[{"finishReason":"RECITATION"}]}"#),
        (200, "content_filter", r#"{"candidates":[{"finishReason":"PROHIBITED_CONTENT"}]}"#),
        (200, "content_filter", r#"{"promptFeedback":{"blockReason":"OTHER"}}"#),
        (200, "unknown", r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#),
        (400, "content_filter", r#"{"error":{"message":"Content Exists Risk"}}"#),
        (
            400,
            "server",
            "The model has crashed without additional information. (Exit code: 18446744072635812000)",
        ),
        (0, "unknown", "unknown error, 999 (1000)"),
    ]);
}

#[test]
fn fau_3_byte_strings_are_opened() {
    check(&[
        (
            0,
            "overflow/tpm 8000 34031",
            r#"litellm.RateLimitError: X - b'{"error": {"message": "An unexpected error occurred. Please try again.\\nRequest too large for model `x` on tokens per minute (TPM): Limit 8000, Requested 34031, please reduce your message size and try again."}}'"#,
        ),
        (0, "overflow", r#"X - b'{"message":"\xe8\xbe\x93\xe5\x85\xa5\xe8\xbf\x87\xe9\x95\xbf"}'"#),
    ]);
}

#[test]
fn fau_4_numbers_that_were_misread() {
    check(&[
        (
            0,
            "rate 30000 -",
            "API Error: Request rejected (429) · This request would exceed your organization's rate limit of 30,000 input tokens per minute",
        ),
        (
            429,
            "rate 20000 -",
            "This request would exceed the rate limit for your organization (0dccdde6-f924) of 20,000 input tokens per minute.",
        ),
        (0, "overflow 226 303", "Prompt is too long, max tokens supported is 226 or less, got 303"),
        (
            0,
            "overflow 2048 2400",
            "Input length of input_ids is 2400, but max_length is set to 2048.",
        ),
        (
            0,
            "overflow 2048 2059",
            "slot update_slots: id  0 | task 2017 | new prompt, n_ctx_slot = 2048, n_keep = 4, n_prompt_tokens = 2059\nsrv    send_error: task id = 2017, error: the request exceeds the available context size",
        ),
        (400, "overflow - -", "context window exceeds limit (2013)"),
        (400, "invalid 16384 17555", "Too many tokens in batch. Max is 16384 got 17555"),
        (
            400,
            "invalid 120000 181834",
            "The max allowed tokens per submitted batch is 120000. Your batch has 181834 tokens after truncation.",
        ),
        (
            500,
            "overflow 4096 9000",
            "llama runner: context length exceeded: prompt 9000 tokens, num_ctx 4096",
        ),
        (
            0,
            "overflow_output/output_cap 8192 -",
            "400: <400>\nInternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
        ),
        (
            400,
            "overflow_output/sum 2048 6354",
            "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.",
        ),
        (
            400,
            "overflow_output/sum 32768 33802",
            "max_total_tokens (33802) must be less than or equal to max_seq_len (32768)",
        ),
    ]);
}
