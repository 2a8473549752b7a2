//! SQLite: one file, one writer, readers beside it.

mod connection;
mod error;
mod file;
mod memory_hit;
mod memory_search;
mod memory_terms;
mod migrate;
mod open;
mod readers;
mod restore;
mod schema;
mod search;
mod session;
mod snippet;
mod upkeep;
mod writer;

#[cfg(test)]
mod migrate_tests;

use std::path::{Path, PathBuf};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Finding, StoreResult};

use crate::{
    OpenOptions, OpenReport,
    db::Db,
    faults::{Faults, failing},
    migrations::SQLITE,
};

pub(crate) use writer::Durability;

/// An open SQLite store.
pub(crate) struct Sqlite {
    path: PathBuf,
    // Readers go first: the last connection to close writes the log back into the file,
    // and only the writer can.
    readers: readers::Readers,
    writer: writer::Writer,
    report: OpenReport,
    faults: Option<Faults>,
}

impl Sqlite {
    pub(crate) async fn open(
        path: &Path,
        options: OpenOptions,
        at: Timestamp,
    ) -> StoreResult<Self> {
        let path = path.to_owned();
        readers::blocking(move || open::open(&path, &options, SQLITE, at)).await
    }

    pub(crate) async fn restore(
        from: &Path,
        path: &Path,
        kept: &Path,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let (from, path, kept) = (from.to_owned(), path.to_owned(), kept.to_owned());
        readers::blocking(move || restore::restore(&from, &path, &kept, at)).await
    }

    pub(crate) async fn look_through(path: &Path) -> StoreResult<Vec<Finding>> {
        let path = path.to_owned();
        readers::blocking(move || open::look_through(&path, SQLITE)).await
    }

    pub(crate) async fn set_aside(path: &Path) -> StoreResult<Option<PathBuf>> {
        let path = path.to_owned();
        readers::blocking(move || open::set_aside(&path, SQLITE)).await
    }

    pub(crate) fn report(&self) -> &OpenReport {
        &self.report
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a job of reading on a consistent view.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let fault = self.faults.as_ref().and_then(Faults::next);
        failing(fault, self.readers.run(move |connection| session::view(connection, job))).await
    }

    /// Runs a job of writing in one transaction; an error undoes all of it.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        job: impl FnOnce(&mut dyn Db) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let fault = self.faults.as_ref().and_then(Faults::next);
        let done = self.writer.run(move |connection| {
            connection.set_durability(durability)?;
            session::transaction(connection.get(), job)
        });
        failing(fault, done).await
    }
}
