//! The first rows of the speed table, with their ratios and growth.
//!
//! Every number is the smallest of many runs in this process, so that other work on
//! the machine is seen least. `--quick` measures with fewer runs, `--texts DIR` says
//! which files weigh the estimators (cargo's registry unless told).

mod boundary;
mod estimator;
mod filter;
mod peer;
mod select;
mod turns;

use std::{path::PathBuf, time::Instant};

use anyhow::Context;
use plimsoll_testkit::report::Table;

/// How long each measurement may repeat.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    runs: usize,
}

impl Effort {
    /// The fewest seconds that one call took.
    pub(crate) fn measure<T>(&self, mut call: impl FnMut() -> T) -> f64 {
        let mut best = f64::MAX;
        for _ in 0..self.runs {
            let started = Instant::now();
            std::hint::black_box(call());
            best = best.min(started.elapsed().as_secs_f64());
        }
        best
    }

    /// The same for calls that are too short for the clock.
    pub(crate) fn measure_many<T>(&self, times: u32, mut call: impl FnMut() -> T) -> f64 {
        let batch = self.measure(|| {
            for _ in 0..times {
                std::hint::black_box(call());
            }
        });
        batch / f64::from(times)
    }
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let effort = Effort { runs: if args.iter().any(|arg| arg == "--quick") { 5 } else { 40 } };
    let named = args.iter().position(|arg| arg == "--texts").and_then(|at| args.get(at + 1));
    let mut table = Table::default();
    select::run(effort, &mut table)?;
    boundary::run(effort, &mut table);
    filter::run(effort, &mut table)?;
    estimator::run(effort, &texts_dir(named)?, &mut table)?;
    Ok(table.print_and_save("core")?)
}

fn texts_dir(named: Option<&String>) -> anyhow::Result<PathBuf> {
    if let Some(dir) = named {
        return Ok(PathBuf::from(dir));
    }
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    Ok(home.context("name a directory of texts with --texts DIR")?.join("registry/src"))
}
