//! What attached files hold, kept by content (BLB-1 to BLB-5, TOK-4, INS-3, INS-4).
//!
//! A workspace has one directory, `context/`. Bytes are taken in through `tmp/` and, when
//! they are whole and on the disk, renamed to `blobs/<blake3>.<ext>`; the same bytes are
//! stored once. `derived/` holds thumbnails and the texts of documents, which can be
//! made again at any time.
//!
//! Instead of `blobs/`, an object store that speaks S3 may hold them (TEA-1). What differs is
//! behind one trait, `Place`, and both keep the rules of `tests/contract`.
//!
//! Everything here blocks: callers run it on a thread that may wait. This crate knows no
//! messages and no registry: which blobs are still needed is handed in. A name that a file
//! came with is looked at, never used as a path, and nothing outside `context/` is opened,
//! except the file that [`Blobs::import_file`] is told to take in.

mod batch;
mod blobs;
mod derived;
mod disk;
mod error;
mod facts;
mod folder;
#[doc(hidden)]
pub mod fuzzing;
mod garbage;
#[cfg(test)]
mod hostile_tests;
mod index;
mod intake;
#[cfg(test)]
mod intake_tests;
mod name;
mod picture;
#[cfg(test)]
mod picture_tests;
mod place;
mod resolve;
mod s3;
mod secret;
mod sniff;
#[cfg(test)]
mod sniff_tests;
mod text;
mod texty;

pub use batch::{Batch, Progress};
pub use blobs::Blobs;
pub use derived::Derived;
pub use error::{BlobError, Broken, ImageProblem};
pub use facts::Facts;
pub use garbage::{Stored, Swept};
pub use intake::{Blob, Intake};
pub use name::{BadBlobName, BlobName};
pub use picture::{MOST_PIXELS, THUMBNAIL, as_png};
pub use s3::{S3Error, S3Store};
pub use secret::{HEAD, looks_secret};
pub use text::text_of;
pub use texty::text_like;
