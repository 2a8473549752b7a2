//! A copy of the store in a file.

use std::{fs, path::Path};

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Noun, Preferences, StoreError, StoreResult, Subject, Upkeep,
    engine::{Engine, first},
    values,
};

use super::PostgresStore;
use crate::{
    OpenOptions, SqlStore, UNFINISHED,
    transfer::{self, transfer},
};

const OPEN: &str = "SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'plimsoll'";
const ROWS: &str = "SELECT (SELECT COUNT(*) FROM pairs) + (SELECT COUNT(*) FROM topics)
    + (SELECT COUNT(*) FROM files) + (SELECT COUNT(*) FROM memory_sessions)";

/// Writes all into a new store in a file, which has its name only when it is whole.
pub(super) async fn to_file(store: &PostgresStore, target: &Path) -> StoreResult<()> {
    if target.symlink_metadata().is_ok() {
        return Err(StoreError::Exists(Noun::File));
    }
    let directory = target.parent().filter(|above| !above.as_os_str().is_empty());
    let scratch = directory.unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| StoreError::Failed(error.to_string());
    let scratch = tempfile::Builder::new().prefix(".unfinished-").tempdir_in(scratch);
    let scratch = scratch.map_err(failed)?;
    let unfinished = scratch.path().join("store");
    let made_at = store.schema_version().await?.made_at;
    copied(store, &unfinished, made_at).await?;
    fs::hard_link(&unfinished, target).map_err(failed)
}

impl PostgresStore {
    /// Writes all into a file and removes it, for a backup that takes its place; says whether there
    /// was anything. A store that somebody else has open is left as it is.
    pub async fn empty_into(&self, kept: &Path) -> StoreResult<bool> {
        let own = self.pool.status().size as u64;
        let open = self.read(|db| first(db, OPEN, values![], |row| row.count(0))).await?;
        if open.unwrap_or(0) > own {
            return Err(StoreError::Locked);
        }
        // One that is being restored already has been kept.
        let unfinished = self.value(UNFINISHED).await?.is_some();
        let pairs = self.read(|db| first(db, ROWS, values![], |row| row.count(0))).await?;
        let worth_keeping = pairs.unwrap_or(0) > 0 && !unfinished;
        if worth_keeping {
            self.backup_to(kept).await?;
        }
        self.write(Subject::Everything, transfer::clear_for_a_move).await?;
        Ok(worth_keeping)
    }
}

async fn copied(store: &PostgresStore, path: &Path, made_at: Timestamp) -> StoreResult<()> {
    let file = SqlStore::open_sqlite(path, OpenOptions::default(), made_at).await?;
    transfer(store, &file, &mut |_, _| {}).await?;
    // Written as one file that has no log beside it.
    let whole = path.with_extension("whole");
    file.backup_to(&whole).await?;
    drop(file);
    fs::rename(&whole, path).map_err(|error| StoreError::Failed(error.to_string()))
}
