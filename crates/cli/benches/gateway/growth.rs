//! Memory over very many calls: what a process keeps of each would show.

use std::{io::Write, path::Path};

use plimsoll_testkit::report::Table;
use tokio::runtime::Runtime;

use crate::{
    Outcome, load,
    own_process::OwnProcess,
    scenarios::{Effort, Scenario},
    ways::{Door, megabytes, start_plimsoll, start_relay},
};

/// Memory is looked at so many times.
const LOOKS: usize = 10;

/// What memory may be at the end, of what it was at the first look.
const FLAT: f64 = 1.1;

const CONNECTIONS: usize = 16;

/// In a new process, so that large bodies of before do not hide a growth.
pub(crate) fn plimsoll(
    runtime: &Runtime,
    effort: Effort,
    upstream: &OwnProcess,
    table: &mut Table,
) -> Outcome {
    let calls = effort.memory_calls;
    let Some(served) = start_plimsoll(upstream)? else { return Ok(()) };
    let data = served.home().join("data");
    let before = bytes_below(&data);
    let looks = looks(runtime, calls, &served.address, served.pid())?;
    let kept = bytes_below(&data).saturating_sub(before) as f64 / calls as f64;
    if let [first, .., last] = looks[..] {
        row(table, "Plimsoll", calls, first, last);
        table.goal(&format!("≤ {FLAT} × the first tenth"), last <= FLAT * first);
    }
    table.row("Plimsoll: kept on disk for a call", &size(calls), kept, "bytes");
    Ok(())
}

/// The same for what keeps nothing of a call.
pub(crate) fn relay(
    runtime: &Runtime,
    effort: Effort,
    upstream: &OwnProcess,
    table: &mut Table,
) -> Outcome {
    let calls = effort.memory_calls;
    let relay = start_relay(upstream)?;
    if let [first, .., last] = looks(runtime, calls, &relay.address, relay.pid())?[..] {
        row(table, "bare relay", calls, first, last);
    }
    Ok(())
}

fn row(table: &mut Table, name: &str, calls: usize, first: f64, last: f64) {
    table.row(&format!("{name}: memory after all calls"), &size(calls), last, "MB");
    table.ratio(format!("{:.2} × the {first:.1} MB after the first tenth", last / first));
}

fn size(calls: usize) -> String {
    format!("{calls} calls, {CONNECTIONS} connections, half of them streams")
}

/// What the process takes after each tenth of the calls; nothing where the system does not tell.
fn looks(runtime: &Runtime, calls: usize, address: &str, pid: u32) -> Outcome<Vec<f64>> {
    writeln!(std::io::stderr(), "measuring: memory over {calls} calls")?;
    let door = Door { address: address.to_owned(), key: None };
    let mut looks = Vec::new();
    for _ in 0..LOOKS {
        for stream in [false, true] {
            let scenario = Scenario { kilobytes: 1, stream, connections: CONNECTIONS };
            let mut asked = scenario.asked();
            asked.calls = calls / LOOKS / 2 / CONNECTIONS;
            let round = runtime.block_on(load::round(&door, &asked));
            if let Some(why) = round.failed.first() {
                return Err(format!("a call failed while memory was measured: {why}").into());
            }
        }
        looks.extend(megabytes(pid));
    }
    Ok(looks)
}

fn bytes_below(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_below(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    bytes.sum()
}
