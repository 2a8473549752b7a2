//! Providers of answers: one small trait, and those who speak it over HTTP.
//!
//! This crate turns a request into bytes and bytes into deltas. It does not decide
//! what is sent, does not retry and does not judge failures: it hands the raw status,
//! headers and body to whoever does.

mod contract;
mod secret;
mod sse;
mod wire;

pub use contract::{
    AnswerStream, ChatMessage, ChatRequest, Delta, Finish, Models, Provider, ProviderFailure,
    ServedModel,
};
pub use secret::Secret;
