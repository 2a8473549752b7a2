//! REL-1: the served binary is killed amid edits and uploads; what it had confirmed is
//! there, and what is there is whole. Kills of sends and imports stand in `tests/cli`, those
//! of migrations in the tests of `store-sql`.

use std::{
    sync::mpsc::{Receiver, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use plimsoll_blobs::Blobs;
use plimsoll_testkit::{
    http,
    real::times,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

/// A text of version `n` that proves itself whole.
fn version(n: u32) -> String {
    format!("version {n} {}end {n}", "of the same text ".repeat(n as usize % 400))
}

fn version_of(text: &str) -> u32 {
    let n = text.split(' ').nth(1).and_then(|n| n.parse().ok());
    let n = n.unwrap_or_else(|| panic!("no version in {text:?}"));
    assert_eq!(text, version(n), "a text is torn");
    n
}

/// Asks one thing after the other until the server is gone. Gives the number of what was
/// confirmed last, and what it was answered with.
fn busy(
    address: String,
    from: u32,
    ask: impl Fn(&str, u32) -> std::io::Result<http::Answer> + Send + 'static,
) -> (JoinHandle<u32>, Receiver<(u32, String)>) {
    let (confirm, confirmed) = channel();
    let asking = move || {
        let mut n = from;
        while let Ok(answer) = ask(&address, n) {
            // A body that broke off was not confirmed.
            if answer.status >= 300 || answer.body.is_empty() || !answer.body.ends_with('}') {
                assert!(answer.status < 300, "{}: {}", answer.status, answer.body);
                break;
            }
            confirm.send((n, answer.body)).unwrap();
            n += 1;
        }
        n
    };
    (std::thread::spawn(asking), confirmed)
}

/// Waits for a part of the time that a few requests take here, another part for each kill.
fn a_moment(kill: u32, one: Duration) {
    std::thread::sleep(one * (kill * 37 % 300) / 60);
}

/// Every other time the first confirmation is waited for, so that a busy machine shows
/// something too.
fn first_of(kill: u32, confirmed: &Receiver<(u32, String)>) -> Option<(u32, String)> {
    kill.is_multiple_of(2).then(|| confirmed.recv().unwrap())
}

#[test]
fn rel_1_killed_amid_edits_no_confirmed_edit_is_lost_and_no_text_is_torn() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let mut served = Served::start(&server, 100_000);
    let pair = served.send(&version(0))["id"].as_str().unwrap().to_owned();
    let path = format!("/api/pairs/{pair}");
    let to = path.clone();
    let edit = move |address: &str, n: u32| {
        let body = json!({"userText": version(n), "assistantText": version(n)}).to_string();
        let json = [("Content-Type", "application/json")];
        http::request(address, "PATCH", &to, &json, body.as_bytes())
    };
    let began = Instant::now();
    edit(&served.address, 1).unwrap();
    let one = began.elapsed();
    let kills = times(40, 200);
    let (mut next, mut last, mut edits) = (2, 1, 0);
    for kill in 0..kills {
        let (asking, confirmed) = busy(served.address.clone(), next, edit.clone());
        let first = first_of(kill, &confirmed);
        a_moment(kill, one);
        served.restart();
        let tried = asking.join().unwrap();
        let heard: Vec<u32> =
            first.into_iter().chain(confirmed.try_iter()).map(|(n, _)| n).collect();
        edits += heard.len();
        last = heard.into_iter().max().unwrap_or(last);
        let kept = served.json("GET", &path, None);
        let found = version_of(kept["userText"].as_str().unwrap());
        assert!((last..=tried).contains(&found), "kill {kill}: {last}..={tried} has no {found}");
        let answer = version_of(kept["assistantText"].as_str().unwrap());
        assert_eq!(answer, found, "kill {kill}: half of an edit");
        (next, last) = (tried + 1, found);
    }
    println!("{kills} kills amid edits, {edits} of them confirmed");
    assert!(edits as u32 >= kills / 2, "only {edits} edits were confirmed, so little was shown");
}

/// The content of file `n`: some are small, some take several writes.
fn content(n: u32) -> String {
    let length = if n.is_multiple_of(3) { 40_000 } else { 40 } * (n as usize % 7);
    format!("file {n} {}end {n}", "plank ".repeat(length))
}

#[test]
fn rel_1_killed_amid_uploads_confirmed_files_are_whole_and_no_blob_is_torn() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let mut served = Served::start(&server, 100_000);
    let upload = |address: &str, n: u32| {
        let path = format!("/api/files?name=file-{n}.txt");
        http::request(address, "POST", &path, &[], content(n).as_bytes())
    };
    let began = Instant::now();
    upload(&served.address, 0).unwrap();
    let one = began.elapsed();
    let kills = times(40, 200);
    let (mut next, mut confirmed_files) = (1, Vec::<(u32, String)>::new());
    for kill in 0..kills {
        let (asking, confirmed) = busy(served.address.clone(), next, upload);
        let first = first_of(kill, &confirmed);
        a_moment(kill, one);
        served.restart();
        next = asking.join().unwrap() + 1;
        for (n, answer) in first.into_iter().chain(confirmed.try_iter()) {
            let told: Value = serde_json::from_str(&answer).unwrap();
            confirmed_files.push((n, told["id"].as_str().unwrap().to_owned()));
        }
        // The newest of them, and a few of those from before.
        for (n, id) in confirmed_files.iter().rev().take(5) {
            let answer = served.ask("GET", &format!("/api/files/{id}/content"), None);
            assert_eq!(answer.status, 200, "kill {kill}: {}", answer.body);
            assert!(answer.body == content(*n), "kill {kill}: file {n} is not what was sent");
        }
    }
    println!("{kills} kills amid uploads, {} of them confirmed", confirmed_files.len());
    assert!(confirmed_files.len() as u32 >= kills / 2, "only {} files", confirmed_files.len());
    let listed = served.json("GET", "/api/files", None);
    let listed = listed["files"].as_array().unwrap();
    assert!(listed.len() >= confirmed_files.len(), "files are missing from the list");
    for file in listed {
        let path = format!("/api/files/{}/content", file["id"].as_str().unwrap());
        let answer = served.ask("GET", &path, None);
        let n = file["name"].as_str().unwrap();
        let n = n.trim_start_matches("file-").trim_end_matches(".txt").parse().unwrap();
        assert!(answer.status == 200 && answer.body == content(n), "file {n} is torn");
    }
    let blobs = Blobs::open(context_of(&served)).unwrap();
    let stored = blobs.list().unwrap();
    assert!(!stored.is_empty());
    for blob in stored {
        blobs.read(&blob.name, u64::MAX).unwrap();
    }
}

/// Where the files of the usual workspace are.
pub(crate) fn context_of(served: &Served) -> std::path::PathBuf {
    let mut open = vec![served.home().join("data")];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.ends_with("context") && path.join("blobs").is_dir() {
                return path;
            }
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    panic!("there is no context directory yet");
}
