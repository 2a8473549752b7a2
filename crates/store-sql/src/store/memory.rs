//! The memory.

use async_trait::async_trait;
use plimsoll_domain::Timestamp;
use plimsoll_store::{
    Around, Brought, Change, Graph, MemoryArchive, MemoryCounts, MemoryFilter, MemoryHits,
    MemoryQuery, MemoryRecord, MemorySearch, NewObservation, NewPrompt, NewRelation, NewSession,
    Observation, ObservationRevision, Observations, Order, ProgressDocument, Projects, Prompt,
    Prompts, Related, Relation, SavedObservation, Scope, Session, Sessions, StoreResult,
    Summarised, Workspace,
};

use crate::{
    SqlStore,
    shared::memory::{archive, changes, graph, observations, prompts, saving, sessions, totals},
    sqlite::Durability::Full,
};

#[async_trait]
impl Sessions for SqlStore {
    async fn start_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let (workspace, session) = (workspace.clone(), session.clone());
        self.engine.write(Full, move |db| sessions::start(db, &workspace, &session, at)).await
    }

    async fn end_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        summary: Option<&str>,
        at: Timestamp,
    ) -> StoreResult<Summarised> {
        let (workspace, session) = (workspace.clone(), session.clone());
        let summary = summary.map(ToOwned::to_owned);
        let end = move |db: &mut dyn crate::db::Db| {
            sessions::end(db, &workspace, &session, summary.as_deref(), at)
        };
        self.engine.write(Full, end).await
    }

    async fn summarise_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        summary: &str,
        at: Timestamp,
    ) -> StoreResult<Summarised> {
        let (workspace, session) = (workspace.clone(), session.clone());
        let text = summary.to_owned();
        self.engine
            .write(Full, move |db| sessions::summarise(db, &workspace, &session, &text, at))
            .await
    }

    async fn session(&self, workspace: &Workspace, id: &str) -> StoreResult<Session> {
        let (workspace, id) = (workspace.clone(), id.to_owned());
        self.engine.read(move |db| sessions::get(db, &workspace, &id)).await
    }

    async fn sessions(
        &self,
        workspace: &Workspace,
        filter: &MemoryFilter,
        limit: usize,
    ) -> StoreResult<Vec<Session>> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.engine.read(move |db| sessions::newest(db, &workspace, &filter, limit)).await
    }

    async fn progress(
        &self,
        workspace: &Workspace,
        project: &str,
        namespace: Option<&str>,
    ) -> StoreResult<Option<ProgressDocument>> {
        let (workspace, project) = (workspace.clone(), project.to_owned());
        let namespace = namespace.map(ToOwned::to_owned);
        self.engine
            .read(move |db| sessions::progress(db, &workspace, &project, namespace.as_deref()))
            .await
    }

    async fn put_progress(
        &self,
        workspace: &Workspace,
        document: &ProgressDocument,
    ) -> StoreResult<()> {
        let (workspace, document) = (workspace.clone(), document.clone());
        self.engine.write(Full, move |db| sessions::put_progress(db, &workspace, &document)).await
    }
}

#[async_trait]
impl Prompts for SqlStore {
    async fn save_prompt(
        &self,
        workspace: &Workspace,
        prompt: &NewPrompt,
        at: Timestamp,
    ) -> StoreResult<u64> {
        let (workspace, prompt) = (workspace.clone(), prompt.clone());
        self.engine.write(Full, move |db| prompts::save(db, &workspace, &prompt, at)).await
    }

    async fn prompts(
        &self,
        workspace: &Workspace,
        filter: &MemoryFilter,
        limit: usize,
    ) -> StoreResult<Vec<Prompt>> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.engine.read(move |db| prompts::newest(db, &workspace, &filter, limit)).await
    }
}

#[async_trait]
impl Observations for SqlStore {
    async fn save_observations(
        &self,
        workspace: &Workspace,
        observations: &[NewObservation],
        at: Timestamp,
        same_since: Timestamp,
    ) -> StoreResult<Vec<SavedObservation>> {
        let (workspace, notes) = (workspace.clone(), observations.to_vec());
        self.engine
            .write(Full, move |db| saving::save_all(db, &workspace, &notes, at, same_since))
            .await
    }

    async fn observation(&self, workspace: &Workspace, id: u64) -> StoreResult<Observation> {
        let workspace = workspace.clone();
        self.engine.read(move |db| observations::get(db, &workspace, id)).await
    }

    async fn observation_by_key(
        &self,
        workspace: &Workspace,
        key: &str,
        project: &str,
        scope: Scope,
        namespace: Option<&str>,
    ) -> StoreResult<Option<Observation>> {
        let (workspace, key, project) = (workspace.clone(), key.to_owned(), project.to_owned());
        let namespace = namespace.map(ToOwned::to_owned);
        let find = move |db: &mut dyn crate::db::Db| {
            saving::under_key(db, &workspace, &key, &project, scope, namespace.as_deref())
        };
        self.engine.read(find).await
    }

    async fn observations_by_id(
        &self,
        workspace: &Workspace,
        ids: &[u64],
    ) -> StoreResult<Vec<Observation>> {
        let (workspace, ids) = (workspace.clone(), ids.to_vec());
        self.engine.read(move |db| observations::by_id(db, &workspace, &ids)).await
    }

    async fn observation_revisions(
        &self,
        workspace: &Workspace,
        id: u64,
    ) -> StoreResult<Vec<ObservationRevision>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| observations::revisions(db, &workspace, id)).await
    }

    async fn observations(
        &self,
        workspace: &Workspace,
        filter: &MemoryFilter,
        order: Order,
        limit: usize,
    ) -> StoreResult<(Vec<Observation>, u64)> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.engine
            .read(move |db| observations::listed(db, &workspace, &filter, order, limit))
            .await
    }

    async fn around(
        &self,
        workspace: &Workspace,
        id: u64,
        projects: &Projects,
        before: usize,
        after: usize,
    ) -> StoreResult<Around> {
        let (workspace, projects) = (workspace.clone(), projects.clone());
        self.engine
            .read(move |db| observations::around(db, &workspace, id, &projects, before, after))
            .await
    }

    async fn change_observation(
        &self,
        workspace: &Workspace,
        id: u64,
        change: &Change,
        at: Timestamp,
    ) -> StoreResult<Observation> {
        let (workspace, change) = (workspace.clone(), change.clone());
        self.engine.write(Full, move |db| changes::change(db, &workspace, id, &change, at)).await
    }

    async fn delete_observation(
        &self,
        workspace: &Workspace,
        id: u64,
        hard: bool,
        at: Timestamp,
    ) -> StoreResult<()> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| changes::delete(db, &workspace, id, hard, at)).await
    }

    async fn compact(
        &self,
        workspace: &Workspace,
        ids: &[u64],
        before: Timestamp,
        summary: &NewObservation,
        at: Timestamp,
    ) -> StoreResult<u64> {
        let (workspace, ids, summary) = (workspace.clone(), ids.to_vec(), summary.clone());
        let compact = move |db: &mut dyn crate::db::Db| {
            changes::compact(db, &workspace, &ids, before, &summary, at)
        };
        self.engine.write(Full, compact).await
    }

    async fn memory_counts(
        &self,
        workspace: &Workspace,
        projects: &Projects,
    ) -> StoreResult<MemoryCounts> {
        let (workspace, projects) = (workspace.clone(), projects.clone());
        self.engine.read(move |db| totals::counts(db, &workspace, &projects)).await
    }

    async fn memory_projects(&self, workspace: &Workspace) -> StoreResult<Vec<String>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| totals::projects(db, &workspace)).await
    }
}

#[async_trait]
impl Graph for SqlStore {
    async fn relate(
        &self,
        workspace: &Workspace,
        relations: &[NewRelation],
        at: Timestamp,
    ) -> StoreResult<Vec<Related>> {
        let (workspace, relations) = (workspace.clone(), relations.to_vec());
        self.engine.write(Full, move |db| graph::relate(db, &workspace, &relations, at)).await
    }

    async fn unrelate(&self, workspace: &Workspace, id: u64) -> StoreResult<Relation> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| graph::unrelate(db, &workspace, id)).await
    }

    async fn relations_of(
        &self,
        workspace: &Workspace,
        ids: &[u64],
        limit: usize,
    ) -> StoreResult<Vec<Relation>> {
        let (workspace, ids) = (workspace.clone(), ids.to_vec());
        self.engine.read(move |db| graph::relations_of(db, &workspace, &ids, limit)).await
    }
}

#[async_trait]
impl MemorySearch for SqlStore {
    async fn search_memory(
        &self,
        workspace: &Workspace,
        query: &MemoryQuery,
    ) -> StoreResult<MemoryHits> {
        self.engine.search_memory(workspace, query).await
    }
}

#[async_trait]
impl MemoryArchive for SqlStore {
    async fn memory_after(
        &self,
        workspace: &Workspace,
        last: Option<&MemoryRecord>,
        limit: usize,
    ) -> StoreResult<Vec<MemoryRecord>> {
        let (workspace, last) = (workspace.clone(), last.cloned());
        self.engine.read(move |db| archive::after(db, &workspace, last.as_ref(), limit)).await
    }

    async fn bring_memory(
        &self,
        workspace: &Workspace,
        records: &[MemoryRecord],
    ) -> StoreResult<Vec<Brought>> {
        let (workspace, records) = (workspace.clone(), records.to_vec());
        self.engine.write(Full, move |db| archive::bring(db, &workspace, &records)).await
    }
}
