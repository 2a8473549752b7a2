//! Settings: what was confirmed is kept, and nothing that was taken keeps the server from
//! starting (M8 of the review).

use plimsoll_testkit::{
    http,
    real::times,
    scripted::{Reply, ScriptedServer},
};
use serde_json::json;

use crate::served::Served;

fn put(address: &str, key: &str, value: &str) -> u16 {
    let body = json!({ "value": value }).to_string();
    let headers = [("Content-Type", "application/json")];
    let path = format!("/api/settings/{key}");
    http::request(address, "PUT", &path, &headers, body.as_bytes()).unwrap().status
}

fn value(served: &Served, key: &str) -> String {
    let all = served.json("GET", "/api/settings", None);
    let found = all["settings"].as_array().unwrap().iter().find(|one| one["key"] == key);
    found.unwrap()["value"].as_str().unwrap().to_owned()
}

#[test]
fn two_tabs_that_change_different_settings_both_keep_theirs() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 10, 2)]).unwrap();
    let mut served = Served::start(&server, 8192);
    for round in 1..=times(15, 100) {
        let tab = |key: &'static str, value: String| {
            let address = served.address.clone();
            std::thread::spawn(move || assert_eq!(put(&address, key, &value), 204, "{key}"))
        };
        let (warn, retries) = ((round % 90 + 1).to_string(), (round % 10).to_string());
        let tabs = [
            tab("warnAt", warn.clone()),
            tab("retries", retries.clone()),
            tab("timeoutIdle", (round + 1).to_string()),
        ];
        tabs.into_iter().for_each(|tab| tab.join().unwrap());
        assert_eq!(value(&served, "warnAt"), warn, "round {round}");
        assert_eq!(value(&served, "retries"), retries, "round {round}");
        assert_eq!(value(&served, "timeoutIdle"), (round + 1).to_string(), "round {round}");
    }
    let before = (value(&served, "warnAt"), value(&served, "retries"));
    served.restart();
    assert_eq!((value(&served, "warnAt"), value(&served, "retries")), before, "in the file too");
}

/// Every setting gets values at and beyond the edge. What is refused stays out of the file;
/// with what is taken the server starts again.
#[test]
fn no_value_that_a_setting_takes_keeps_the_server_from_starting() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 10, 2)]).unwrap();
    let mut served = Served::start(&server, 8192);
    assert_eq!(put(&served.address, "timeZone", "Mars/Olympus"), 422);
    let listed = served.json("GET", "/api/settings", None);
    let keys: Vec<String> = listed["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["key"].as_str().unwrap().to_owned())
        .collect();
    let most = u64::MAX.to_string();
    let edges = ["", "0", most.as_str(), "1e-300", "Mars/Olympus", "/nowhere/at/all", "99999 GB"];
    for edge in edges {
        let taken: Vec<&String> = keys
            .iter()
            .filter(|key| match put(&served.address, key, edge) {
                204 => true,
                refused => {
                    assert!((400..500).contains(&refused), "{key} = {edge}: {refused}");
                    false
                }
            })
            .collect();
        served.restart();
        assert_eq!(served.ask("GET", "/healthz", None).status, 200, "{edge}: {taken:?}");
        assert_eq!(served.ask("GET", "/api/state", None).status, 200, "{edge}: {taken:?}");
        for key in taken {
            served.ask("DELETE", &format!("/api/settings/{key}"), None);
        }
    }
}
