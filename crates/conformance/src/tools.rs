//! The tools that the suite calls.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, JsonObject,
        ProgressNotificationParam, ServerCapabilities, Tool,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::asking;

/// One red pixel.
pub(crate) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// A sound without a sample.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// How long a tool that reports on its way takes for a step.
const STEP: Duration = Duration::from_millis(50);

/// Every tool with its arguments, all of them texts.
const TOOLS: [(&str, &[&str]); 24] = [
    ("test_simple_text", &[]),
    ("test_image_content", &[]),
    ("test_audio_content", &[]),
    ("test_embedded_resource", &[]),
    ("test_multiple_content_types", &[]),
    ("test_tool_with_logging", &[]),
    ("test_tool_with_progress", &[]),
    ("test_error_handling", &[]),
    ("test_sampling", &["prompt"]),
    ("test_elicitation", &["message"]),
    ("test_elicitation_sep1034_defaults", &[]),
    ("test_elicitation_sep1330_enums", &[]),
    ("test_reconnection", &[]),
    ("test_logging_tool", &[]),
    ("test_missing_capability", &[]),
    ("test_streaming_elicitation", &[]),
    ("test_input_required_result_elicitation", &[]),
    ("test_input_required_result_sampling", &[]),
    ("test_input_required_result_list_roots", &[]),
    ("test_input_required_result_request_state", &[]),
    ("test_input_required_result_multiple_inputs", &[]),
    ("test_input_required_result_multi_round", &[]),
    ("test_input_required_result_tampered_state", &[]),
    ("test_input_required_result_capabilities", &[]),
];

/// A schema with what JSON Schema 2020-12 has and older ones do not.
const WIDE_SCHEMA: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {
        "street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
}"##;

const WIDE_TOOL: &str = "json_schema_2020_12_tool";

/// An argument that HTTP clients repeat in a header.
const HEADER_SCHEMA: &str = r#"{
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"]
}"#;

const HEADER_TOOL: &str = "test_headers";

pub(crate) fn capabilities() -> ServerCapabilities {
    #[allow(deprecated)]
    ServerCapabilities::builder()
        .enable_tools()
        .enable_prompts()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_logging()
        .build()
}

pub(crate) fn has(name: &str) -> bool {
    name == WIDE_TOOL || name == HEADER_TOOL || TOOLS.iter().any(|(one, _)| *one == name)
}

pub(crate) fn tools() -> Vec<Tool> {
    let plain = TOOLS.iter().map(|(name, params)| {
        let properties: JsonObject =
            params.iter().map(|param| ((*param).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": params });
        (*name, schema)
    });
    let wide = (WIDE_TOOL, serde_json::from_str(WIDE_SCHEMA).unwrap_or_default());
    let header = (HEADER_TOOL, serde_json::from_str(HEADER_SCHEMA).unwrap_or_default());
    let made = plain.chain([wide, header]).map(|(name, schema)| {
        let schema = schema.as_object().cloned().unwrap_or_default();
        Tool::new(name, "For the conformance suite.", schema)
    });
    made.collect()
}

pub(crate) async fn call(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let content = match request.name.as_ref() {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image(),
            embedded(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            ),
        ]),
        "test_tool_with_logging" => {
            let steps =
                ["Tool execution started", "Tool processing data", "Tool execution completed"];
            for step in steps {
                log(&context, step).await;
                tokio::time::sleep(STEP).await;
            }
            json!([text("logged three times")])
        }
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                if let Some(token) = context.meta.get_progress_token() {
                    let report = ProgressNotificationParam::new(token, done).with_total(100.0);
                    // A client that does not listen is no fault of the tool.
                    let _ = context.peer.notify_progress(report).await;
                }
                tokio::time::sleep(STEP).await;
            }
            json!([text("done")])
        }
        "test_error_handling" => {
            let words = "This tool intentionally returns an error for testing";
            return Ok(parse::<CallToolResult>(json!({
                "resultType": "complete", "isError": true, "content": [text(words)],
            }))?
            .into());
        }
        "test_missing_capability" => {
            let can = context.client_capabilities().unwrap_or_default();
            if can.sampling.is_none() {
                let needed = parse::<ClientCapabilities>(json!({ "sampling": {} }))?;
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            json!([text("nothing is missing")])
        }
        WIDE_TOOL | HEADER_TOOL | "test_logging_tool" | "test_reconnection" => {
            json!([text("done")])
        }
        "test_sampling"
        | "test_elicitation"
        | "test_elicitation_sep1034_defaults"
        | "test_elicitation_sep1330_enums" => asking::ask(&request, &context).await?,
        _ => return asking::rounds(&request, &context),
    };
    Ok(parse::<CallToolResult>(json!({ "resultType": "complete", "content": content }))?.into())
}

async fn log(context: &RequestContext<RoleServer>, words: &str) {
    let Ok(message) = parse(json!({ "level": "info", "logger": "plimsoll", "data": words })) else {
        return;
    };
    #[allow(deprecated)]
    let _ = context.peer.notify_logging_message(message).await;
}

pub(crate) fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}

pub(crate) fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

pub(crate) fn embedded(uri: &str, kind: &str, words: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": words } })
}

/// Fixtures are written as they look on the wire and read into the SDK's types.
pub(crate) fn parse<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("a fixture is wrong: {error}"), None))
}
