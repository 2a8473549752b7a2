//! Whole requests, one snapshot for each wire and scenario. A change here is a change
//! of what people's words look like on the wire.

use plimsoll_domain::{Lifecycle, PairId, Timestamp};
use plimsoll_send::{
    HistoryPair, JsonDoc, Payload, PreludePart, PreludeParts, RequestParameters, Role, ToolCall,
    ToolDefinition, ToolResult, ToolRound, WireRules, compose,
};

use super::{anthropic, gemini, openai};
use crate::{Carried, ChatMessage, ChatRequest, Enclosed};

const NEW: &str = "And \"today\"?\n";

fn pair<'a>(n: u8, user: &'a str, assistant: Option<&'a str>) -> HistoryPair<'a> {
    let id = PairId::new(Timestamp::from_millis(i64::from(n)), [n; 10]);
    HistoryPair { id, lifecycle: Lifecycle::Complete, user: user.into(), assistant }
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
    let messages = payload
        .messages
        .iter()
        .map(|message| ChatMessage::new(message.role, message.content.clone().into_owned()));
    let request = ChatRequest::new("model-1", messages.collect());
    ChatRequest { temperature, max_output, ..request }
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

/// A message with a picture between its words, and a round of tools after it.
fn with_everything(remote: Option<&str>) -> ChatRequest {
    let enclosed = |at, mime: &str| Enclosed {
        at,
        mime: mime.to_owned(),
        data: Carried::Bytes([1u8, 2, 3].into()),
        path: "/nowhere".into(),
        remote: remote.map(str::to_owned),
    };
    let content = "Before  after".to_owned();
    let enclosed = vec![enclosed(7, "image/png"), enclosed(7, "image/jpeg")];
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "read_file".to_owned(),
        arguments: r#"{"file_id":"file-1"}"#.to_owned(),
        signature: Some("sig".to_owned()),
    };
    let broken = ToolCall { id: "c2".to_owned(), arguments: "{\"half".to_owned(), ..call.clone() };
    let result = |text: &str, failed| ToolResult { text: text.to_owned(), failed };
    let calls = vec![(call, result("1 a", false)), (broken, result("no JSON", true))];
    ChatRequest {
        tools: vec![ToolDefinition {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            parameters: r#"{"type":"object","properties":{"file_id":{"type":"string"}}}"#
                .to_owned(),
        }],
        rounds: vec![ToolRound { text: "Let me look.".to_owned(), calls }],
        ..ChatRequest::new("m", vec![ChatMessage { role: Role::User, content, enclosed }])
    }
}

#[test]
fn dlv_1_and_prv_5_on_each_wire() {
    type Body = fn(&ChatRequest) -> String;
    let wires: [(&str, Body); 3] =
        [("openai", openai::body), ("anthropic", anthropic::body), ("gemini", gemini::body)];
    for (name, body) in wires {
        let value: serde_json::Value = serde_json::from_str(&body(&with_everything(None))).unwrap();
        insta::assert_json_snapshot!(format!("enclosed_and_tools_{name}"), value);
    }
    let by_id = anthropic::body(&with_everything(Some("file_011")));
    assert!(by_id.contains(r#""source":{"file_id":"file_011","type":"file"}"#), "{by_id}");
    // PAY-5: what people read is the request itself, its bytes aside.
    for (name, body) in wires {
        let folded = body(&with_everything(None).folded());
        assert!(folded.contains("[3 bytes of image/png]") && !folded.contains("AQID"), "{folded}");
        let whole = body(&with_everything(None));
        let unfolded = ["png", "jpeg"]
            .iter()
            .fold(folded, |text, kind| text.replace(&format!("[3 bytes of image/{kind}]"), "AQID"));
        assert_eq!(unfolded, whole, "{name}");
    }
}

#[test]
fn fil_4_a_document_goes_by_its_copy_or_as_it_is() {
    let request = |remote: Option<&str>| {
        let mut request = with_everything(remote);
        request.messages[0].enclosed.truncate(1);
        request.messages[0].enclosed[0].mime = "application/pdf".to_owned();
        request
    };
    let whole = r#"{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,AQID"}}"#;
    let body = openai::body(&request(None));
    assert!(body.contains(whole), "{body}");
    let body = openai::body(&request(Some("file-1")));
    assert!(body.contains(r#"{"type":"file","file":{"file_id":"file-1"}}"#), "{body}");
    let body = anthropic::body(&request(Some("file_1")));
    assert!(
        body.contains(r#"{"source":{"file_id":"file_1","type":"file"},"type":"document"}"#),
        "{body}"
    );
}
