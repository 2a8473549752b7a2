//! The memory, in statements that every database takes.

pub(crate) mod archive;
pub(crate) mod changes;
pub(crate) mod grams;
pub(crate) mod graph;
mod ids;
mod listing;
pub(crate) mod observations;
pub(crate) mod prompts;
pub(crate) mod saving;
pub(crate) mod sessions;
pub(crate) mod summaries;
pub(crate) mod totals;
mod words;

pub(crate) use listing::Conditions;
pub(crate) use words::{Narrow, tag, tags};

/// An empty namespace is none.
fn namespace(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn count(limit: usize) -> u64 {
    u64::try_from(limit).unwrap_or(u64::MAX)
}
