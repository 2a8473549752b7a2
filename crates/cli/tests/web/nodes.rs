//! TEA-6: two processes serve the same workspace, and a client may go from one to the other.

use plimsoll_testkit::{
    http::{self, Events, SentEvent},
    scripted::{Gate, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::{Node, Served};

const PIECES: [&str; 4] = ["Eine ", "größere ", "Ladung, ", "ganz **aboard**."];

/// A reply whose pieces come as gates are opened.
fn gated(gates: &[Gate]) -> Reply {
    let mut reply = Reply::openai_open(&[PIECES[0]]);
    for (gate, piece) in gates.iter().zip(&PIECES[1..]) {
        reply = reply.gate(gate).openai_more(&[piece]);
    }
    reply.openai_end(14, 8)
}

fn gates() -> [Gate; 3] {
    std::array::from_fn(|_| Gate::default())
}

fn listen(address: &str, after: Option<&str>) -> Events {
    let header: Vec<(&str, &str)> = after.iter().map(|id| ("Last-Event-ID", *id)).collect();
    Events::listen(address, "/api/events", &header).unwrap()
}

fn text_of(seen: &[SentEvent]) -> String {
    let deltas = seen.iter().filter(|event| event.name == "delta");
    let data = deltas.map(|event| serde_json::from_str::<Value>(&event.data).unwrap());
    data.map(|data| data["text"].as_str().unwrap().to_owned()).collect()
}

fn names(seen: &[SentEvent]) -> Vec<&str> {
    seen.iter().map(|event| event.name.as_str()).collect()
}

/// All events until so much text is there.
fn until_text(events: &mut Events, text: &str) -> Vec<SentEvent> {
    let mut seen = Vec::new();
    while text_of(&seen).len() < text.len() {
        seen.push(events.next_event().unwrap());
    }
    assert_eq!(text_of(&seen), text);
    seen
}

fn get(node: &Node, path: &str) -> Value {
    let answer = http::request(&node.address, "GET", path, &[], b"").unwrap();
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn tea_6_another_node_shows_an_answer_as_it_grows() {
    let gates = gates();
    let server = ScriptedServer::chats([gated(&gates)]).unwrap();
    let served = Served::start(&server, 4096);
    let node = served.another_node();
    let mut there = listen(&node.address, None);
    let begun = served.json("POST", "/api/send", Some(json!({"text": "question"})));
    let mut seen = until_text(&mut there, PIECES[0]);
    assert!(names(&seen).contains(&"started"), "{seen:?}");
    assert_eq!(get(&node, "/api/state")["sending"], begun["pair"], "it is busy there as well");
    for (gate, piece) in gates.iter().zip(&PIECES[1..]) {
        gate.open();
        if *piece != PIECES[3] {
            seen.extend(until_text(&mut there, piece));
        }
    }
    seen.extend(there.until("ended").unwrap());
    assert_eq!(text_of(&seen), PIECES.concat());
    assert_eq!(get(&node, "/api/state")["sending"], Value::Null);
    let ended: Value = serde_json::from_str(&seen.last().unwrap().data).unwrap();
    assert_eq!(ended["state"], "complete");
    assert_eq!(names(&seen).iter().filter(|name| **name == "reset").count(), 0);
}

/// Wherever the stream is cut, and wherever the client goes on: each change, and the text once.
#[test]
fn tea_6_a_client_goes_on_at_another_node_and_misses_nothing() {
    for cut_after in 0..=PIECES.len() {
        let gates = gates();
        let server = ScriptedServer::chats([gated(&gates)]).unwrap();
        let served = Served::start(&server, 4096);
        let node = served.another_node();
        // Both nodes know the place.
        drop(listen(&node.address, None));
        let mut here = listen(&served.address, None);
        let begun = served.json("POST", "/api/send", Some(json!({"text": "question"})));
        let mut seen = here.until("started").unwrap();
        for (piece, gate) in PIECES.iter().zip(gates.iter().map(Some).chain([None])).take(cut_after)
        {
            seen.extend(until_text(&mut here, piece));
            if let Some(gate) = gate {
                gate.open();
            }
        }
        drop(here);
        let id = seen.last().unwrap().id.clone();
        let mut there = listen(&node.address, Some(&id));
        gates.iter().for_each(Gate::open);
        let rest = there.until("ended").unwrap();
        assert!(!names(&rest).contains(&"reset"), "cut after {cut_after}: {rest:?}");
        seen.extend(rest);
        assert_eq!(text_of(&seen), PIECES.concat(), "cut after {cut_after} at {id}");
        // And back again, after a change that was made meanwhile.
        let id = seen.last().unwrap().id.clone();
        drop(there);
        let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
        let body = json!({"star": 2}).to_string();
        let kind = [("Content-Type", "application/json")];
        let labelled =
            http::request(&node.address, "PATCH", &path, &kind, body.as_bytes()).unwrap();
        assert!(labelled.status < 300, "{}", labelled.body);
        let mut back = listen(&served.address, Some(&id));
        let told = back.until("pair").unwrap();
        assert!(!names(&told).contains(&"reset"), "{told:?}");
        assert!(told.last().unwrap().data.contains(begun["pair"].as_str().unwrap()));
    }
}

#[test]
fn tea_6_an_id_that_nobody_gave_starts_over() {
    let server = ScriptedServer::chats([Reply::openai(&["one"], 14, 2)]).unwrap();
    let served = Served::start(&server, 4096);
    served.send("first");
    for odd in ["1", "1732000000000000", "900000.0", "x.y", "900000.0.aa-1"] {
        let first = listen(&served.address, Some(odd)).next_event().unwrap();
        assert_eq!(first.name, "reset", "{odd}");
    }
}

/// A change in one workspace says nothing to those who look at another.
#[test]
fn tea_6_another_workspace_hears_nothing_of_it() {
    let server = ScriptedServer::chats([Reply::openai(&["one"], 14, 2)]).unwrap();
    let served = Served::start(&server, 4096);
    let node = served.another_node();
    let mut elsewhere =
        Events::listen(&node.address, "/api/events?workspace=else/where", &[]).unwrap();
    let mut here = listen(&node.address, None);
    served.send("first");
    here.until("receipt").unwrap();
    let body = br#"{"text": "s3"}"#;
    let kind = [("Content-Type", "application/json")];
    let path = "/api/filters/mine?workspace=else/where";
    let saved = http::request(&node.address, "PUT", path, &kind, body).unwrap();
    assert!(saved.status < 300, "{}", saved.body);
    assert_eq!(elsewhere.next_event().unwrap().name, "topics", "the first that it hears");
}

#[test]
fn api_2_a_client_that_was_away_resumes() {
    let server = ScriptedServer::chats([Reply::openai(&["one"], 14, 2)]).unwrap();
    let served = Served::start(&server, 4096);
    let first = served.events();
    served.send("first");
    drop(first);
    let newest = served.json("GET", "/api/state", None)["event"].as_str().unwrap().to_owned();
    served.send("second");
    let path = format!("/api/events?after={newest}");
    let mut later = Events::listen(&served.address, &path, &[]).unwrap();
    let seen = later.until("ended").unwrap();
    assert_eq!(seen.iter().filter(|event| event.name == "started").count(), 1, "{seen:?}");
    let id = newest.clone();
    let mut same =
        Events::listen(&served.address, "/api/events", &[("Last-Event-ID", &id)]).unwrap();
    assert_eq!(same.until("ended").unwrap(), seen);
    let mut lost = Events::listen(&served.address, "/api/events?after=1", &[]).unwrap();
    assert_eq!(lost.next_event().unwrap().name, "reset");
}
