//! Clients that do the same again and again, and write down what they were told is done.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use plimsoll_domain::{Timestamp, TopicId};
use plimsoll_testkit::{
    history::{Random, prose},
    http,
};
use serde_json::{Value, json};

use crate::{
    books::{Books, Edited, Kind, PLACES, Sent},
    cluster::SOON,
};

/// A conversation gets so many messages, and then a new one begins.
const MESSAGES: u32 = 8;

/// Starts all of them: `sea/one` has two people in conversations of their own.
pub(crate) fn start(books: &Arc<Books>, address: &str, seed: u64) -> Vec<JoinHandle<()>> {
    let begin = |work: fn(&Books, &str, &'static str, Random), place: usize, number: u64| {
        let (books, address) = (Arc::clone(books), address.to_owned());
        let dice = Random::new(seed.wrapping_mul(31).wrapping_add(number));
        thread::spawn(move || work(&books, &address, PLACES[place], dice))
    };
    vec![
        begin(send, 0, 1),
        begin(send, 0, 2),
        begin(send, 1, 3),
        begin(edit, 0, 4),
        begin(upload, 0, 5),
        begin(note, 1, 6),
        begin(write_drafts, 0, 7),
    ]
}

fn a_topic(dice: &mut Random) -> TopicId {
    let at = Timestamp::from_millis(1_790_000_000_000 + dice.below(1 << 30).cast_signed());
    let (one, two) = (dice.next_u64().to_le_bytes(), dice.next_u64().to_le_bytes());
    let bytes = std::array::from_fn(|n| if n < 8 { one[n] } else { two[n - 8] });
    TopicId::new(at, bytes)
}

/// Sends messages, each behind the end of the one before.
fn send(books: &Books, address: &str, place: &'static str, mut dice: Random) {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    while !books.is_over() {
        let topic = a_topic(&mut dice);
        for _ in 0..MESSAGES {
            let text = format!("m{} asks", NUMBERS.fetch_add(1, Ordering::Relaxed));
            *books.posted.lock().unwrap().entry(text.clone()).or_default() += 1;
            let path = format!("/api/send?workspace={place}&conversation={topic}");
            let body = json!({"text": text, "quota": "go"}).to_string();
            let Some(answer) = books.ask(address, ("POST", &path), body.as_bytes()) else {
                if books.is_over() {
                    return;
                }
                continue;
            };
            let begun: Value = serde_json::from_str(&answer.body).unwrap();
            let pair = begun["pair"].as_str().unwrap().to_owned();
            books.sent.lock().unwrap().push(Sent { pair: pair.clone(), text, place });
            if !wait_for_end(books, address, (place, &pair)) {
                return;
            }
            books.count(Kind::Send);
        }
    }
}

/// Whether a send came to its end while somebody waited.
fn wait_for_end(books: &Books, address: &str, (place, pair): (&str, &str)) -> bool {
    let since = Instant::now();
    while since.elapsed() < SOON {
        let Some(kept) = books.read(address, &format!("/api/pairs/{pair}")) else { return false };
        match kept["lifecycleState"].as_str().unwrap() {
            "sending" => thread::sleep(Duration::from_millis(100)),
            state => {
                // An editor is slower than who sends, and has enough to do.
                if state == "complete" && books.to_edit.lock().unwrap().len() < 5 {
                    books.to_edit.lock().unwrap().push((place.to_owned(), pair.to_owned()));
                }
                return true;
            }
        }
    }
    books.wrong(format!("the send of {pair} does not end"));
    false
}

/// A text of version `n` that proves itself whole.
pub(crate) fn version(n: u32) -> String {
    format!("version {n} {}end {n}", "of the same text ".repeat(n as usize % 40))
}

/// Edits a pair until an edit is not confirmed: it may be done later, so another pair follows.
fn edit(books: &Books, address: &str, _: &'static str, _: Random) {
    while !books.is_over() {
        let Some((place, pair)) = books.to_edit.lock().unwrap().pop() else {
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let path = format!("/api/pairs/{pair}?workspace={place}");
        for n in 1..40 {
            let entry = Edited { confirmed: n - 1, tried: n };
            books.edited.lock().unwrap().insert(pair.clone(), entry);
            let body = json!({"userText": version(n), "assistantText": version(n)}).to_string();
            if books.ask(address, ("PATCH", &path), body.as_bytes()).is_none() {
                break;
            }
            let entry = Edited { confirmed: n, tried: n };
            books.edited.lock().unwrap().insert(pair.clone(), entry);
            books.count(Kind::Edit);
            if books.is_over() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Brings files, of which some take several writes.
fn upload(books: &Books, address: &str, place: &'static str, mut dice: Random) {
    let mut n = 0;
    while !books.is_over() {
        n += 1;
        let length = [40, 3_000, 200_000][dice.below(3) as usize];
        let content = format!("file {n} {}", prose(&mut dice, length));
        let path = format!("/api/files?workspace={place}&name=file-{n}.txt");
        let Some(answer) = books.ask(address, ("POST", &path), content.as_bytes()) else {
            continue;
        };
        let file: Value = serde_json::from_str(&answer.body).unwrap();
        let id = file["id"].as_str().unwrap().to_owned();
        books.uploaded.lock().unwrap().push((place, id, content));
        books.count(Kind::Upload);
        thread::sleep(Duration::from_millis(100));
    }
}

fn note(books: &Books, address: &str, place: &'static str, mut dice: Random) {
    let mut n = 0;
    while !books.is_over() {
        n += 1;
        let content = format!("Note {n} says: {}", prose(&mut dice, 60));
        let body = json!({"title": format!("Note {n}"), "content": content}).to_string();
        let path = format!("/api/memory?workspace={place}");
        let Some(answer) = books.ask(address, ("POST", &path), body.as_bytes()) else { continue };
        let note: Value = serde_json::from_str(&answer.body).unwrap();
        books.noted.lock().unwrap().push((place, note["id"].as_u64().unwrap(), content));
        books.count(Kind::Note);
        thread::sleep(Duration::from_millis(100));
    }
}

/// Types: a draft is a change that need not survive a crash of the database, and is numbered.
fn write_drafts(books: &Books, address: &str, place: &'static str, mut dice: Random) {
    let topic = a_topic(&mut dice);
    let path = format!("/api/draft?workspace={place}&conversation={topic}");
    while !books.is_over() {
        let body = json!({"text": prose(&mut dice, 30)}).to_string();
        if books.ask(address, ("PUT", &path), body.as_bytes()).is_some() {
            books.count(Kind::Draft);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Reads what a file holds.
pub(crate) fn content(address: &str, place: &str, id: &str) -> std::io::Result<http::Answer> {
    http::request(address, "GET", &format!("/api/files/{id}/content?workspace={place}"), &[], b"")
}
