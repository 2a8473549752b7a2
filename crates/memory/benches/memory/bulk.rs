//! All of a memory out and in, as one file and as many (MEM-17).

use std::{
    fs::File,
    io::{BufReader, BufWriter},
    path::Path,
    time::Instant,
};

use plimsoll_memory::{Memory, SyncAsk};
use plimsoll_testkit::report::Table;

use crate::{Outcome, open};

/// What bringing in 100,000 notes may take.
const GOAL_SECONDS: f64 = 60.0;

/// Exports a memory, brings it into an empty one, and then once more into the same.
pub(crate) async fn measure(
    memory: &Memory,
    directory: &Path,
    name: &str,
    table: &mut Table,
) -> Outcome {
    let path = directory.join("memory.jsonl");
    let started = Instant::now();
    memory.export(&mut BufWriter::new(File::create(&path)?)).await?;
    table.row("memory: export", name, started.elapsed().as_secs_f64(), "s");
    let (_store, empty) = open(&directory.join("brought.db")).await?;
    let started = Instant::now();
    let brought = empty.import(&mut BufReader::new(File::open(&path)?)).await?;
    let took = started.elapsed().as_secs_f64();
    assert_eq!(brought.known, 0, "it was empty");
    table.row("memory: import", name, took, "s");
    table.goal("≤ 60 s", took <= GOAL_SECONDS);
    let started = Instant::now();
    let again = empty.import(&mut BufReader::new(File::open(&path)?)).await?;
    assert_eq!((again.added, again.known), (0, brought.added), "all of it is there");
    table.row("memory: import of what is there", name, started.elapsed().as_secs_f64(), "s");
    let ask = SyncAsk {
        folder: directory.join("notes"),
        fresh_id: "bench-0001".to_owned(),
        ..SyncAsk::default()
    };
    for what in ["memory: sync, all into files", "memory: sync, nothing to do"] {
        let started = Instant::now();
        let synced = empty.sync(&ask).await?;
        assert_eq!(synced.lines, Vec::<String>::new());
        table.row(what, name, started.elapsed().as_secs_f64(), "s");
    }
    Ok(())
}
