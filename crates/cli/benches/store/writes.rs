//! Writing one pair that must not be lost.

use std::{
    fs::File,
    io::Write,
    time::{Duration, Instant},
};

use plimsoll_store::{Pairs, Topics, Workspace};
use plimsoll_testkit::pairs::topic;
use plimsoll_testkit::report::Table;

use crate::filled::{Effort, Outcome, milliseconds, numbered, open};

/// One pair that is on the disk when the call returns, beside the same bytes written to
/// a plain file and synchronised.
pub(crate) async fn durable(effort: Effort, table: &mut Table) -> Outcome {
    let home = tempfile::tempdir()?;
    let store = open(home.path()).await?;
    store.put_topic(&Workspace::default(), &topic()).await?;
    let mut plain = File::create(home.path().join("plain"))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // In turns, so that a slow moment of the disk falls on both.
    for n in 0..effort.runs as u64 * 4 {
        let pair = numbered(n);
        let bytes =
            [pair.user_text.as_bytes(), pair.assistant_text.as_deref().unwrap_or("").as_bytes()];
        let bytes = bytes.concat();
        let started = Instant::now();
        store.insert(&Workspace::default(), &pair).await?;
        ours.push(started.elapsed());
        let started = Instant::now();
        plain.write_all(&bytes)?;
        plain.sync_data()?;
        theirs.push(started.elapsed());
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    table.row("insert one pair, durable (median)", "", milliseconds(ours), "ms");
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    table.ratio(format!("{ratio:.2} × write + fsync of a plain file"));
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
