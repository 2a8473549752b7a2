//! FAU-2, FAU-4, FAU-5: wordings that are not in the fixture, written after the
//! manner of many providers. Each outcome is `label[/subkind] [limit requested]`
//! with `-` for a number that is not stated; without numbers none are compared.

use super::*;

/// The outcome of a fault in the notation of the tables.
pub(super) fn outcome(fault: &Fault, with_numbers: bool) -> String {
    let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    let mut out = fault.label.name().to_owned();
    if let Some(subkind) = fault.subkind {
        out = format!("{out}/{}", subkind.name());
    }
    if with_numbers {
        out = format!("{out} {} {}", number(fault.limit), number(fault.requested));
    }
    out
}

/// Checks a table of (status, outcome, body) and reports all misses at once.
#[track_caller]
pub(super) fn check(table: &[(u16, &str, &str)]) {
    let mut misses = Vec::new();
    for (status, expected, body) in table {
        let status = Some(*status).filter(|status| *status > 0);
        let fault = classify(status, body);
        let found = outcome(&fault, expected.contains(' '));
        if found != *expected {
            misses.push(format!("{found}, not {expected}; by {:?}: {body}", fault.matched));
        }
    }
    assert!(misses.is_empty(), "{} misses:\n{}", misses.len(), misses.join("\n"));
}

#[test]
fn fau_5_overflow_in_many_words() {
    check(&[
        (400, "overflow 200000 231000", "prompt is too long: 231000 tokens > 200000 maximum"),
        (
            400,
            "overflow 1048576 1100000",
            r#"{"error":{"code":400,"message":"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            400,
            "overflow 1048576 -",
            "The input token count exceeds the maximum number of tokens allowed 1048576.",
        ),
        (
            400,
            "overflow 32768 40000",
            "Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.",
        ),
        (
            400,
            "overflow 4081 4500",
            r#"{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4500. Try using a shorter prompt."}"#,
        ),
        (
            400,
            "overflow 132096 -",
            "too many tokens: size limit exceeded by 3345 tokens. Try using shorter or fewer inputs. The limit for this model is 132096 tokens.",
        ),
        (
            400,
            "overflow 131072 150000",
            "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
        ),
        (
            422,
            "overflow 4096 5000",
            r#"{"error":"Input validation error: `inputs` must have less than 4096 tokens. Given: 5000","error_type":"validation"}"#,
        ),
        (
            400,
            "overflow 32768 40112",
            "The input (40112 tokens) is longer than the model's context length (32768 tokens).",
        ),
        (
            400,
            "overflow 262144 270001",
            "Error: 400 Input length (270001) exceeds model's maximum context length (262144).",
        ),
        (
            400,
            "overflow 98000 99001",
            "Input length 99001 exceeds the maximum allowed input length of 98000 tokens.",
        ),
        (
            400,
            "overflow 128000 140404",
            r#"{"error":{"message":"prompt token count of 140404 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}"#,
        ),
        (
            400,
            "overflow 129024 -",
            r#"{"code":"InvalidParameter","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"}"#,
        ),
        (
            400,
            "overflow - -",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"invalid params, context window exceeds limit (2013)"}}"#,
        ),
        (0, "overflow 2048 2222", "Prompt length 2222 is greater than max_seq_len 2048"),
        (
            400,
            "overflow 32768 40000",
            "Context length 40000 is greater than max_seq_len 32768. Please choose a shorter prompt.",
        ),
        (
            400,
            "overflow 2048 6262",
            "Prompt too long: 6262 tokens exceeds max_seq_len 2048 (leave room for output tokens)",
        ),
        (
            400,
            "overflow - -",
            r#"{"error":"prompt too long; exceeded max context length by 4 tokens"}"#,
        ),
        (
            400,
            "overflow 272000 290000",
            r#"{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290000 tokens. Please reduce the length of the messages.","code":"context_length_exceeded"}}"#,
        ),
        (
            0,
            "overflow - -",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (0, "overflow - -", "Prompt is too long"),
        (
            0,
            "overflow - -",
            "Conversation too long. Press esc twice to go up a few messages and try again.",
        ),
        (0, "overflow - -", "Context limit reached · /compact or /clear to continue"),
        (
            400,
            "overflow 8192 12345",
            "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 12345",
        ),
        (
            400,
            "overflow - -",
            "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
        ),
        (
            400,
            "overflow 262144 262145",
            "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
        ),
        (
            400,
            "overflow 4096 9120",
            r#"{"error":{"message":"Prompt tokens (9120) exceeds context size (4096)","type":"context_exceeded","n_prompt_tokens":9120,"n_ctx":4096}}"#,
        ),
        (
            400,
            "overflow 131072 131900",
            "The request has 131,900 tokens, more than the 131,072 maximum context length of this model.",
        ),
        (400, "overflow 200000 -", "Your conversation is over the 200k token limit of this model."),
        (400, "overflow - -", "This request does not fit into the 128k context window."),
        (
            500,
            "overflow 4096 4100",
            r#"{"error":{"message":"prompt (4100 tokens) does not fit: context size is 4096 tokens","type":"server_error"}}"#,
        ),
        (413, "overflow 16000 -", "Request body too large for the model. Max size: 16000 tokens."),
        (0, "overflow 8192 9000", "Context size exceeded: 9000/8192 tokens"),
        (400, "overflow - -", "input is larger than the max context size. skipped"),
        (
            400,
            "overflow - -",
            "Total tokens of image and text exceed max message tokens. Request id: 0217",
        ),
        (
            400,
            "overflow - -",
            "Input is too long for this model, shorten your input or use 'parameters': {'truncation': 'only_first'} to run the model only on the first part.",
        ),
        (400, "overflow - -", "max_tokens must be at least 1, got -2044."),
        (
            0,
            "overflow - -",
            "litellm.ContextWindowExceededError: litellm.BadRequestError: the request was refused",
        ),
        (0, "overflow 1900 2121", "Requested tokens (2121) exceed context window of 1900"),
        (400, "overflow 8191 9012", "Prompt is too long: 9012 tokens, max is 8191"),
        (
            400,
            "overflow 2048 2500",
            "Token indices sequence length is longer than the specified maximum sequence length for this model (2500 > 2048).",
        ),
        (400, "overflow - -", "Die Anfrage wurde abgelehnt: context_length_exceeded"),
        // FAU-5's minimum set: the code alone, as code and as words.
        (400, "overflow - -", "context_length"),
        (400, "overflow - -", "context_length_error"),
        (400, "overflow - -", r#"{"error":{"message":"bad request","code":"context_length"}}"#),
        (400, "overflow - -", r#"{"error":{"message":"no","type":"context_length_error"}}"#),
        (400, "overflow - -", r#"{"error":{"message":"Error: context_length"}}"#),
        (400, "overflow - -", r#"{"error":"context_length"}"#),
        (400, "overflow - -", "too many tokens"),
        (400, "overflow - -", "context too long"),
        (400, "overflow - -", "exceeds context window"),
        (400, "overflow - -", "request too large"),
        (400, "overflow - -", "too large for this model"),
        (
            400,
            "overflow 32768 -",
            r#"{"error":{"code":"1261","message":"Prompt 超长：上下文长度不能超过 32768"}}"#,
        ),
        (400, "overflow 8192 9500", "输入token数 9500 超过模型最大上下文长度 8192"),
        (400, "overflow - -", r#"{"error_code":336007,"error_msg":"输入过长，请缩短后重试"}"#),
        (400, "overflow 4096 -", "token 数超过上限，最大 4096"),
        (
            0,
            "overflow 65536 70000",
            "Error: upstream said {\\\"error\\\":{\\\"message\\\":\\\"The prompt has 70000 tokens and the maximum context length is 65536 tokens\\\"}}",
        ),
        (
            200,
            "overflow 40000 42000",
            "event: error\ndata: {\"error\":{\"message\":\"Current length is 42000 while limit is 40000 tokens for the context\"}}\n\n",
        ),
        (
            400,
            "overflow 100000 120000",
            r#"[{"error":{"message":"{\n \"error\": {\n \"message\": \"Your prompt has 120000 tokens which exceeds the limit of 100000\"\n }\n}"}}]"#,
        ),
        (400, "overflow - -", "The message history is too long for the selected model."),
        (400, "overflow 8192 9000", "Maximum allowed tokens is 8192 but 9000 provided"),
        (400, "overflow - -", "Too many tokens in the request"),
        (400, "overflow - -", "Request too large"),
        (0, "overflow 60000 -", "Your prompt is over the maximum of 60000 tokens"),
        (
            400,
            "overflow 8192 10000",
            "Invalid request: number of tokens in messages (10000) is greater than the limit 8192",
        ),
    ]);
}

#[test]
fn fau_5_a_request_above_the_tokens_of_a_minute() {
    check(&[
        (
            429,
            "overflow/tpm 30000 45000",
            r#"{"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        ),
        (
            413,
            "overflow/tpm 6000 9124",
            "Request too large for model `x-8b` on tokens per minute (TPM): Limit 6000, Requested 9124, please reduce your message size and try again.",
        ),
        (
            429,
            "rate 30000 2000",
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
        ),
        (
            429,
            "rate 30000 20000",
            "Request too large? No: tokens per min (TPM): Limit 30000, Requested 20000.",
        ),
    ]);
}

#[test]
fn fau_1_input_and_output_together() {
    check(&[
        (
            400,
            "overflow_output/sum 200000 208000",
            "input length and `max_tokens` exceed context limit: 188000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
        ),
        (
            400,
            "overflow_output/sum 8192 9000",
            "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion. Please reduce the number of tokens.",
        ),
        (
            422,
            "overflow_output/sum 4096 4500",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`",
        ),
        (
            400,
            "overflow_output/sum 24000 30000",
            "The estimated number of input and maximum output tokens (30000) exceeded this model context window limit (24000).",
        ),
        (
            400,
            "overflow_output/sum 16384 29000",
            "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 16384 tokens and your request has 9000 input tokens (20000 > 16384 - 9000).",
        ),
        (
            400,
            "overflow_output/sum 8192 8196",
            "Requested generation length 1 is not possible! The provided prompt is 8195 tokens long, so generating 1 tokens requires a sequence length of 8196, but the maximum supported sequence length is just 8192!",
        ),
        (
            0,
            "overflow_output/sum 4096 5096",
            "This request requires 5096 total tokens (3072 input + 2024 output), which exceeds the model's maximum context length of 4096 tokens.",
        ),
        (
            400,
            "overflow_output/sum 96000 101010",
            "Request would exceed the 96000 token context window even after compression (projected total 101010 tokens including the system prompt and the completion).",
        ),
        (
            400,
            "overflow_output/sum 32768 33000",
            "The sum of prompt tokens (25000) and max_tokens (8000) exceeds the model's context window of 32768 tokens.",
        ),
        (
            400,
            "overflow_output/sum",
            "prompt tokens plus max_output_tokens is larger than the context window",
        ),
    ]);
}

#[test]
fn fau_1_output_above_its_cap() {
    check(&[
        (
            400,
            "overflow_output/output_cap 16384 100000",
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
        ),
        (
            400,
            "overflow_output/output_cap 4096 8192",
            "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229",
        ),
        (400, "overflow_output/output_cap 2000 -", "Range of max_tokens should be [1, 2000]"),
        (
            400,
            "overflow_output/output_cap 65536 100000",
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
        ),
        (
            400,
            "overflow_output/output_cap 8192 -",
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        ),
        (
            0,
            "overflow_output/output_cap 32000 -",
            "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
        ),
        (
            422,
            "overflow_output/output_cap 192 512",
            "Input validation error: `max_new_tokens` must be <= 192. Given: 512",
        ),
        (
            400,
            "overflow_output/output_cap 4096 -",
            "max_completion_tokens must be between 1 and 4096",
        ),
        (
            400,
            "overflow_output/output_cap 4096 9000",
            "Malformed input request: 9000 is not less or equal to 4096, please reformat your input and try again.",
        ),
        (
            400,
            "overflow_output/output_cap 8192 16000",
            "maxTokens (16000) is higher than the maximum of 8192",
        ),
        (
            400,
            "overflow_output/output_cap 8192 -",
            "The requested max_tokens exceeds the model's maximum output of 8192 tokens",
        ),
    ]);
}
