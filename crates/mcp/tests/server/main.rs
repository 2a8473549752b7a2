//! The server as clients see it: over pipes and over HTTP, in both eras of the protocol.

// Helpers of tests stand outside the test functions, and may panic like them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod budgets;
mod care;
mod harness;
mod hostile;
mod http;
mod meaning;
mod places;
mod surface;
mod tools;
