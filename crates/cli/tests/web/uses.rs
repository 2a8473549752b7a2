//! The use of pairs over the API (HIS-10, BND-8).

use plimsoll_testkit::scripted::{Reply, ScriptedServer};
use serde_json::{Value, json};

use crate::served::Served;

fn pairs(served: &Served) -> Vec<Value> {
    served.json("GET", "/api/pairs?from=0", None)["pairs"].as_array().unwrap().clone()
}

fn uses(served: &Served) -> Vec<String> {
    pairs(served).iter().map(|pair| pair["use"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn bnd_8_pins_that_do_not_fit_are_told_with_their_ids_and_one_call_lets_them_go() {
    // About what one of these messages weighs, so that nothing odd is learned.
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 180, 2)]).unwrap();
    let served = Served::start(&server, 240);
    for n in 0..3 {
        served.send(&format!("{n} {}", "words of a pair ".repeat(50)));
    }
    let ids: Vec<Value> = pairs(&served).iter().map(|pair| pair["id"].clone()).collect();
    let pin = json!({ "pairs": ids, "use": "pinned" });
    served.ask("PATCH", "/api/pairs", Some(pin));
    assert_eq!(uses(&served), ["pinned"; 3]);
    let draft = Some(json!({ "text": "and now?" }));
    let refused = served.refused("POST", "/api/send", draft, 422, "pinned_too_large");
    let ways = refused["suggestions"].as_array().unwrap();
    let unpin = ways.iter().find(|way| way["kind"] == "unpin").unwrap();
    assert_eq!(unpin["pairs"], json!(ids));
    assert!(!ways.iter().any(|way| way["kind"] == "fit"), "{ways:?}");
    served.ask("PATCH", "/api/pairs", Some(json!({ "pairs": unpin["pairs"], "use": "auto" })));
    assert_eq!(uses(&served), ["auto"; 3]);
    // Each of the two was one step; one that changes nothing is none.
    served.ask("PATCH", "/api/pairs", Some(json!({ "pairs": ids, "use": "auto" })));
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(uses(&served), ["pinned"; 3]);
    served.json("POST", "/api/undo", Some(json!({})));
    assert_eq!(uses(&served), ["auto"; 3]);
    served.send("and now?");
}

#[test]
fn his_10_a_use_of_a_pair_that_is_not_there_changes_nothing() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 2)]).unwrap();
    let served = Served::start(&server, 4096);
    let pair = served.send("one");
    let nobody = json!({ "pairs": ["018f0000-0000-7000-8000-000000000000"], "use": "out" });
    served.refused("PATCH", "/api/pairs", Some(nobody), 404, "not_found");
    let path = format!("/api/pairs/{}", pair["id"].as_str().unwrap());
    served.refused("PATCH", &path, Some(json!({ "use": "sometimes" })), 422, "bad_fields");
    let elsewhere = format!("{path}?workspace=other/place");
    served.refused("PATCH", &elsewhere, Some(json!({ "use": "out" })), 404, "not_found");
    assert_eq!(uses(&served), ["auto"]);
}
