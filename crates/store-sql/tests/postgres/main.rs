//! The store in PostgreSQL: the contract, and what only a server can suffer.

// Helpers of tests stand outside the test functions, and may panic like them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]
#![cfg(unix)]

#[path = "../contract/mod.rs"]
mod contract;
#[path = "../earlier/mod.rs"]
mod earlier;
mod faults;
mod moving;
mod pooler;
mod rules;
