//! The crate from outside: what comes out, read by a real HTML parser.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod attacks;
mod huge;
mod look;
mod snapshots;
mod soup;
mod walker;
