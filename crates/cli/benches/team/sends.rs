//! Sends a second, each over the database, the provider and events to whoever sent it.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use plimsoll_testkit::report::Table;

use crate::{
    Effort, Outcome,
    cluster::{Cluster, Node, name},
    reads::{megabytes, percentile},
};

/// So many people send at once, each in a workspace of their own.
const SENDERS: usize = 16;

pub(crate) fn run(
    cluster: &Cluster,
    effort: Effort,
    workspaces: usize,
    table: &mut Table,
) -> Outcome {
    let mut one = 0.0;
    for count in [1, 3] {
        let nodes: Vec<Node> = (0..count).map(|_| cluster.node()).collect::<Result<_, _>>()?;
        let times = sent(&nodes, effort, workspaces)?;
        let rate = times.len() as f64 / effort.seconds as f64;
        let size = format!("{count} nodes, {SENDERS} people");
        table.row("sends", &size, rate, "a second");
        if count == 1 {
            one = rate;
        } else {
            table.ratio(format!("{:.2} × one node", rate / one));
        }
        table.row("a send of 50 pieces, median", &size, percentile(&times, 50), "ms");
        table.row("a send of 50 pieces, p95", &size, percentile(&times, 95), "ms");
        let memory = nodes.iter().map(megabytes).fold(0.0, f64::max);
        table.row("memory of a node that sends", &size, memory, "MB");
    }
    Ok(())
}

/// How long each took until its end was told, in milliseconds.
fn sent(nodes: &[Node], effort: Effort, workspaces: usize) -> Outcome<Vec<f64>> {
    let until = Instant::now() + Duration::from_secs(effort.seconds);
    let found = Mutex::new(Vec::new());
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (found, failed) = (&found, &failed);
            scope.spawn(move || {
                let node = &nodes[sender % nodes.len()];
                let done = send_until(node, sender * workspaces / SENDERS, until);
                match done {
                    Ok(times) => found.lock().unwrap().extend(times),
                    Err(why) => *failed.lock().unwrap() = Some(why.to_string()),
                }
            });
        }
    });
    match failed.into_inner()? {
        Some(why) => Err(why.into()),
        None => Ok(found.into_inner()?),
    }
}

fn send_until(node: &Node, workspace: usize, until: Instant) -> Outcome<Vec<f64>> {
    let path = format!("/api/conversations?workspace={}", name(workspace));
    let begun: serde_json::Value = serde_json::from_str(&node.ask("POST", &path, "{}")?.body)?;
    let conversation = begun["id"].as_str().ok_or("no conversation was begun")?.to_owned();
    let path = format!("/api/send?workspace={}&conversation={conversation}", name(workspace));
    let mut events = node.events(workspace)?;
    let mut times = Vec::new();
    while Instant::now() < until {
        let started = Instant::now();
        node.ask("POST", &path, r#"{"text": "What lies in the harbour?", "overBudget": "trim"}"#)?;
        events.until("ended")?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}
