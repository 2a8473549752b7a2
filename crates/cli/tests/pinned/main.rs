//! What leaves and what is kept, pinned: the requests byte for byte, with pairs, receipts and
//! events, of some forty sends by the real binary and its real encoders. A change of these files
//! is a change of what people send, and is meant or is a fault.

#![allow(clippy::unwrap_used, clippy::panic)]

mod commands;
mod endings;
mod messages;
mod scene;
mod selections;
#[path = "../web/served.rs"]
#[allow(dead_code, reason = "the tests of the web need more of it")]
mod served;
mod told;
