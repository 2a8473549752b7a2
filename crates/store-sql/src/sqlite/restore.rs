//! Putting a backup in the place of a store. At every moment the name of the store is
//! that of a whole store, the old one or the new one.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Noun, StoreError, StoreResult};
use rusqlite::Connection;

use super::{
    connection,
    error::Decide,
    file::{self, Found},
    migrate, schema, upkeep,
};
use crate::{
    OpenOptions, OpenReport,
    migrations::{SQLITE, pending},
};

/// Restores `from` to `path`; what stood there is kept as `kept`. Says whether anything
/// stood there. The caller sees to it that nobody opens the store meanwhile.
pub(super) fn restore(from: &Path, path: &Path, kept: &Path, at: Timestamp) -> StoreResult<bool> {
    if kept.symlink_metadata().is_ok() {
        return Err(StoreError::Exists(Noun::File));
    }
    file::prepare_directory(path)?;
    let fresh = file::free_name(path, ".restoring-")?;
    let done = copy_checked(from, &fresh, at).and_then(|()| put_in_place(&fresh, path, kept));
    if done.is_err() {
        for part in ["", "-wal", "-shm"] {
            // What is left over is of no use, and the first error is the one to tell.
            let _ = fs::remove_file(file::beside(&fresh, part));
        }
    }
    done
}

/// A copy that is known to be sound and of this version, in one file, on the disk. The
/// original is only read.
fn copy_checked(from: &Path, fresh: &Path, at: Timestamp) -> StoreResult<()> {
    match file::look(from)? {
        Found::Nothing => return Err(StoreError::NotAStore(from.to_owned())),
        Found::Damaged => return Err(StoreError::Corrupt { set_aside: None }),
        Found::Database(_) => {}
    }
    // A log beside it belongs to it.
    for part in ["", "-wal"] {
        let source = file::beside(from, part);
        if source.exists() {
            copy(&source, &file::beside(fresh, part))?;
        }
    }
    let options = OpenOptions::default();
    let mut connection = connection::writing(fresh, &options)?;
    let applied = migrate::applied(&connection, from)?;
    if applied.is_empty() {
        return Err(StoreError::NotAStore(from.to_owned()));
    }
    pending(&SQLITE, &applied)?;
    if let Some(foreign) = schema::foreign(&connection, &SQLITE, applied.len())? {
        return Err(StoreError::ForeignSchema(foreign));
    }
    if !upkeep::look_through(&connection)?.is_empty() {
        return Err(StoreError::Corrupt { set_aside: None });
    }
    connection::become_writer(&connection, &options)?;
    let mut report = OpenReport::default();
    migrate::migrate(&mut connection, fresh, &SQLITE, at, &mut report)?;
    if let Some(backup) = report.backup {
        // The original is the backup; this one is a copy of the copy.
        fs::remove_file(backup).decided()?;
    }
    alone(&connection)?;
    drop(connection);
    file::sync(fresh)
}

/// Copies a file for the user's eyes only.
fn copy(from: &Path, to: &Path) -> StoreResult<()> {
    file::prepare(to)?;
    let mut source = File::open(from).decided()?;
    let mut target = fs::OpenOptions::new().write(true).open(to).decided()?;
    io::copy(&mut source, &mut target).decided()?;
    target.sync_all().decided()
}

fn put_in_place(fresh: &Path, path: &Path, kept: &Path) -> StoreResult<bool> {
    let there = path.symlink_metadata().is_ok();
    if there {
        match settle(path) {
            // A damaged store is why people restore; it is kept as it is, log and all.
            Ok(()) | Err(StoreError::Corrupt { .. } | StoreError::Failed(_)) => {}
            Err(error) => return Err(error),
        }
        keep(path, kept)?;
    }
    // A log that belongs to the old file must not meet the new one.
    for part in ["-wal", "-shm"] {
        let log = file::beside(path, part);
        if log.exists() {
            fs::rename(&log, file::beside(kept, part)).decided()?;
        }
    }
    fs::rename(fresh, path).decided()?;
    file::sync(path)?;
    Ok(there)
}

/// Writes the log back into the file, which nobody else may have open.
fn settle(path: &Path) -> StoreResult<()> {
    if file::look(path)? == Found::Damaged {
        return Err(StoreError::Corrupt { set_aside: None });
    }
    let connection = connection::writing(path, &OpenOptions::default())?;
    alone(&connection)
}

/// Leaves the mode in which a log stands beside the file. SQLite does so only for the
/// last one who has the file open.
fn alone(connection: &Connection) -> StoreResult<()> {
    let mode: String =
        connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0)).decided()?;
    if mode.eq_ignore_ascii_case("delete") { Ok(()) } else { Err(StoreError::Locked) }
}

/// A second name for the old file, or a copy where the file system knows no such thing.
fn keep(path: &Path, kept: &Path) -> StoreResult<()> {
    if fs::hard_link(path, kept).is_err() {
        copy(path, kept)?;
    }
    file::sync(kept)
}
