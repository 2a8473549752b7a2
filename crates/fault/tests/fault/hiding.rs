//! FAU-3: the same error in all the wrappings that errors come in.

use super::{wordings::check, *};

#[test]
fn fau_3_overflow_is_found_wherever_it_hides() {
    check(&[
        (
            400,
            "overflow_output/sum 160000 170500",
            "API Error: 400 {\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: \n     150500 + 20000 > 160000, decrease input length or `max_tokens` and try again\"}}",
        ),
        (
            400,
            "overflow_output/output_cap 8192 -",
            "API Error: 400 {\"error\":{\"message\":\"Error from provider:\n    {\\\"error\\\":{\\\"message\\\":\\\"<400>\n    Algo.InvalidParameter: Range of max_tokens should be [1,\n    8192]\\\"},\\\"id\\\":\\\"chat-1\\\"}\",\"type\":\"api_error\"}}",
        ),
        (
            0,
            "overflow 48000 -",
            "Error: Internal error (code: -32603)\nData: {\u{201C}details\u{201D}:\u{201C}<400> Range of input length should be [1, 48000]\u{201D}}",
        ),
        (
            0,
            "overflow 600 611",
            "[2026-01-02 03:04:05.678] [error] backend: Error: prompt too long (611 tokens, max 600)\nthread 'main' panicked at src/main.rs:71:14:",
        ),
        (
            0,
            "overflow 4096 5120",
            "sequence length is longer than the specified maximum sequence length for this model (5120 &gt; 4096)",
        ),
        (
            400,
            "overflow 1048576 2000000",
            "[API Error: [{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).\",    \n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n]]",
        ),
        (
            0,
            "overflow 32000 33001",
            "Client.ResultException: HTTP 400 (: )\n\nprompt token count of 33001 exceeds the limit of 32000\n   at Pipeline.ProcessMessageAsync(CancellationToken token, Timeout timeout)",
        ),
        (
            0,
            "overflow 6144 7001",
            "2026-01-02 03:04:05.678 error_code=x error_message=\"This model's maximum context length is 6144 tokens. However, your messages resulted in 7001 tokens.\" message='API error received' stream_error=False",
        ),
        (
            400,
            "overflow 90000 90210",
            "LLM request failed: status 400 Bad Request (url=http://10.0.0.1/v1/messages, model=some-model-4-20260102): {\"error\":{\"message\":\"prompt is too long: 90210 tokens > 90000 maximum\"}}",
        ),
        (
            400,
            "overflow 4096 5000",
            "b'{\"error\": {\"message\": \"prompt is too long: 5000 tokens > 4096 maximum\"}}'",
        ),
        (
            0,
            "overflow 4096 5000",
            "prompt%20is%20too%20long%3A%205000%20tokens%20%3E%204096%20maximum",
        ),
        (
            502,
            "overflow 4096 5000",
            "<html><body><h1>Upstream failed</h1><p>prompt is too long: 5000 tokens &gt; 4096 maximum</p></body></html>",
        ),
    ]);
}

#[test]
fn fau_3_the_message_is_the_providers_own() {
    let check = |body: &str, expected: &str| {
        assert_eq!(classify(None, body).message, expected, "{body:?}");
    };
    check(
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}",
        "Overloaded",
    );
    check(
        "litellm.BadRequestError: X - {'error': {'message': \"It's off\", 'code': None}}",
        "It's off",
    );
    check("<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway");
    check("{\"detail\":[{\"msg\":\"Field required\",\"loc\":[\"body\"]}]}", "Field required");
    check(
        "Error(message=\"This model's window is small\", param=None)",
        "This model's window is small",
    );
    check(
        "{\"message\":\"Say \u{201C}x\u{201D}, not &quot;y&quot;, 5%20\"}",
        "Say \u{201C}x\u{201D}, not &quot;y&quot;, 5%20",
    );
    check("", "");
}
