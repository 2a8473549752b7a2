//! What SQLite says, as decisions.

use std::io;

use plimsoll_store::{StoreError, StoreResult};
use rusqlite::ErrorCode;

pub(super) fn decide(error: rusqlite::Error) -> StoreError {
    let Some(&rusqlite::ffi::Error { code, extended_code }) = error.sqlite_error() else {
        return StoreError::Failed(error.to_string());
    };
    match code {
        // The index of the log is a file too, and finds no room before the store does.
        _ if extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => StoreError::DiskFull,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked,
        // A file that cannot be opened next to one that can is one that may not be made.
        ErrorCode::CannotOpen if files_are_used_up() => StoreError::TooManyFiles,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            StoreError::ReadOnly
        }
        ErrorCode::DiskFull => StoreError::DiskFull,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            StoreError::Corrupt { set_aside: None }
        }
        _ => StoreError::Failed(error.to_string()),
    }
}

pub(super) fn decide_io(error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
        _ if is_too_many_files(error) => StoreError::TooManyFiles,
        _ => StoreError::Failed(error.to_string()),
    }
}

/// `EMFILE` and `ENFILE`, which have no kind of their own.
fn is_too_many_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Whether no file can be opened at all. SQLite says only that it could not open one.
fn files_are_used_up() -> bool {
    std::fs::File::open(std::path::Component::CurDir.as_os_str())
        .is_err_and(|error| is_too_many_files(&error))
}

/// Turns the result of SQLite or of the file system into ours.
pub(super) trait Decide<T> {
    fn decided(self) -> StoreResult<T>;
}

impl<T> Decide<T> for rusqlite::Result<T> {
    fn decided(self) -> StoreResult<T> {
        self.map_err(decide)
    }
}

impl<T> Decide<T> for io::Result<T> {
    fn decided(self) -> StoreResult<T> {
        self.map_err(|error| decide_io(&error))
    }
}
