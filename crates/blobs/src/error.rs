//! What can go wrong, as the decisions that a caller makes.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::{BlobName, S3Error};

/// Why something could not be taken in or read.
#[derive(Debug, Error)]
pub enum BlobError {
    /// There is more than was allowed.
    #[error("it is larger than the {limit} bytes that are allowed here")]
    TooLarge {
        /// The most that was allowed.
        limit: u64,
    },
    /// The person changed their mind; nothing was kept.
    #[error("the import was cancelled")]
    Cancelled,
    /// An earlier write into this intake failed, so that its bytes are not whole.
    #[error("an earlier part of it could not be written")]
    Spoiled,
    /// The file to be taken in does not exist.
    #[error("there is no file {}", .0.display())]
    NoSuchFile(PathBuf),
    /// A directory, a pipe or a device where a file was expected.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The blob is not in the store.
    #[error("the content {0} is missing from the store")]
    Missing(BlobName),
    /// The blob is there, but its bytes are not those that its name promises.
    #[error("the content {0} was altered in the store")]
    Altered(BlobName),
    /// No space is left. What was there before is untouched.
    #[error("the disk is full")]
    DiskFull,
    /// The object store did not do what was asked.
    #[error(transparent)]
    S3(#[from] S3Error),
    /// Anything else that the system says.
    #[error("{doing} {}: {source}", .path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl BlobError {
    /// For `map_err`: what the system said, with what was being done.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io { doing, path: path.to_owned(), source },
        }
    }
}

/// Why a token stands for nothing (TOK-4), for the chip of a broken attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Broken {
    /// The path does not start at the root.
    #[error("its path is not absolute")]
    NotAbsolute,
    /// The path leads elsewhere. Whether anything is there was not looked at.
    #[error("it points outside this workspace's files")]
    Outside,
    /// It belongs here, but is not there.
    #[error("the file is missing from this workspace")]
    Missing,
    /// A link, a directory or a device has the name of a blob.
    #[error("what is stored under its name is not a regular file")]
    NotAFile,
}

/// Why a picture is shown as a chip instead of a thumbnail (BLB-3).
#[derive(Debug, Error)]
pub enum ImageProblem {
    /// The bytes are no picture of a format that can be drawn here.
    #[error("it is not a picture that can be drawn here (PNG, JPEG, GIF, WebP and BMP can)")]
    NotAPicture,
    /// More pixels than anybody looks at; possibly a trap.
    #[error("{width} × {height} pixels are more than can be drawn")]
    TooManyPixels {
        /// As the picture claims.
        width: u32,
        /// As the picture claims.
        height: u32,
    },
    /// It unpacks to more memory than a picture may take.
    #[error("it needs too much memory to be drawn")]
    TooMuchMemory,
    /// The picture is damaged; in the decoder's words.
    #[error("the picture is damaged: {0}")]
    Damaged(String),
    /// The blob could not be read, or the thumbnail not be written.
    #[error(transparent)]
    Blob(#[from] BlobError),
}
