//! The use cases of the memory on a real store.

// Helpers of tests stand outside the test functions, and may panic like them.
#![allow(clippy::unwrap_used, clippy::panic)]

mod agents;
mod anchors;
mod archive;
mod budgets;
mod ceilings;
mod joining;
mod meaning;
mod projects;
mod provenance;
mod rules;
mod support;
mod sync;
mod sync_fields;
mod sync_random;
