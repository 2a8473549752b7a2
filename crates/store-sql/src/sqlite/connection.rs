//! Connections and their pragmas.

use std::path::Path;

use plimsoll_store::StoreResult;
use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::error::Decide;
use crate::OpenOptions;

/// Statements kept prepared on each connection; there are fewer in all.
const PREPARED_STATEMENTS: usize = 128;

/// Opens for writing, without changing anything in the file yet.
pub(super) fn writing(path: &Path, options: &OpenOptions) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).decided()?;
    common(&connection, options)?;
    // A file that turns out to be damaged or not ours keeps its log as it is.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).decided()?;
    Ok(connection)
}

pub(super) fn reading(path: &Path, options: &OpenOptions) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).decided()?;
    common(&connection, options)?;
    Ok(connection)
}

fn common(connection: &Connection, options: &OpenOptions) -> StoreResult<()> {
    connection.busy_timeout(options.busy_timeout).decided()?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    // Otherwise SQLite plans some statements anew for each value that is bound to them,
    // which takes ten times as long as running them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).decided()?;
    // References are kept, and what is deleted is overwritten, not only unlinked (REC-5). What
    // a schema calls is called only where it can do no harm: the file may be somebody else's.
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
             PRAGMA trusted_schema = OFF;",
        )
        .decided()
}

/// Makes the connection the writer of a store that is known to be ours.
///
/// The write-ahead log lets readers go on while one writes. `synchronous = FULL` syncs
/// the log at each commit; the usual `NORMAL` does so only at checkpoints, so that a power
/// cut could take back a pair whose writing was already confirmed (promise 4).
pub(super) fn become_writer(connection: &Connection, options: &OpenOptions) -> StoreResult<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).decided()?;
    connection.pragma_update(None, "journal_mode", "WAL").decided()?;
    connection.pragma_update(None, "synchronous", "FULL").decided()?;
    if let Some(max_bytes) = options.max_bytes {
        let page_size: u64 = connection
            .pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0))
            .decided()?
            .unsigned_abs()
            .max(1);
        let pages = i64::try_from(max_bytes / page_size).unwrap_or(i64::MAX);
        // The answer is a row, the number now in force.
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).decided()?;
    }
    Ok(())
}
