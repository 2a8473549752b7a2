//! What nodes cost the database when nobody does anything.

use std::time::{Duration, Instant};

use plimsoll_testkit::report::Table;

use crate::{
    Effort, Outcome,
    cluster::{Cluster, Node, name},
    measures::processor_time,
};

/// The database tells of transactions about a second late.
const SETTLE: Duration = Duration::from_secs(2);

pub(crate) fn run(cluster: &mut Cluster, effort: Effort, table: &mut Table) -> Outcome {
    let mut one = 0.0;
    for count in [1, 3] {
        let nodes: Vec<Node> = (0..count).map(|_| cluster.node()).collect::<Result<_, _>>()?;
        // Somebody looks at each of them, or they have nothing to ask for.
        let watched: Vec<_> = nodes.iter().map(|node| node.events(0)).collect::<Result<_, _>>()?;
        node_page(&nodes)?;
        std::thread::sleep(SETTLE);
        let (asked, used, started) = (transactions(cluster)?, times(&nodes), Instant::now());
        std::thread::sleep(Duration::from_secs(effort.seconds));
        let seconds = started.elapsed().as_secs_f64();
        let rate = (transactions(cluster)? - asked) / seconds;
        let busy = (times(&nodes) - used) / seconds / count as f64;
        drop(watched);
        let size = format!("{count} nodes, each with one open page");
        table.row("transactions of nodes that nobody asks", &size, rate, "a second");
        if count == 1 {
            one = rate;
        } else {
            table.ratio(format!("{:.1} a second for one more node", (rate - one) / 2.0));
        }
        table.row("processor time of one of them", &size, busy, "ms a second");
    }
    Ok(())
}

fn node_page(nodes: &[Node]) -> Outcome {
    for node in nodes {
        node.ask("GET", &format!("/api/state?workspace={}", name(0)), "")?;
    }
    Ok(())
}

fn transactions(cluster: &Cluster) -> Outcome<f64> {
    let sql = "SELECT xact_commit + xact_rollback FROM pg_stat_database
        WHERE datname = current_database()";
    Ok(cluster.sql(sql)?.parse()?)
}

/// All together, in milliseconds.
fn times(nodes: &[Node]) -> f64 {
    nodes.iter().filter_map(|node| processor_time(node.pid())).sum::<u64>() as f64
}
