//! REL-11: a process that is asked to end does so soon, and leaves nothing half done.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};
use serde_json::json;

use crate::served::Served;

/// Longer than the five seconds of the rule, for machines that are busy.
const SOON: Duration = Duration::from_secs(30);

fn ends(child: &mut std::process::Child) -> std::process::ExitStatus {
    let until = Instant::now() + SOON;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn rel_11_a_server_that_is_asked_to_end_keeps_what_came_and_leaves_no_locks() {
    for name in ["-TERM", "-INT", "-HUP"] {
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
        assert!(all.contains("half an answer") && all.contains("cancelled"), "{name}: {all}");
    }
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
