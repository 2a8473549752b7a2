//! The store in SQLite: the contract, and what only a file can suffer.

// Helpers of tests stand outside the test functions, and may panic like them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

#[path = "../contract/mod.rs"]
mod contract;
mod crash;
mod docs;
#[path = "../earlier/mod.rs"]
mod earlier;
mod faults;
mod migrating;
mod model;
mod processes;
mod receipts;
mod rules;
mod support;
