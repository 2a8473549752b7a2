//! A send that was refused because something else would go says what changed (PAY-6).

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::served::Served;

/// Sends with what a view showed, which is not what would go, and gives the refusal.
fn refusal(served: &Served, view: &Value) -> Value {
    let seen = json!({ "view": view, "digest": "0000000000000000" });
    let body = json!({ "text": "hello", "seen": seen });
    served.refused("POST", "/api/send", Some(body), 409, "view_changed")
}

#[test]
fn pay_6_a_refusal_says_that_the_model_the_system_message_or_the_listed_files_are_others() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start_with(&server, 4096, |home| {
        let file = home.join("models.toml");
        let one = std::fs::read_to_string(&file).unwrap() + "tools = true\n";
        std::fs::write(file, format!("{one}\n{}", one.replace("\"test\"", "\"other\""))).unwrap();
    });
    served.send("first");
    let shown = || served.json("GET", "/api/state", None)["shown"]["view"].clone();

    let view = shown();
    served.json("PUT", "/api/view", Some(json!({ "model": "other" })));
    let problem = refusal(&served, &view);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.ends_with(": the model is now other"), "{detail}");
    assert_eq!(problem["changes"]["model"], "other");

    let view = shown();
    let topics = served.json("GET", "/api/topics", None);
    let id = topics["topics"][0]["id"].as_str().unwrap().to_owned();
    let change = json!({ "systemMessage": "Be brief." });
    served.json("PATCH", &format!("/api/topics/{id}"), Some(change));
    let problem = refusal(&served, &view);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.ends_with(": the system message changed"), "{detail}");
    assert_eq!(problem["changes"]["systemMessage"], true);

    let view = shown();
    let file = served.ask("POST", "/api/files?name=notes.md&listed=true", Some(json!("a note")));
    assert!(file.status < 300, "{}", file.body);
    let problem = refusal(&served, &view);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("other files are listed"), "{detail}");
    assert_eq!(problem["changes"]["listedFiles"], true);

    let problem = refusal(&served, &json!(1));
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("too long ago"), "{detail}");
    assert_eq!(problem["changes"]["tooOld"], true);
}
