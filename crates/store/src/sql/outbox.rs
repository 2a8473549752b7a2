//! The outbox (TEA-6): every change of a workspace leaves a numbered row in its transaction. That
//! may be the first statement of a job, since an error undoes all of it.

use std::collections::HashSet;

use plimsoll_domain::{PairId, Timestamp};

use super::{notebook, workspaces};
use crate::{
    ArrivingText, News, StoreResult, Watched, WhatChanged, Workspace, WorkspaceChange,
    engine::{Cells, Db, Value, first, id, list, unreadable},
};

/// The row of the counter is locked from here to the end of the transaction, so that numbers
/// become visible in their order.
const NEXT: &str = "INSERT INTO change_counters (workspace, newest) VALUES ($1, 1)
    ON CONFLICT (workspace) DO UPDATE SET newest = change_counters.newest + 1 RETURNING newest";
const PUT: &str = "INSERT INTO changes (workspace, number, kind, about, made_by)
    VALUES ($1, $2, $3, $4, $5)";
const NEWEST: &str = "SELECT newest FROM change_counters WHERE workspace = $1";
const KEPT: &str = "SELECT COUNT(*) FROM changes";
const NOTE: &str = "UPDATE changes SET noted_at = $1 WHERE (workspace, number) IN
    (SELECT workspace, number FROM changes WHERE noted_at IS NULL LIMIT $2)";
const FORGET: &str = "DELETE FROM changes WHERE (workspace, number) IN
    (SELECT workspace, number FROM changes WHERE noted_at < $1 ORDER BY noted_at LIMIT $2)";

/// So many workspaces are asked about in one statement: databases bound the number of values.
const ASKED_AT_ONCE: usize = 500;

/// So many changes are read at once.
const MOST_READ: u64 = 4096;

/// So many changes are noted, and so many forgotten, in one step.
const FORGOTTEN_AT_ONCE: u64 = 1000;

/// Writes down that something changed in a workspace; gives the number of the change.
pub(crate) fn put(db: &mut dyn Db, workspace: &Workspace, what: &WhatChanged) -> StoreResult<u64> {
    // A number that was lost would be given again, to another change, which whoever had seen the
    // first one would never hear of.
    db.keep_for_others()?;
    let number = first(db, NEXT, values![workspace], |row| row.count(0))?
        .ok_or_else(|| unreadable("a counter is missing"))?;
    let (kind, about) = what.written();
    let made_by = db.handle().to_owned();
    db.run(PUT, values![workspace, number, kind, &about, &made_by])?;
    Ok(number)
}

/// Somebody wrote into the memory of a workspace.
pub(super) fn memory(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<()> {
    put(db, workspace, &WhatChanged::Memory).map(drop)
}

/// The same for pairs, wherever they are; before they go, where they do.
pub(super) fn put_for(
    db: &mut dyn Db,
    pairs: &[PairId],
    what: impl Fn(Vec<PairId>) -> WhatChanged,
) -> StoreResult<()> {
    let mut places = Vec::new();
    for some in pairs.chunks(ASKED_AT_ONCE) {
        let marks: Vec<String> = (1..=some.len()).map(|place| format!("${place}")).collect();
        let sql =
            format!("SELECT DISTINCT workspace FROM pairs WHERE id IN ({})", marks.join(", "));
        let ids: Vec<Value<'_>> = some.iter().map(|id| Value::from(*id)).collect();
        places.extend(list(db, &sql, &ids, |row| workspaces::read(row, 0))?);
    }
    places.sort_unstable();
    places.dedup();
    let what = what(pairs.to_vec());
    places.iter().try_for_each(|workspace| put(db, workspace, &what).map(drop))
}

pub(crate) fn newest(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<u64> {
    Ok(first(db, NEWEST, values![workspace], |row| row.count(0))?.unwrap_or(0))
}

pub(crate) fn changes_after(
    db: &mut dyn Db,
    workspace: &Workspace,
    number: u64,
) -> StoreResult<Option<Vec<WorkspaceChange>>> {
    let newest = newest(db, workspace)?;
    if newest == number {
        return Ok(Some(Vec::new()));
    }
    let watched = [Watched { workspace: workspace.clone(), after: number, known: Vec::new() }];
    let mut news = News::default();
    changes(db, &watched, &mut news)?;
    // Numbers have no gaps: where one is missing it was forgotten, or there was no room for it.
    let whole = newest.checked_sub(number) == Some(news.changes.len() as u64);
    Ok(whole.then_some(news.changes))
}

pub(crate) fn put_context_mark(
    db: &mut dyn Db,
    workspace: &Workspace,
    key: &str,
    value: Option<&str>,
) -> StoreResult<()> {
    put(db, workspace, &WhatChanged::ContextFrom)?;
    notebook::put_value(db, key, value)
}

pub(crate) fn news(db: &mut dyn Db, watched: &[Watched], owner: &str) -> StoreResult<News> {
    let mut news = News::default();
    for some in watched.chunks(ASKED_AT_ONCE) {
        counters(db, some, &mut news)?;
        changes(db, some, &mut news)?;
        sends(db, some, owner, &mut news)?;
    }
    Ok(news)
}

/// The list of watched workspaces as a table `w` of a statement, with its values.
fn watched_table<'a>(watched: &'a [Watched], values: &mut Vec<Value<'a>>) -> String {
    let mut rows = Vec::with_capacity(watched.len());
    for one in watched {
        values.extend([Value::from(&one.workspace), Value::from(one.after)]);
        let place = values.len();
        // Nothing else tells a database what these are.
        rows.push(format!("(CAST(${} AS TEXT), CAST(${place} AS BIGINT))", place - 1));
    }
    format!("w (workspace, seen) AS (VALUES {})", rows.join(", "))
}

/// The newest numbers, and the workspaces where the rows behind the known number are gone, or
/// where such a number was never given.
fn counters(db: &mut dyn Db, watched: &[Watched], news: &mut News) -> StoreResult<()> {
    let mut values = Vec::new();
    let table = watched_table(watched, &mut values);
    let sql = format!(
        "WITH {table} SELECT w.workspace, w.seen, COALESCE(c.newest, 0),
        (SELECT MIN(k.number) FROM changes k WHERE k.workspace = w.workspace) FROM w
        LEFT JOIN change_counters c ON c.workspace = w.workspace"
    );
    db.each(&sql, &values, &mut |row| {
        let workspace = workspaces::read(row, 0)?;
        let (after, newest) = (row.count(1)?, row.count(2)?);
        let oldest = row.opt_count(3)?.unwrap_or(newest + 1);
        if after > newest || after + 1 < oldest {
            news.lost.push(workspace.clone());
        }
        news.newest.push((workspace, newest));
        Ok(())
    })
}

fn changes(db: &mut dyn Db, watched: &[Watched], news: &mut News) -> StoreResult<()> {
    let mut values = Vec::new();
    let table = watched_table(watched, &mut values);
    values.push(Value::from(MOST_READ));
    let sql = format!(
        "WITH {table} SELECT c.workspace, c.number, c.kind, c.about, c.made_by FROM w
        JOIN changes c ON c.workspace = w.workspace AND c.number > w.seen
        ORDER BY c.workspace, c.number LIMIT ${}",
        values.len()
    );
    let us = db.handle().to_owned();
    let lost: HashSet<Workspace> = news.lost.iter().cloned().collect();
    db.each(&sql, &values, &mut |row| {
        let workspace = workspaces::read(row, 0)?;
        if !lost.contains(&workspace) {
            let what = WhatChanged::read(row.text(2)?, row.text(3)?);
            let ours = row.text(4)? == us;
            news.changes.push(WorkspaceChange { workspace, number: row.count(1)?, what, ours });
        }
        Ok(())
    })
}

fn sends(db: &mut dyn Db, watched: &[Watched], owner: &str, news: &mut News) -> StoreResult<()> {
    let mut values = Vec::new();
    let table = watched_table(watched, &mut values);
    // A list of values is never empty.
    let mut rows = vec!["('', 0, 0)".to_owned()];
    for known in watched.iter().flat_map(|one| &one.known) {
        values.extend([known.pair.into(), known.epoch.into(), known.chars.into()]);
        let place = values.len();
        rows.push(format!(
            "(CAST(${} AS TEXT), CAST(${} AS BIGINT), CAST(${place} AS BIGINT))",
            place - 2,
            place - 1
        ));
    }
    values.push(Value::from(owner));
    let sql = format!(
        "WITH {table}, k (pair_id, epoch, chars) AS (VALUES {})
        SELECT s.workspace, s.pair_id, s.epoch, COALESCE(k.chars, 0),
        COALESCE(SUBSTR(s.partial_text, CAST(COALESCE(k.chars, 0) + 1 AS INTEGER)), '')
        FROM w JOIN sends s ON s.workspace = w.workspace
        LEFT JOIN k ON k.pair_id = s.pair_id AND k.epoch = s.epoch
        WHERE s.owner <> ${} ORDER BY s.workspace, s.pair_id",
        rows.join(", "),
        values.len()
    );
    db.each(&sql, &values, &mut |row| {
        news.sends.push(arriving(row)?);
        Ok(())
    })
}

fn arriving(row: &dyn Cells) -> StoreResult<ArrivingText> {
    Ok(ArrivingText {
        workspace: workspaces::read(row, 0)?,
        pair: id(row, 1)?,
        epoch: row.count(2)?,
        from: row.count(3)?,
        text: row.string(4)?,
    })
}

pub(crate) fn kept(db: &mut dyn Db) -> StoreResult<u64> {
    Ok(first(db, KEPT, values![], |row| row.count(0))?.unwrap_or(0))
}

pub(crate) fn forget(db: &mut dyn Db, before: Timestamp, at: Timestamp) -> StoreResult<bool> {
    let noted = db.run(NOTE, values![at, FORGOTTEN_AT_ONCE])?;
    let gone = db.run(FORGET, values![before, FORGOTTEN_AT_ONCE])?;
    Ok(noted == FORGOTTEN_AT_ONCE || gone == FORGOTTEN_AT_ONCE)
}
