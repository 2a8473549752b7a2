//! The traits of the store, each method handed to the database as one job.

mod books;
mod deletions;
mod files;
mod history;
mod memory;
mod notes;

use std::path::{Path, PathBuf};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Finding, StoreResult};

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

    /// Looks at every page and reference of the store at `path`; an empty list is good news.
    /// Nothing is changed, also not by an interrupted send that would be recovered, and
    /// nothing is made where nothing is. A file that is no store is an error (REL-10).
    pub async fn look_through_sqlite(path: &Path) -> StoreResult<Vec<Finding>> {
        Sqlite::look_through(path).await
    }

    /// Moves a damaged store, or a file in its place that is none, out of the way, to a name
    /// that is free; says where to. A sound one, or one of a newer version, stays (REL-2).
    pub async fn set_aside_sqlite(path: &Path) -> StoreResult<Option<PathBuf>> {
        Sqlite::set_aside(path).await
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
