//! Whole requests, one snapshot for each wire and scenario. A change here is a change
//! of what people's words look like on the wire.

use plimsoll_domain::{Lifecycle, PairId, Timestamp};
use plimsoll_send::{
    HistoryPair, JsonDoc, Payload, PreludePart, PreludeParts, RequestParameters, WireRules, compose,
};

use super::{anthropic, gemini, openai};
use crate::{ChatMessage, ChatRequest};

const NEW: &str = "And \"today\"?\n";

fn pair<'a>(n: u8, user: &'a str, assistant: Option<&'a str>) -> HistoryPair<'a> {
    let id = PairId::new(Timestamp::from_millis(i64::from(n)), [n; 10]);
    HistoryPair { id, lifecycle: Lifecycle::Complete, user, assistant }
}

/// Every scenario under a wire's rules, with its parameters.
fn scenarios(rules: WireRules) -> Vec<(&'static str, Payload<'static>, Option<f32>, Option<u64>)> {
    let system = Some(PreludePart { text: "Answer in one sentence.", tokens: 5 });
    let files = Some(PreludePart { text: "- hull.jpg (1.2 MB) [user]", tokens: 9 });
    let history = || {
        [
            pair(1, "What is a load line?", Some("A mark on the hull.\u{1F6A2}")),
            pair(2, "Who fought for it?", Some("Samuel Plimsoll.")),
        ]
    };
    let lonely = [pair(1, "", Some("An answer without a question.")), pair(2, "Asked.", None)];
    let nothing = PreludeParts::default();
    vec![
        ("alone", compose(&nothing, [], NEW, rules), None, None),
        ("history", compose(&nothing, history(), NEW, rules), Some(0.5), Some(800)),
        ("prelude", compose(&PreludeParts { system, files }, history(), NEW, rules), None, None),
        ("lonely", compose(&nothing, lonely, NEW, rules), Some(0.0), None),
    ]
}

fn request(
    payload: &Payload<'_>,
    temperature: Option<f32>,
    max_output: Option<u64>,
) -> ChatRequest {
    let messages = payload.messages.iter().map(|message| ChatMessage {
        role: message.role,
        content: message.content.clone().into_owned(),
    });
    ChatRequest { model: "model-1".into(), messages: messages.collect(), temperature, max_output }
}

/// The bytes as they are sent, a line for each scenario.
fn written(rules: WireRules, body: fn(&ChatRequest) -> String) -> String {
    let scenarios = scenarios(rules).into_iter().map(|(name, payload, temperature, max_output)| {
        let body = body(&request(&payload, temperature, max_output));
        let value: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert!(value.is_object());
        format!("{name}: {body}\n")
    });
    scenarios.collect()
}

#[test]
fn openai_bodies() {
    insta::assert_snapshot!("openai", written(WireRules::OPENAI, openai::body));
}

#[test]
fn anthropic_bodies() {
    insta::assert_snapshot!("anthropic", written(WireRules::STRICT, anthropic::body));
}

#[test]
fn gemini_bodies() {
    insta::assert_snapshot!("gemini", written(WireRules::STRICT, gemini::body));
}

#[test]
fn pay_5_the_openai_body_is_the_json_doc() {
    for (name, payload, temperature, max_output) in scenarios(WireRules::OPENAI) {
        let parameters =
            RequestParameters { model: "model-1".into(), stream: true, temperature, max_output };
        let doc = JsonDoc::chat_completions(&payload, &parameters);
        assert_eq!(
            openai::body(&request(&payload, temperature, max_output)),
            doc.as_str(),
            "{name}"
        );
    }
}

#[test]
fn a_late_system_message_is_not_lost_where_the_system_stands_apart() {
    for body in [anthropic::body, gemini::body] {
        let (_, payload, ..) = scenarios(WireRules::OPENAI).remove(2);
        let body = body(&request(&payload, Some(f32::NAN), None));
        assert!(body.contains("Answer in one sentence.\\n\\n- hull.jpg"), "{body}");
        assert!(!body.contains("temperature"), "{body}");
    }
}
