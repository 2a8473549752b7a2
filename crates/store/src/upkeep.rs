//! Looking after the store: backups, checks, its age.

use std::path::Path;

use async_trait::async_trait;

use plimsoll_domain::Timestamp;

use crate::StoreResult;

/// Which schema a store has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaVersion {
    /// The newest migration that was applied.
    pub newest: String,
    pub applied: u64,
    pub made_at: Timestamp,
}

/// Something that a check found, in the words of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding(pub String);

/// What a keeper does now and then.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Writes a whole copy of the store, as it is at one instant, to a file that does not
    /// exist yet. It is on the disk when this returns, and a store of its own.
    async fn backup_to(&self, path: &Path) -> StoreResult<()>;

    /// Looks at every page, every reference and the search index; an empty list is good
    /// news.
    async fn check(&self) -> StoreResult<Vec<Finding>>;

    async fn schema_version(&self) -> StoreResult<SchemaVersion>;

    /// A number that changes whenever somebody else, through another handle or from
    /// another process, has changed the store. Our own changes leave it alone.
    async fn changes_by_others(&self) -> StoreResult<u64>;

    /// The time by the database's own clock, on which processes on several machines agree (TEA-7);
    /// none where all of them are on one machine and have its clock.
    async fn database_time(&self) -> StoreResult<Option<Timestamp>> {
        Ok(None)
    }

    /// Gives the room of deleted things back to the disk.
    async fn vacuum(&self) -> StoreResult<()>;

    /// One step of making the store smaller: receipts of earlier versions, which list again
    /// what other receipts list, are written anew (REL-9), a bounded number in each step, and
    /// then the room is given back where that is most of the file. Says whether there is
    /// more to do. It may be stopped after any step and goes on from there.
    async fn shrink(&self) -> StoreResult<bool>;
}
