//! REL-1 where the power goes: everything that the server does to its files is written down,
//! and for many places in that log a disk is made as it could be found afterwards. The store
//! opens, and what was confirmed before the cut is there, attachments included.

mod disk;

use std::{collections::BTreeMap, fs, io::Write, path::Path};

use plimsoll_testkit::{
    history::Random,
    http,
    real::{skipped, times},
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
pub(crate) use self::disk::compiled;
use self::disk::{Disk, Model, Record};
use crate::served::Served;

/// What somebody was promised.
const PROMISED: u8 = b'k';

struct Log(fs::File);

impl Log {
    fn promised(&mut self, what: &Value) {
        let record = disk::written(PROMISED, what.to_string().as_bytes());
        self.0.write_all(&record).unwrap();
    }
}

fn bytes_of(nth: u32) -> Vec<u8> {
    format!("file {nth}\n").repeat(500 * (1 + nth as usize % 7)).into_bytes()
}

/// A day of work: sends, edits and uploads, each promised when it was confirmed.
fn work(served: &Served, log: &mut Log, rounds: u32) {
    for nth in 0..rounds {
        let text = format!("question {nth}");
        let pair = served.send(&text);
        let id = pair["id"].as_str().unwrap();
        log.promised(&json!({"pair": id, "text": text}));
        if nth % 2 == 0 {
            let text = format!("edited {nth}");
            let path = format!("/api/pairs/{id}");
            served.json("PATCH", &path, Some(json!({ "userText": text })));
            log.promised(&json!({"pair": id, "text": text}));
        }
        let bytes = bytes_of(nth);
        let path = format!("/api/files?name=file-{nth}.txt");
        let made = http::request(&served.address, "POST", &path, &[], &bytes).unwrap();
        assert_eq!(made.status, 201, "{}", made.body);
        let file: Value = serde_json::from_str(&made.body).unwrap();
        log.promised(&json!({"file": file["id"], "nth": nth}));
    }
}

/// What was promised so far: the text of each pair, and the files.
#[derive(Default)]
struct Promises {
    texts: BTreeMap<String, String>,
    files: BTreeMap<String, u32>,
}

impl Promises {
    fn add(&mut self, record: &Record) {
        let what: Value = serde_json::from_slice(&record.data).unwrap();
        match what["pair"].as_str() {
            Some(pair) => {
                self.texts.insert(pair.to_owned(), what["text"].as_str().unwrap().to_owned());
            }
            None => {
                let file = what["file"].as_str().unwrap().to_owned();
                self.files.insert(file, u32::try_from(what["nth"].as_u64().unwrap()).unwrap());
            }
        }
    }

    /// A server starts on such a disk and has it all. How many promises were looked at.
    fn are_kept(&self, case: &str, home: tempfile::TempDir) -> usize {
        let served = Served::at_home(home);
        let all = served.json("GET", "/api/export?filter=", None);
        let pairs: BTreeMap<&str, &Value> = all["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (pair["id"].as_str().unwrap(), pair))
            .collect();
        for (id, text) in &self.texts {
            let pair = pairs.get(id.as_str()).unwrap_or_else(|| panic!("{case}: {text} is gone"));
            let found = pair["userText"].as_str().unwrap();
            // An edit that was not confirmed yet may be there.
            let edited = text.replace("question", "edited");
            assert!(found == text || found == edited, "{case}: {found} instead of {text}");
            assert_eq!(pair["assistantText"], "fine", "{case}: {text}");
        }
        for (id, nth) in &self.files {
            let path = format!("/api/files/{id}/content");
            let file = served.ask("GET", &path, None);
            assert_eq!(file.status, 200, "{case}: file {nth}: {}", file.body);
            assert!(file.body.as_bytes() == bytes_of(*nth), "{case}: file {nth} is another");
        }
        self.texts.len() + self.files.len()
    }
}

fn config(from: &Path, to: &Path) {
    for name in ["models.toml", "config.toml"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn rel_1_a_power_cut_loses_nothing_that_was_confirmed() {
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let place = tempfile::tempdir().unwrap();
    let Some(library) = disk::library(place.path()) else {
        return skipped("a log of writes needs a compiler for C");
    };
    let log = place.path().join("log");
    let mut file = fs::OpenOptions::new();
    let file = file.create(true).append(true).open(&log).unwrap();
    let logged = |home: &Path| {
        vec![
            ("LD_PRELOAD".into(), library.clone().into_os_string()),
            ("WRITELOG_FILE".into(), log.clone().into_os_string()),
            ("WRITELOG_ROOT".into(), home.join("data").into_os_string()),
        ]
    };
    let mut served = Served::start_watched(&server, 4096, logged);
    work(&served, &mut Log(file), times(6, 20));
    served.stop();
    let data = served.home().join("data");
    let records = disk::read(&fs::read(&log).unwrap());
    assert!(records.iter().filter(|record| record.kind == b's').count() > 20, "too few syncs");
    let cuts = times(8, 160) as usize;
    for model in [Model::Ordered, Model::Strict] {
        let (mut random, mut kept) = (Random::new(7), 0);
        let (mut disk, mut promises) = (Disk::new(&data), Promises::default());
        for (at, record) in records.iter().enumerate() {
            match record.kind {
                PROMISED => promises.add(record),
                _ => disk.apply(record),
            }
            let here = (at + 1) * cuts / records.len() > at * cuts / records.len();
            // Before the store is made there is nothing to be opened.
            if !here || promises.texts.is_empty() {
                continue;
            }
            let home = tempfile::tempdir().unwrap();
            config(served.home(), home.path());
            disk.after_cut(model, &mut random, &home.path().join("data"));
            kept += promises.are_kept(&format!("{model:?}, cut after record {at}"), home);
        }
        println!("{model:?}: {cuts} cuts in {} records, {kept} promises kept", records.len());
        assert!(kept > 0, "nothing was looked at");
    }
}
