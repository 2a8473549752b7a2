//! Opening a store: look first, change nothing that is damaged, newer or not ours.

use std::path::Path;

use plimsoll_domain::Timestamp;
use plimsoll_store::{StoreError, StoreResult};
use rusqlite::Connection;

use super::{
    Sqlite, connection,
    error::Decide,
    file::{self, Found},
    migrate,
    readers::Readers,
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
) -> StoreResult<Sqlite> {
    let mut report = OpenReport::default();
    let connection = match open_file(path, options, known, at, &mut report) {
        Err(StoreError::Corrupt { .. }) if options.on_corrupt == OnCorrupt::SetAside => {
            let mut fresh =
                OpenReport { set_aside: Some(file::set_aside(path)?), ..Default::default() };
            let connection = open_file(path, options, known, at, &mut fresh)?;
            report = fresh;
            connection
        }
        opened => opened?,
    };
    Ok(Sqlite {
        path: path.to_owned(),
        writer: Writer::start(connection)?,
        readers: Readers::new(path.to_owned(), options.clone()),
        report,
        faults: options.faults.clone(),
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
    if found == Found::Damaged {
        return Err(StoreError::Corrupt { set_aside: None });
    }
    file::prepare(path)?;
    let mut connection = connection::writing(path, options)?;
    if let Found::Database(length) = found {
        // Reading the schema proves that the first page is sound, and tells whose it is.
        pending(known, &migrate::applied(&connection, path)?)?;
        if length <= options.check_up_to_bytes {
            quick_check(&connection)?;
        }
    }
    connection::become_writer(&connection, options)?;
    migrate::migrate(&mut connection, path, known, at, report)?;
    Ok(connection)
}

/// Damage is what cannot be read; a broken rule of a table is for `check` to tell.
fn quick_check(connection: &Connection) -> StoreResult<()> {
    let first: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).decided()?;
    if first == "ok" { Ok(()) } else { Err(StoreError::Corrupt { set_aside: None }) }
}
