//! What a schema would do by itself: triggers and views are our own, or the file is refused.

use std::collections::HashSet;

use plimsoll_store::StoreResult;
use rusqlite::Connection;

use super::{error::Decide, session::Session};
use crate::migrations::{Migration, preparation};

const ACTING: &str = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')";

/// The first trigger or view that the steps so far did not make, if there is one. A backup that
/// somebody else handed over would run it with the first change of a pair.
pub(super) fn foreign(
    connection: &Connection,
    known: &[Migration],
    applied: usize,
) -> StoreResult<Option<String>> {
    let model = Connection::open_in_memory().decided()?;
    for step in known.iter().take(applied) {
        if let Some(prepare) = preparation(step.name) {
            prepare(&mut Session::new(&model, ""))?;
        }
        model.execute_batch(step.sql).decided()?;
    }
    let ours: HashSet<_> = acting(&model)?.into_iter().collect();
    let foreign = acting(connection)?.into_iter().find(|one| !ours.contains(one));
    Ok(foreign.map(|(kind, name, _)| format!("the {kind} '{name}'")))
}

fn acting(connection: &Connection) -> StoreResult<Vec<(String, String, String)>> {
    let mut statement = connection.prepare(ACTING).decided()?;
    let rows = statement.query_map([], |row| {
        let sql: Option<String> = row.get(2)?;
        // A checkout may change line ends.
        Ok((row.get(0)?, row.get(1)?, sql.unwrap_or_default().replace("\r\n", "\n")))
    });
    rows.decided()?.collect::<rusqlite::Result<_>>().decided()
}
