//! The memory, in statements that every database takes.

pub(crate) mod archive;
pub(crate) mod changes;
pub mod grams;
pub(crate) mod graph;
mod ids;
mod listing;
pub mod observations;
pub mod prompts;
pub(crate) mod saving;
pub(crate) mod sessions;
pub mod summaries;
pub(crate) mod sync;
pub(crate) mod totals;
mod words;

pub use listing::Conditions;
pub(crate) use words::tags;
pub use words::{Narrow, tag};

/// An empty namespace is none.
fn namespace(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn count(limit: usize) -> u64 {
    u64::try_from(limit).unwrap_or(u64::MAX)
}
