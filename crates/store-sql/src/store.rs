//! The traits of the store, each method handed to the database as one job.

mod books;
mod history;
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

    /// What opening it did besides.
    pub fn report(&self) -> &OpenReport {
        self.engine.report()
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        self.engine.path()
    }
}
