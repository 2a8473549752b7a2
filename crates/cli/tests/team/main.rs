//! A team's server as it is run: three nodes of the real binary behind a proxy, on one PostgreSQL
//! and one object store, while all of them fail (TEA-6, TEA-7, TEA-8, TEA-12). `PLIMSOLL_LONG=1`
//! makes 300 faults of 20.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]
// PostgreSQL of our own and signals are those of Unix.
#![cfg(unix)]

mod books;
mod checks;
mod clients;
mod cluster;
mod faults;
mod going_on;
mod leases;
mod node;
mod provider;
mod random;
// The harness of the API's tests; not all of it is needed here.
#[allow(dead_code)]
#[path = "../web/served.rs"]
mod served;
mod watcher;
