//! Opening a store: look first, change nothing that is damaged, newer or not ours.

use std::path::{Path, PathBuf};

use plimsoll_domain::Timestamp;
use plimsoll_store::{Finding, StoreError, StoreResult};
use rusqlite::Connection;

use super::{
    SqlStore, connection,
    error::Decide,
    file::{self, Found},
    migrate,
    readers::Readers,
    upkeep,
    writer::Writer,
};
use crate::{
    OnCorrupt, OpenOptions, OpenReport,
    migrations::{Migration, pending},
};

pub(super) fn open(
    path: &Path,
    options: &OpenOptions,
    known: &[Migration],
    at: Timestamp,
) -> StoreResult<SqlStore> {
    let mut report = OpenReport::default();
    let connection = match open_file(path, options, known, at, &mut report) {
        Err(StoreError::Corrupt { .. } | StoreError::NotAStore(_))
            if options.on_corrupt == OnCorrupt::SetAside =>
        {
            let mut fresh =
                OpenReport { set_aside: Some(file::set_aside(path)?), ..Default::default() };
            let connection = open_file(path, options, known, at, &mut fresh)?;
            report = fresh;
            connection
        }
        opened => opened?,
    };
    Ok(SqlStore {
        path: path.to_owned(),
        writer: Writer::start(connection)?,
        readers: Readers::new(path.to_owned(), options.clone()),
        report,
        faults: options.faults.clone(),
        handle: crate::handle::new().into(),
    })
}

fn open_file(
    path: &Path,
    options: &OpenOptions,
    known: &[Migration],
    at: Timestamp,
    report: &mut OpenReport,
) -> StoreResult<Connection> {
    let found = file::look(path)?;
    match found {
        Found::Damaged => return Err(StoreError::Corrupt { set_aside: None }),
        Found::Nothing => make(path, options, known, at, report)?,
        Found::Database(_) => {}
    }
    let mut connection = connection::writing(path, options)?;
    if let Found::Database(length) = found {
        // Reading the schema proves that the first page is sound, and tells whose it is.
        let applied = migrate::applied(&connection, path)?;
        if applied.is_empty() {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        pending(known, &applied)?;
        if length <= options.check_up_to_bytes {
            quick_check(&connection)?;
        }
    }
    connection::become_writer(&connection, options)?;
    migrate::migrate(&mut connection, path, known, at, report)?;
    Ok(connection)
}

/// Makes a store under another name, and gives it its own when it is whole and on the disk: a
/// file with that name is never half a store (REL-10).
fn make(
    path: &Path,
    options: &OpenOptions,
    known: &[Migration],
    at: Timestamp,
    report: &mut OpenReport,
) -> StoreResult<()> {
    let fresh = file::unfinished(path)?;
    let made = (|| {
        let mut connection = connection::writing(&fresh, options)?;
        // It is synced as a whole before it has its name.
        connection.pragma_update(None, "synchronous", "OFF").decided()?;
        migrate::migrate(&mut connection, &fresh, known, at, report)?;
        drop(connection);
        file::finish(&fresh, path)
    })();
    if made.is_err() {
        for part in ["", "-journal"] {
            // What is left over is of no use, and the first error is the one to tell.
            let _ = std::fs::remove_file(file::beside(&fresh, part));
        }
    }
    report.made = made?;
    if !report.made {
        // Somebody else was faster, and theirs is the store.
        report.applied.clear();
    }
    Ok(())
}

/// Looks through the file at a path; nothing is changed, and nothing is made where nothing is.
/// What is no store at all is an error.
pub(super) fn look_through(path: &Path, known: &[Migration]) -> StoreResult<Vec<Finding>> {
    match file::look(path)? {
        Found::Nothing => return Err(StoreError::NotAStore(path.to_owned())),
        Found::Damaged => return Err(StoreError::Corrupt { set_aside: None }),
        Found::Database(_) => {}
    }
    let connection = connection::writing(path, &OpenOptions::default())?;
    let applied = migrate::applied(&connection, path)?;
    if applied.is_empty() {
        return Err(StoreError::NotAStore(path.to_owned()));
    }
    pending(known, &applied)?;
    upkeep::look_through(&connection)
}

/// Moves a store that is damaged, or a file that is none, out of the way; says where to. A
/// sound one stays. The caller sees to it that nobody has it open.
pub(super) fn set_aside(path: &Path, known: &[Migration]) -> StoreResult<Option<PathBuf>> {
    if file::look(path)? == Found::Nothing {
        return Ok(None);
    }
    match look_through(path, known) {
        Ok(findings) if findings.is_empty() => Ok(None),
        Ok(_) | Err(StoreError::Corrupt { .. } | StoreError::NotAStore(_)) => {
            file::set_aside(path).map(Some)
        }
        Err(error) => Err(error),
    }
}

/// Damage is what cannot be read; a broken rule of a table is for `check` to tell.
fn quick_check(connection: &Connection) -> StoreResult<()> {
    let first: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).decided()?;
    if first == "ok" { Ok(()) } else { Err(StoreError::Corrupt { set_aside: None }) }
}
