//! What is served, and how fast: `cargo xtask bench serve`.
//!
//! The binary itself serves; what it is compared with is the same thing done with nothing
//! but axum, in a process of its own, in turns. `--quick` measures less.

// What fails here ends the benchmark, as it ends a test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod bare;
#[allow(dead_code)]
#[path = "../common/filled.rs"]
mod filled;
mod http;
#[allow(dead_code)]
#[path = "../../tests/web/many.rs"]
mod many;
#[allow(dead_code)]
#[path = "../../tests/trust/measures.rs"]
mod measures;
mod page;
mod ready;
mod relay;
#[allow(dead_code)]
#[path = "../../tests/web/served.rs"]
mod served;
mod sidebar;

use std::path::Path;

use plimsoll_store::{Topics, Workspace};
use plimsoll_testkit::pairs::topic;
use plimsoll_testkit::{
    report::Table,
    scripted::{Reply, ScriptedServer},
};

use crate::{
    filled::{Effort, Outcome, fill, open},
    served::Served,
};

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().collect();
    if args.iter().any(|arg| arg == bare::ASKED) {
        return bare::serve();
    }
    let quick = args.iter().any(|arg| arg == "--quick");
    let effort = Effort { runs: if quick { 3 } else { 10 } };
    // The goals are those of the first size; the second is ten times as large.
    let sizes = |sizes: [(u32, &'static str); 2]| {
        sizes.into_iter().take(if quick { 1 } else { 2 }).collect::<Vec<_>>()
    };
    let mut table = Table::default();
    let bare = bare::Bare::start()?;
    http::run(effort, &bare, &mut table)?;
    relay::run(effort, &bare, &mut table)?;
    let provider = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)])?;
    let mut first = ready::First::default();
    for (count, size) in sizes([(10_000, "10k"), (100_000, "100k")]) {
        let mut served = Served::start_with(&provider, 128_000, |home| write(home, count));
        ready::run(effort, &mut served, size, &mut first, &mut table)?;
    }
    let mut views = page::First::default();
    for (count, size) in sizes([(20_000, "20k"), (200_000, "200k")]) {
        let served = Served::start_with(&provider, 128_000, |home| write(home, count));
        page::run(effort, &served, size, &mut views, &mut table)?;
    }
    let mut opened = 0.0;
    for (count, size) in sizes([(5_000, "5,000"), (50_000, "50,000")]) {
        let served = Served::start_with(&provider, 128_000, |home| {
            many::write_conversations(home, count);
        });
        sidebar::run(effort, &served, size, &mut opened, &mut table)?;
    }
    Ok(table.print_and_save("serve")?)
}

/// A store with so many pairs, before anybody serves it.
fn write(home: &Path, count: u32) {
    let data = home.join("data");
    std::fs::create_dir_all(&data).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open(&data).await.unwrap();
        store.put_topic(&Workspace::default(), &topic()).await.unwrap();
        fill(&store, count.into()).await.unwrap();
    });
}
