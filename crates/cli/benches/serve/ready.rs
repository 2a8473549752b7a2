//! From the start of the process until it can work, and what it takes while it idles.

use plimsoll_testkit::report::Table;

use crate::{
    filled::{Effort, Outcome, compared, milliseconds},
    measures::memory,
    served::Served,
};

/// The values of the first size.
#[derive(Default)]
pub(crate) struct First {
    ready: f64,
    memory: f64,
}

pub(crate) fn run(
    effort: Effort,
    served: &mut Served,
    size: &str,
    first: &mut First,
    table: &mut Table,
) -> Outcome {
    let mut best = f64::MAX;
    for _ in 0..effort.runs {
        served.stop();
        let started = std::time::Instant::now();
        served.start_again();
        if served.ask("GET", "/readyz", None).status != 200 {
            return Err("it is not ready".into());
        }
        best = best.min(milliseconds(started.elapsed()));
    }
    table.row("start: serve, until it is ready", size, best, "ms");
    compared(table, &mut first.ready, best);
    table.goal("≤ 150 ms", best <= 150.0);
    if let Some(bytes) = memory(served.pid()) {
        let megabytes = bytes as f64 / 1e6;
        table.row("memory while idle", size, megabytes, "MB");
        compared(table, &mut first.memory, megabytes);
        table.goal("≤ 40 MB", megabytes <= 40.0);
    }
    Ok(())
}
