//! What agents really send, translated without any leave to lose something, and how it is
//! written for providers of other protocols (GWY-4).

use std::collections::BTreeSet;

use plimsoll_provider::{Anthropic, Endpoint, Gemini, OpenAiStyle, Provider};
use plimsoll_send::{Message, Part, Role, ToolResult};
use serde_json::Value;

use super::Translated;
use crate::{Protocol, read, translate};

fn at(name: &str) -> Endpoint {
    Endpoint::new(name, "http://localhost:1/v1").unwrap()
}

fn openai() -> OpenAiStyle {
    OpenAiStyle::new(at("there")).unwrap()
}

fn anthropic() -> Anthropic {
    Anthropic::new(at("anthropic")).unwrap()
}

fn gemini() -> Gemini {
    Gemini::new(at("gemini")).unwrap()
}

fn translated(protocol: Protocol, text: &str) -> Translated {
    translate(&read(protocol, text).unwrap(), &BTreeSet::new(), "theirs", false).unwrap()
}

/// What a provider is sent, and all that was passed over.
fn written(translated: &Translated, provider: &dyn Provider) -> (Vec<String>, Value) {
    let told = translated.clone().told_to(provider, false).unwrap();
    let body = provider.encode(&told.request).into_body();
    (told.passed_over, serde_json::from_str(&body).unwrap())
}

const CODEX: &str = r#"{"model":"gpt-5-codex","instructions":"You are Codex.","input":[
  {"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>"}]},
  {"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"},{"type":"input_text","text":"Fix the test."}]},
  {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look first."}],"content":null,"encrypted_content":null},
  {"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}]},
  {"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"call_1"},
  {"type":"custom_tool_call","status":"completed","call_id":"call_2","name":"apply_patch","input":"*** Begin Patch"},
  {"type":"function_call_output","call_id":"call_1","output":"a.rs"},
  {"type":"custom_tool_call_output","call_id":"call_2","output":"Done!"},
  {"type":"local_shell_call","call_id":"call_3","status":"completed","action":{"type":"exec","command":["make"]}},
  {"type":"function_call_output","call_id":"call_3","output":[{"type":"input_text","text":"ok"}]}],
 "tools":[{"type":"function","name":"shell","description":"Runs.","strict":false,"parameters":{"type":"object","properties":{"command":{"type":"array"}}}},
  {"type":"custom","name":"apply_patch","description":"Patches.","format":{"type":"grammar","syntax":"lark","definition":"x"}},
  {"type":"web_search","external_web_access":false},{"type":"local_shell"}],
 "tool_choice":"auto","parallel_tool_calls":true,"reasoning":{"effort":"medium","summary":"auto"},
 "store":false,"stream":true,"include":["reasoning.encrypted_content"],"prompt_cache_key":"k",
 "text":{"verbosity":"medium"},"client_metadata":{"x":"y"}}"#;

const CLAUDE_CODE: &str = r#"{"model":"claude-sonnet-4","max_tokens":32000,"temperature":1,"stream":true,
 "system":[{"type":"text","text":"You are Claude Code.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Be brief."}],
 "thinking":{"type":"enabled","budget_tokens":31999},"metadata":{"user_id":"u"},
 "context_management":{"edits":[]},"output_config":{"effort":"high"},
 "tools":[{"name":"Read","description":"Reads.","input_schema":{"type":"object"}},
  {"name":"Bash","description":"Runs.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],
 "messages":[
  {"role":"user","content":[{"type":"text","text":"<system-reminder>"},{"type":"text","text":"What is in a.rs?"}]},
  {"role":"assistant","content":[{"type":"thinking","thinking":"I read it.","signature":"sig"},
   {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file":"a.rs"}},
   {"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"ls"}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"fn main() {}"}]},
   {"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":"denied"},
   {"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]}]}"#;

#[test]
fn gwy_4_codex_goes_to_every_other_protocol_without_loss() {
    let request = translated(Protocol::Responses, CODEX);
    for (name, provider) in
        [("chat", &openai() as &dyn Provider), ("anthropic", &anthropic()), ("gemini", &gemini())]
    {
        insta::assert_json_snapshot!(format!("codex_for_{name}"), written(&request, provider));
    }
}

#[test]
fn gwy_4_claude_code_goes_to_every_other_protocol_without_loss() {
    let request = translated(Protocol::Messages, CLAUDE_CODE);
    for (name, provider) in [("chat", &openai() as &dyn Provider), ("gemini", &gemini())] {
        insta::assert_json_snapshot!(
            format!("claude_code_for_{name}"),
            written(&request, provider)
        );
    }
}

#[test]
fn gwy_4_what_the_provider_cannot_be_told_is_refused_or_named() {
    let text = r#"{"model":"m","messages":[{"role":"user","content":"a"}],"seed":7,
        "reasoning_effort":"minimal"}"#;
    let request = translated(Protocol::Chat, text);
    let told = request.clone().told_to(&openai(), false).unwrap();
    assert_eq!(told.passed_over, [""; 0]);
    let refusal = request.clone().told_to(&anthropic(), false).unwrap_err();
    assert_eq!(refusal.param.as_deref(), Some("seed"));
    assert!(refusal.message.contains("'anthropic'"), "{refusal}");
    let told = request.told_to(&anthropic(), true).unwrap();
    assert_eq!(told.passed_over, ["seed", "reasoning_effort"]);
}

#[test]
fn gwy_4_a_picture_in_a_result_goes_only_where_results_have_pictures() {
    let text = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"look"},
        {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[
          {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}}]}]}]}"#;
    let request = translated(Protocol::Messages, text);
    let refusal = request.clone().told_to(&openai(), false).unwrap_err();
    assert_eq!(refusal.param.as_deref(), Some("images in tool results"));
    let (_, body) = written(&request, &anthropic());
    let content = &body["messages"][2]["content"][0]["content"];
    assert_eq!(content[0]["source"]["data"], "AQID");
    let (_, body) = written(&request, &gemini());
    let given = &body["contents"][2]["parts"][0]["functionResponse"];
    assert_eq!(given["parts"][0]["inlineData"]["data"], "AQID");
}

#[test]
fn gwy_4_results_stand_behind_their_calls_wherever_they_came() {
    let text = r#"{"model":"m","input":[{"role":"user","content":"do it"},
        {"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
        {"type":"function_call","call_id":"b","name":"g","arguments":"{}"},
        {"role":"user","content":"wait"},
        {"type":"function_call_output","call_id":"b","output":"1"},
        {"type":"function_call","call_id":"a","name":"h","arguments":"{}"},
        {"type":"function_call_output","call_id":"a","output":"2"},
        {"type":"function_call_output","call_id":"a","output":"3"}]}"#;
    let messages = translated(Protocol::Responses, text).request.messages;
    let roles: Vec<Role> = messages.iter().map(|message| message.role).collect();
    use Role::{Assistant, Tool, User};
    assert_eq!(roles, [User, Assistant, Tool, User, Assistant, Tool]);
    let results = |message: &Message| -> Vec<(String, String)> {
        let given = message.parts.iter().filter_map(|part| match part {
            Part::ToolResult(ToolResult { name, text, .. }) => Some((name.clone(), text.clone())),
            _ => None,
        });
        given.collect()
    };
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(results(&messages[2]), [pair("g", "1"), pair("f", "3")]);
    assert_eq!(results(&messages[5]), [pair("h", "2")], "the newest call of an id has its result");
}

#[test]
fn gwy_4_what_was_trimmed_is_not_sent() {
    let text = r#"{"model":"m","messages":[{"role":"system","content":"s"},
        {"role":"user","content":"old"},{"role":"assistant","content":"older"},
        {"role":"user","content":"new"}]}"#;
    let without = BTreeSet::from([1, 2]);
    let request = read(Protocol::Chat, text).unwrap();
    let request = translate(&request, &without, "theirs", false).unwrap().request;
    let said: Vec<String> = request.messages.iter().map(Message::text).collect();
    assert_eq!((request.model.as_str(), said), ("theirs", vec!["s".to_owned(), "new".to_owned()]));
}
