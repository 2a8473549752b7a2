//! The notebook and upkeep.

use std::path::Path;

use async_trait::async_trait;
use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Finding, KeptDraft, Notebook, SavedFilter, SchemaVersion, StoreResult, Upkeep, Workspace,
};

use crate::{
    SqlStore,
    shared::{notebook, parts},
    sqlite::Durability::{Full, Process},
};

/// So many receipts are written anew in one transaction, for which others wait.
const AT_ONCE: u64 = 20;

#[async_trait]
impl Notebook for SqlStore {
    async fn saved_filters(&self, workspace: &Workspace) -> StoreResult<Vec<SavedFilter>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| notebook::filters(db, &workspace)).await
    }

    async fn save_filter(&self, workspace: &Workspace, filter: &SavedFilter) -> StoreResult<()> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.engine.write(Full, move |db| notebook::save_filter(db, &workspace, &filter)).await
    }

    async fn drop_filter(&self, workspace: &Workspace, name: &str) -> StoreResult<bool> {
        let (workspace, name) = (workspace.clone(), name.to_owned());
        self.engine.write(Full, move |db| notebook::drop_filter(db, &workspace, &name)).await
    }

    async fn queries(&self, workspace: &Workspace) -> StoreResult<Vec<String>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| notebook::queries(db, &workspace)).await
    }

    async fn push_query(
        &self,
        workspace: &Workspace,
        query: &str,
        at: Timestamp,
    ) -> StoreResult<()> {
        let (workspace, query) = (workspace.clone(), query.to_owned());
        self.engine.write(Process, move |db| notebook::push_query(db, &workspace, &query, at)).await
    }

    async fn draft(&self, workspace: &Workspace) -> StoreResult<Option<KeptDraft>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| notebook::draft(db, &workspace)).await
    }

    async fn put_draft(
        &self,
        workspace: &Workspace,
        draft: &KeptDraft,
        at: Timestamp,
    ) -> StoreResult<()> {
        let (workspace, draft) = (workspace.clone(), draft.clone());
        self.engine.write(Process, move |db| notebook::put_draft(db, &workspace, &draft, at)).await
    }

    async fn value(&self, key: &str) -> StoreResult<Option<String>> {
        let key = key.to_owned();
        self.engine.read(move |db| notebook::value(db, &key)).await
    }

    async fn put_value(&self, key: &str, value: Option<&str>) -> StoreResult<()> {
        let (key, value) = (key.to_owned(), value.map(ToOwned::to_owned));
        self.engine.write(Full, move |db| notebook::put_value(db, &key, value.as_deref())).await
    }
}

#[async_trait]
impl Upkeep for SqlStore {
    async fn backup_to(&self, path: &Path) -> StoreResult<()> {
        self.engine.backup_to(path).await
    }

    async fn check(&self) -> StoreResult<Vec<Finding>> {
        self.engine.check().await
    }

    async fn schema_version(&self) -> StoreResult<SchemaVersion> {
        self.engine.schema_version().await
    }

    async fn changes_by_others(&self) -> StoreResult<u64> {
        self.engine.changes_by_others().await
    }

    async fn vacuum(&self) -> StoreResult<()> {
        self.engine.vacuum().await
    }

    async fn shrink(&self) -> StoreResult<bool> {
        for table in [&parts::RECEIPTS, &parts::REQUESTS] {
            if self.engine.read(move |db| table.is_behind(db)).await? {
                self.engine.write(Process, move |db| table.write_anew(db, AT_ONCE)).await?;
                return Ok(true);
            }
        }
        if self.engine.is_mostly_free().await? {
            self.engine.write(Full, |db| parts::RECEIPTS.sweep(db)).await?;
            self.engine.vacuum().await?;
        }
        Ok(false)
    }
}
