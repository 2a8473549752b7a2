//! FAU-1: wordings that are no overflow, in the notation of `wordings_tests`.

use super::wordings::check;

#[test]
fn fau_1_every_other_label() {
    check(&[
        (
            401,
            "auth",
            r#"{"error":{"message":"Incorrect API key provided: sk-...abcd.","type":"invalid_request_error","code":"invalid_api_key"}}"#,
        ),
        (
            0,
            "auth",
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
        ),
        (
            403,
            "auth",
            r#"{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported"}}"#,
        ),
        (0, "auth", "The security token included in the request is expired"),
        (
            403,
            "auth",
            "<html><head><title>403 Forbidden</title></head><body><h1>403 Forbidden</h1></body></html>",
        ),
        (401, "auth", ""),
        (
            402,
            "quota",
            r#"{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 4000.","code":402}}"#,
        ),
        (
            400,
            "quota",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
        ),
        (
            429,
            "quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        (429, "quota", "You've hit your usage limit. Upgrade to continue."),
        (
            400,
            "quota",
            r#"{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}"#,
        ),
        (429, "quota", r#"{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}"#),
        (429, "rate", "Too Many Requests"),
        (429, "rate", ""),
        (
            429,
            "rate 40000 -",
            "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
        ),
        (
            0,
            "rate - -",
            "Rate limit reached on requests per day (RPD): Limit 1000, Used 1000, Requested 1.",
        ),
        (429, "rate", "Rate limit exceeded: free-models-per-day"),
        (429, "server", "Service tier capacity exceeded for this model."),
        (404, "model", "Not Found"),
        (400, "model", r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#),
        (
            404,
            "model",
            r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
        ),
        (400, "model", "The provided model identifier is invalid."),
        (404, "model", r#"{"error":"model 'llama9' not found"}"#),
        (403, "model", "You don't have access to the model with the specified model ID."),
        (0, "network", "connect ECONNREFUSED 127.0.0.1:11434"),
        (
            0,
            "network",
            "HTTPSConnectionPool(host='api.x.ai', port=443): Max retries exceeded with url: /v1/chat",
        ),
        (0, "network", "TypeError: fetch failed"),
        (0, "network", "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"),
        (503, "server", "no healthy upstream"),
        (
            503,
            "server",
            r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#,
        ),
        (
            500,
            "server",
            r#"{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error"}}"#,
        ),
        (0, "server", "upstream connect error or disconnect/reset before headers"),
        (504, "server", "upstream request timeout"),
        (
            400,
            "content_filter",
            r#"{"error":{"code":"content_filter","message":"The prompt was filtered"}}"#,
        ),
        (400, "content_filter", "Output blocked by content filtering policy"),
        (
            400,
            "content_filter",
            r#"{"code":"DataInspectionFailed","message":"Input data may contain inappropriate content."}"#,
        ),
        (0, "content_filter", r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#),
        (400, "content_filter", "系统检测到输入或生成内容可能包含不安全或敏感内容"),
        (
            400,
            "invalid",
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter"}}"#,
        ),
        (
            422,
            "invalid",
            r#"{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{"messages":[{"role":"user","content":"prompt is too long: 5 tokens > 3 maximum"}]}}]}"#,
        ),
        (413, "invalid", "<html><head><title>413 Request Entity Too Large</title></head></html>"),
        (400, "invalid", ""),
        (0, "unknown", "what is this"),
        (200, "unknown", ""),
    ]);
}
