//! The traits of the store, each method handed to the database as one job.

mod books;
mod deletions;
mod files;
mod history;
mod memory;
mod notes;

use std::path::Path;

use plimsoll_domain::Timestamp;
use plimsoll_store::StoreResult;

use crate::{OpenOptions, OpenReport, sqlite::Sqlite};

/// A store in a database. Which one it is shows only where it is opened: a second database
/// becomes a second variant of what is inside.
pub struct SqlStore {
    engine: Sqlite,
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
        Ok(Self { engine: Sqlite::open(path, options, at).await? })
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
        Sqlite::restore(from, path, kept, at).await
    }

    /// What opening it did besides.
    pub fn report(&self) -> &OpenReport {
        self.engine.report()
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        self.engine.path()
    }
}
