//! REL-9: what an operation costs grows with what is there, not with its square.

use std::{path::Path, process::Command};

use plimsoll_testkit::{
    real::{skipped, times},
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::{measures::processor_time, served::Served};

/// What a page asks for when it is opened and looked through.
const LOOKED_AT: [&str; 10] = [
    "/api/topics",
    "/ui/panel/topics",
    "/ui/panel/topics?find=7",
    "/ui/panel/receipts",
    "/ui/panel/deleted",
    "/ui/panel/settings",
    "/ui/panel/models",
    "/api/state",
    "/api/pairs",
    "/",
];

/// So many conversations as ChatGPT exports them; each becomes a topic with one pair.
fn conversations(count: usize) -> String {
    let message = |role: &str, text: String| {
        json!({"author": {"role": role}, "create_time": 1.7e9,
            "content": {"content_type": "text", "parts": [text]}})
    };
    let one = |n: usize| {
        json!({"id": format!("c{n}"), "title": format!("Conversation {n}"), "create_time": 1.7e9,
            "current_node": "b", "mapping": {
                "a": {"parent": null, "message": message("user", format!("question {n}"))},
                "b": {"parent": "a", "message": message("assistant", format!("answer {n}"))}}})
    };
    Value::Array((0..count).map(one).collect()).to_string()
}

fn import(home: &Path, count: usize) {
    let file = home.join("conversations.json");
    std::fs::write(&file, conversations(count)).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("import")
        .arg(&file)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The processor time of some rounds through everything, and the bytes of the largest panel.
fn cost(topics: usize) -> Option<(u64, usize)> {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 10, 2)]).unwrap();
    let served = Served::start_with(&server, 8192, |home| import(home, topics));
    let listed = served.json("GET", "/api/topics", None);
    // One more: where new pairs go when nothing is chosen, or where imports stand.
    assert!(listed["topics"].as_array().unwrap().len() >= topics);
    served.send("warm up");
    let mut largest = 0;
    let mut round = |path: &str| {
        let answer = served.ask("GET", path, None);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        if path.starts_with("/ui/panel") {
            largest = largest.max(answer.body.len());
        }
    };
    LOOKED_AT.into_iter().for_each(&mut round);
    let before = processor_time(served.pid())?;
    for _ in 0..3 {
        LOOKED_AT.into_iter().for_each(&mut round);
    }
    Some((processor_time(served.pid())? - before, largest))
}

/// Four times the topics cost four times the work, not sixteen: H2 of the review, where each
/// of 10,000 imported conversations is a topic. What a panel sends does not grow at all.
#[test]
fn rel_9_many_topics_cost_in_proportion_and_panels_stay_small() {
    let few = times(1_000, 2_500) as usize;
    let (Some((small, _)), Some((large, panel))) = (cost(few), cost(few * 4)) else {
        return skipped("the processor time of a process cannot be seen here");
    };
    println!("{few} topics: {small} ms of processor time, {} topics: {large} ms", few * 4);
    assert!(large < 8 * small.max(50), "{small} ms became {large} ms at four times the topics");
    assert!(panel < 1 << 20, "a panel of {panel} bytes");
}

/// What the store takes on the disk when nobody has it open.
fn store_size(home: &Path) -> u64 {
    let settled = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("topics")
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .output()
        .unwrap();
    assert!(settled.status.success(), "{}", String::from_utf8_lossy(&settled.stderr));
    std::fs::metadata(home.join("data/plimsoll.db")).unwrap().len()
}

/// A window, and a history of short messages that is longer than it.
pub(crate) const WINDOW: u64 = 20_000;

pub(crate) fn fill_window(home: &Path) {
    let line = |n: usize| {
        json!({"messages": [{"role": "user", "content": format!("An earlier question, number {n}?")},
            {"role": "assistant", "content": format!("An earlier answer, number {n}.")}]})
    };
    let lines: Vec<String> = (0..700).map(|n| line(n).to_string()).collect();
    std::fs::write(home.join("history.jsonl"), lines.join("\n")).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["import", home.join("history.jsonl").to_str().unwrap()])
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// 2,000 short sends with a full window add at most 20 MB; here fewer, in proportion. Each
/// receipt used to list the whole window again, some hundred kilobytes.
#[test]
fn rel_9_short_sends_with_a_full_window_add_little_to_the_store() {
    let sends = times(60, 2_000);
    let server =
        ScriptedServer::chats([Reply::openai(&["Forty letters of an answer, or some."], 10, 9)])
            .unwrap();
    let mut served = Served::start_with(&server, WINDOW, fill_window);
    let first = served.send("The first one tells the whole window.");
    served.stop();
    let before = store_size(served.home());
    served.start_again();
    let mut last = first;
    for n in 0..sends {
        last = served.send(&format!("Question {n}: is this one short enough?"));
    }
    let path = format!("/api/receipts/{}", last["receiptId"].as_str().unwrap());
    let receipt = served.json("GET", &path, None);
    served.stop();
    let added = store_size(served.home()) - before;
    let messages = receipt["attempts"][0]["messages"].as_array().unwrap();
    assert!(messages.len() > 500, "the window is full: {} messages", messages.len());
    assert!(messages.iter().all(|one| one["hash"].as_str().unwrap().len() == 64));
    println!("{sends} sends of {} messages each added {added} bytes", messages.len());
    assert!(added < u64::from(sends) * 10_000, "{sends} sends added {added} bytes");
}
