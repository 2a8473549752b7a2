//! Summaries, comparisons and messages that are sent again, over the API (HIS-11, HIS-12, HIS-13).

use std::time::{Duration, Instant};

use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::served::Served;

fn pairs(served: &Served) -> Vec<Value> {
    served.json("GET", "/api/pairs?from=0", None)["pairs"].as_array().unwrap().clone()
}

fn ids(served: &Served) -> Vec<String> {
    pairs(served).iter().map(|pair| pair["id"].as_str().unwrap().to_owned()).collect()
}

fn uses(served: &Served) -> Vec<String> {
    pairs(served).iter().map(|pair| pair["use"].as_str().unwrap().to_owned()).collect()
}

/// Until this is so; a slow machine takes its time.
#[track_caller]
fn until(what: &str, seen: impl Fn() -> bool) {
    let began = Instant::now();
    while !seen() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What the messages of a request say.
fn texts(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap();
    messages.iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

fn request(server: &ScriptedServer, n: usize) -> Value {
    serde_json::from_str(&posted(server)[n].body).unwrap()
}

/// The chats; whoever looks for models asks besides.
fn posted(server: &ScriptedServer) -> Vec<Recorded> {
    server.requests().into_iter().filter(|one| one.method == "POST").collect()
}

/// A second model that the same server answers for.
fn another_model(server: &ScriptedServer) -> impl FnOnce(&std::path::Path) + use<> {
    let base_url = server.base_url();
    move |home| {
        let path = home.join("models.toml");
        let mut models = std::fs::read_to_string(&path).unwrap();
        models.push_str(&format!(
            "[[model]]\nid = \"other\"\nprovider = \"openai\"\nbaseUrl = \"{base_url}\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 100000\n"
        ));
        std::fs::write(&path, models).unwrap();
    }
}

#[test]
fn his_11_a_summary_is_planned_agreed_to_made_and_undone() {
    let answers = ["one", "two", "three", "in short", "fine"];
    let replies = answers.map(|text| Reply::openai(&[text], 14, 2));
    let server = ScriptedServer::chats(replies).unwrap();
    let served = Served::start(&server, 4096);
    for n in 1..=3 {
        served.send(&format!("question {n}"));
    }
    let before = ids(&served);
    // All of it fits: there is nothing that stays behind for want of room.
    served.refused("POST", "/api/summaries/plan", Some(json!({})), 409, "nothing_to_summarise");
    let what = json!({ "upTo": before[1] });
    let plan = served.json("POST", "/api/summaries/plan", Some(what.clone()));
    let part = &plan["parts"][0];
    assert_eq!(part["pairs"][1], json!({ "id": before[1], "opening": "question 2" }));
    assert_eq!(plan["tokens"], part["tokens"]);
    assert_eq!(posted(&server).len(), 3, "a plan sends nothing");
    // Something else than what was agreed to is not sent.
    let mut order = what;
    order["seen"] = json!(["0000000000000000"]);
    served.refused("POST", "/api/summaries", Some(order.clone()), 409, "view_changed");
    order["seen"] = json!([part["digest"]]);
    let mut events = served.events();
    let begun = served.ask("POST", "/api/summaries", Some(order));
    assert_eq!(begun.status, 202, "{}", begun.body);
    // The rows are written before whoever sends hears of them.
    events.until("summarised").unwrap();
    until("the summary is there", || uses(&served) == ["out", "out", "pinned", "auto"]);
    let asked = texts(&request(&server, 3));
    assert_eq!(asked[..4], ["question 1", "one", "question 2", "two"]);
    assert_eq!(asked.len(), 5, "{asked:?}");
    let summary = pairs(&served)[2].clone();
    assert_eq!(summary["userText"], "Summary of 4 earlier messages");
    assert_eq!(summary["kind"], "summary");
    assert_eq!(summary["summarises"], json!(before[..2]));
    assert_eq!(summary["outOfDate"], false);
    assert_eq!(summary["createdAt"], pairs(&served)[1]["createdAt"]);
    assert!(summary["madeAt"].as_str() > summary["createdAt"].as_str());
    assert!(summary["receiptId"].is_string());
    served.send("next");
    let sent = texts(&request(&server, 4));
    assert_eq!(sent[..2], ["Summary of 4 earlier messages", "in short"]);
    assert!(!sent.contains(&"question 1".to_owned()), "{sent:?}");
    // Editing what it stands for marks it.
    let path = format!("/api/pairs/{}", before[0]);
    served.json("PATCH", &path, Some(json!({ "userText": "question 1, mended" })));
    assert_eq!(pairs(&served)[2]["outOfDate"], true);
    // One undo takes it back, whatever else was sent meanwhile.
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(uses(&served), ["auto"; 4]);
    assert!(pairs(&served).iter().all(|pair| pair.get("kind").is_none()));
}

#[test]
fn his_11_a_summary_that_fails_is_told_and_changes_nothing() {
    let replies = [Reply::openai(&["one"], 14, 2), Reply::error(400, "I will not.")];
    let server = ScriptedServer::chats(replies).unwrap();
    let served = Served::start(&server, 4096);
    let pair = served.send("question 1");
    let mut events = served.events();
    served.ask("POST", "/api/summaries", Some(json!({ "upTo": pair["id"] })));
    let told = loop {
        let event = events.next_event().unwrap();
        if event.name == "summarised" {
            break serde_json::from_str::<Value>(&event.data).unwrap();
        }
    };
    assert!(told["text"].as_str().unwrap().contains("Nothing has changed"), "{told}");
    assert_eq!((told["pairs"].clone(), told["undo"].clone()), (json!([]), Value::Null));
    assert_eq!(uses(&served), ["auto"]);
    let receipts = served.json("GET", "/api/receipts", None);
    assert_eq!(receipts["receipts"].as_array().unwrap().len(), 2, "what it cost is still told");
}

#[test]
fn his_12_one_message_goes_to_two_models_with_the_same_history() {
    let replies = ["zero", "from one", "from the other", "fine"];
    let server = ScriptedServer::chats(replies.map(|text| Reply::openai(&[text], 14, 2))).unwrap();
    let served = Served::start_with(&server, 4096, another_model(&server));
    served.send("question 0");
    let both = json!(["test", "other"]);
    let preview = served.json("POST", "/api/preview", Some(json!({ "compare": both })));
    assert_eq!(preview["model"], "test\nother");
    assert_eq!(preview["drawnFor"], "test", "the smaller one draws the line");
    for wrong in [json!(["test"]), json!(["test", "test"])] {
        let ask = Some(json!({ "text": "hi", "compare": wrong }));
        served.refused("POST", "/api/send", ask, 422, "not_to_compare");
    }
    let ask = json!({ "text": "hi", "compare": both });
    let begun = served.json("POST", "/api/send", Some(ask));
    let compared = begun["pairs"].as_array().unwrap().clone();
    assert_eq!(compared.len(), 2);
    let done = |served: &Served| {
        pairs(served).iter().filter(|pair| pair["lifecycleState"] == "complete").count() == 3
    };
    until("both answered", || done(&served));
    assert_eq!(uses(&served), ["auto", "auto", "out"]);
    let groups: Vec<Value> = pairs(&served)[1..].iter().map(|pair| pair["group"].clone()).collect();
    assert_eq!(groups, [compared[0].clone(), compared[0].clone()]);
    let mut models = Vec::new();
    for n in [1, 2] {
        let request = request(&server, n);
        assert_eq!(texts(&request), ["question 0", "zero", "hi"], "each gets the same");
        models.push(request["model"].as_str().unwrap().to_owned());
    }
    models.sort();
    assert_eq!(models, ["other", "test"]);
    // Another answer is preferred with one call, and that is one step to undo.
    let path = format!("/api/pairs/{}/prefer", compared[1].as_str().unwrap());
    served.ask("POST", &path, None);
    assert_eq!(uses(&served), ["auto", "out", "auto"]);
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(uses(&served), ["auto", "auto", "out"]);
    let alone = format!("/api/pairs/{}/prefer", ids(&served)[0]);
    served.refused("POST", &alone, None, 409, "not_compared");
}

#[test]
fn his_13_a_message_is_sent_again_at_the_end_and_the_old_one_left_out() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = Served::start(&server, 4096);
    for n in 1..=3 {
        served.send(&format!("question {n}"));
    }
    let old = ids(&served)[1].clone();
    let again = json!({ "text": "question two", "sendAgain": old });
    let preview = served.json("POST", "/api/preview", Some(json!({ "sendAgain": old })));
    assert_eq!(preview["boundary"]["x"], 2, "the old one does not go along");
    served.ask("POST", "/api/send", Some(again));
    until("it is answered", || {
        pairs(&served).last().is_some_and(|pair| {
            pair["userText"] == "question two" && pair["lifecycleState"] == "complete"
        })
    });
    let sent = texts(&request(&server, 3));
    assert_eq!(sent, ["question 1", "fine", "question 3", "fine", "question two"]);
    assert_eq!(uses(&served), ["auto", "out", "auto", "auto"]);
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(uses(&served), ["auto"; 4]);
    let both = json!({ "text": "x", "sendAgain": old, "reask": old });
    served.refused("POST", "/api/send", Some(both), 400, "bad_request");
}
