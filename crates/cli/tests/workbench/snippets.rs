//! The prompt library in the page (UI-23): made by mouse, called by a slash, seen before it is sent.

use serde_json::json;

use crate::bench::{Workbench, answer};

#[test]
fn ui_23_a_snippet_is_made_called_filled_in_and_deleted() {
    let Some(bench) = Workbench::open([answer("fine")]) else { return };
    // By mouse: the button offers to make one while there is none.
    bench.click("#snippets");
    bench.wait("T.says('#snippet-menu', 'Make a snippet …')");
    bench.click("#snippet-menu [data-i='0']");
    bench.wait("T.one('#panel form[data-call=\"POST /api/snippets\"]')");
    bench.click("#panel [name=name]");
    bench.types("review");
    bench.click("#panel form[data-call=\"POST /api/snippets\"] [name=text]");
    bench.types("Review this {{language}} code: {{input}}");
    bench.click("#panel form[data-call=\"POST /api/snippets\"] button[type=submit]");
    bench.wait("T.says('#panel', '/review')");
    bench.accessible("snippets");

    // Called by its name: the list, the text in the box, the place selected, and only then the send.
    bench.click("#draft");
    bench.types("/rev");
    bench.wait("T.says('#snippet-menu', '/review')");
    bench.keys("Tab");
    bench.wait("document.querySelector('#draft').value === 'Review this {{language}} code: '");
    bench.types("Rust");
    bench.wait("document.querySelector('#draft').value === 'Review this Rust code: '");
    bench.keys("End");
    bench.types("let x;");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 1");
    assert_eq!(bench.sent()["messages"][0]["content"], "Review this Rust code: let x;");

    // With words behind its name, Enter brings it into the box and the next one sends it.
    bench.click("#draft");
    bench.types("/review language=Go fn y");
    bench.keys("Enter");
    bench.wait("document.querySelector('#draft').value === 'Review this Go code: fn y'");
    assert_eq!(bench.sent()["messages"][0]["content"], "Review this Rust code: let x;");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2");

    // What names no snippet is sent as it was typed.
    bench.click("#draft");
    bench.types("/etc/hosts is a file");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 3");
    let messages = bench.sent()["messages"].as_array().unwrap().clone();
    assert_eq!(messages.last().unwrap()["content"], json!("/etc/hosts is a file"));

    // Deleted by mouse, and taken back.
    bench.click("#panel summary");
    bench.click("#panel [data-call=\"DELETE /api/snippets/review\"]");
    bench.wait("T.says('#toasts', '/review deleted') && T.says('#panel', 'There is none yet.')");
    bench.click("#toasts button");
    bench.wait("T.says('#toasts', 'The snippet /review is back') && T.says('#panel', '/review')");
    bench.fine();
}
