//! Relations between observations.

use async_trait::async_trait;
use plimsoll_domain::Timestamp;

use super::Relation;
use crate::{StoreResult, Workspace};

/// A relation to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRelation {
    /// Where it starts.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// What it means.
    pub kind: String,
    /// Why it is there.
    pub note: Option<String>,
}

/// A relation that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    /// Its id.
    pub id: u64,
    /// Whether it is new; one of the same ends and type is kept, and gets the new note.
    pub fresh: bool,
}

/// Relations. One whose end was deleted is not told.
#[async_trait]
pub trait Graph: Send + Sync {
    /// Relates observations, all or none. None relates to itself.
    async fn relate(
        &self,
        workspace: &Workspace,
        relations: &[NewRelation],
        at: Timestamp,
    ) -> StoreResult<Vec<Related>>;

    /// Takes a relation away; says which it was.
    async fn unrelate(&self, workspace: &Workspace, id: u64) -> StoreResult<Relation>;

    /// The relations that start or end at any of these, at most `limit`, by id.
    async fn relations_of(
        &self,
        workspace: &Workspace,
        ids: &[u64],
        limit: usize,
    ) -> StoreResult<Vec<Relation>>;
}
