//! Blobs in an object store that speaks S3 (TEA-1).
//!
//! `store.rs` is the store and its single calls, `transfer.rs` moves bytes to and from it in
//! parts, `workspace.rs` makes the place of one workspace of that. `copies.rs` holds copies of
//! what was fetched, because programs and pictures need files; `seen.rs` remembers which blobs
//! there are. Both can be thrown away at any time.

mod address;
mod copies;
mod error;
mod http;
mod running;
mod seen;
mod setup;
mod store;
mod transfer;
mod workspace;

pub use error::S3Error;
pub use store::S3Store;
pub(crate) use workspace::S3Workspace;
