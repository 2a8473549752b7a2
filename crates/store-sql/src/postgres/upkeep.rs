//! Backup, check, version: the parts of upkeep that only PostgreSQL knows.

use std::{path::Path, sync::atomic::Ordering};

use async_trait::async_trait;
use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Finding, SchemaVersion, StoreError, StoreResult, Subject, Upkeep,
    engine::{Engine, first},
    sql::{parts, search},
    values,
};

use tokio::{runtime::Handle, task::spawn_blocking};

use super::{PostgresStore, copying, migrate};

/// So many receipts are written anew in one transaction, for which others wait.
const RECEIPTS_AT_ONCE: u64 = 20;

const MADE: &str = "SELECT MIN(applied_at) FROM schema_migrations";
const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
const WRITES: &str = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM writes";

#[async_trait]
impl Upkeep for PostgresStore {
    /// A backup is a store in a file, as that of a store in a file is.
    async fn backup_to(&self, target: &Path) -> StoreResult<()> {
        let (store, target, handle) = (self.clone(), target.to_owned(), Handle::current());
        let copied = spawn_blocking(move || handle.block_on(copying::to_file(&store, &target)));
        copied.await.map_err(|error| StoreError::Failed(error.to_string()))?
    }

    /// The database looks after its pages and references itself.
    async fn check(&self) -> StoreResult<Vec<Finding>> {
        let mut findings = Vec::new();
        for table in [&parts::RECEIPTS, &parts::REQUESTS] {
            findings.extend(self.read(move |db| table.check(db)).await?.map(Finding));
        }
        findings.extend(self.read(search::check).await?.map(Finding));
        Ok(findings)
    }

    async fn schema_version(&self) -> StoreResult<SchemaVersion> {
        self.read(|db| {
            let applied = migrate::applied(db)?;
            let made = first(db, MADE, values![], |row| row.opt_int(0))?.flatten();
            Ok(SchemaVersion {
                made_at: Timestamp::from_millis(made.unwrap_or(0)),
                applied: applied.len() as u64,
                newest: applied.last().map_or_else(String::new, |step| step.name.clone()),
            })
        })
        .await
    }

    /// All writes are counted by the database, behind their commit; ours are known here.
    async fn changes_by_others(&self) -> StoreResult<u64> {
        let own = self.writes.load(Ordering::Relaxed);
        let all = self.read(|db| first(db, WRITES, values![], |row| row.count(0))).await?;
        Ok(all.unwrap_or(0).wrapping_sub(own))
    }

    async fn database_time(&self) -> StoreResult<Option<Timestamp>> {
        let now = self.read(|db| first(db, NOW, values![], |row| row.int(0))).await?;
        Ok(now.map(Timestamp::from_millis))
    }

    /// The database gives room back by itself.
    async fn vacuum(&self) -> StoreResult<()> {
        Ok(())
    }

    async fn shrink(&self) -> StoreResult<bool> {
        for table in [&parts::RECEIPTS, &parts::REQUESTS] {
            if self.read(move |db| table.is_behind(db)).await? {
                let anew = move |db: &mut dyn plimsoll_store::engine::Db| {
                    table.write_anew(db, RECEIPTS_AT_ONCE)
                };
                self.write_lazily(Subject::Everything, anew).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
