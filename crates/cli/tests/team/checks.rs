//! What must hold when all faults are over (TEA-12).

use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

use plimsoll_testkit::http;
use serde_json::Value;

use crate::{
    books::{Books, PLACES, Sent},
    clients::{content, version},
    cluster::{Cluster, SOON},
    provider,
    watcher::{Heard, Watcher},
};

/// All pairs of a workspace as a node tells them.
fn pairs_of(address: &str, place: &str) -> Result<HashMap<String, Value>, String> {
    let path = format!("/api/export?workspace={place}");
    let answer = http::request(address, "GET", &path, &[], b"").map_err(|e| e.to_string())?;
    let all: Value = serde_json::from_str(&answer.body).map_err(|_| answer.body.clone())?;
    let pairs = all["pairs"].as_array().cloned().unwrap_or_default();
    Ok(pairs.into_iter().map(|pair| (pair["id"].as_str().unwrap().to_owned(), pair)).collect())
}

fn text<'v>(pair: &'v Value, field: &str) -> &'v str {
    pair[field].as_str().unwrap_or_default()
}

/// Everything that is wrong, in words.
pub(crate) fn all(cluster: &Cluster, books: &Books, watchers: &mut [Watcher]) -> Vec<String> {
    let mut wrong = Vec::new();
    let until = Instant::now() + cluster.lease * 2 + Duration::from_secs(5);
    while !cluster.held(None).is_empty() && Instant::now() < until {
        thread::sleep(Duration::from_millis(50));
    }
    wrong.extend(cluster.held(None).iter().map(|held| format!("{held:?} is being sent for ever")));
    let sent = books.sent.lock().unwrap().clone();
    let silent = hear_all(&sent, watchers);
    wrong.extend(silent);
    watchers.iter().for_each(Watcher::finish);
    cluster.balancer.cut();
    watchers.iter_mut().for_each(Watcher::join);
    for place in PLACES {
        let kept = match pairs_of(&cluster.balancer.address(), place) {
            Ok(kept) => kept,
            Err(why) => {
                wrong.push(format!("{place} cannot be read: {why}"));
                continue;
            }
        };
        for node in &cluster.nodes {
            if pairs_of(&node.address.to_string(), place).as_ref() != Ok(&kept) {
                wrong.push(format!("two nodes tell different things of {place}"));
            }
        }
        let here: Vec<&Sent> = sent.iter().filter(|one| one.place == place).collect();
        wrong.extend(sends(books, &here, &kept));
        for watcher in watchers.iter().filter(|watcher| watcher.place == place) {
            let heard = watcher.heard.lock().unwrap();
            wrong.extend(here.iter().filter_map(|one| told(books, one, &kept, &heard)));
        }
        wrong.extend(edits(books, &kept, &here));
    }
    for (message, posted) in books.posted.lock().unwrap().iter() {
        let calls = cluster.provider.calls_for(message);
        if calls.len() > *posted {
            wrong
                .push(format!("{message:?} was posted {posted} times and called for by {calls:?}"));
        }
    }
    cluster.nodes.iter().for_each(|node| node.forget_copies());
    wrong.extend(files(cluster, books));
    wrong.extend(notes(cluster, books));
    wrong
}

/// Every watcher hears the end of each send; waits until all have.
fn hear_all(sent: &[Sent], watchers: &[Watcher]) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let missing: Vec<String> = watchers
            .iter()
            .enumerate()
            .flat_map(|(number, watcher)| {
                let heard = watcher.heard.lock().unwrap();
                let open = |one: &&Sent| {
                    one.place == watcher.place && !heard.ended.contains_key(&one.pair)
                };
                let tell = |one: &Sent| {
                    format!("watcher {number} did not hear the end of {} ({})", one.pair, one.text)
                };
                sent.iter().filter(open).map(tell).collect::<Vec<_>>()
            })
            .collect();
        if missing.is_empty() || Instant::now() > until {
            return missing;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Each confirmed send is there with its words, and has come to an end that says how.
fn sends(books: &Books, sent: &[&Sent], kept: &HashMap<String, Value>) -> Vec<String> {
    let edited = books.edited.lock().unwrap();
    let wrong = |one: &&&Sent| {
        let Some(pair) = kept.get(&one.pair) else {
            return Some(format!("the message {one:?} is lost"));
        };
        if edited.contains_key(&one.pair) {
            return None;
        }
        let (user, answer) = (text(pair, "userText"), text(pair, "assistantText"));
        let whole = provider::answer(&one.text);
        let right = match text(pair, "lifecycleState") {
            "complete" => answer == whole,
            "error" => whole.starts_with(answer) && pair["errorCode"] == "interrupted",
            _ => false,
        };
        (user != one.text || !right).then(|| format!("{one:?} is {pair}"))
    };
    sent.iter().filter_map(|one| wrong(&one)).collect()
}

/// What a watcher heard of a send is what is kept of it.
fn told(books: &Books, one: &Sent, kept: &HashMap<String, Value>, heard: &Heard) -> Option<String> {
    let pair = kept.get(&one.pair)?;
    let (state, html) = heard.ended.get(&one.pair)?;
    let (answer, whole) = (text(pair, "assistantText"), provider::answer(&one.text));
    let kept_state = text(pair, "lifecycleState");
    let edited = books.edited.lock().unwrap().contains_key(&one.pair);
    let text = heard.texts.get(&one.pair).map_or("", String::as_str);
    let log = || {
        let mine =
            heard.log.iter().filter(|line| line.contains(&one.pair) || line.contains("reset"));
        let mine: Vec<&str> = mine.map(String::as_str).collect();
        mine.join("\n    ")
    };
    if state != kept_state {
        return Some(format!("{one:?} is {kept_state} and was told as {state:?}\n    {}", log()));
    }
    if !heard.whole.contains(&one.pair) || edited {
        return None;
    }
    // Who heard it from the node that died may have heard more than was saved.
    let right = match kept_state {
        "complete" => text == whole,
        _ => whole.starts_with(text) && text.starts_with(answer),
    };
    if !right {
        return Some(format!("of {one:?} was heard {text:?}, kept is {answer:?}\n    {}", log()));
    }
    // The article that comes with the end is what pages show from then on.
    let shown = html.is_empty() || answer.is_empty() || html.contains(answer);
    (!shown).then(|| format!("the end of {one:?} shows something else: {html}"))
}

fn edits(books: &Books, kept: &HashMap<String, Value>, here: &[&Sent]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (id, edited) in books.edited.lock().unwrap().iter() {
        if !here.iter().any(|one| one.pair == *id) {
            continue;
        }
        let Some(pair) = kept.get(id) else { continue };
        let (user, answer) = (text(pair, "userText"), text(pair, "assistantText"));
        let untouched = edited.confirmed == 0 && !user.starts_with("version");
        let found = (edited.confirmed.max(1)..=edited.tried).any(|n| user == version(n));
        if !untouched && (!found || user != answer) {
            wrong.push(format!("{edited:?} of {id} is {user:?} and {answer:?}"));
        }
    }
    wrong
}

fn files(cluster: &Cluster, books: &Books) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, id, expected) in books.uploaded.lock().unwrap().iter() {
        match content(&cluster.balancer.address(), place, id) {
            Ok(answer) if answer.status == 200 && answer.body == *expected => {}
            Ok(answer) if answer.status == 200 => wrong.push(format!("the file {id} is torn")),
            other => wrong.push(format!("the file {id} is lost: {other:?}")),
        }
    }
    wrong
}

fn notes(cluster: &Cluster, books: &Books) -> Vec<String> {
    let mut wrong = Vec::new();
    let since = Instant::now();
    for (place, id, expected) in books.noted.lock().unwrap().iter() {
        let path = format!("/api/memory/{id}?workspace={place}");
        let answer = http::request(&cluster.balancer.address(), "GET", &path, &[], b"");
        let body = answer.map(|answer| answer.body).unwrap_or_default();
        let note: Value = serde_json::from_str(&body).unwrap_or_default();
        if note["content"] != expected.as_str() {
            wrong.push(format!("the note {id} is {body}"));
        }
        if since.elapsed() > SOON * 3 {
            wrong.push("notes are read too slowly".to_owned());
            break;
        }
    }
    wrong
}
