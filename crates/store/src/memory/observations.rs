//! Observations: saving, changing, listing, forgetting.

use async_trait::async_trait;
use plimsoll_domain::Timestamp;

use super::{MemoryFilter, Observation, ObservationRevision, Projects, Scope};
use crate::{StoreResult, Workspace};

/// An observation to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewObservation {
    /// Its session, made if it is not there.
    pub session: String,
    /// Its type.
    pub kind: String,
    /// One line.
    pub title: String,
    /// The text.
    pub content: String,
    /// The tool that it is about, if any.
    pub tool_name: Option<String>,
    /// The project.
    pub project: String,
    /// Whom it is for.
    pub scope: Scope,
    /// What it is updated by.
    pub topic_key: Option<String>,
    /// A room of its own, if it has one.
    pub namespace: Option<String>,
    /// Observations that it relates to, as `relates_to`. The one that it revises or repeats
    /// is not among them.
    pub relate_to: Vec<u64>,
    /// The revision of the note with its topic key that the caller saw, 0 if there was none;
    /// where there is another by now, nothing is saved.
    pub seen: Option<u64>,
}

/// What became of an observation that was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is new.
    Added,
    /// One with the same topic key has a new text (MEM-3).
    Revised {
        /// The revision that the new text is.
        revision: u64,
    },
    /// The same is there already (MEM-4).
    Repeated {
        /// How often it was saved again.
        duplicates: u64,
    },
}

/// An observation that was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedObservation {
    /// Its id.
    pub id: u64,
    /// What became of it.
    pub saved: Saved,
    /// The relations that it asked for.
    pub relations: Vec<u64>,
}

/// A change of an observation; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The revision that the caller saw; a note that has another by now is left alone.
    pub seen: Option<u64>,
    /// Takes type, title and text of this revision, before the rest is applied.
    pub restore: Option<u64>,
    /// Another title.
    pub title: Option<String>,
    /// Another text.
    pub content: Option<String>,
    /// Another type.
    pub kind: Option<String>,
    /// Another project.
    pub project: Option<String>,
    /// Another scope.
    pub scope: Option<Scope>,
    /// Another topic key.
    pub topic_key: Option<String>,
}

/// An observation among those of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// The one that was asked for.
    pub focus: Observation,
    /// Those before it, the nearest first.
    pub before: Vec<Observation>,
    /// Those after it, the nearest first.
    pub after: Vec<Observation>,
    /// How many the session has in all.
    pub in_session: u64,
}

/// How observations are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one changed last comes first.
    Newest,
    /// The one that has not been changed for longest comes first.
    Oldest,
}

/// What the memory holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    /// Sessions.
    pub sessions: u64,
    /// Prompts.
    pub prompts: u64,
    /// Observations, without deleted ones.
    pub observations: u64,
    /// Relations between observations that are there.
    pub relations: u64,
    /// Observations by type, the most first, at most [`MOST_GROUPS`](Self::MOST_GROUPS).
    pub kinds: Vec<(String, u64)>,
    /// How many types there are.
    pub kind_count: u64,
    /// Observations by project, the most first, at most [`MOST_GROUPS`](Self::MOST_GROUPS).
    pub projects: Vec<(String, u64)>,
    /// How many projects there are.
    pub project_count: u64,
}

impl MemoryCounts {
    /// Types are free text, so that there may be very many.
    pub const MOST_GROUPS: usize = 50;
}

/// Observations. Those that were deleted are found by none of these.
#[async_trait]
pub trait Observations: Send + Sync {
    /// Saves observations, all or none.
    ///
    /// One with a topic key revises the one that has the same key, project, scope and
    /// namespace, if there is one; the same text again is a repetition (MEM-3). One without
    /// a topic key is a repetition of one that has the same text but for case and white
    /// space, the same type, title, project, scope and namespace, and was saved at
    /// `same_since` or later (MEM-4).
    ///
    /// A session that belongs to another project refuses it (MEM-12).
    async fn save_observations(
        &self,
        workspace: &Workspace,
        observations: &[NewObservation],
        at: Timestamp,
        same_since: Timestamp,
    ) -> StoreResult<Vec<SavedObservation>>;

    /// One observation.
    async fn observation(&self, workspace: &Workspace, id: u64) -> StoreResult<Observation>;

    /// The one that has a topic key in a project, scope and namespace (MEM-3).
    async fn observation_by_key(
        &self,
        workspace: &Workspace,
        key: &str,
        project: &str,
        scope: Scope,
        namespace: Option<&str>,
    ) -> StoreResult<Option<Observation>>;

    /// Those of these that are there, in the order of the ids.
    async fn observations_by_id(
        &self,
        workspace: &Workspace,
        ids: &[u64],
    ) -> StoreResult<Vec<Observation>>;

    /// The earlier texts of an observation, the first first.
    async fn observation_revisions(
        &self,
        workspace: &Workspace,
        id: u64,
    ) -> StoreResult<Vec<ObservationRevision>>;

    /// Observations in an order, and how many there are in all.
    async fn observations(
        &self,
        workspace: &Workspace,
        filter: &MemoryFilter,
        order: Order,
        limit: usize,
    ) -> StoreResult<(Vec<Observation>, u64)>;

    /// An observation and those of these projects that are next to it in its session.
    async fn around(
        &self,
        workspace: &Workspace,
        id: u64,
        projects: &Projects,
        before: usize,
        after: usize,
    ) -> StoreResult<Around>;

    /// Changes an observation; another title, text or type is a new revision. Whether it
    /// still is what the caller saw is looked at in the same transaction. It does not move
    /// to where another has its topic key (MEM-3).
    async fn change_observation(
        &self,
        workspace: &Workspace,
        id: u64,
        change: &Change,
        at: Timestamp,
    ) -> StoreResult<Observation>;

    /// Deletes an observation. A hard deletion leaves nothing of it, its revisions and its
    /// relations; it also takes one that was deleted softly before.
    async fn delete_observation(
        &self,
        workspace: &Workspace,
        id: u64,
        hard: bool,
        at: Timestamp,
    ) -> StoreResult<()>;

    /// Replaces observations by a summary, all or none: the given ones are deleted softly
    /// and the summary is saved (MEM-8). All of them must be there and must have been
    /// changed last before `before`.
    async fn compact(
        &self,
        workspace: &Workspace,
        ids: &[u64],
        before: Timestamp,
        summary: &NewObservation,
        at: Timestamp,
    ) -> StoreResult<u64>;

    /// What the memory holds of these projects.
    async fn memory_counts(
        &self,
        workspace: &Workspace,
        projects: &Projects,
    ) -> StoreResult<MemoryCounts>;

    /// The names of all projects that anything is kept of, in order.
    async fn memory_projects(&self, workspace: &Workspace) -> StoreResult<Vec<String>>;
}
