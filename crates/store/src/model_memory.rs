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

/// What one answer reported about its prompt, beside what had been counted (EST-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReport {
    /// Raw tokens of the texts.
    pub text: u64,
    /// What the chat format added to the messages, by the catalog.
    pub overhead: u64,
    /// The prompt tokens that the provider reported.
    pub reported: u64,
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
    /// The reports of a model at a place, oldest first.
    async fn usage_reports(&self, base_url: &str, model: &str) -> StoreResult<Vec<UsageReport>>;

    /// Keeps the reports of a model at a place instead of what was kept.
    async fn put_usage_reports(
        &self,
        base_url: &str,
        model: &str,
        reports: &[UsageReport],
    ) -> StoreResult<()>;

    /// The largest prompt that a model at a place took.
    async fn largest_prompt(&self, base_url: &str, model: &str) -> StoreResult<Option<u64>>;

    /// Takes note of a prompt that a model at a place took; the largest is kept.
    async fn note_prompt(&self, base_url: &str, model: &str, tokens: u64) -> StoreResult<()>;

    /// Whether a limit or reports of a model are kept, at any place.
    async fn has_learned(&self, model: &str) -> StoreResult<bool>;

    /// Forgets everything that was learned of a model at any place: reports, limits and the
    /// largest prompt.
    async fn forget_learned(&self, model: &str) -> StoreResult<()>;

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
