//! The store in SQL. What is done stands once, in statements that every database takes;
//! what only one database needs stands in a module of its own.
//!
//! This crate does not decide what is kept or promised: `plimsoll-store` does, and every
//! backend here passes the rules of `tests/contract/`. It never reads a clock and never
//! makes an id.

mod db;
mod faults;
mod migrations;
mod open_options;
mod shared;
mod sqlite;
mod store;

pub use faults::{Fault, Faults};
pub use open_options::{OnCorrupt, OpenOptions, OpenReport};
pub use store::SqlStore;
