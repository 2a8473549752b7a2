//! Test data, benchmarks and tools. Never part of the product: nothing that ships
//! depends on this crate.

pub mod chatgpt;
pub mod history;
pub mod http;
pub mod llama_server;
pub mod npm;
pub mod openid_peer;
pub mod openid_provider;
pub mod pairs;
pub mod pdf;
#[cfg(unix)]
pub mod postgres;
pub mod python;
pub mod real;
pub mod report;
pub mod s3_server;
pub mod scripted;
#[cfg(unix)]
pub mod switch;
pub mod table_fit;
pub mod texts;

/// The path of a file below the workspace's `fixtures/`.
pub fn fixture(name: &str) -> std::path::PathBuf {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    std::path::Path::new(root).join(name)
}
