//! The draft that two tabs of one place share (UI-12).

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

/// A request of one tab.
fn from_tab(served: &Served, tab: &str, method: &str, path: &str, text: &str) {
    let headers = [("Content-Type", "application/json"), ("x-plimsoll-tab", tab)];
    let body = json!({ "text": text }).to_string();
    let answer = http::request(&served.address, method, path, &headers, body.as_bytes()).unwrap();
    assert!(answer.status < 300, "{}", answer.body);
}

fn draft(served: &Served) -> Value {
    served.json("GET", "/api/draft", None)["text"].clone()
}

/// A send empties what its own tab was writing, though the end of it was never saved, and
/// leaves alone what somebody writes in another one.
#[test]
fn ui_12_a_send_empties_the_draft_of_its_own_tab_and_of_no_other() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = Served::start(&server, 8_000);
    from_tab(&served, "one", "PUT", "/api/draft", "hel");
    let mut events = served.events();
    from_tab(&served, "one", "POST", "/api/send", "hello");
    assert_eq!(draft(&served), "");
    while events.next_event().unwrap().name != "ended" {}
    from_tab(&served, "two", "PUT", "/api/draft", "a thought");
    from_tab(&served, "one", "POST", "/api/send", "hello again");
    assert_eq!(draft(&served), "a thought");
}
