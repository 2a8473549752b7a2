//! REL-2 from end to end: damaged stores, missing and altered blobs, a full disk, a second
//! process. Each is said plainly or worked around, and none costs anything.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};

use crate::{kills::context_of, served::Served};

fn answering() -> ScriptedServer {
    ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap()
}

fn plimsoll(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command
        .args(args)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
        .stdin(Stdio::null());
    command
}

#[test]
fn rel_2_a_damaged_store_is_refused_in_a_line_and_never_touched() {
    let server = answering();
    let mut served = Served::start(&server, 4096);
    for n in 0..30 {
        served.send(&format!("question {n} {}", "word ".repeat(300)));
    }
    served.stop();
    let store = served.home().join("data/plimsoll.db");
    // A command that ends well leaves one file without a log.
    assert!(plimsoll(served.home(), &["receipts"]).output().unwrap().status.success());
    let whole = fs::read(&store).unwrap();
    let page = 4096;
    let cases = [
        ("the first page", 0..page),
        ("pages in the middle", 2 * page..9 * page),
        ("most of it", page / 2..whole.len() - page),
    ];
    for (what, range) in cases {
        let mut damaged = whole.clone();
        damaged[range].fill(0xa5);
        fs::write(&store, &damaged).unwrap();
        for args in [&["receipts"][..], &["send", "hello"], &["serve", "--addr", "127.0.0.1:0"]] {
            let ran = plimsoll(served.home(), args).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(1), "{what}, {args:?}: {said}");
            assert!(said.contains("error: ") && said.contains("damaged"), "{what}: {said}");
            assert!(!said.contains("panicked"), "{what}: {said}");
            assert!(fs::read(&store).unwrap() == damaged, "{what}, {args:?}: it was changed");
        }
    }
    fs::write(&store, &whole).unwrap();
    served.start_again();
    assert_eq!(served.json("GET", "/api/pairs", None)["visible"], 30);
}

#[test]
fn rel_2_missing_and_altered_blobs_are_said_and_put_right_by_the_same_file() {
    let server = answering();
    let served = Served::start(&server, 4096);
    let content = "a plank\n".repeat(64);
    let upload = || {
        let path = "/api/files?name=plank.txt";
        http::request(&served.address, "POST", path, &[], content.as_bytes()).unwrap()
    };
    let told: serde_json::Value = serde_json::from_str(&upload().body).unwrap();
    let token = told["token"].as_str().unwrap();
    let path = format!("/api/files/{}/content", told["id"].as_str().unwrap());
    assert_eq!(served.ask("GET", &path, None).body, content);
    let sent = served.send(&format!("Look: {token}"));
    assert_eq!(sent["lifecycleState"], "complete");
    assert!(server.requests().iter().any(|request| request.body.contains("a plank")));

    let blobs = context_of(&served).join("blobs");
    let blob = fs::read_dir(&blobs).unwrap().next().unwrap().unwrap().path();
    type Damage<'a> = (&'a str, Box<dyn Fn() + 'a>, bool);
    let damages: [Damage<'_>; 4] = [
        ("missing", Box::new(|| fs::remove_file(&blob).unwrap()), true),
        ("empty", Box::new(|| fs::write(&blob, "").unwrap()), false),
        ("longer", Box::new(|| fs::write(&blob, content.repeat(2)).unwrap()), false),
        ("other words", Box::new(|| fs::write(&blob, "a shark\n".repeat(64)).unwrap()), false),
    ];
    for (what, damage, missing) in damages {
        damage();
        let calls = server.requests().len();
        let mut events = served.events();
        let answer = served.ask("POST", "/api/send", Some(serde_json::json!({"text": token})));
        assert!(answer.status < 500, "{what}: {}", answer.body);
        // Either it is refused, or it goes without what is not there; never with what is false.
        if answer.status < 300 {
            events.until("ended").unwrap();
        }
        let sent = &server.requests()[calls..];
        assert_eq!(sent.is_empty(), answer.status >= 300, "{what}: {}", answer.body);
        for request in sent {
            assert!(!request.body.contains("shark"), "{what}: {}", request.body);
            assert!(!request.body.contains("a plank"), "{what}: {}", request.body);
        }
        if missing {
            served.refused("GET", &path, None, 404, "missing_content");
        }
        assert_eq!(served.ask("GET", "/", None).status, 200, "{what}");
        assert_eq!(served.ask("GET", "/api/files", None).status, 200, "{what}");
        // The same file again puts it right, if it can be seen that it is wrong.
        if what != "other words" {
            assert_eq!(upload().status, 201, "{what}");
            assert_eq!(served.ask("GET", &path, None).body, content, "{what}");
        }
    }
}

#[test]
fn rel_2_two_servers_share_a_store() {
    let server = answering();
    let first = Served::start(&server, 4096);
    let home = first.home().to_owned();
    let mut second = plimsoll(&home, &["serve", "--addr", "127.0.0.1:0"]);
    let mut second = second.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut out = std::io::BufReader::new(second.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut said).unwrap();
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    for n in 0..10 {
        first.send(&format!("first {n}"));
        let body = serde_json::json!({"text": format!("second {n}")}).to_string();
        let json = [("Content-Type", "application/json")];
        let mut events = http::Events::listen(address, "/api/events", &[]).unwrap();
        let sent = http::request(address, "POST", "/api/send", &json, body.as_bytes()).unwrap();
        assert_eq!(sent.status, 202, "{}", sent.body);
        events.until("ended").unwrap();
    }
    let seen = http::request(address, "GET", "/api/export?format=json", &[], b"").unwrap().body;
    second.kill().unwrap();
    second.wait().unwrap();
    let all = first.ask("GET", "/api/export?format=json", None).body;
    for n in 0..10 {
        for whose in ["first", "second"] {
            let text = format!("\"{whose} {n}\"");
            assert!(all.contains(&text) && seen.contains(&text), "{text} is missing");
        }
    }
}

/// REL-6: whoever sends it, a pair that is shown as sending can be stopped and deleted.
#[test]
fn rel_6_a_send_of_another_process_is_stopped_and_deleted_from_the_page() {
    let server = ScriptedServer::chats([Reply::stalls_after(&["half ", "an answer"])]).unwrap();
    let served = Served::start(&server, 4096);
    let newest = || {
        let page = served.json("GET", "/api/pairs?from=0&limit=200", None);
        page["pairs"].as_array().unwrap().last().cloned().unwrap_or_default()
    };
    for delete in [false, true] {
        let mut other = plimsoll(served.home(), &["send", "from a terminal"]);
        let mut other = other.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = String::new();
        let mut out = std::io::BufReader::new(other.stdout.take().unwrap());
        while !said.contains("answer") {
            let mut piece = [0; 64];
            let length = std::io::Read::read(&mut out, &mut piece).unwrap();
            assert!(length > 0, "it ended: {said}");
            said.push_str(&String::from_utf8_lossy(&piece[..length]));
        }
        let pair = newest();
        assert_eq!(pair["lifecycleState"], "sending", "{pair}");
        if delete {
            let path = format!("/api/pairs/{}", pair["id"].as_str().unwrap());
            served.json("DELETE", &path, None);
        } else {
            assert_eq!(served.ask("POST", "/api/cancel", None).status, 204);
        }
        other.wait().unwrap();
        let left = newest();
        if delete {
            assert_ne!(left["id"], pair["id"], "{left}");
        } else {
            assert_eq!(left["lifecycleState"], "cancelled", "{left}");
            assert_eq!(left["assistantText"], "half an answer", "{left}");
        }
    }
}

/// The same where that process was killed: the server that runs finds it.
#[test]
fn rel_6_a_send_of_a_process_that_was_killed_is_ended_while_the_server_runs() {
    let server = ScriptedServer::chats([Reply::stalls_after(&["half ", "an answer"])]).unwrap();
    let served = Served::start(&server, 4096);
    let mut events = served.events();
    let mut other = plimsoll(served.home(), &["send", "from a terminal"]);
    let mut other = other.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let newest = || {
        let page = served.json("GET", "/api/pairs?from=0&limit=200", None);
        page["pairs"].as_array().unwrap().last().cloned().unwrap_or_default()
    };
    while newest()["lifecycleState"] != "sending" {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    other.kill().unwrap();
    other.wait().unwrap();
    events.until("ended").unwrap();
    let pair = newest();
    assert_eq!(pair["errorCode"], "interrupted", "{pair}");
}
