//! The binary with real models: a llama.cpp server, and the one inside. They are heavy,
//! so they have a test binary of their own, which cargo runs alone.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(unix)]
mod embedded;
mod home;
mod llama;
#[cfg(unix)]
mod meaning;
// What the other test binary uses of it is not all used here.
#[allow(dead_code)]
#[path = "../cli/run.rs"]
mod run;
#[path = "../web/store.rs"]
mod store;
