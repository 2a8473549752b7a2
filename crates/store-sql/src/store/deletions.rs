//! Deletions that can be undone.

use async_trait::async_trait;
use plimsoll_domain::{DeletionId, Timestamp};
use plimsoll_store::{
    Deletable, Deletion, Deletions, NewDeletion, PutAside, Restored, StoreResult, Workspace,
};

use crate::{SqlStore, shared::deletions, sqlite::Durability::Full};

#[async_trait]
impl Deletions for SqlStore {
    async fn put_aside(&self, new: &NewDeletion, what: &Deletable) -> StoreResult<PutAside> {
        let (new, what) = (new.clone(), what.clone());
        self.engine.write(Full, move |db| deletions::put_aside(db, &new, &what)).await
    }

    async fn deletions(
        &self,
        workspace: &Workspace,
        since: Timestamp,
    ) -> StoreResult<Vec<Deletion>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| deletions::all(db, &workspace, since)).await
    }

    async fn deletion_of_note(
        &self,
        workspace: &Workspace,
        note: u64,
    ) -> StoreResult<Option<DeletionId>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| deletions::of_note(db, &workspace, note)).await
    }

    async fn restore(&self, workspace: &Workspace, id: DeletionId) -> StoreResult<Restored> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| deletions::restore(db, &workspace, id)).await
    }

    async fn deleted_texts(&self, workspace: &Workspace) -> StoreResult<Vec<String>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| deletions::texts(db, &workspace)).await
    }

    async fn purge_deletion(&self, workspace: &Workspace, id: DeletionId) -> StoreResult<bool> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| deletions::purge(db, &workspace, id)).await
    }

    async fn purge_deleted_before(&self, before: Timestamp) -> StoreResult<u64> {
        if !self.engine.read(move |db| deletions::any_before(db, before)).await? {
            return Ok(0);
        }
        self.engine.write(Full, move |db| deletions::purge_before(db, before)).await
    }
}
