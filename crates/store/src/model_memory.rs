//! What is known of models from experience: calibration (EST-6), learned limits (CAT-3),
//! and the usage log behind the quota windows (VAL-4).

use async_trait::async_trait;
use plimsoll_domain::Timestamp;

use crate::StoreResult;

/// A limit that a provider's error stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedLimit {
    /// Where the provider is.
    pub base_url: String,
    /// The model there.
    pub model: String,
    /// The limit in tokens.
    pub tokens: u64,
    /// When it was learned.
    pub learned_at: Timestamp,
}

/// One request of the usage log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageEntry {
    /// When it went out.
    pub at: Timestamp,
    /// What it used.
    pub tokens: u64,
}

/// Experience with models.
#[async_trait]
pub trait ModelMemory: Send + Sync {
    /// The log ratios of a model, oldest first; empty if nothing was learned.
    async fn calibration(&self, model: &str) -> StoreResult<Vec<f64>>;

    /// Keeps the log ratios of a model instead of what was kept; none is a reset.
    async fn put_calibration(&self, model: &str, log_ratios: &[f64]) -> StoreResult<()>;

    /// The limit learned for a model at a place.
    async fn learned_limit(&self, base_url: &str, model: &str)
    -> StoreResult<Option<LearnedLimit>>;

    /// All learned limits.
    async fn learned_limits(&self) -> StoreResult<Vec<LearnedLimit>>;

    /// Keeps a learned limit instead of what was kept.
    async fn put_learned_limit(&self, limit: &LearnedLimit) -> StoreResult<()>;

    /// Forgets a learned limit; says whether there was one.
    async fn clear_learned_limit(&self, base_url: &str, model: &str) -> StoreResult<bool>;

    /// Adds a request to the usage log.
    async fn log_usage(&self, model: &str, entry: UsageEntry) -> StoreResult<()>;

    /// The requests of a model from this time on, oldest first.
    async fn usage_since(&self, model: &str, from: Timestamp) -> StoreResult<Vec<UsageEntry>>;

    /// Drops what is older than this from the usage log of every model.
    async fn forget_usage_before(&self, until: Timestamp) -> StoreResult<()>;
}
