//! What clients were told is done: all of it must be there at the end.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use plimsoll_testkit::http::{self, Answer};
use serde_json::Value;

/// The workspaces that are worked in.
pub(crate) const PLACES: [&str; 2] = ["sea/one", "sea/two"];

/// What clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Send,
    Edit,
    Upload,
    Note,
    Draft,
}

pub(crate) const KINDS: [Kind; 5] = [Kind::Send, Kind::Edit, Kind::Upload, Kind::Note, Kind::Draft];

/// A send that was answered with 202.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) pair: String,
    pub(crate) text: String,
    pub(crate) place: &'static str,
}

/// The versions of a pair's text: the last that was confirmed, and the last that was tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edited {
    pub(crate) confirmed: u32,
    pub(crate) tried: u32,
}

#[derive(Default)]
pub(crate) struct Books {
    pub(crate) sent: Mutex<Vec<Sent>>,
    /// How often each message was posted, confirmed or not.
    pub(crate) posted: Mutex<HashMap<String, usize>>,
    pub(crate) edited: Mutex<HashMap<String, Edited>>,
    /// Files by id: where, and what they hold.
    pub(crate) uploaded: Mutex<Vec<(&'static str, String, String)>>,
    /// Notes by id: where, and what they say.
    pub(crate) noted: Mutex<Vec<(&'static str, u64, String)>>,
    /// Pairs that nobody edits yet, each with its place.
    pub(crate) to_edit: Mutex<Vec<(String, String)>>,
    done: [AtomicU64; KINDS.len()],
    refused: Mutex<HashMap<String, u64>>,
    /// What must not have happened.
    wrong: Mutex<Vec<String>>,
    over: AtomicBool,
}

impl Books {
    pub(crate) fn count(&self, kind: Kind) {
        self.done[kind as usize].fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn done(&self) -> [u64; KINDS.len()] {
        KINDS.map(|kind| self.done[kind as usize].load(Ordering::SeqCst))
    }

    pub(crate) fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }

    pub(crate) fn all_wrong(&self) -> Vec<String> {
        self.wrong.lock().unwrap().clone()
    }

    pub(crate) fn finish(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Asks through the proxy. What was not answered with a 2xx may be done or not.
    pub(crate) fn ask(
        &self,
        address: &str,
        (method, path): (&str, &str),
        body: &[u8],
    ) -> Option<Answer> {
        let kind = [("Content-Type", "application/json")];
        let told = match http::request(address, method, path, &kind, body) {
            // One that broke off in its body was not confirmed.
            Ok(answer) if answer.status < 300 => match answer.header("content-length") {
                Some(length) if length.parse() != Ok(answer.bytes.len()) => "cut off".to_owned(),
                _ => return Some(answer),
            },
            Ok(answer) => {
                let problem: Value = serde_json::from_str(&answer.body).unwrap_or_default();
                let code = problem["code"].as_str().unwrap_or("no code").to_owned();
                if answer.status != 503 && answer.status != 409 {
                    let asked = path.split('?').next().unwrap_or_default();
                    self.wrong(format!("{method} {asked}: {} {}", answer.status, answer.body));
                }
                format!("{} {code}", answer.status)
            }
            Err(_) => "no answer".to_owned(),
        };
        *self.refused.lock().unwrap().entry(told).or_default() += 1;
        // Somebody whose request failed does not try again at once.
        std::thread::sleep(Duration::from_millis(30));
        None
    }

    /// Reads something until somebody answers; none when the day ends meanwhile.
    pub(crate) fn read(&self, address: &str, path: &str) -> Option<Value> {
        let since = Instant::now();
        loop {
            let answer = self.ask(address, ("GET", path), b"");
            let read = answer.and_then(|answer| serde_json::from_str(&answer.body).ok());
            if read.is_some() || since.elapsed() > crate::cluster::SOON {
                return read;
            }
        }
    }

    pub(crate) fn refusals(&self) -> HashMap<String, u64> {
        self.refused.lock().unwrap().clone()
    }
}
