//! The binary, run the way people run it.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod again;
mod classify;
mod docs;
mod doctor;
mod models;
mod plan;
mod run;
mod segments;
mod send;
mod survives;
mod tokens;
mod trouble;
