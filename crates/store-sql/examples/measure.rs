//! What the store takes on this machine:
//! `cargo run --release -p plimsoll-store-sql --example measure`.

// A measurement speaks, and stops at the first failure.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use plimsoll_domain::{Lifecycle, MessagePair, PairId};
use plimsoll_store::{
    Estimate, Estimates, Owners, Pairs, Search, Topics, Upkeep, Workspace,
    contract::{at, pair, topic},
};
use plimsoll_store_sql::{OpenOptions, SqlStore};

const WORDS: [&str; 16] = [
    "ship", "harbour", "cargo", "line", "load", "water", "winter", "deck", "hull", "captain",
    "storm", "anchor", "crew", "tonnage", "keel", "voyage",
];

/// Words that repeat as words do, and one that is rare.
fn prose(seed: u64, chars: usize) -> String {
    let mut text = format!("rare{seed} ");
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while text.len() < chars {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(WORDS[(state % 16) as usize]);
        text.push_str(if state.is_multiple_of(11) { "ing. " } else { " " });
    }
    text
}

fn numbered(n: u64) -> MessagePair {
    let created_at = at(n as i64 * 1000);
    let mut random = [0; 10];
    random[..8].copy_from_slice(&n.to_be_bytes());
    MessagePair {
        id: PairId::new(created_at, random),
        created_at,
        user_text: prose(n, 400),
        assistant_text: Some(prose(n + 1_000_000_000, 1200)),
        lifecycle: Lifecycle::Complete,
        ..pair(1)
    }
}

/// The best and the median of several runs, and the processor time of one, which other
/// work on the machine does not stretch.
async fn timed<F: Future>(what: &str, times: usize, mut run: impl FnMut() -> F) {
    let mut taken: Vec<Duration> = Vec::new();
    let before = processor_time();
    for _ in 0..times {
        let start = Instant::now();
        run().await;
        taken.push(start.elapsed());
    }
    let used = (processor_time() - before) / times as u32;
    taken.sort();
    let (best, median) = (taken[0], taken[times / 2]);
    println!("{what:<44} best {best:>10.2?}  median {median:>10.2?}  processor {used:>10.2?}");
}

/// The processor time of all threads that live, where the system tells it.
fn processor_time() -> Duration {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let nanos = |task: std::fs::DirEntry| -> Option<u64> {
        let line = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        line.split(' ').next()?.parse().ok()
    };
    Duration::from_nanos(tasks.flatten().filter_map(nanos).sum())
}

async fn open(path: &std::path::Path) -> SqlStore {
    SqlStore::open_sqlite(path, OpenOptions::default(), at(0)).await.unwrap()
}

#[tokio::main]
async fn main() {
    // Sizes may be given, such as `10000`.
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![10_000, 100_000] } else { given };
    for size in sizes {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("p.db");
        let workspace = Workspace::default();
        let store = open(&path).await;
        store.put_topic(&workspace, &topic()).await.unwrap();
        let start = Instant::now();
        for chunk in 0..size / 1000 {
            let pairs: Vec<_> = (chunk * 1000..chunk * 1000 + 1000).map(numbered).collect();
            store.insert_many(&workspace, &pairs).await.unwrap();
        }
        println!("\n{size} pairs of 1,600 characters, imported in {:.2?}", start.elapsed());
        println!("file: {} MB", std::fs::metadata(&path).unwrap().len() >> 20);
        drop(store);
        timed("open", 5, || async { drop(open(&path).await) }).await;
        let store = open(&path).await;
        timed("rows", 11, || store.rows(&workspace)).await;
        timed("count", 11, || store.count(&workspace)).await;
        let ids: Vec<_> = (size - 100..size).map(|n| numbered(n).id).collect();
        timed("get_many, the newest 100", 11, || store.get_many(&ids)).await;
        for query in ["rare77", "anchor storm", "\"captain storm\"", "anch"] {
            let what = format!("search {query}, 50 hits at most");
            timed(&what, 11, || store.search(&workspace, query, 50)).await;
        }
        timed("stale, all of them", 5, || store.stale(&workspace, "s")).await;
        let estimate = Estimate { revision: 1, user_tokens: 100, assistant_tokens: 300 };
        let all = store.stale(&workspace, "s").await.unwrap();
        let made: Vec<_> = all.into_iter().map(|id| (id, estimate)).collect();
        timed("put_estimates, all of them", 1, || store.put_estimates("s", &made)).await;
        timed("estimates, all of them", 5, || store.estimates(&workspace, "s")).await;
        timed("stale, none of them", 5, || store.stale(&workspace, "s")).await;
        let mut next = size;
        timed("insert, durable", 201, || {
            next += 1;
            let (store, workspace, pair) = (&store, &workspace, numbered(next));
            async move { store.insert(workspace, &pair).await.unwrap() }
        })
        .await;
        let sent = MessagePair {
            lifecycle: Lifecycle::Idle,
            assistant_text: None,
            ..numbered(size + 5000)
        };
        store.begin(&workspace, &sent, "me", at(0)).await.unwrap();
        let text = prose(7, 2000);
        timed("save_partial, 2,000 characters", 201, || store.save_partial(sent.id, &text)).await;
        timed("check", 1, || store.check()).await;
        let backup = directory.path().join("backup");
        timed("backup", 1, || store.backup_to(&backup)).await;
    }
}
