//! What is known of models from experience: calibration (EST-6), learned limits (CAT-3),
//! and the usage log behind the quota windows (VAL-4).

use std::collections::BTreeMap;

use plimsoll_budget::LearnedLimit;
use plimsoll_domain::Timestamp;

use crate::sql::model_memory;

/// The limits that providers' errors stated, by base URL and model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedLimits(pub BTreeMap<(String, String), LearnedLimit>);

impl LearnedLimits {
    pub fn of(&self, base_url: Option<&str>, model: &str) -> Option<LearnedLimit> {
        self.0.get(&(base_url?.to_owned(), model.to_owned())).copied()
    }
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
    pub tokens: u64,
}

jobs! {
    pub trait ModelStats {
        /// The reports of a model at a place, oldest first.
        read usage_reports(base_url: &str, model: &str) -> Vec<UsageReport> = model_memory::reports;

        /// Keeps the reports of a model at a place instead of what was kept.
        write put_usage_reports(base_url: &str, model: &str, reports: &[UsageReport])
            -> () = model_memory::put_reports;

        read largest_prompt(base_url: &str, model: &str)
            -> Option<u64> = model_memory::largest_prompt;

        /// Takes note of a prompt that a model at a place took; the largest is kept.
        write note_prompt(base_url: &str, model: &str, tokens: u64)
            -> () = model_memory::note_prompt;

        /// Whether a limit or reports of a model are kept, at any place.
        read has_learned(model: &str) -> bool = model_memory::has_learned;

        /// Forgets everything that was learned of a model at any place: reports, limits and the
        /// largest prompt.
        write forget_learned(model: &str) -> () = model_memory::forget_learned;

        read learned_limit(base_url: &str, model: &str)
            -> Option<LearnedLimit> = model_memory::limit;

        read learned_limits() -> LearnedLimits = model_memory::limits;

        /// Keeps a learned limit instead of what was kept.
        write put_learned_limit(base_url: &str, model: &str, limit: LearnedLimit)
            -> () = model_memory::put_limit;

        /// Forgets a learned limit; says whether there was one.
        write clear_learned_limit(base_url: &str, model: &str) -> bool = model_memory::clear_limit;

        write log_usage(model: &str, entry: UsageEntry) -> () = model_memory::log_usage;

        /// The requests of a model from this time on, oldest first.
        read usage_since(model: &str, from: Timestamp)
            -> Vec<UsageEntry> = model_memory::usage_since;
    }
}
