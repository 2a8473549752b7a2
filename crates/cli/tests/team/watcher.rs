//! A client that follows a workspace through the proxy, and goes on behind the last event that it
//! heard wherever the proxy sends it.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use plimsoll_testkit::http::{Events, SentEvent};
use serde_json::Value;

use crate::books::Books;

/// What it heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// The text of each answer, put together from its pieces.
    pub(crate) texts: HashMap<String, String>,
    /// Answers that were followed from their beginning without a `reset`.
    pub(crate) whole: HashSet<String>,
    /// The last end of each, with the state and the article that were told.
    pub(crate) ended: HashMap<String, (String, String)>,
    pub(crate) resets: u32,
    pub(crate) connections: u32,
    /// The last events, for a report.
    pub(crate) log: Vec<String>,
}

pub(crate) struct Watcher {
    pub(crate) place: &'static str,
    pub(crate) heard: Arc<Mutex<Heard>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Follows a place; returns when it is connected.
    pub(crate) fn start(books: &Arc<Books>, address: &str, place: &'static str) -> Self {
        let (heard, over) = (Arc::<Mutex<Heard>>::default(), Arc::<AtomicBool>::default());
        let thread = {
            let (books, address) = (Arc::clone(books), address.to_owned());
            let (heard, over) = (Arc::clone(&heard), Arc::clone(&over));
            thread::spawn(move || follow(&books, &address, place, &heard, &over))
        };
        while heard.lock().unwrap().connections == 0 {
            thread::sleep(Duration::from_millis(10));
        }
        Self { place, heard, over, thread: Some(thread) }
    }

    /// Tells it that its next connection that breaks is its last.
    pub(crate) fn finish(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn follow(books: &Books, address: &str, place: &str, heard: &Mutex<Heard>, over: &AtomicBool) {
    let path = format!("/api/events?workspace={place}");
    let mut last = String::new();
    while !over.load(Ordering::SeqCst) {
        let after: &[(&str, &str)] =
            if last.is_empty() { &[] } else { &[("Last-Event-ID", last.as_str())] };
        let Ok(mut events) = Events::listen(address, &path, after) else {
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        heard.lock().unwrap().connections += 1;
        while let Ok(event) = events.next_event() {
            last.clone_from(&event.id);
            hear(books, address, place, heard, event);
        }
    }
}

fn hear(books: &Books, address: &str, place: &str, heard: &Mutex<Heard>, event: SentEvent) {
    let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
    let pair = data["pair"].as_str().unwrap_or_default().to_owned();
    if ["started", "delta", "ended", "reset"].contains(&event.name.as_str()) {
        let state = data["state"].as_str().unwrap_or_default();
        let text = data["text"].as_str().unwrap_or_default();
        let line = format!("{} {} {pair} {state}{text}", event.id, event.name);
        heard.lock().unwrap().log.push(line);
    }
    if event.name == "reset" {
        return read_anew(books, address, place, heard);
    }
    let mut heard = heard.lock().unwrap();
    match event.name.as_str() {
        // A change may be told again to who comes from another node; text never is.
        "started" if !heard.texts.contains_key(&pair) && !heard.ended.contains_key(&pair) => {
            heard.texts.insert(pair.clone(), String::new());
            heard.whole.insert(pair);
        }
        "delta" => {
            let text = data["text"].as_str().unwrap();
            heard.texts.entry(pair).or_default().push_str(text);
        }
        "ended" => {
            let state = data["state"].as_str().unwrap_or_default().to_owned();
            let html = data["html"].as_str().unwrap_or_default().to_owned();
            heard.ended.insert(pair, (state, html));
        }
        _ => {}
    }
}

/// Nobody knows what it missed: it reads what there is, as it is told to.
fn read_anew(books: &Books, address: &str, place: &str, heard: &Mutex<Heard>) {
    let Some(all) = books.read(address, &format!("/api/export?workspace={place}")) else { return };
    let mut heard = heard.lock().unwrap();
    heard.resets += 1;
    heard.whole.clear();
    for pair in all["pairs"].as_array().unwrap() {
        let id = pair["id"].as_str().unwrap().to_owned();
        let state = pair["lifecycleState"].as_str().unwrap().to_owned();
        heard.texts.entry(id.clone()).or_default();
        if state != "sending" {
            heard.ended.insert(id, (state, String::new()));
        }
    }
}
