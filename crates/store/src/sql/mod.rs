//! What the store does, in statements that every database takes. Each function is one job, or
//! part of one. Public is what an engine needs for its schema, its search and its upkeep.

pub(crate) mod answer;
pub(crate) mod archive;
pub(crate) mod conversations;
pub mod deletions;
pub(crate) mod estimates;
pub(crate) mod files;
pub(crate) mod gateway;
pub(crate) mod labels;
pub mod memory;
pub(crate) mod model_memory;
pub(crate) mod notebook;
pub mod numbers;
pub(crate) mod outbox;
pub(crate) mod owners;
pub(crate) mod pairs;
pub mod parts;
pub(crate) mod people;
mod quotes;
pub(crate) mod read_pairs;
pub(crate) mod receipts;
pub mod search;
pub(crate) mod snapshots;
pub(crate) mod summaries;
pub(crate) mod tool_calls;
pub(crate) mod topics;
pub(crate) mod totals;
pub mod workspaces;

pub use people::leaving::TABLES_OF_A_WORKSPACE;
