//! The workbench, served by the binary.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod actions;
mod api;
mod changed;
mod conversations;
mod costs;
mod drafts;
mod files;
mod gateway;
mod importing;
mod keys;
mod listed;
mod logs;
// The tests in a browser and the benchmarks share it.
mod many;
mod memory;
mod nodes;
mod objects;
mod schema;
mod seen;
// The tests in a browser share it and need more of it.
#[allow(dead_code)]
mod served;
mod summaries;
mod team;
mod trust;
mod uses;
