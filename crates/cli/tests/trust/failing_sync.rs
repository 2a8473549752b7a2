//! A real store on a disk whose syncs fail (REL-6), and clients that stay connected while the
//! server ends on it (REL-11).

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use plimsoll_testkit::{
    http,
    real::skipped,
    scripted::{Gate, Reply, ScriptedServer},
};
use serde_json::json;

use crate::{
    power::compiled,
    served::Served,
    signals::{ends, signal},
};

/// A disk that can be told to fail.
struct Disk {
    library: PathBuf,
    switch: PathBuf,
    _place: tempfile::TempDir,
}

impl Disk {
    fn new() -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let source = include_str!("failing_sync.c");
        let Some(library) = compiled("failing_sync", source, place.path()) else {
            skipped("a disk that fails needs a compiler for C");
            return None;
        };
        let switch = place.path().join("fails");
        Some(Self { library, switch, _place: place })
    }

    fn environment(&self) -> [(&'static str, &Path); 2] {
        [("LD_PRELOAD", &self.library), ("FAILING_SYNC", &self.switch)]
    }

    fn fails(&self) {
        fs::write(&self.switch, "").unwrap();
    }

    fn is_well(&self) {
        fs::remove_file(&self.switch).unwrap();
    }
}

/// H3 by failing syncs: the answer ends while the disk fails. It is kept when the disk is well,
/// and the next message goes, without a restart.
#[test]
fn rel_6_an_answer_that_ends_while_syncs_fail_is_kept_when_they_succeed_again() {
    let Some(disk) = Disk::new() else { return };
    let gate = Gate::default();
    let long = "word ".repeat(10_000);
    let slow = Reply::openai_open(&["first "]).gate(&gate).openai_more(&[&long]).openai_end(14, 6);
    let fine = Reply::openai(&["fine"], 14, 6);
    let server = ScriptedServer::chats([slow, fine]).unwrap();
    let served = Served::start_watched(&server, 100_000, |_| {
        disk.environment().map(|(name, value)| (name.into(), value.into())).into()
    });
    let mut events = served.events();
    let begun = served.json("POST", "/api/send", Some(json!({"text": "go"})));
    events.until("delta").unwrap();
    disk.fails();
    gate.open();
    while !events.until("status").unwrap().pop().unwrap().data.contains("not saved yet") {}
    served.refused("POST", "/api/send", Some(json!({"text": "next"})), 409, "send_in_flight");
    disk.is_well();
    events.until("ended").unwrap();
    let path = format!("/api/pairs/{}", begun["pair"].as_str().unwrap());
    let pair = served.json("GET", &path, None);
    assert_eq!(pair["lifecycleState"], "complete", "{}", pair["error"]);
    let kept = pair["assistantText"].as_str().unwrap();
    assert_eq!(kept.trim(), format!("first {long}").trim());
    assert_eq!(served.send("next")["assistantText"], "fine");
}

/// A file system without locks was said to be a store that is being restored.
#[test]
fn rel_2_a_file_system_without_locks_is_said_to_be_one() {
    let Some(disk) = Disk::new() else { return };
    let home = tempfile::tempdir().unwrap();
    for command in [&["export"][..], &["verify", "--set-aside"]] {
        let done = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(command)
            .env("PLIMSOLL_CONFIG_DIR", home.path())
            .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
            .envs(disk.environment())
            .env("FAILING_LOCKS", "1")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success(), "{command:?}: {told}");
        assert!(told.contains("cannot be locked") && told.contains("local disk"), "{told}");
    }
}

/// The server is told to end while the disk keeps a send from ending, so that it takes its time.
/// Who is still connected may look, and begins nothing.
#[test]
fn rel_11_a_client_that_stays_connected_begins_nothing_while_the_server_ends() {
    let Some(disk) = Disk::new() else { return };
    let server = ScriptedServer::chats([Reply::stalls_after(&["half ", "an answer"])]).unwrap();
    let mut served = Served::start(&server, 4096);
    served.stop();
    let home = served.home();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["serve", "--addr", "127.0.0.1:0"])
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .env("PLIMSOLL_TEST_KEY", "sk-canary-0123456789abcdef")
        .envs(disk.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    let mut events = http::Events::listen(address, "/api/events", &[]).unwrap();
    let mut kept_alive = TcpStream::connect(address).unwrap();
    assert!(post(&mut kept_alive, address, "go").starts_with("HTTP/1.1 202"));
    while !events.until("delta").unwrap().last().unwrap().data.contains("answer") {}
    disk.fails();
    signal(child.id(), "-TERM");
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    while !told.next().unwrap().unwrap().contains("stopping") {}
    let answer = post(&mut kept_alive, address, "one more");
    // On a busy machine it may have hung up before it is asked.
    let refused = answer.starts_with("HTTP/1.1 503") && answer.contains("\"code\":\"ending\"");
    assert!(refused || answer.is_empty(), "{answer}");
    disk.is_well();
    assert_eq!(ends(&mut child).code(), Some(0));
    let asked = server.requests().iter().filter(|one| one.method == "POST").count();
    assert_eq!(asked, 1, "a second message was sent");
}

/// Sends a message on a connection that stays; gives the whole answer.
fn post(stream: &mut TcpStream, address: &str, text: &str) -> String {
    let body = json!({"text": text}).to_string();
    let head = format!(
        "POST /api/send HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    if stream.write_all(format!("{head}{body}").as_bytes()).is_err() {
        return String::new();
    }
    let (mut answer, mut byte) = (Vec::new(), [0]);
    let whole = |answer: &[u8]| {
        let text = String::from_utf8_lossy(answer).to_lowercase();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        (body.len() >= length.trim().parse().ok()?).then_some(())
    };
    while whole(&answer).is_none() && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        answer.push(byte[0]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}
