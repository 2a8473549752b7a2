//! Estimates, search, receipts and what is known of models.

use std::collections::HashMap;

use async_trait::async_trait;
use plimsoll_domain::{PairId, ReceiptId, Timestamp};
use plimsoll_store::{
    ErrorSnapshot, Estimate, Estimates, GroupBy, LearnedLimit, ModelMemory, ReceiptFilter,
    ReceiptRecord, ReceiptTotals, Receipts, Search, SearchHit, StoreResult, UsageEntry,
    UsageReport, Workspace,
};

use crate::{
    SqlStore,
    db::Db,
    shared::{estimates, model_memory, receipts, snapshots, totals},
    sqlite::Durability::{Full, Process},
};

#[async_trait]
impl Estimates for SqlStore {
    async fn stale(&self, workspace: &Workspace, stamp: &str) -> StoreResult<Vec<PairId>> {
        let (workspace, stamp) = (workspace.clone(), stamp.to_owned());
        self.engine.read(move |db| estimates::stale(db, &workspace, &stamp)).await
    }

    async fn put_estimates(&self, stamp: &str, made: &[(PairId, Estimate)]) -> StoreResult<()> {
        let (stamp, made) = (stamp.to_owned(), made.to_vec());
        // Estimates can be made again, so they do not wait for the disk.
        self.engine.write(Process, move |db| estimates::put(db, &stamp, &made)).await
    }

    async fn estimates(
        &self,
        workspace: &Workspace,
        stamp: &str,
    ) -> StoreResult<HashMap<PairId, Estimate>> {
        let (workspace, stamp) = (workspace.clone(), stamp.to_owned());
        self.engine.read(move |db| estimates::load(db, &workspace, &stamp)).await
    }

    async fn keep_stamps(&self, stamps: &[&str]) -> StoreResult<()> {
        let stamps: Vec<String> = stamps.iter().map(|stamp| (*stamp).to_owned()).collect();
        self.engine.write(Process, move |db| estimates::keep_stamps(db, &stamps)).await
    }
}

#[async_trait]
impl Search for SqlStore {
    async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>> {
        self.engine.search(workspace, query, limit).await
    }
}

#[async_trait]
impl Receipts for SqlStore {
    async fn put_receipt(&self, receipt: &ReceiptRecord) -> StoreResult<()> {
        let receipt = receipt.clone();
        self.engine.write(Full, move |db| receipts::put(db, &receipt)).await
    }

    async fn receipt(&self, id: ReceiptId) -> StoreResult<ReceiptRecord> {
        self.engine.read(move |db| receipts::get(db, id)).await
    }

    async fn receipts(
        &self,
        workspace: &Workspace,
        filter: &ReceiptFilter,
    ) -> StoreResult<Vec<ReceiptRecord>> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.engine.read(move |db| receipts::newest(db, &workspace, &filter)).await
    }

    async fn totals(
        &self,
        workspace: &Workspace,
        filter: &ReceiptFilter,
        by: GroupBy,
    ) -> StoreResult<Vec<ReceiptTotals>> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.engine.read(move |db| totals::totals(db, &workspace, &filter, by)).await
    }

    async fn put_snapshot(&self, snapshot: &ErrorSnapshot) -> StoreResult<()> {
        let snapshot = snapshot.clone();
        self.engine.write(Full, move |db| snapshots::put(db, &snapshot)).await
    }

    async fn snapshot(&self, pair: PairId) -> StoreResult<Option<ErrorSnapshot>> {
        self.engine.read(move |db| snapshots::get(db, pair)).await
    }
}

#[async_trait]
impl ModelMemory for SqlStore {
    async fn usage_reports(&self, base_url: &str, model: &str) -> StoreResult<Vec<UsageReport>> {
        let (base_url, model) = (base_url.to_owned(), model.to_owned());
        self.engine.read(move |db| model_memory::reports(db, &base_url, &model)).await
    }

    async fn put_usage_reports(
        &self,
        base_url: &str,
        model: &str,
        reports: &[UsageReport],
    ) -> StoreResult<()> {
        let (base_url, model, reports) = (base_url.to_owned(), model.to_owned(), reports.to_vec());
        let put = move |db: &mut dyn Db| model_memory::put_reports(db, &base_url, &model, &reports);
        self.engine.write(Full, put).await
    }

    async fn largest_prompt(&self, base_url: &str, model: &str) -> StoreResult<Option<u64>> {
        let (base_url, model) = (base_url.to_owned(), model.to_owned());
        self.engine.read(move |db| model_memory::largest_prompt(db, &base_url, &model)).await
    }

    async fn note_prompt(&self, base_url: &str, model: &str, tokens: u64) -> StoreResult<()> {
        let (base_url, model) = (base_url.to_owned(), model.to_owned());
        let note = move |db: &mut dyn Db| model_memory::note_prompt(db, &base_url, &model, tokens);
        self.engine.write(Full, note).await
    }

    async fn has_learned(&self, model: &str) -> StoreResult<bool> {
        let model = model.to_owned();
        self.engine.read(move |db| model_memory::has_learned(db, &model)).await
    }

    async fn forget_learned(&self, model: &str) -> StoreResult<()> {
        let model = model.to_owned();
        self.engine.write(Full, move |db| model_memory::forget_learned(db, &model)).await
    }

    async fn learned_limit(
        &self,
        base_url: &str,
        model: &str,
    ) -> StoreResult<Option<LearnedLimit>> {
        let (base_url, model) = (base_url.to_owned(), model.to_owned());
        self.engine.read(move |db| model_memory::limit(db, &base_url, &model)).await
    }

    async fn learned_limits(&self) -> StoreResult<Vec<LearnedLimit>> {
        self.engine.read(model_memory::limits).await
    }

    async fn put_learned_limit(&self, limit: &LearnedLimit) -> StoreResult<()> {
        let limit = limit.clone();
        self.engine.write(Full, move |db| model_memory::put_limit(db, &limit)).await
    }

    async fn clear_learned_limit(&self, base_url: &str, model: &str) -> StoreResult<bool> {
        let (base_url, model) = (base_url.to_owned(), model.to_owned());
        self.engine.write(Full, move |db| model_memory::clear_limit(db, &base_url, &model)).await
    }

    async fn log_usage(&self, model: &str, entry: UsageEntry) -> StoreResult<()> {
        let model = model.to_owned();
        self.engine.write(Full, move |db| model_memory::log_usage(db, &model, entry)).await
    }

    async fn usage_since(&self, model: &str, from: Timestamp) -> StoreResult<Vec<UsageEntry>> {
        let model = model.to_owned();
        self.engine.read(move |db| model_memory::usage_since(db, &model, from)).await
    }

    async fn forget_usage_before(&self, until: Timestamp) -> StoreResult<()> {
        self.engine.write(Process, move |db| model_memory::forget_usage(db, until)).await
    }
}
