//! Bringing a store up to date: forward only, each step in a transaction, with a backup
//! before the first change of a store that has something to lose (REL-3).

use std::path::{Path, PathBuf};

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    StoreError, StoreResult, Workspace,
    engine::{Db, first, list},
    sql::workspaces,
    values,
};
use rusqlite::{Connection, TransactionBehavior};

use super::{error::Decide, file, session::Session, upkeep};
use crate::{
    OpenReport,
    migrations::{Applied, Migration, completion, pending, preparation},
};

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    name TEXT NOT NULL PRIMARY KEY,
    checksum TEXT NOT NULL,
    applied_at BIGINT NOT NULL
)";
/// Stores of earlier versions have no such column, and no step that others can go on with.
const HAS_GOES_ON: &str =
    "SELECT COUNT(*) FROM pragma_table_info('schema_migrations') WHERE name = 'older_goes_on'";
const ADD_GOES_ON: &str =
    "ALTER TABLE schema_migrations ADD COLUMN older_goes_on SMALLINT NOT NULL DEFAULT 0";
const RECORD: &str = "INSERT INTO schema_migrations (name, checksum, applied_at, older_goes_on)
    VALUES ($1, $2, $3, $4)";
const APPLIED: &str = "SELECT name, checksum, older_goes_on FROM schema_migrations ORDER BY name";
const APPLIED_EARLIER: &str = "SELECT name, checksum, 0 FROM schema_migrations ORDER BY name";
const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table'";

/// What the store has so far. A database that is not ours is refused.
pub(super) fn applied(connection: &Connection, path: &Path) -> StoreResult<Vec<Applied>> {
    let mut session = Session::new(connection, "");
    let tables = list(&mut session, TABLES, values![], |row| row.string(0))?;
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    if !tables.iter().any(|table| table == "schema_migrations") {
        return Err(StoreError::NotAStore(path.to_owned()));
    }
    let sql = if has_goes_on(&mut session)? { APPLIED } else { APPLIED_EARLIER };
    list(&mut session, sql, values![], |row| {
        Ok(Applied { name: row.string(0)?, checksum: row.string(1)?, older_goes_on: row.truth(2)? })
    })
}

/// Applies what is missing. Another process may do the same at the same time, so each
/// step looks again once it has the right to write.
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
    known: &[Migration],
    at: Timestamp,
    report: &mut OpenReport,
) -> StoreResult<()> {
    let before = applied(connection, path)?;
    if !before.is_empty() && !pending(known, &before)?.is_empty() {
        report.backup = Some(backup(connection, path)?);
    }
    loop {
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).decided()?;
        let now = applied(&transaction, path)?;
        let Some(next) = pending(known, &now)?.first() else { break };
        let mut session = Session::new(&transaction, "");
        session.run(TABLE, values![])?;
        if !has_goes_on(&mut session)? {
            session.run(ADD_GOES_ON, values![])?;
        }
        if let Some(prepare) = preparation(next.name) {
            prepare(&mut session)?;
        }
        transaction.execute_batch(next.sql).decided()?;
        if let Some(complete) = completion(next.name) {
            complete(&mut session)?;
        }
        session.run(RECORD, values![next.name, &next.checksum(), at, next.older_goes_on])?;
        if now.is_empty() {
            workspaces::create(&mut session, &Workspace::default(), at)?;
        }
        transaction.commit().decided()?;
        report.applied.push(next.name.to_owned());
    }
    Ok(())
}

fn has_goes_on(session: &mut Session<'_>) -> StoreResult<bool> {
    Ok(first(session, HAS_GOES_ON, values![], |row| row.count(0))?.unwrap_or(0) > 0)
}

fn backup(connection: &Connection, path: &Path) -> StoreResult<PathBuf> {
    let target = file::free_name(path, ".backup-")?;
    upkeep::copy_to(connection, &target)?;
    Ok(target)
}
