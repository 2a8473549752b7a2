//! The memory, in statements that every database takes.

mod anchors;
pub(crate) mod archive;
pub(crate) mod changes;
pub(crate) mod graph;
mod listing;
pub mod observations;
pub(crate) mod pending;
pub mod prompts;
pub(crate) mod saving;
pub(crate) mod sessions;
pub mod summaries;
pub(crate) mod sync;
pub(crate) mod totals;
pub(crate) mod vectors;
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
