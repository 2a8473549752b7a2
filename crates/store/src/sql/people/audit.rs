//! The audit log.

use plimsoll_domain::Timestamp;

use crate::{
    AuditEntry, StoreResult,
    engine::{Cells, Db, list},
};

const NOTE: &str = "INSERT INTO audit_entries (id, at, person, action, subject, origin)
    VALUES ($1, $2, $3, $4, $5, $6)";
const SINCE: &str = "SELECT id, at, person, action, subject, origin FROM audit_entries
    WHERE at >= $1 ORDER BY at DESC, id DESC LIMIT $2";
const PURGE: &str = "DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_entries
    WHERE at < $1 ORDER BY at LIMIT $2)";

pub(crate) fn note(db: &mut dyn Db, entry: &AuditEntry) -> StoreResult<()> {
    let AuditEntry { id, at, person, action, subject, origin } = entry;
    db.run(NOTE, values![id, *at, person.as_deref(), action, subject, origin]).map(drop)
}

pub(crate) fn since(db: &mut dyn Db, since: Timestamp, most: u64) -> StoreResult<Vec<AuditEntry>> {
    list(db, SINCE, values![since, most], read)
}

pub(crate) fn purge(db: &mut dyn Db, before: Timestamp, most: u64) -> StoreResult<u64> {
    db.run(PURGE, values![before, most])
}

fn read(row: &dyn Cells) -> StoreResult<AuditEntry> {
    Ok(AuditEntry {
        id: row.string(0)?,
        at: row.time(1)?,
        person: row.opt_string(2)?,
        action: row.string(3)?,
        subject: row.string(4)?,
        origin: row.string(5)?,
    })
}
