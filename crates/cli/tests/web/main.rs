//! The workbench, served by the binary.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod api;
mod served;
mod trust;
