//! The databases that the store runs on, each in a module of its own: how it opens, runs a job,
//! searches and is looked after.
//!
//! What is kept and promised, and the statements that do it, are `plimsoll-store`'s; every
//! database here passes the rules of `tests/contract/`. This crate never reads a clock, and
//! makes no id but the names of its handles.

#![allow(missing_docs)]

mod faults;
mod handle;
mod migrations;
mod open_options;
mod postgres;
mod search;
mod sqlite;
mod transfer;

pub use faults::{Fault, Faults};
pub use open_options::{OnCorrupt, OpenOptions, OpenReport};
pub use postgres::PostgresStore;
pub use sqlite::SqlStore;
pub use transfer::{UNFINISHED, transfer, workspaces};
