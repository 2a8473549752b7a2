//! The registry of files.

use std::collections::HashSet;

use async_trait::async_trait;
use plimsoll_domain::{ContentHash, Delivery, File, FileId, PairId, ProviderFileId};
use plimsoll_store::{Files, StoreResult, ToolCallRecord, Workspace};

use crate::{
    SqlStore,
    shared::{files, tool_calls},
    sqlite::Durability::{Full, Process},
};

#[async_trait]
impl Files for SqlStore {
    async fn put_file(&self, workspace: &Workspace, file: &File) -> StoreResult<()> {
        let (workspace, file) = (workspace.clone(), file.clone());
        self.engine.write(Full, move |db| files::put(db, &workspace, &file)).await
    }

    async fn file(&self, workspace: &Workspace, id: FileId) -> StoreResult<File> {
        let workspace = workspace.clone();
        self.engine.read(move |db| files::get(db, &workspace, id)).await
    }

    async fn files(&self, workspace: &Workspace) -> StoreResult<Vec<File>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| files::all(db, &workspace)).await
    }

    async fn listed_files(&self, workspace: &Workspace) -> StoreResult<Vec<File>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| files::listed(db, &workspace)).await
    }

    async fn listed_file(&self, workspace: &Workspace, id: FileId) -> StoreResult<File> {
        let workspace = workspace.clone();
        self.engine.read(move |db| files::listed_one(db, &workspace, id)).await
    }

    async fn set_listed(&self, workspace: &Workspace, id: FileId, listed: bool) -> StoreResult<()> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| files::set_listed(db, &workspace, id, listed)).await
    }

    async fn file_by_hash(
        &self,
        workspace: &Workspace,
        hash: &ContentHash,
    ) -> StoreResult<Option<File>> {
        let (workspace, hash) = (workspace.clone(), hash.clone());
        self.engine.read(move |db| files::by_hash(db, &workspace, &hash)).await
    }

    async fn set_upload_context(&self, ids: &[FileId], words: &str) -> StoreResult<u64> {
        let (ids, words) = (ids.to_vec(), words.to_owned());
        self.engine.write(Full, move |db| files::set_context(db, &ids, &words)).await
    }

    async fn put_provider_id(&self, file: FileId, copy: &ProviderFileId) -> StoreResult<()> {
        let copy = copy.clone();
        self.engine.write(Process, move |db| files::put_copy(db, file, &copy)).await
    }

    async fn delete_file(&self, workspace: &Workspace, id: FileId) -> StoreResult<Vec<PairId>> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| files::delete(db, &workspace, id)).await
    }

    async fn used_by(&self, file: FileId) -> StoreResult<Vec<PairId>> {
        self.engine.read(move |db| files::used_by(db, file)).await
    }

    async fn set_delivery(
        &self,
        pair: PairId,
        place: usize,
        delivery: Delivery,
    ) -> StoreResult<()> {
        let job = move |db: &mut dyn crate::db::Db| files::set_delivery(db, pair, place, delivery);
        self.engine.write(Full, job).await
    }

    async fn hashes_in_use(&self, workspace: &Workspace) -> StoreResult<HashSet<ContentHash>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| files::hashes(db, &workspace)).await
    }

    async fn add_tool_call(&self, pair: PairId, call: &ToolCallRecord) -> StoreResult<()> {
        let call = call.clone();
        self.engine.write(Process, move |db| tool_calls::add(db, pair, &call)).await
    }

    async fn tool_calls(&self, pair: PairId) -> StoreResult<Vec<ToolCallRecord>> {
        self.engine.read(move |db| tool_calls::list_of(db, pair)).await
    }
}
