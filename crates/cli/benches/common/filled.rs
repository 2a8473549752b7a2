//! What the benchmarks of this crate share: how often, and a history to measure with.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use plimsoll_domain::{Lifecycle, MessagePair, PairId};
use plimsoll_store::{Pairs, Workspace};
use plimsoll_store_sql::{OpenOptions, SqlStore};
use plimsoll_testkit::pairs::{at, pair};
use plimsoll_testkit::{
    history::{Random, prose},
    report::Table,
};

/// A benchmark stops at the first failure.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// How often something is repeated.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) runs: usize,
}

impl Effort {
    /// The shortest time that one run took.
    pub(crate) fn shortest(self, mut run: impl FnMut() -> Outcome) -> Outcome<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..self.runs {
            let started = Instant::now();
            run()?;
            best = best.min(started.elapsed());
        }
        Ok(best)
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The growth from the first size to this one.
pub(crate) fn compared(table: &mut Table, first: &mut f64, value: f64) {
    if *first == 0.0 {
        *first = value;
    } else {
        table.ratio(format!("{:.2} × the value of the first size", value / *first));
    }
}

/// An answered pair of 1,600 characters.
pub(crate) fn numbered(n: u64) -> MessagePair {
    let created_at = at(i64::try_from(n).unwrap_or(i64::MAX / 2000) * 1000);
    let mut random = [0; 10];
    random[..8].copy_from_slice(&n.to_be_bytes());
    let mut words = Random::new(n);
    MessagePair {
        id: PairId::new(created_at, random),
        created_at,
        user_text: prose(&mut words, 400),
        assistant_text: Some(prose(&mut words, 1200)),
        lifecycle: Lifecycle::Complete,
        ..pair(1)
    }
}

pub(crate) async fn open(data: &Path) -> Outcome<SqlStore> {
    let path = data.join("plimsoll.db");
    Ok(SqlStore::open_sqlite(&path, OpenOptions::default(), at(0)).await?)
}

/// Writes this many pairs down; how many in a second.
pub(crate) async fn fill(store: &SqlStore, count: u64) -> Outcome<f64> {
    const BATCH: u64 = 1000;
    let mut taken = Duration::ZERO;
    for from in (0..count).step_by(1000) {
        let pairs: Vec<_> = (from..(from + BATCH).min(count)).map(numbered).collect();
        let started = Instant::now();
        store.insert_many(&Workspace::default(), &pairs).await?;
        taken += started.elapsed();
    }
    Ok(count as f64 / taken.as_secs_f64())
}
