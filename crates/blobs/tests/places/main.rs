//! Where blobs lie: one contract that every place keeps (TEA-2), and what can only happen to an
//! object store.

#![allow(clippy::unwrap_used)]

mod contract;
mod copies;
mod faults;
mod folder;
mod s3;
