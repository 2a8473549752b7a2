use plimsoll_domain::FileKind;
use plimsoll_files::file_label;
use serde_json::json;

use crate::shelf::{Desk, bare};

#[tokio::test]
async fn ftl_1_files_are_listed_newest_first() {
    let desk = Desk::new();
    let old = desk.text("old.txt", "a");
    let new = desk.put("new (1).png", "image/png", FileKind::Image, b"x");
    let answer = bare(&desk).call("list_files", &json!({}), None).await;
    assert_eq!(
        answer.text,
        format!(
            "- \"new (1).png\" (1 B, 16 h ago) [user]\n  file_id: {}\n  context: \"the words of new \
             (1).png\"\n- old.txt (1 B, 16 h ago) [user]\n  file_id: {}\n  context: \"the words of \
             old.txt\"\n📏 ~{} tokens",
            file_label(new.id),
            file_label(old.id),
            answer.estimated_tokens
        )
    );
    assert_eq!((answer.shown, answer.total, answer.is_error), (2, 2, false));
}

#[tokio::test]
async fn ftl_1_kind_and_query_narrow_it() {
    let desk = Desk::new();
    desk.text("Report.txt", "a");
    desk.put("photo.png", "image/png", FileKind::Image, b"x");
    let toolbox = bare(&desk);
    for (arguments, count) in [
        (json!({ "kind": "image" }), 1),
        (json!({ "query": "REPORT" }), 1),
        (json!({ "query": "the words of" }), 2),
        (json!({ "kind": "IMAGE", "query": "report" }), 0),
        (json!({ "kind": "", "query": null }), 2),
    ] {
        let answer = toolbox.call("list_files", &arguments, None).await;
        assert_eq!((answer.shown, answer.total), (count, count), "{arguments}");
    }
    let none = toolbox.call("list_files", &json!({ "query": "nothing" }), None).await;
    assert!(none.text.starts_with("No file matches; there are 2 in all."), "{}", none.text);
    let wrong = toolbox.call("list_files", &json!({ "kind": "WORD" }), None).await;
    assert!(wrong.is_error && wrong.text.contains("IMAGE, PDF"), "{}", wrong.text);
    let empty = bare(&Desk::new()).call("list_files", &json!({}), None).await;
    assert!(empty.text.starts_with("There are no files."));
}
