//! Many open pages: what they take, and how soon all of them hear of a change.

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use plimsoll_testkit::report::Table;
use serde_json::Value;

use crate::{
    Effort, Outcome,
    cluster::{Cluster, Node, name},
    reads::{megabytes, percentile},
};

/// So many watch the same workspace.
const TOGETHER: usize = 10;

/// Changes that are made at each place.
const CHANGES: usize = 40;

/// No event takes this long.
const LONGEST: Duration = Duration::from_secs(30);

pub(crate) fn run(cluster: &Cluster, effort: Effort, table: &mut Table) -> Outcome {
    let (node, other) = (cluster.node()?, cluster.node()?);
    let before = megabytes(&node);
    let (heard, hears) = mpsc::channel();
    let workspaces = effort.watchers / TOGETHER;
    let size = format!("{} watchers of {workspaces} workspaces", effort.watchers);
    let started = Instant::now();
    for watcher in 0..effort.watchers {
        let mut events = node.events(watcher % workspaces)?;
        let heard = heard.clone();
        std::thread::Builder::new().stack_size(256 * 1024).spawn(move || {
            while let Ok(event) = events.next_event() {
                if event.name == "pair" && heard.send(Instant::now()).is_err() {
                    return;
                }
            }
        })?;
    }
    table.row("until all watch", &size, started.elapsed().as_secs_f64(), "s");
    table.row("memory of the node", &size, megabytes(&node), "MB");
    let each = (megabytes(&node) - before) / effort.watchers as f64 * 1e3;
    table.ratio(format!("{each:.0} KB a watcher"));
    for (what, at) in [("at the same node", &node), ("at another node", &other)] {
        let mut times = Vec::new();
        for change in 0..CHANGES {
            times.push(change_one(at, change * workspaces / CHANGES, &hears)?);
        }
        let what = format!("a change {what} until all {TOGETHER} who watch have heard");
        table.row(&format!("{what}, median"), &size, percentile(&times, 50), "ms");
        table.row(&format!("{what}, p95"), &size, percentile(&times, 95), "ms");
    }
    Ok(())
}

/// In milliseconds.
fn change_one(at: &Node, workspace: usize, hears: &mpsc::Receiver<Instant>) -> Outcome<f64> {
    let path = format!("/api/pairs?workspace={}&scope=everything&limit=1", name(workspace));
    let list: Value = serde_json::from_str(&at.ask("GET", &path, "")?.body)?;
    let pair = &list["pairs"][0];
    let id = pair["id"].as_str().ok_or_else(|| format!("no pair in {list}"))?;
    let star = (pair["star"].as_u64().unwrap_or(0) + 1) % 4;
    let path = format!("/api/pairs/{id}?workspace={}", name(workspace));
    let started = Instant::now();
    at.ask("PATCH", &path, &format!("{{\"star\": {star}}}"))?;
    let mut last = started;
    for _ in 0..TOGETHER {
        last = last.max(hears.recv_timeout(LONGEST)?);
    }
    Ok((last - started).as_secs_f64() * 1e3)
}
