//! REL-11: a process that is asked to end does so soon, and leaves nothing half done.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use plimsoll_testkit::{
    http,
    real::skipped,
    scripted::{Gate, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

/// A process that does not end fails a test instead of holding it up.
const NEVER: Duration = Duration::from_secs(120);

pub(crate) fn ends(child: &mut std::process::Child) -> std::process::ExitStatus {
    let until = Instant::now() + NEVER;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn rel_11_a_server_that_is_asked_to_end_keeps_what_came_and_leaves_no_locks() {
    // TEA-8: who is told to end hands back; who presses Ctrl+C stops it.
    let signals = [("-TERM", "interrupted"), ("-INT", "cancelled"), ("-HUP", "interrupted")];
    for (name, state) in signals {
        let server = ScriptedServer::chats([Reply::stalls_after(&["half ", "an answer"])]).unwrap();
        let mut served = Served::start(&server, 4096);
        served.stop();
        let home = served.home();
        let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["serve", "--addr", "127.0.0.1:0"])
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut said).unwrap();
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        let mut events = http::Events::listen(address, "/api/events", &[]).unwrap();
        let body = json!({"text": "go"}).to_string();
        let headers = [("Content-Type", "application/json")];
        http::request(address, "POST", "/api/send", &headers, body.as_bytes()).unwrap();
        while !events.until("delta").unwrap().last().unwrap().data.contains("answer") {}
        signal(child.id(), name);
        assert_eq!(ends(&mut child).code(), Some(0), "{name}");
        let owners = home.join("data/owners");
        assert_eq!(std::fs::read_dir(owners).unwrap().count(), 0, "{name}: a lock is left");
        let exported = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["export", "--format", "json"])
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .output()
            .unwrap();
        let all = String::from_utf8_lossy(&exported.stdout);
        assert!(all.contains("half an answer") && all.contains(state), "{name}: {all}");
    }
}

/// TEA-8: first `/readyz` says so and nothing new is taken; what is being sent comes to its end.
#[test]
fn tea_8_a_node_that_is_told_to_end_drains() {
    let gate = Gate::default();
    let reply = Reply::openai_open(&["half "]).gate(&gate).openai_more(&["an answer"]);
    let server = ScriptedServer::chats([reply.openai_end(14, 4)]).unwrap();
    let served = Served::start(&server, 4096);
    let ready = || http::request(&served.address, "GET", "/readyz", &[], b"").unwrap();
    assert_eq!(ready().status, 200);
    let mut events = served.events();
    let begun = served.json("POST", "/api/send", Some(json!({"text": "go"})));
    events.until("delta").unwrap();
    signal(served.pid(), "-TERM");
    while ready().status == 200 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(ready().status == 503 && ready().body.contains("draining"), "{}", ready().body);
    let refused = served.ask("POST", "/api/send", Some(json!({"text": "second"})));
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    gate.open();
    let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
    // What became of it is there for every node.
    let node = served.another_node();
    let read = || {
        let kept = http::request(&node.address, "GET", &path, &[], b"").unwrap();
        serde_json::from_str::<Value>(&kept.body).unwrap()
    };
    while read()["lifecycleState"] == "sending" {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(read()["lifecycleState"], "complete");
    assert_eq!(read()["assistantText"], "half an answer");
}

#[test]
fn rel_11_a_memory_server_on_a_pipe_ends_and_leaves_no_locks() {
    for name in ["-TERM", "-INT", "-HUP"] {
        let home = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .arg("mcp")
            .env("PLIMSOLL_CONFIG_DIR", home.path())
            .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }});
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, format!("{hello}\n").as_bytes()).unwrap();
        let mut said = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut said).unwrap();
        assert!(said.contains("serverInfo"), "{said}");
        signal(child.id(), name);
        assert_eq!(ends(&mut child).code(), Some(0), "{name}");
        let owners = home.path().join("data/owners");
        assert_eq!(std::fs::read_dir(owners).unwrap().count(), 0, "{name}: a lock is left");
    }
}

fn chat(home: &std::path::Path) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("chat")
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A chat that waits for its next line, and one that waits for an answer.
#[test]
fn rel_11_a_chat_that_is_told_to_end_keeps_what_came_and_leaves_no_locks() {
    for name in ["-TERM", "-HUP"] {
        let half = Reply::stalls_after(&["half ", "an answer"]);
        let server = ScriptedServer::chats([Reply::openai(&["fine"], 5, 2), half]).unwrap();
        let mut served = Served::start(&server, 4096);
        served.stop();
        let home = served.home();
        let owners = || std::fs::read_dir(home.join("data/owners")).unwrap().count();
        for (text, heard) in [("first", "fine"), ("second", "answer")] {
            let mut child = chat(home);
            let mut input = child.stdin.take().unwrap();
            std::io::Write::write_all(&mut input, format!("{text}\n").as_bytes()).unwrap();
            let (mut out, mut said) = (child.stdout.take().unwrap(), Vec::new());
            while !String::from_utf8_lossy(&said).contains(heard) {
                let mut byte = [0];
                std::io::Read::read_exact(&mut out, &mut byte).unwrap();
                said.push(byte[0]);
            }
            assert_eq!(owners(), 1);
            signal(child.id(), name);
            let ended = ends(&mut child);
            assert!(ended.code().is_some(), "{name}, {text}: {ended}");
            assert_eq!(owners(), 0, "{name}, {text}: a lock is left");
        }
        let exported = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["export", "--format", "json"])
            .env("PLIMSOLL_CONFIG_DIR", home)
            .env("PLIMSOLL_DATA_DIR", home.join("data"))
            .output()
            .unwrap();
        let all = String::from_utf8_lossy(&exported.stdout);
        assert!(all.contains("half an answer") && all.contains("cancelled"), "{name}: {all}");
    }
}

/// A program of a model that runs when the server is told to end leaves nothing behind.
#[test]
fn rel_11_a_run_in_the_sandbox_leaves_no_directory() {
    let code = json!({"code": "import time\ntime.sleep(600)"}).to_string();
    let script = [Reply::openai_calls("execute_python", &code, 5), Reply::openai(&["fine"], 5, 2)];
    let server = ScriptedServer::chats(script).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let runs = || {
        let entries = std::fs::read_dir(temporary.path()).unwrap().flatten();
        entries.filter(|one| one.file_name().to_string_lossy().starts_with("plimsoll-run-")).count()
    };
    let mut served = Served::start_with(&server, 100_000, |home| {
        let models = home.join("models.toml");
        let text = std::fs::read_to_string(&models).unwrap();
        std::fs::write(&models, format!("{text}tools = true\n")).unwrap();
    });
    served.stop();
    let home = served.home();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["serve", "--addr", "127.0.0.1:0"])
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
        .env("TMPDIR", temporary.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut said).unwrap();
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    http::request(address, "POST", "/api/files?name=notes.txt&listed=true", &[], b"words").unwrap();
    let headers = [("Content-Type", "application/json")];
    let body = json!({"text": "go"}).to_string();
    http::request(address, "POST", "/api/send", &headers, body.as_bytes()).unwrap();
    // Where there is no sandbox the second request comes at once.
    while runs() == 0 && server.requests().iter().filter(|one| one.method == "POST").count() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let ran = runs() > 0;
    signal(child.id(), "-TERM");
    assert_eq!(ends(&mut child).code(), Some(0));
    assert_eq!(runs(), 0, "the directory of a run is left");
    if !ran {
        skipped("there is no sandbox here");
    }
}
