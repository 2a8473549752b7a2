//! What the memory takes: adding a note and searching, at growing sizes, beside the
//! reference memory server of MCP where that can be set up, and taking all of it out and in:
//! `cargo xtask bench memory`.
//!
//! `--quick` leaves out the largest size.

// A benchmark stops at the first failure, and says what it finds.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod bulk;
mod meaning;
mod notes;
mod peer;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use notes::Words;
use plimsoll_domain::Timestamp;
use plimsoll_memory::{
    Find, Ledger, Memory, MemoryParts, OwnProject, Reading, Reply, Save, Writer,
};
use plimsoll_store::{Memory as _, Workspace};
use plimsoll_store_sql::{OpenOptions, SqlStore};
use plimsoll_testkit::report::Table;
use plimsoll_tokens::Estimator;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The budget of every search.
const MAX_TOKENS: u64 = 2000;

/// Times, sorted.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// The time that so many of a hundred stay within, in milliseconds.
    fn percentile(&self, percent: usize) -> f64 {
        let place = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
        self.0.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}

async fn open(path: &Path) -> Outcome<(Arc<SqlStore>, Memory)> {
    let start = Timestamp::from_millis(1_794_787_200_000);
    let store = Arc::new(SqlStore::open_sqlite(path, OpenOptions::default(), start).await?);
    let now = Arc::new(AtomicI64::new(start.millis()));
    let memory = Memory::new(MemoryParts {
        store: Arc::<SqlStore>::clone(&store),
        clock: Arc::new(move || Timestamp::from_millis(now.fetch_add(1000, Ordering::Relaxed))),
        workspace: Workspace::default(),
        own_project: OwnProject::ReadsAll("bench".to_owned()),
        counter: Estimator::Bytes4,
        ledger: Arc::new(Ledger::default()),
        started: Arc::default(),
        root: None,
        writer: Writer::person("bench"),
    });
    Ok((store, memory))
}

/// Adds notes until there are so many.
async fn fill(store: &SqlStore, words: &Words, from: u64, to: u64) -> Outcome {
    let workspace = Workspace::default();
    let mut made = from;
    while made < to {
        let next = to.min(made + 2000);
        let batch: Vec<_> = (made..next).map(|n| words.note(n)).collect();
        let at = Timestamp::from_millis(1_790_000_000_000 + i64::try_from(made)? * 1000);
        store.save_observations(&workspace, &batch, at, at).await?;
        made = next;
    }
    Ok(())
}

async fn add(memory: &Memory, words: &Words, runs: u64) -> Outcome<Times> {
    let mut times = Vec::new();
    for n in 0..runs {
        let note = words.note(1_000_000_000 + n);
        let save = Save { title: note.title, content: note.content, ..Save::default() };
        let started = Instant::now();
        memory.save(save).await?;
        times.push(started.elapsed());
    }
    Ok(Times::of(times))
}

async fn search(memory: &Memory, words: &Words, runs: u64) -> Outcome<Times> {
    let reading = Reading { max_tokens: Some(MAX_TOKENS), ..Reading::default() };
    let mut times = Vec::new();
    for n in 0..runs {
        let query = words.query(n);
        // The shortest of three, so that other work on the machine is seen least.
        let mut took = Duration::MAX;
        let mut told = Reply::default();
        for _ in 0..3 {
            let ask = Find { query: query.clone(), reading, ..Find::default() };
            let started = Instant::now();
            told = memory.search(ask).await?;
            took = took.min(started.elapsed());
        }
        if std::env::var_os("PLIMSOLL_BENCH_SLOW").is_some() && took > Duration::from_millis(4) {
            eprintln!("{took:?} {query:?} {}", told.text.lines().next().unwrap_or_default());
        }
        times.push(took);
        assert!(told.estimated_tokens <= MAX_TOKENS, "an answer stays within its budget");
    }
    Ok(Times::of(times))
}

async fn run(quick: bool, table: &mut Table) -> Outcome {
    let words = Words::new();
    let directory = tempfile::tempdir()?;
    let (store, memory) = open(&directory.path().join("plimsoll.db")).await?;
    let sizes: &[(u64, &str)] = if quick {
        &[(10_000, "10k notes"), (100_000, "100k notes")]
    } else {
        &[(10_000, "10k notes"), (100_000, "100k notes"), (1_000_000, "1M notes")]
    };
    let mut have = 0;
    let mut first_p95 = f64::NAN;
    for (size, name) in sizes {
        let started = Instant::now();
        fill(&store, &words, have, *size).await?;
        let each = started.elapsed().as_secs_f64() * 1e6 / (size - have) as f64;
        have = *size;
        table.row("memory: bring in, a note in a batch", name, each, "µs");
        let adding = add(&memory, &words, 200).await?;
        if *size == 10_000 {
            beside_the_peer(&adding, &words, table)?;
        } else {
            table.row("memory: add one, median", name, adding.percentile(50), "ms");
        }
        let found = search(&memory, &words, 1000).await?;
        table.row("memory: search, median", name, found.percentile(50), "ms");
        let p95 = found.percentile(95);
        table.row("memory: search, p95", name, p95, "ms");
        if first_p95.is_nan() {
            first_p95 = p95;
        } else {
            table.ratio(format!("{:.1} × that at 10k notes", p95 / first_p95));
        }
        if *size == 100_000 {
            table.goal("≤ 5 ms", p95 <= 5.0);
            bulk::measure(&memory, directory.path(), name, table).await?;
        }
        table.row("memory: search, p99", name, found.percentile(99), "ms");
        if *size <= 100_000 {
            meaning::measure(Arc::<SqlStore>::clone(&store), name, table).await?;
        }
    }
    Ok(())
}

/// The row of adding, with the ratio to the reference server in this very run.
fn beside_the_peer(adding: &Times, words: &Words, table: &mut Table) -> Outcome {
    let ours = adding.percentile(50);
    let name = "10k notes";
    match peer::measure(words, 10_000)? {
        Some(peer) => {
            table.row("memory: add one, median", name, ours, "ms");
            let ratio = peer.add.percentile(50) / ours;
            table.ratio(format!("{ratio:.0} × faster than server-memory"));
            table.goal("≥ 20 × faster", ratio >= 20.0);
            table.row("server-memory: add one, median", name, peer.add.percentile(50), "ms");
            table.row("server-memory: a call that does nothing", name, peer.idle, "ms");
            table.row("server-memory: search, median", name, peer.search.percentile(50), "ms");
        }
        None => {
            table.row("memory: add one, median", name, ours, "ms");
            table.ratio("server-memory is not here (node, npm)".to_owned());
        }
    }
    Ok(())
}

fn main() -> Outcome {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut table = Table::default();
    runtime.block_on(run(quick, &mut table))?;
    Ok(table.print_and_save("memory")?)
}
