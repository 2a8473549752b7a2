//! The workbench as people use it: a real Chromium before the served binary, a scripted
//! provider behind it. Nothing here counts time; every step waits for what can be seen.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod access;
mod attachments;
mod attempts;
mod behind;
mod bench;
mod budget;
mod comparing;
mod connection;
mod continuing;
mod conversations;
mod costs;
mod exact;
mod faults;
mod files;
mod filtering;
mod finding;
mod firefox;
mod first_day;
mod first_day_walk;
mod focus;
mod honest;
mod honest_random;
mod importing;
mod keys;
mod late;
mod listing;
mod made;
#[path = "../web/many.rs"]
mod many;
mod memory;
mod newcomer;
mod openid;
mod phone;
mod prelude;
mod reading;
mod receipts;
mod safety;
mod scale;
mod sending;
mod settings;
mod snippets;
// The harness of the API's tests; not all of it is needed here.
#[allow(dead_code)]
#[path = "../web/served.rs"]
mod served;
mod sidebar;
mod summaries;
mod typing;
mod undoing;
mod uses;
mod viewing;
mod watch;
