//! A copy of the store in a file.

use std::{fs, path::Path};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Noun, StoreError, StoreResult, Upkeep};

use super::PostgresStore;
use crate::{OpenOptions, SqlStore, transfer::transfer};

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

async fn copied(store: &PostgresStore, path: &Path, made_at: Timestamp) -> StoreResult<()> {
    let file = SqlStore::open_sqlite(path, OpenOptions::default(), made_at).await?;
    transfer(store, &file, &mut |_, _| {}).await?;
    // Written as one file that has no log beside it.
    let whole = path.with_extension("whole");
    file.backup_to(&whole).await?;
    drop(file);
    fs::rename(&whole, path).map_err(|error| StoreError::Failed(error.to_string()))
}
