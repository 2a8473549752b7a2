//! What is refused by its name, what is passed over and named, what asks for nothing (GWY-4).

use std::collections::BTreeSet;

use Protocol::{Chat, Messages, Responses};

use super::Translated;
use crate::{Protocol, Refusal, read, translate};

/// A small request with one more member.
fn with(protocol: Protocol, member: &str) -> String {
    let list = if protocol == Responses { "input" } else { "messages" };
    let said = r#"{"role":"user","content":"hi"}"#;
    let comma = if member.is_empty() { "" } else { "," };
    if member.starts_with(&format!("\"{list}\"")) {
        return format!(r#"{{"model":"m",{member}}}"#);
    }
    format!(r#"{{"model":"m","{list}":[{said}]{comma}{member}}}"#)
}

fn translated(protocol: Protocol, text: &str, lossy: bool) -> Result<Translated, Refusal> {
    translate(&read(protocol, text).unwrap(), &BTreeSet::new(), "m", lossy)
}

/// Protocol, what is said, what the refusal names.
const REFUSED: [(Protocol, &str, &str); 52] = [
    (Chat, r#""n":2"#, "n"),
    (Chat, r#""logprobs":true"#, "logprobs"),
    (Chat, r#""top_logprobs":3"#, "top_logprobs"),
    (Chat, r#""logit_bias":{"1":-100}"#, "logit_bias"),
    (Chat, r#""modalities":["text","audio"]"#, "modalities"),
    (Chat, r#""audio":{"voice":"x"}"#, "audio"),
    (Chat, r#""prediction":{"type":"content"}"#, "prediction"),
    (Chat, r#""web_search_options":{}"#, "web_search_options"),
    (Chat, r#""store":true"#, "store"),
    (Chat, r#""service_tier":"flex""#, "service_tier"),
    (Chat, r#""functions":[{"name":"f"}]"#, "functions"),
    (Chat, r#""tool_choice":"required""#, "tool_choice"),
    (Chat, r#""tool_choice":{"type":"allowed_tools"}"#, "tool_choice"),
    (Chat, r#""response_format":{"type":"grammar"}"#, "response_format"),
    (Chat, r#""unheard_of":1"#, "unheard_of"),
    (Chat, r#""messages":[{"role":"user","name":"bob","content":"a"}]"#, "messages[0].name"),
    (Chat, r#""messages":[{"role":"function","name":"f","content":"a"}]"#, "messages[0]"),
    (
        Chat,
        r#""messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]"#,
        "messages[0].content[0]",
    ),
    (
        Chat,
        r#""messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f1"}}]}]"#,
        "messages[0].content[0].file",
    ),
    (Chat, r#""messages":[{"role":"assistant","audio":{"id":"a"}}]"#, "messages[0].audio"),
    (Responses, r#""previous_response_id":"r1""#, "previous_response_id"),
    (Responses, r#""conversation":"c1""#, "conversation"),
    (Responses, r#""background":true"#, "background"),
    (Responses, r#""store":true"#, "store"),
    (Responses, r#""prompt":{"id":"p"}"#, "prompt"),
    (Responses, r#""top_logprobs":2"#, "top_logprobs"),
    (Responses, r#""stop":"x""#, "stop"),
    (Responses, r#""include":["message.output_text.logprobs"]"#, "include"),
    (Responses, r#""tool_choice":{"type":"web_search"}"#, "tool_choice"),
    (Responses, r#""service_tier":"priority""#, "service_tier"),
    (Responses, r#""input":[{"type":"item_reference","id":"i"}]"#, "input[0]"),
    (Responses, r#""input":[{"type":"compaction","encrypted_content":"x"}]"#, "input[0]"),
    (Responses, r#""input":[{"type":"file_search_call","id":"i"}]"#, "input[0]"),
    (Responses, r#""input":[{"type":"unheard_of"}]"#, "input[0]"),
    (
        Responses,
        r#""input":[{"type":"reasoning","summary":[],"encrypted_content":"x"}]"#,
        "input[0].encrypted_content",
    ),
    (
        Responses,
        r#""input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]"#,
        "input[0].content[0].file_id",
    ),
    (
        Responses,
        r#""input":[{"role":"user","content":[{"type":"input_file","file_url":"https://a.b/c"}]}]"#,
        "input[0].content[0].file_url",
    ),
    (Responses, r#""input":[{"role":"user","unheard":1,"content":"a"}]"#, "input[0].unheard"),
    (Messages, r#""container":"c""#, "container"),
    (Messages, r#""mcp_servers":[{"url":"https://a.b"}]"#, "mcp_servers"),
    (Messages, r#""inference_geo":"eu""#, "inference_geo"),
    (Messages, r#""service_tier":"other""#, "service_tier"),
    (Messages, r#""tool_choice":{"type":"any"}"#, "tool_choice"),
    (Messages, r#""tool_choice":{"type":"tool","name":"f"}"#, "tool_choice"),
    (Messages, r#""output_config":{"unheard":1}"#, "output_config.unheard"),
    (
        Messages,
        r#""tools":[{"name":"f","input_schema":{},"allowed_callers":["code"]}]"#,
        "tools[0].allowed_callers",
    ),
    (
        Messages,
        r#""messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}]"#,
        "messages[0].content[0].source",
    ),
    (
        Messages,
        r#""messages":[{"role":"user","content":[{"type":"document","title":"t","source":{"type":"text","data":"d"}}]}]"#,
        "messages[0].content[0].title",
    ),
    (
        Messages,
        r#""messages":[{"role":"user","content":[{"type":"search_result"}]}]"#,
        "messages[0].content[0]",
    ),
    (
        Messages,
        r#""messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"server_tool_use","id":"s"}]}]"#,
        "messages[1].content[0]",
    ),
    (
        Messages,
        r#""messages":[{"role":"user","content":"a"},{"role":"assistant","content":"I begin: "}]"#,
        "messages[1]",
    ),
    (Messages, r#""unheard_of":{}"#, "unheard_of"),
];

#[test]
fn gwy_4_what_has_no_counterpart_is_refused_by_its_name() {
    for (protocol, member, param) in REFUSED {
        let text = with(protocol, member);
        let refusal = translated(protocol, &text, false).unwrap_err();
        assert_eq!(refusal.param.as_deref(), Some(param), "{text}: {refusal}");
        assert!(refusal.message.contains("x-plimsoll-lossy: allow"), "{text}: {refusal}");
    }
}

#[test]
fn gwy_4_what_may_be_passed_over_is_named() {
    for (protocol, member, param) in REFUSED {
        let text = with(protocol, member);
        let passed_over = translated(protocol, &text, true).unwrap().passed_over;
        let name: String =
            param.chars().filter(|one| !"[]".contains(*one) && !one.is_ascii_digit()).collect();
        assert!(passed_over.contains(&name), "{text}: {passed_over:?}");
    }
}

#[test]
fn gwy_4_hints_are_passed_over_and_always_named() {
    for (protocol, member, name) in [
        (Chat, r#""metadata":{"a":"b"}"#, "metadata"),
        (Chat, r#""user":"u""#, "user"),
        (Chat, r#""store":false"#, "store"),
        (Chat, r#""service_tier":"auto""#, "service_tier"),
        (Chat, r#""verbosity":"low""#, "verbosity"),
        (Chat, r#""reasoning_effort":"galactic""#, "reasoning_effort"),
        (Chat, r#""tools":[{"type":"web_search"}]"#, "tools.web_search"),
        (Chat, r#""tools":[{"type":"custom","custom":{"name":"patch"}}]"#, "tools.custom"),
        (
            Chat,
            r#""messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.b/c","detail":"low"}}]}]"#,
            "messages.content.image_url.detail",
        ),
        (Responses, r#""prompt_cache_key":"k""#, "prompt_cache_key"),
        (Responses, r#""safety_identifier":"k""#, "safety_identifier"),
        (Responses, r#""client_metadata":{}"#, "client_metadata"),
        (Responses, r#""include":["reasoning.encrypted_content"]"#, "include"),
        (Responses, r#""truncation":"auto""#, "truncation"),
        (Responses, r#""text":{"verbosity":"low"}"#, "text.verbosity"),
        (Responses, r#""reasoning":{"summary":"auto"}"#, "reasoning.summary"),
        (Responses, r#""tools":[{"type":"local_shell"}]"#, "tools.local_shell"),
        (Responses, r#""input":[{"type":"web_search_call","id":"w"}]"#, "input.web_search_call"),
        (
            Responses,
            r#""input":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}]"#,
            "input.encrypted_content",
        ),
        (Messages, r#""thinking":{"type":"enabled","budget_tokens":9}"#, "thinking"),
        (Messages, r#""context_management":{}"#, "context_management"),
        (Messages, r#""metadata":{"user_id":"u"}"#, "metadata"),
        (
            Messages,
            r#""tools":[{"type":"web_search_20250305","name":"w"}]"#,
            "tools.web_search_20250305",
        ),
        (
            Messages,
            r#""system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]"#,
            "system.cache_control",
        ),
        (
            Messages,
            r#""messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"}]}]"#,
            "messages.content.redacted_thinking",
        ),
    ] {
        let text = with(protocol, member);
        let passed_over = translated(protocol, &text, false).unwrap().passed_over;
        assert_eq!(passed_over, [name], "{text}");
    }
}

#[test]
fn gwy_4_what_asks_for_nothing_is_not_named() {
    for (protocol, member) in [
        (Chat, r#""n":1,"logprobs":false,"logit_bias":{ },"modalities":[ "text" ],"seed":null"#),
        (Chat, r#""stream":true,"stream_options":{"include_usage":true}"#),
        (Chat, r#""response_format":{"type":"text"},"tool_choice":"auto","functions":null"#),
        (Responses, r#""background":false,"previous_response_id":null,"top_logprobs":0"#),
        (Responses, r#""text":{"format":{"type":"text"}},"reasoning":null,"tools":[]"#),
        (Messages, r#""max_tokens":5,"mcp_servers":[],"tool_choice":{"type":"auto"}"#),
    ] {
        let text = with(protocol, member);
        let passed_over = translated(protocol, &text, false).unwrap().passed_over;
        assert_eq!(passed_over, [""; 0], "{text}");
    }
}

#[test]
fn gwy_4_what_is_wrong_is_refused_however_much_may_be_lost() {
    for (protocol, member, param) in [
        (Chat, r#""temperature":"hot""#, "temperature"),
        (Chat, r#""top_p":1e99"#, "top_p"),
        (Chat, r#""seed":1.5"#, "seed"),
        (Chat, r#""stop":[7]"#, "stop"),
        (Chat, r#""response_format":"json""#, "response_format"),
        (Chat, r#""tools":[{"type":"function","function":{}}]"#, "tools[0].name"),
        (Chat, r#""messages":[{"role":"user","content":7}]"#, "messages[0].content"),
        (Chat, r#""messages":[{"role":"tool","tool_call_id":"x","content":"r"}]"#, "messages[0]"),
        (
            Chat,
            r#""messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%"}}]}]"#,
            "messages[0].content[0].image_url",
        ),
        (
            Chat,
            r#""messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}]"#,
            "messages[0].content[0].image_url",
        ),
        (Responses, r#""input":[{"type":"function_call_output","call_id":"x"}]"#, "input[0]"),
        (Responses, r#""text":{"format":{"type":"json_schema","name":"n"}}"#, "text.format.schema"),
        (Messages, r#""tools":[{"input_schema":{}}]"#, "tools[0].name"),
        (Messages, r#""tools":[{"name":"f","input_schema":7}]"#, "tools[0].input_schema"),
        (Messages, r#""output_config":7"#, "output_config"),
    ] {
        let text = with(protocol, member);
        let refusal = translated(protocol, &text, true).unwrap_err();
        assert_eq!(refusal.param.as_deref(), Some(param), "{text}: {refusal}");
    }
}
