//! Providers of answers: one small trait, those who speak it over HTTP, and a program.
//!
//! This crate turns a request into bytes and bytes into deltas. It does not decide
//! what is sent, does not retry and does not judge failures: it hands the raw status,
//! headers and body to whoever does.

mod child;
mod contract;
mod encoded;
mod endpoint;
mod reach;
mod scrub;
mod secret;

mod anthropic;
mod codex;
mod gemini;
mod openai;

mod discover;
mod local;
mod models;

mod answer;
mod download;
mod http;
mod reading;
mod relay;
mod remote_files;
mod sse;
mod transport;
mod watching;
mod wire;

#[doc(hidden)]
pub mod fuzzing;

pub use download::Download;

pub use child::{keep_private, program};
pub use contract::{
    AnswerStream, ChatFormat, Delta, Finish, Models, Provider, RemoteFile, RemoteFiles,
    ServedModel, Transcript, Upload,
};
pub use encoded::Encoded;
pub use endpoint::{Endpoint, SetupError, Timeouts, server_of};
pub use models::MOST_MODELS;
pub use plimsoll_fault::ProviderFailure;
pub use reach::{NotReached, Reach};
pub use relay::{RelayRequest, Relayed, RelayedBody, Relaying};
pub use secret::Secret;
pub use watching::AnswerWatch;
pub use wire::unsayable::Unsayable;

pub use anthropic::Anthropic;
pub use codex::Codex;
pub use gemini::Gemini;
pub use openai::{Azure, OpenAiStyle};

pub use discover::{
    LocalKind, LocalServer, Place, discover, discover_at, foundry_base, ollama_base,
};
