//! The binary, run the way people run it.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod again;
#[cfg(unix)]
mod bad_servers;
#[cfg(unix)]
mod chat;
mod classify;
mod docs;
mod doctor;
mod exchange;
mod files;
mod generate;
#[cfg(target_os = "linux")]
mod keys;
mod limits;
mod mcp_install;
mod memory;
mod models;
mod objects;
mod plan;
mod rendered;
mod run;
mod segments;
mod send;
mod settings;
mod several;
mod snippets;
#[path = "../web/store.rs"]
mod store;
mod survives;
mod survives_import;
#[cfg(unix)]
mod terminal;
mod tokens;
mod told;
mod trouble;
