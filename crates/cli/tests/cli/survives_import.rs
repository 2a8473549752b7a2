//! REL-1: the real binary is killed at many moments of an import, and running it again
//! gives the whole, with nothing twice and no conversation by halves.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Pairs, Topics, Upkeep, Workspace};
use plimsoll_store_sql::SqlStore;

use crate::exchange::Data;

const KILLS: u32 = 104;
/// A store is used for this many kills, each time going on where it was left.
const KILLS_A_STORE: u32 = 8;
const CONVERSATIONS: usize = 600;
const TURNS: usize = 5;

fn export() -> String {
    let conversation = |n: usize| {
        let turns: Vec<String> = (0..TURNS)
            .map(|turn| {
                let time = 1_700_000_000 + n * 100 + turn;
                format!(
                    "{{\"role\":\"user\",\"content\":\"question {n}.{turn}\",\"created\":{time}}},\
                     {{\"role\":\"assistant\",\"content\":\"answer {n}.{turn} {}\"}}",
                    "sail ".repeat(6)
                )
            })
            .collect();
        format!("{{\"title\":\"Conversation {n}\",\"messages\":[{}]}}\n", turns.join(","))
    };
    (0..CONVERSATIONS).map(conversation).collect()
}

fn start(data: &Path, file: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .arg("import")
        .arg(file)
        .env("PLIMSOLL_CONFIG_DIR", "/nonexistent")
        .env("PLIMSOLL_DATA_DIR", data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many turns of each conversation are there; the store opens and is sound.
async fn found(data: &Path) -> BTreeMap<String, usize> {
    let path = data.join("plimsoll.db");
    let now = Timestamp::from_millis(0);
    let store = SqlStore::open_sqlite(&path, Default::default(), now).await.unwrap();
    let workspace = Workspace::default();
    let topics = store.topics(&workspace).await.unwrap();
    let names: HashMap<_, _> = topics.iter().map(|topic| (topic.id, &topic.name)).collect();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for row in store.rows(&workspace).await.unwrap() {
        *found.entry(names[&row.topic_id].clone()).or_default() += 1;
    }
    assert_eq!(topics.is_empty(), found.is_empty(), "topics come with their pairs");
    found
}

fn length(log: &Path) -> u64 {
    std::fs::metadata(log).map_or(0, |log| log.len())
}

/// Kills a child as soon as its log has grown to a length, or after a time.
fn kill_at(mut child: Child, log: &Path, enough: u64, at_most: Duration) {
    let started = Instant::now();
    while length(log) < enough && started.elapsed() < at_most && child.try_wait().unwrap().is_none()
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    // One that has ended already cannot be killed, and that is one of the moments.
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn killed_at_any_moment_an_import_goes_on_and_is_whole() {
    if plimsoll_testkit::switch::is_of_files_alone("its moments are lengths of the log of SQLite") {
        return;
    }
    let home = Data::new();
    let file = home.path("export.jsonl");
    std::fs::write(&file, export()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();

    let whole = home.path("whole");
    let started = Instant::now();
    let mut child = start(&whole, &file);
    let mut longest = 0;
    let ended = loop {
        longest = longest.max(length(&whole.join("plimsoll.db-wal")));
        match child.try_wait().unwrap() {
            Some(ended) => break ended,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    assert!(ended.success());
    let takes = started.elapsed();
    let expected = runtime.block_on(found(&whole));
    assert_eq!(expected.len(), CONVERSATIONS);
    assert!(expected.values().all(|turns| *turns == TURNS));

    let mut within = 0;
    for kill in 0..KILLS {
        let data = home.path(&format!("killed-{}", kill / KILLS_A_STORE));
        let log = data.join("plimsoll.db-wal");
        let step = kill % KILLS_A_STORE;
        // Half of the moments are times, from the start of the process to its end, and half
        // are lengths of the log, which only an import at work makes.
        let child = start(&data, &file);
        if kill % 2 == 0 {
            kill_at(child, &log, u64::MAX, takes * (step + 1) / KILLS_A_STORE);
        } else {
            // A small part each time, so that there is something left to be killed.
            kill_at(child, &log, 1 + longest * u64::from(kill % 10) / 60, takes * 3);
        }
        if !data.join("plimsoll.db").exists() {
            continue;
        }
        let now = runtime.block_on(found(&data));
        assert!(now.values().all(|turns| *turns == TURNS), "a conversation is torn");
        within += u32::from(!now.is_empty() && now.len() < CONVERSATIONS);
        if step + 1 == KILLS_A_STORE {
            assert!(start(&data, &file).wait().unwrap().success());
            assert_eq!(runtime.block_on(found(&data)), expected);
        }
    }
    assert!(within >= 10, "only {within} of {KILLS} kills came in the middle of an import");
    let sound = runtime.block_on(async {
        let path = home.path("killed-0").join("plimsoll.db");
        let now = Timestamp::from_millis(0);
        let store = SqlStore::open_sqlite(&path, Default::default(), now).await.unwrap();
        store.check().await.unwrap()
    });
    assert!(sound.is_empty(), "{sound:?}");
}
