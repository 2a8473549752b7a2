//! Estimates of pairs, kept under a version stamp (EST-7).

use std::collections::HashMap;

use async_trait::async_trait;
use plimsoll_domain::PairId;

use crate::{StoreResult, Workspace};

/// The raw tokens of a pair's texts; no factor is applied (EST-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Estimate {
    /// The revision of the texts that were weighed.
    pub revision: u64,
    /// Of the user's words.
    pub user_tokens: u64,
    /// Of the answer.
    pub assistant_tokens: u64,
}

/// What pairs weigh, computed once for each text and stamp.
///
/// A stamp names estimator, characters a token and tokenizer. Estimates of several stamps
/// are kept beside each other, so that going back to a model costs nothing. Every change
/// of a text makes all estimates of its pair stale.
#[async_trait]
pub trait Estimates: Send + Sync {
    /// The pairs of a workspace that have no estimate under this stamp, in the order of
    /// HIS-2.
    async fn stale(&self, workspace: &Workspace, stamp: &str) -> StoreResult<Vec<PairId>>;

    /// Keeps estimates. One whose revision is not that of the pair any more is dropped:
    /// the text was changed while it was weighed, and the pair stays stale.
    async fn put_estimates(&self, stamp: &str, estimates: &[(PairId, Estimate)])
    -> StoreResult<()>;

    /// All estimates of a workspace under this stamp.
    async fn estimates(
        &self,
        workspace: &Workspace,
        stamp: &str,
    ) -> StoreResult<HashMap<PairId, Estimate>>;

    /// Drops everything under stamps that are not among these.
    async fn keep_stamps(&self, stamps: &[&str]) -> StoreResult<()>;
}
