//! What the gateway adds to a call: `cargo xtask bench gateway` (GWY-17).
//!
//! One mock upstream answers; it is asked directly, through a bare relay of axum and reqwest,
//! through the binary itself and through LiteLLM's proxy, in turns. `--quick` measures less.

// What fails here ends the benchmark, as it ends a test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod bodies;
mod growth;
mod litellm;
mod load;
#[allow(dead_code)]
#[path = "../../tests/trust/measures.rs"]
mod measures;
mod own_process;
mod relay;
mod report;
mod samples;
mod scenarios;
#[allow(dead_code)]
#[path = "../../tests/web/served.rs"]
mod served;
mod upstream;
mod ways;

use std::io::Write;

use plimsoll_testkit::report::Table;

use crate::{
    own_process::OwnProcess,
    scenarios::Effort,
    ways::{Kind, Ways},
};

/// A benchmark stops at the first failure.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().collect();
    if args.iter().any(|arg| arg == upstream::ASKED) {
        return upstream::serve();
    }
    if let Some(at) = args.iter().position(|arg| arg == relay::ASKED) {
        return relay::serve(args.get(at + 1).ok_or("the relay needs an upstream")?);
    }
    let effort = if args.iter().any(|arg| arg == "--quick") { Effort::QUICK } else { Effort::FULL };
    let mut table = Table::default();
    let machine = Machine::look()?;
    machine.tell(&mut table)?;
    // One thread asks, so that the load generator takes one core at most.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let upstream = OwnProcess::start(&[upstream::ASKED])?;
    let ways = Ways::start(&upstream)?;
    let before = ways.memory();
    let results = scenarios::run(&runtime, effort, &ways)?;
    let after = ways.memory();
    report::goals(&results, machine.cores, &mut table);
    let answers = ways.all.iter().any(|way| way.kind == Kind::Plimsoll);
    drop(ways);
    if answers {
        growth::plimsoll(&runtime, effort, &upstream, &mut table)?;
    }
    growth::relay(&runtime, effort, &upstream, &mut table)?;
    report::memory(&before, &after, &mut table);
    report::details(&results, &mut table);
    Ok(table.print_and_save("gateway")?)
}

/// What a measurement here is worth.
struct Machine {
    cores: usize,
    /// Processes that wanted to run in the last minute; none where the system does not say.
    load: Option<f64>,
}

impl Machine {
    fn look() -> Outcome<Self> {
        let told = std::fs::read_to_string("/proc/loadavg").ok();
        let load = told.and_then(|told| told.split_whitespace().next()?.parse().ok());
        Ok(Self { cores: std::thread::available_parallelism()?.get(), load })
    }

    fn tell(&self, table: &mut Table) -> Outcome {
        let cores = self.cores;
        let load = self.load.map_or("unknown".to_owned(), |load| format!("{load:.2}"));
        let mut err = std::io::stderr().lock();
        writeln!(err, "{cores} cores, load average at the start: {load}")?;
        if self.load.is_some_and(|load| load > 0.25 * cores as f64) {
            writeln!(
                err,
                "WARNING: the machine is busy; ratios are rough, absolute numbers wrong"
            )?;
        }
        let size = format!("{cores} cores");
        table.row("machine: load average at the start", &size, self.load.unwrap_or(f64::NAN), "");
        Ok(())
    }
}
