//! What a team's server carries: `cargo xtask bench team` (TEA-13).
//!
//! PostgreSQL, an object store, a provider that answers at once, and one or three nodes are
//! processes of their own on one machine. `--quick` measures with fewer workspaces and watchers.

// What fails here ends the benchmark, as it ends a test.
#![allow(clippy::unwrap_used, clippy::panic)]

#[allow(dead_code)]
#[path = "../gateway/bodies.rs"]
mod bodies;
mod cluster;
mod fill;
mod idle;
#[allow(dead_code)]
#[path = "../../tests/trust/measures.rs"]
mod measures;
#[allow(dead_code)]
#[path = "../gateway/own_process.rs"]
mod own_process;
mod reads;
mod sends;
#[path = "../gateway/upstream.rs"]
mod upstream;
mod watchers;

use std::io::Write;

use plimsoll_testkit::report::Table;

use crate::cluster::Cluster;

/// A benchmark stops at the first failure.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// How much there is, and how long it is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Steps of growth: so many workspaces, each with `pairs` pairs and `notes` notes.
    pub(crate) workspaces: &'static [usize],
    pub(crate) pairs: usize,
    pub(crate) notes: usize,
    pub(crate) watchers: usize,
    pub(crate) reads: usize,
    pub(crate) seconds: u64,
}

impl Effort {
    const FULL: Self = Self {
        workspaces: &[10, 100, 1_000],
        pairs: 2_000,
        notes: 100,
        watchers: 1_000,
        reads: 400,
        seconds: 20,
    };
    const QUICK: Self =
        Self { workspaces: &[2, 20], pairs: 200, notes: 50, watchers: 100, reads: 60, seconds: 4 };
}

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().collect();
    if args.iter().any(|arg| arg == upstream::ASKED) {
        return upstream::serve();
    }
    let effort = if args.iter().any(|arg| arg == "--quick") { Effort::QUICK } else { Effort::FULL };
    let mut table = Table::default();
    let mut cluster = Cluster::start()?;
    fill::template(&cluster, effort)?;
    let mut first = reads::First::default();
    let mut filled = 1;
    for &workspaces in effort.workspaces {
        say(&format!("filling up to {workspaces} workspaces"))?;
        fill::up_to(&cluster, filled, workspaces)?;
        filled = workspaces;
        let node = cluster.node()?;
        reads::run(&cluster, &node, effort, workspaces, &mut first, &mut table)?;
    }
    say("nodes that nobody asks")?;
    idle::run(&mut cluster, effort, &mut table)?;
    say("sends")?;
    sends::run(&cluster, effort, filled, &mut table)?;
    say("watchers")?;
    watchers::run(&cluster, effort, &mut table)?;
    Ok(table.print_and_save("team")?)
}

pub(crate) fn say(what: &str) -> Outcome {
    Ok(writeln!(std::io::stderr(), "measuring: {what}")?)
}
