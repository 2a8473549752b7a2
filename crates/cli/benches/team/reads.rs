//! What people wait for, in many workspaces: the page, a filter, a search, a search of the memory.

use std::{sync::Mutex, time::Instant};

use plimsoll_testkit::{history::Random, report::Table};

use crate::{
    Effort, Outcome,
    cluster::{Cluster, Node, name},
};

/// So many people ask at once.
const READERS: usize = 4;

/// The value of each row at the first size.
#[derive(Default)]
pub(crate) struct First([f64; READS.len()]);

struct Read {
    what: &'static str,
    method: &'static str,
    path: &'static str,
    body: &'static str,
    /// What stands in every answer that found something.
    found: &'static str,
}

const READS: [Read; 4] = [
    Read { what: "page", method: "GET", path: "/?scope=everything", body: "", found: "<article" },
    Read {
        what: "filter",
        method: "PUT",
        path: "/api/view?scope=everything",
        body: r#"{"filter": "!e & (s>=0 | b)"}"#,
        found: "\"counter\"",
    },
    Read {
        what: "search of the history",
        method: "GET",
        path: "/api/search?scope=everything&q=harbour+winter",
        body: "",
        found: "<mark>",
    },
    Read {
        what: "search of the memory",
        method: "GET",
        path: "/api/memory?query=harbour+winter",
        body: "",
        found: "\"title\"",
    },
];

pub(crate) fn run(
    cluster: &Cluster,
    node: &Node,
    effort: Effort,
    workspaces: usize,
    first: &mut First,
    table: &mut Table,
) -> Outcome {
    let pairs: u64 = cluster.sql("SELECT COUNT(*) FROM pairs")?.parse()?;
    let size = format!("{workspaces} workspaces, {pairs} pairs");
    for (read, first) in READS.iter().zip(&mut first.0) {
        let times = times(node, read, effort.reads, workspaces)?;
        let p95 = percentile(&times, 95);
        table.row(&format!("{}, median", read.what), &size, percentile(&times, 50), "ms");
        table.row(&format!("{}, p95", read.what), &size, p95, "ms");
        if *first == 0.0 {
            *first = p95;
        } else {
            table.ratio(format!("{:.2} × the first size", p95 / *first));
        }
    }
    table.row("memory of the node that was asked", &size, megabytes(node), "MB");
    Ok(())
}

/// In milliseconds, over workspaces by chance: most of them nobody has looked at for a while.
fn times(node: &Node, read: &Read, count: usize, workspaces: usize) -> Outcome<Vec<f64>> {
    let found = Mutex::new(Vec::new());
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (found, failed) = (&found, &failed);
            scope.spawn(move || {
                let mut random = Random::new(reader as u64 + 1);
                for _ in 0..count / READERS {
                    let workspace = random.below(workspaces as u64) as usize;
                    let join = if read.path.contains('?') { '&' } else { '?' };
                    let path = format!("{}{join}workspace={}", read.path, name(workspace));
                    let started = Instant::now();
                    match node.ask(read.method, &path, read.body) {
                        Ok(answer) if !answer.body.contains(read.found) => {
                            let said = format!("{path} found nothing: {}", answer.body);
                            *failed.lock().unwrap() = Some(said);
                        }
                        Ok(_) => found.lock().unwrap().push(started.elapsed().as_secs_f64() * 1e3),
                        Err(why) => *failed.lock().unwrap() = Some(why.to_string()),
                    }
                }
            });
        }
    });
    match failed.into_inner()? {
        Some(why) => Err(why.into()),
        None => Ok(found.into_inner()?),
    }
}

pub(crate) fn percentile(times: &[f64], percent: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

pub(crate) fn megabytes(node: &Node) -> f64 {
    crate::measures::memory(node.pid()).map_or(f64::NAN, |bytes| bytes as f64 / 1e6)
}
