//! Whole requests, one snapshot for each wire and scenario. A change here is a change
//! of what people's words look like on the wire.

use plimsoll_domain::{Lifecycle, PairId, Timestamp};
use plimsoll_send::{
    FilePart, IncludedTexts, Instructions, Message, Part, Request, Role, ToolCall, ToolDefinition,
    ToolResult, WireRules, compose,
};

use super::{anthropic, gemini, openai};
use crate::{
    Encoded,
    encoded::{Marks, encode},
};

const NEW: &str = "And \"today\"?\n";

type Write = for<'a> fn(&'a Request, &Marks<'a>) -> String;

fn body(write: Write, request: &Request) -> String {
    encode(request, write).into_body()
}

fn pair<'a>(n: u8, user: &'a str, assistant: Option<&'a str>) -> IncludedTexts<'a> {
    let id = PairId::new(Timestamp::from_millis(i64::from(n)), [n; 10]);
    IncludedTexts { id, lifecycle: Lifecycle::Complete, user, rendered: None, assistant }
}

/// Every scenario under a protocol's rules, with its parameters.
fn scenarios(rules: WireRules) -> Vec<(&'static str, Request)> {
    let nothing = Instructions::default();
    let all = Instructions {
        system: Some("Answer in one sentence."),
        files: Some("- hull.jpg (1.2 MB) [user]"),
    };
    let history = vec![
        pair(1, "What is a load line?", Some("A mark on the hull.\u{1F6A2}")),
        pair(2, "Who fought for it?", Some("Samuel Plimsoll.")),
    ];
    let lonely = vec![pair(1, "", Some("An answer without a question.")), pair(2, "Asked.", None)];
    let new = [Part::Text(NEW.to_owned())];
    let request = |instructions: &Instructions<'_>, pairs: &[IncludedTexts<'_>]| {
        let (messages, _) = compose(instructions, pairs.iter().copied(), &new, rules);
        Request::new("model-1", messages)
    };
    vec![
        ("alone", request(&nothing, &[])),
        (
            "history",
            Request {
                temperature: Some(0.5),
                max_output: Some(800),
                ..request(&nothing, &history)
            },
        ),
        ("prelude", request(&all, &history)),
        ("lonely", Request { temperature: Some(0.0), ..request(&nothing, &lonely) }),
    ]
}

/// The bytes as they are sent, a line for each scenario.
fn written(rules: WireRules, write: Write) -> String {
    let scenarios = scenarios(rules).into_iter().map(|(name, request)| {
        let body = body(write, &request);
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
fn a_late_system_message_is_not_lost_where_the_system_stands_apart() {
    for write in [anthropic::body as Write, gemini::body] {
        let (_, request) = scenarios(WireRules::OPENAI).remove(2);
        let body = body(write, &Request { temperature: Some(f32::NAN), ..request });
        assert!(body.contains("Answer in one sentence.\\n\\n- hull.jpg"), "{body}");
        assert!(!body.contains("temperature"), "{body}");
    }
}

fn picture(mime: &str, remote: Option<&str>) -> Part {
    Part::File(FilePart {
        file: None,
        mime: mime.to_owned(),
        bytes: [1u8, 2, 3].into(),
        path: "/nowhere".into(),
        remote: remote.map(str::to_owned),
    })
}

/// A message with pictures between its words, and a round of tools after it.
fn with_everything(files: Vec<Part>) -> Request {
    let mut message = Message::new(Role::User, "Before ");
    message.parts.extend(files);
    message.push(Part::Text(" after".to_owned()));
    let call = |id: &str, arguments: &str| {
        Part::ToolCall(ToolCall {
            id: id.to_owned(),
            name: "read_file".to_owned(),
            arguments: arguments.to_owned(),
            signature: Some("sig".to_owned()),
        })
    };
    let result = |id: &str, text: &str, failed| {
        let (call, name, text) = (id.to_owned(), "read_file".to_owned(), text.to_owned());
        Part::ToolResult(ToolResult { call, name, text, failed, parts: Vec::new() })
    };
    let mut called = Message::new(Role::Assistant, "Let me look.");
    called.push(call("c1", r#"{"file_id":"file-1"}"#));
    called.push(call("c2", "{\"half"));
    let parts = vec![result("c1", "1 a", false), result("c2", "no JSON", true)];
    let given = Message { role: Role::Tool, parts, pair: None };
    Request {
        tools: vec![ToolDefinition {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            parameters: r#"{"type":"object","properties":{"file_id":{"type":"string"}}}"#
                .to_owned(),
            strict: None,
        }],
        ..Request::new("m", vec![message, called, given])
    }
}

fn two_pictures(remote: Option<&str>) -> Request {
    with_everything(vec![picture("image/png", remote), picture("image/jpeg", remote)])
}

#[test]
fn dlv_1_and_prv_5_on_each_wire() {
    let wires: [(&str, Write); 3] =
        [("openai", openai::body), ("anthropic", anthropic::body), ("gemini", gemini::body)];
    for (name, write) in wires {
        let value: serde_json::Value =
            serde_json::from_str(&body(write, &two_pictures(None))).unwrap();
        insta::assert_json_snapshot!(format!("enclosed_and_tools_{name}"), value);
    }
    let by_id = body(anthropic::body, &two_pictures(Some("file_011")));
    assert!(by_id.contains(r#""source":{"file_id":"file_011","type":"file"}"#), "{by_id}");
    // PAY-5: what people read is the request itself, its bytes aside.
    for (name, write) in wires {
        let request = two_pictures(None);
        let encoded: Encoded = encode(&request, write);
        let shown = encoded.shown().to_owned();
        assert!(shown.contains("[3 bytes of image/png]") && !shown.contains("AQID"), "{shown}");
        let whole = ["png", "jpeg"]
            .iter()
            .fold(shown, |text, kind| text.replace(&format!("[3 bytes of image/{kind}]"), "AQID"));
        assert_eq!(whole, encoded.into_body(), "{name}");
    }
}

#[test]
fn fil_4_a_document_goes_by_its_copy_or_as_it_is() {
    let document = |remote| with_everything(vec![picture("application/pdf", remote)]);
    let whole = r#"{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,AQID"}}"#;
    let sent = body(openai::body, &document(None));
    assert!(sent.contains(whole), "{sent}");
    let sent = body(openai::body, &document(Some("file-1")));
    assert!(sent.contains(r#"{"type":"file","file":{"file_id":"file-1"}}"#), "{sent}");
    let sent = body(anthropic::body, &document(Some("file_1")));
    assert!(
        sent.contains(r#"{"source":{"file_id":"file_1","type":"file"},"type":"document"}"#),
        "{sent}"
    );
}
