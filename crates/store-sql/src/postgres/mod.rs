//! PostgreSQL: any number of writers, on any number of machines.
//!
//! A job runs on a thread where blocking is allowed, on one connection of a pool, in one
//! transaction. Statements are not prepared by name, so that a pooler which hands connections from
//! transaction to transaction may stand between.

mod connect;
mod copying;
mod error;
mod finder;
mod migrate;
#[cfg(test)]
mod migrate_tests;
mod session;
mod texts;
mod transaction;
mod upkeep;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use deadpool_postgres::Pool;
use plimsoll_domain::Timestamp;
use plimsoll_store::{
    StoreError, StoreResult, Subject,
    engine::{Db, Engine},
};
use tokio::runtime::Handle;

use self::{
    error::Trouble,
    transaction::{Kind, Transaction},
};
use crate::{
    OpenOptions, OpenReport,
    faults::{Faults, failing},
    migrations::{Migration, POSTGRES},
};

/// Between two tries of a job that the database undid, or could not begin.
const REST: Duration = Duration::from_millis(60);

/// A store in a PostgreSQL database. Clones are the same handle.
#[derive(Clone)]
pub struct PostgresStore {
    pool: Pool,
    patience: Duration,
    report: OpenReport,
    faults: Option<Faults>,
    /// How often this handle has written.
    writes: Arc<AtomicU64>,
    /// Tells this handle from all others.
    handle: Arc<str>,
}

impl PostgresStore {
    /// Opens the store at `postgres://…`, or makes one in an empty database; `at` is the time now.
    ///
    /// A store of an earlier version is brought up to date, by one of those who ask at the same
    /// time. One of a newer version, or a database that holds something else, is refused and left
    /// as it is.
    pub async fn open(url: &str, options: OpenOptions, at: Timestamp) -> StoreResult<Self> {
        Self::open_knowing(&POSTGRES, url, options, at).await
    }

    /// The same as by a version that knows these steps of the schema.
    async fn open_knowing(
        known: &'static [Migration],
        url: &str,
        options: OpenOptions,
        at: Timestamp,
    ) -> StoreResult<Self> {
        let pool = connect::pool(url, &options)?;
        let mut store = Self {
            pool,
            patience: options.busy_timeout,
            report: OpenReport::default(),
            faults: options.faults,
            writes: Arc::default(),
            handle: crate::handle::new().into(),
        };
        store.report = migrate::migrate(&store, known, at).await?;
        Ok(store)
    }

    pub fn report(&self) -> &OpenReport {
        &self.report
    }

    /// Runs a job in a transaction, again where the database undid it.
    async fn run<T: Send + 'static>(
        &self,
        kind: Kind,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (pool, patience, writes) = (self.pool.clone(), self.patience, Arc::clone(&self.writes));
        let (runtime, handle) = (Handle::current(), Arc::clone(&self.handle));
        let done = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            loop {
                let trouble = match once(&pool, (&runtime, &handle), &kind, &job) {
                    Ok(done) => {
                        if kind.writes() {
                            writes.fetch_add(1, Ordering::Relaxed);
                        }
                        return Ok(done);
                    }
                    Err(trouble) => trouble,
                };
                match trouble {
                    Trouble::Passing(_) if started.elapsed() < patience => {
                        std::thread::sleep(REST);
                    }
                    Trouble::Passing(error) | Trouble::Lasting(error) => return Err(error),
                }
            }
        });
        done.await.map_err(|error| StoreError::Failed(error.to_string()))?
    }

    async fn run_or_fail<T: Send + 'static>(
        &self,
        kind: Kind,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let fault = self.faults.as_ref().and_then(Faults::next);
        failing(fault, self.run(kind, job)).await
    }
}

/// One try.
fn once<T>(
    pool: &Pool,
    (runtime, handle): (&Handle, &str),
    kind: &Kind,
    job: &impl Fn(&mut dyn Db) -> StoreResult<T>,
) -> Result<T, Trouble> {
    let mut transaction = Transaction::begin(pool, runtime, handle, kind)?;
    let done = transaction.run(job)?;
    transaction.commit()?;
    Ok(done)
}

impl Engine for PostgresStore {
    async fn read<T: Send + 'static>(
        &self,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.run_or_fail(Kind::Read, job).await
    }

    async fn write<T: Send + 'static>(
        &self,
        about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.run_or_fail(Kind::Write { about, lazily: false }, job).await
    }

    async fn write_lazily<T: Send + 'static>(
        &self,
        about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.run_or_fail(Kind::Write { about, lazily: true }, job).await
    }
}
