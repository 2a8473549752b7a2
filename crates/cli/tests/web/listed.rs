//! The list of conversations over the API (UI-15): in pages, and found by words.

use std::collections::HashSet;

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::{
    many::{title, write_conversations},
    served::Served,
};

const MANY: u32 = 612;

fn served(count: u32) -> Served {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    Served::start_with(&server, 4096, |home| write_conversations(home, count))
}

fn titles(page: &Value) -> Vec<String> {
    let title = |one: &Value| one["title"].as_str().unwrap().to_owned();
    page["conversations"].as_array().unwrap().iter().map(title).collect()
}

#[test]
fn rel_7_conversations_are_told_in_pages_and_each_once_where_times_are_equal() {
    let served = served(MANY);
    let page = |query: &str| served.json("GET", &format!("/api/conversations?{query}"), None);
    let (mut told, mut before) = (Vec::new(), String::new());
    loop {
        // Each page ends amid conversations of one time.
        let page = page(&format!("limit=83{before}"));
        assert_eq!(page["total"], MANY);
        told.extend(titles(&page));
        let Some(next) = page["next"].as_str() else { break };
        assert_eq!(titles(&page).len(), 83);
        before = format!("&before={next}");
    }
    assert_eq!(told.iter().collect::<HashSet<_>>().len(), MANY as usize);
    assert_eq!(told, (0..MANY).rev().map(title).collect::<Vec<_>>(), "the newest first");
    // However many are asked for, an answer has a bound.
    for (asked, given) in [("", 100), ("limit=0", 1), ("limit=1", 1), ("limit=60000", 500)] {
        assert_eq!(titles(&page(asked)).len(), given, "{asked}");
    }
    let long = format!("find={}", "a".repeat(201));
    for wrong in ["before=nobody", "before=1.2", "limit=many", &long] {
        let path = format!("/api/conversations?{wrong}");
        served.refused("GET", &path, None, 400, "bad_request");
    }
}

#[test]
fn ui_15_one_far_down_is_found_by_words_of_its_title() {
    let served = served(MANY);
    let find = |words: &str| {
        served.json("GET", &format!("/api/conversations?limit=10&find={words}"), None)
    };
    let found = find("00007%20TALK");
    assert_eq!((titles(&found), &found["total"]), (vec![title(7)], &json!(1)));
    assert_eq!(found.get("next"), None);
    let found = find("ships%200061");
    assert_eq!(titles(&found), [title(611), title(610), title(61)]);
    // What is found has pages as well.
    let all = find("ships");
    assert_eq!(all["total"], MANY);
    let next = all["next"].as_str().unwrap();
    let path = format!("/api/conversations?limit=10&find=ships&before={next}");
    assert_eq!(titles(&served.json("GET", &path, None))[0], title(MANY - 11));
    assert_eq!(find("trains")["total"], 0);
}

#[test]
fn his_9_a_change_that_says_nothing_makes_no_conversation() {
    let served = served(1);
    let id = served.json("POST", "/api/conversations", None)["id"].as_str().unwrap().to_owned();
    let path = format!("/api/conversations/{id}");
    assert_eq!(served.ask("PATCH", &path, Some(json!({}))).status, 204);
    assert_eq!(served.json("GET", "/api/conversations", None)["total"], 1);
    // What nobody knows is refused, as ever, beside what is known.
    let wrong = json!({ "systemMessage": "Be brief.", "colour": "red" });
    assert!((400..500).contains(&served.ask("PATCH", &path, Some(wrong)).status));
    assert_eq!(served.json("GET", "/api/conversations", None)["total"], 1);
    let topic = |field: &str| {
        let topics = served.json("GET", "/api/topics", None);
        let topics = topics["topics"].as_array().unwrap();
        topics.iter().find(|topic| topic["id"] == id.as_str()).unwrap()[field].clone()
    };
    let said = json!({ "systemMessage": "Be brief.", "temperature": 0.5, "maxOutput": 300 });
    assert_eq!(served.ask("PATCH", &path, Some(said)).status, 204);
    assert_eq!(topic("systemMessage"), "Be brief.");
    assert_eq!((topic("temperature"), topic("maxOutput")), (json!(0.5), json!(300)));
    // Null takes away, a blank is none, and what is left out stays; so it is for topics.
    let less = json!({ "systemMessage": " ", "temperature": null });
    assert_eq!(served.ask("PATCH", &path, Some(less)).status, 204);
    assert_eq!((topic("systemMessage"), topic("temperature")), (Value::Null, Value::Null));
    assert_eq!(topic("maxOutput"), 300);
    let path = format!("/api/topics/{id}");
    let changed = served.json("PATCH", &path, Some(json!({ "name": "Ships", "maxOutput": null })));
    assert_eq!((&changed["name"], &changed["maxOutput"]), (&json!("Ships"), &Value::Null));
    let title = Some(json!({ "title": "Ships" }));
    assert!((400..500).contains(&served.ask("PATCH", &path, title).status));
}
