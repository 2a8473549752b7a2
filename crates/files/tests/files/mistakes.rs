use plimsoll_files::TOOLS;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::shelf::{Desk, ask, bare};

#[tokio::test]
async fn mistakes_are_answered_with_what_to_do() {
    let desk = Desk::new();
    let file = desk.text("a.txt", "a");
    let toolbox = bare(&desk);
    for (tool, arguments, words) in [
        ("read_file", "{", "not JSON"),
        ("read_file", "[1]", "one JSON object"),
        ("read_file", "", "file_id is missing"),
        ("read_file", r#"{"file_id": 7}"#, "file_id must be a string, not 7"),
        ("read_file", r#"{"file_id": "file-1"}"#, "Call list_files"),
        ("read_file", r#"{"file_id": "0190b0a0-0000-7000-8000-000000000000"}"#, "Call list_files"),
        ("read_file", r#"{"file_id": "x", "max_tokens": 0}"#, "above 0"),
        ("read_file", r#"{"file_id": "x", "max_tokens": "much"}"#, "not much"),
        ("analyze_pdf", r#"{"file_id": "x", "pages": "3-1"}"#, "such as 1-3,7"),
        ("transcribe_audio", r#"{"file_id": "x", "language": "--model"}"#, "such as en"),
        ("execute_python", r#"{"code": "print(1)"}"#, "no sandbox here"),
        ("fly", "{}", "There is no tool \"fly\""),
    ] {
        let answer = toolbox.call_text(tool, arguments, None).await;
        assert!(
            answer.is_error && answer.text.contains(words),
            "{tool} {arguments}: {}",
            answer.text
        );
    }
    let strings =
        ask(&toolbox, "read_file", &file, json!({ "max_tokens": "500", "lines": "1" })).await;
    assert!(!strings.is_error, "{}", strings.text);
}

#[tokio::test]
async fn ftl_6_python_is_not_offered_without_a_sandbox() {
    let toolbox = bare(&Desk::new());
    assert_eq!(toolbox.offered().count(), TOOLS.len() - 1);
    assert!(toolbox.offered().all(|tool| tool.name != "execute_python"));
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

proptest! {
    #[test]
    fn no_arguments_make_a_tool_panic(
        tool in 0usize..7,
        pairs in prop::collection::vec((0usize..10, anything()), 0..6),
    ) {
        let names = ["file_id", "offset", "lines", "question", "pages", "language", "code", "file_inputs", "max_tokens", "timeout"];
        let arguments: Value = pairs.into_iter().map(|(name, value)| (names[name].to_owned(), value)).collect::<serde_json::Map<_, _>>().into();
        let tool = TOOLS.get(tool).map_or("none", |tool| tool.name);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(bare(&Desk::new()).call(tool, &arguments, Some(100)));
        prop_assert!(answer.estimated_tokens <= 100);
        if tool != "list_files" {
            prop_assert!(answer.is_error, "there is no file that it could be about");
        }
    }
}
