//! Workspaces, pairs, owners and topics.

use async_trait::async_trait;
use plimsoll_domain::{
    ColorFlag, LifecycleEvent, MessagePair, PairId, Star, Timestamp, Topic, TopicId,
};
use plimsoll_store::{
    Archive, ArchivedPair, BroughtIn, Edit, Interrupted, Original, Outcome, Owners, PairRow, Pairs,
    SendInFlight, StoreResult, StoredPair, Topics, Workspace, Workspaces,
};

use crate::{
    SqlStore,
    shared::{archive, labels, owners, pairs, read_pairs, topics, workspaces},
    sqlite::Durability::{Full, Process},
};

#[async_trait]
impl Workspaces for SqlStore {
    async fn workspaces(&self) -> StoreResult<Vec<Workspace>> {
        self.engine.read(workspaces::all).await
    }

    async fn create_workspace(&self, workspace: &Workspace, at: Timestamp) -> StoreResult<()> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| workspaces::create(db, &workspace, at)).await
    }
}

#[async_trait]
impl Pairs for SqlStore {
    async fn insert(&self, workspace: &Workspace, pair: &MessagePair) -> StoreResult<()> {
        let (workspace, pair) = (workspace.clone(), pair.clone());
        self.engine.write(Full, move |db| pairs::insert(db, &workspace, &pair)).await
    }

    async fn insert_many(&self, workspace: &Workspace, many: &[MessagePair]) -> StoreResult<()> {
        let (workspace, many) = (workspace.clone(), many.to_vec());
        self.engine
            .write(Full, move |db| {
                many.iter().try_for_each(|pair| pairs::insert(db, &workspace, pair))
            })
            .await
    }

    async fn get(&self, id: PairId) -> StoreResult<StoredPair> {
        self.engine.read(move |db| read_pairs::get(db, id)).await
    }

    async fn get_many(&self, ids: &[PairId]) -> StoreResult<Vec<StoredPair>> {
        let ids = ids.to_vec();
        self.engine.read(move |db| read_pairs::get_many(db, &ids)).await
    }

    async fn rows(&self, workspace: &Workspace) -> StoreResult<Vec<PairRow>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| read_pairs::rows(db, &workspace)).await
    }

    async fn count(&self, workspace: &Workspace) -> StoreResult<u64> {
        let workspace = workspace.clone();
        self.engine.read(move |db| read_pairs::count(db, &workspace)).await
    }

    async fn save_partial(&self, id: PairId, assistant_text: &str) -> StoreResult<()> {
        let text = assistant_text.to_owned();
        self.engine.write(Process, move |db| owners::save_partial(db, id, &text)).await
    }

    async fn set_state(
        &self,
        id: PairId,
        event: LifecycleEvent,
        outcome: &Outcome,
    ) -> StoreResult<()> {
        let outcome = outcome.clone();
        self.engine.write(Full, move |db| pairs::set_state(db, id, event, &outcome)).await
    }

    async fn edit(&self, id: PairId, edit: &Edit, at: Timestamp) -> StoreResult<()> {
        let edit = edit.clone();
        self.engine.write(Full, move |db| pairs::edit(db, id, &edit, at)).await
    }

    async fn original(&self, id: PairId) -> StoreResult<Option<Original>> {
        self.engine.read(move |db| read_pairs::original(db, id)).await
    }

    async fn swap_answer(&self, id: PairId) -> StoreResult<()> {
        self.engine.write(Full, move |db| pairs::swap_answer(db, id)).await
    }

    async fn set_star(&self, ids: &[PairId], star: Star) -> StoreResult<u64> {
        let ids = ids.to_vec();
        self.engine.write(Full, move |db| labels::set_star(db, &ids, star)).await
    }

    async fn set_flag(&self, ids: &[PairId], flag: ColorFlag) -> StoreResult<u64> {
        let ids = ids.to_vec();
        self.engine.write(Full, move |db| labels::set_flag(db, &ids, flag)).await
    }

    async fn set_topic(&self, ids: &[PairId], topic: TopicId) -> StoreResult<u64> {
        let ids = ids.to_vec();
        self.engine.write(Full, move |db| labels::set_topic(db, &ids, topic)).await
    }

    async fn set_topics(&self, moves: &[(PairId, TopicId)]) -> StoreResult<u64> {
        let moves = moves.to_vec();
        self.engine.write(Full, move |db| labels::set_topics(db, moves)).await
    }

    async fn delete(&self, ids: &[PairId]) -> StoreResult<u64> {
        let ids = ids.to_vec();
        self.engine.write(Full, move |db| pairs::delete(db, &ids)).await
    }
}

#[async_trait]
impl Owners for SqlStore {
    async fn begin(
        &self,
        workspace: &Workspace,
        pair: &MessagePair,
        owner: &str,
        at: Timestamp,
    ) -> StoreResult<()> {
        let (workspace, pair, owner) = (workspace.clone(), pair.clone(), owner.to_owned());
        self.engine.write(Full, move |db| owners::begin(db, &workspace, &pair, &owner, at)).await
    }

    async fn claim(&self, id: PairId, model: &str, owner: &str, at: Timestamp) -> StoreResult<()> {
        let (model, owner) = (model.to_owned(), owner.to_owned());
        self.engine.write(Full, move |db| owners::claim(db, id, &model, &owner, at)).await
    }

    async fn in_flight(&self, workspace: &Workspace) -> StoreResult<Option<SendInFlight>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| owners::in_flight(db, &workspace)).await
    }

    async fn recover(
        &self,
        is_carried_out: &(dyn for<'s> Fn(&'s SendInFlight) -> bool + Send + Sync),
    ) -> StoreResult<Vec<Interrupted>> {
        let mut dead = self.engine.read(owners::all).await?;
        dead.retain(|send| !is_carried_out(send));
        if dead.is_empty() {
            return Ok(Vec::new());
        }
        self.engine.write(Full, move |db| owners::interrupt(db, &dead)).await
    }
}

#[async_trait]
impl Topics for SqlStore {
    async fn topics(&self, workspace: &Workspace) -> StoreResult<Vec<Topic>> {
        let workspace = workspace.clone();
        self.engine.read(move |db| topics::all(db, &workspace)).await
    }

    async fn put_topic(&self, workspace: &Workspace, topic: &Topic) -> StoreResult<()> {
        let (workspace, topic) = (workspace.clone(), topic.clone());
        self.engine.write(Full, move |db| topics::put(db, &workspace, &topic)).await
    }

    async fn remove_topic(&self, workspace: &Workspace, id: TopicId) -> StoreResult<()> {
        let workspace = workspace.clone();
        self.engine.write(Full, move |db| topics::remove(db, &workspace, id)).await
    }
}

#[async_trait]
impl Archive for SqlStore {
    async fn archived(&self, ids: &[PairId]) -> StoreResult<Vec<ArchivedPair>> {
        let ids = ids.to_vec();
        self.engine.read(move |db| archive::archived(db, &ids)).await
    }

    async fn whereabouts(&self, ids: &[PairId]) -> StoreResult<Vec<(PairId, Workspace)>> {
        let ids = ids.to_vec();
        self.engine.read(move |db| archive::whereabouts(db, &ids)).await
    }

    async fn bring_in(
        &self,
        workspace: &Workspace,
        topics: &[Topic],
        pairs: &[ArchivedPair],
    ) -> StoreResult<BroughtIn> {
        let (workspace, topics, pairs) = (workspace.clone(), topics.to_vec(), pairs.to_vec());
        self.engine.write(Full, move |db| archive::bring_in(db, &workspace, &topics, &pairs)).await
    }
}
