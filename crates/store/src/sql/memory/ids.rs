//! Small integers that are never used twice.

use crate::{
    StoreResult,
    engine::{Db, first},
};

const LAST: &str = "SELECT last_id FROM memory_ids WHERE name = $1";
const PUT: &str = "INSERT INTO memory_ids (name, last_id) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id";

pub(super) fn next(db: &mut dyn Db, name: &str) -> StoreResult<u64> {
    let next = first(db, LAST, values![name], |row| row.count(0))?.unwrap_or(0) + 1;
    db.run(PUT, values![name, next])?;
    Ok(next)
}

/// Lets no later id be this one or one below it.
pub(super) fn past(db: &mut dyn Db, name: &str, id: u64) -> StoreResult<()> {
    if first(db, LAST, values![name], |row| row.count(0))?.unwrap_or(0) < id {
        db.run(PUT, values![name, id])?;
    }
    Ok(())
}
