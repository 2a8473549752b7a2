//! Starting, and what the store takes: `cargo xtask bench store`.
//!
//! Numbers are the smallest of many runs, so that other work on the machine is seen
//! least; each stands beside something plain in the same run. `--quick` measures less.

#[path = "../common/filled.rs"]
mod filled;
mod start;
mod writes;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use plimsoll_domain::PairId;
use plimsoll_store::{Pairs, Search, Topics, Workspace};
use plimsoll_testkit::pairs::topic;
use plimsoll_testkit::report::Table;

use crate::filled::{Effort, Outcome, compared, fill, milliseconds, numbered, open};

fn main() -> Outcome {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let effort = Effort { runs: if quick { 5 } else { 30 } };
    let sizes: &[(u64, &str)] =
        if quick { &[(10_000, "10k")] } else { &[(10_000, "10k"), (100_000, "100k")] };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut table = Table::default();
    start::version(effort, &mut table)?;
    let mut firsts = [0.0; 5];
    for (count, size) in sizes {
        let home = tempfile::tempdir()?;
        let data = home.path().join("data");
        std::fs::create_dir_all(&data)?;
        runtime.block_on(async {
            let store = open(&data).await?;
            store.put_topic(&Workspace::default(), &topic()).await?;
            let rate = fill(&store, *count).await?;
            table.row("insert in batches of 1,000", size, rate, "pairs/s");
            compared(&mut table, &mut firsts[0], rate);
            Outcome::Ok(())
        })?;
        let opening = start::topics(effort, home.path(), &data)?;
        table.row("start: topics --json", size, milliseconds(opening), "ms");
        compared(&mut table, &mut firsts[1], milliseconds(opening));
        runtime.block_on(lists(effort, &data, *count, size, &mut table, &mut firsts))?;
    }
    runtime.block_on(writes::durable(effort, &mut table))?;
    Ok(table.print_and_save("store")?)
}

/// What a history pane asks for: all rows, one page of texts, and a search.
async fn lists(
    effort: Effort,
    data: &Path,
    count: u64,
    size: &str,
    table: &mut Table,
    firsts: &mut [f64; 5],
) -> Outcome {
    let store = open(data).await?;
    let workspace = Workspace::default();
    let page: Vec<PairId> = (count - 100..count).map(|n| numbered(n).id).collect();
    let mut best = [Duration::MAX; 3];
    for _ in 0..effort.runs {
        let started = Instant::now();
        let rows = store.rows(&workspace).await?;
        best[0] = best[0].min(started.elapsed());
        if rows.len() as u64 != count {
            return Err(format!("{} rows of {count}", rows.len()).into());
        }
        let started = Instant::now();
        store.get_many(&page).await?;
        best[1] = best[1].min(started.elapsed());
        let started = Instant::now();
        store.search(&workspace, "captain harbour", 50).await?;
        best[2] = best[2].min(started.elapsed());
    }
    let names = ["history: all rows", "history: texts of the newest 100", "search, 50 hits"];
    for (at, (name, time)) in names.iter().zip(best).enumerate() {
        table.row(name, size, milliseconds(time), "ms");
        compared(table, &mut firsts[at + 2], milliseconds(time));
    }
    Ok(())
}
