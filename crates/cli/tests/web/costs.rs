//! What a send will cost and did cost, over the API (UI-18).

use std::path::Path;

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::served::Served;

/// The model of the tests, with the prices of some hosted model: dollars for a million tokens.
fn priced(home: &Path) {
    let path = home.join("models.toml");
    let models = std::fs::read_to_string(&path).unwrap();
    let price = "price = { input = 2.5, cachedInput = 1.25, output = 10.0 }\n";
    std::fs::write(&path, models + price).unwrap();
    std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
}

fn window(served: &Served, place: &str, text: &str) -> Value {
    let weighed = served.json("POST", &format!("/api/weigh?{place}"), Some(json!({"text": text})));
    weighed["window"].clone()
}

#[test]
fn ui_18_a_plan_says_what_it_costs_and_a_conversation_what_it_did() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 1000, 200)]).unwrap();
    let served = Served::start_with(&server, 200_000, priced);
    let begun = served.json("POST", "/api/conversations", None);
    let place = format!("conversation={}", begun["id"].as_str().unwrap());
    let words = "ship ".repeat(8000);
    let before = window(&served, &place, &words);
    let (cost, total) = (&before["cost"], before["total"].as_f64().unwrap());
    let high = before["band"][1].as_f64().unwrap();
    let most = cost["most"].as_f64().unwrap();
    assert!((most - high.max(total) * 2.5 / 1e6).abs() < 1e-9, "{cost}");
    assert!(cost["text"].as_str().unwrap().starts_with("≤ $0.0"), "{cost}");
    assert!(cost["tokens"].as_str().unwrap().ends_with('K'), "{cost}");
    assert_eq!(cost.get("cached"), None, "nothing was sent yet");

    let mut events = plimsoll_testkit::http::Events::listen(
        &served.address,
        &format!("/api/events?{place}"),
        &[],
    )
    .unwrap();
    let sent = served.json("POST", &format!("/api/send?{place}"), Some(json!({"text": words})));
    while events.next_event().unwrap().name != "ended" {}
    // 1,000 tokens at 2.5 and 200 at 10 dollars a million.
    let paid = 1000.0 * 2.5 / 1e6 + 200.0 * 10.0 / 1e6;
    let close = |value: &Value| (value.as_f64().unwrap() - paid).abs() < 1e-9;
    let listed = served.json("GET", "/api/conversations", None);
    assert!(close(&listed["conversations"][0]["cost"]), "{listed}");
    let state = served.json("GET", &format!("/api/state?{place}"), None);
    assert!(close(&state["view"]["cost"]), "{}", state["view"]);
    let receipts = served.json("GET", "/api/receipts", None);
    assert!(close(&receipts["receipts"][0]["cost"]), "{receipts}");
    let id = sent["pair"].as_str().unwrap();
    let html = served.ask("GET", &format!("/ui/pair/{id}?{place}"), None).body;
    assert!(html.contains("$0.0045"), "{html}");

    // What was sent is the beginning of the next request: the 1,000 tokens may be cached.
    let next = window(&served, &place, "And now?");
    let cached = next["cost"]["cached"].as_f64().unwrap();
    let total = next["total"].as_f64().unwrap();
    assert!((cached - (total - 1000.0) * 2.5 / 1e6 - 1000.0 * 1.25 / 1e6).abs() < 1e-9, "{next}");
    assert!(cached < next["cost"]["most"].as_f64().unwrap());
    // A pair that stays makes another beginning.
    let out = json!({"pairs": [id], "use": "out"});
    served.json("PATCH", &format!("/api/pairs?{place}"), Some(out));
    assert_eq!(window(&served, &place, "And now?")["cost"].get("cached"), None);
}

#[test]
fn ui_18_nothing_is_said_where_no_price_is_known() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 1000, 200)]).unwrap();
    let served = Served::start(&server, 8192);
    assert_eq!(window(&served, "", "hello").get("cost"), None);
    served.send("hello");
    let listed = served.json("GET", "/api/conversations", None);
    assert_eq!(listed["conversations"][0].get("cost"), None);
    // A model that costs nothing is another thing.
    served.json("PUT", "/api/view", Some(json!({"model": "embedded"})));
    assert_eq!(window(&served, "", "hello")["cost"]["text"], "free");
}
