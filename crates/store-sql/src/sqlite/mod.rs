//! SQLite: one file, one writer, readers beside it.

mod connection;
mod error;
mod file;
mod finder;
mod migrate;
mod open;
mod readers;
mod restore;
mod schema;
mod session;
mod upkeep;
mod writer;

#[cfg(test)]
mod bulk_tests;
#[cfg(test)]
mod migrate_tests;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Finding, StoreResult, Subject,
    engine::{Db, Engine},
};

use crate::{
    OpenOptions, OpenReport,
    faults::{Faults, failing},
    migrations::SQLITE,
};
use writer::Durability;

/// A store in a SQLite file. A second database is a sibling of this.
pub struct SqlStore {
    path: PathBuf,
    // Readers go first: the last connection to close writes the log back into the file,
    // and only the writer can.
    readers: readers::Readers,
    writer: writer::Writer,
    report: OpenReport,
    faults: Option<Faults>,
    /// Tells this handle from all others.
    handle: Arc<str>,
}

impl SqlStore {
    /// Opens a store in a SQLite file, or makes one; `at` is the time now.
    ///
    /// A store of an earlier version is brought up to date, after a backup beside it. A
    /// file that is damaged, of a newer version or not ours is refused and left as it is,
    /// unless the options say to set a damaged one aside.
    pub async fn open_sqlite(
        path: &Path,
        options: OpenOptions,
        at: Timestamp,
    ) -> StoreResult<Self> {
        let path = path.to_owned();
        readers::blocking(move || open::open(&path, &options, &SQLITE, at)).await
    }

    /// Puts the backup `from` in the place of the store at `path`, and keeps what stood
    /// there as `kept`; says whether anything did. Everything is checked before anything is
    /// touched: a file that is damaged, newer or not ours is refused, and so is a store
    /// that somebody has open. `from` is only read; `at` is the time now.
    pub async fn restore_sqlite(
        from: &Path,
        path: &Path,
        kept: &Path,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let (from, path, kept) = (from.to_owned(), path.to_owned(), kept.to_owned());
        readers::blocking(move || restore::restore(&from, &path, &kept, at)).await
    }

    /// Looks at every page and reference of the store at `path`; an empty list is good news.
    /// Nothing is changed, also not by an interrupted send that would be recovered, and
    /// nothing is made where nothing is. A file that is no store is an error (REL-10).
    pub async fn look_through_sqlite(path: &Path) -> StoreResult<Vec<Finding>> {
        let path = path.to_owned();
        readers::blocking(move || open::look_through(&path, &SQLITE)).await
    }

    /// Moves a damaged store, or a file in its place that is none, out of the way, to a name
    /// that is free; says where to. A sound one, or one of a newer version, stays (REL-2).
    pub async fn set_aside_sqlite(path: &Path) -> StoreResult<Option<PathBuf>> {
        let path = path.to_owned();
        readers::blocking(move || open::set_aside(&path, &SQLITE)).await
    }

    pub fn report(&self) -> &OpenReport {
        &self.report
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    async fn write_with<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let fault = self.faults.as_ref().and_then(Faults::next);
        let handle = Arc::clone(&self.handle);
        let done = self.writer.run(move |connection| {
            connection.set_durability(durability)?;
            session::transaction(connection.get(), &handle, job)
        });
        failing(fault, done).await
    }
}

/// There is one writer, so that all jobs of writing run one after the other, whatever they are about.
impl Engine for SqlStore {
    async fn read<T: Send + 'static>(
        &self,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let fault = self.faults.as_ref().and_then(Faults::next);
        let handle = Arc::clone(&self.handle);
        let done = self.readers.run(move |connection| session::view(connection, &handle, job));
        failing(fault, done).await
    }

    async fn write<T: Send + 'static>(
        &self,
        _about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.write_with(Durability::Full, job).await
    }

    async fn write_lazily<T: Send + 'static>(
        &self,
        _about: Subject,
        job: impl Fn(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.write_with(Durability::Process, job).await
    }
}
