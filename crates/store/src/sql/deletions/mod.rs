//! Deletions that can be undone (REC-5): the list of them, and their end.

mod aside;
mod errors;
mod notes;
mod restore;
mod rows;

pub use aside::TABLES_OF_A_PAIR;
pub(crate) use aside::put_aside;
pub(crate) use notes::{bring_back as bring_back_note, forget_note, keep_notes, of_note};
pub(crate) use restore::restore;

use plimsoll_domain::{DeletionId, PairId, Timestamp};

use super::parts;
use crate::{
    DeletedKind, Deletion, NewDeletion, Noun, StoreError, StoreResult, Workspace,
    engine::{Cells, Db, first, id, list, unreadable},
};

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, at, kind, count, words FROM deletions ", $rest)
    };
}
const LIST: &str = select!("WHERE workspace = $1 AND at >= $2 ORDER BY at DESC, id DESC");
const ONE: &str = select!("WHERE workspace = $1 AND id = $2");
const PUT: &str = "INSERT INTO deletions (id, workspace, at, kind, count, words)
    VALUES ($1, $2, $3, $4, $5, $6)";
const SET_COUNT: &str = "UPDATE deletions SET count = $1 WHERE id = $2";
/// What a deletion took goes with it, by its foreign key.
const DROP: &str = "DELETE FROM deletions WHERE id = $1";
const OLDER: &str = "SELECT id FROM deletions WHERE at < $1";
const OWNERS: &str = "SELECT owner FROM deleted_rows WHERE deletion_id = $1 AND part = $2";
const TEXTS: &str = "SELECT r.cells FROM deleted_rows r JOIN deletions d ON d.id = r.deletion_id
    WHERE d.workspace = $1 AND r.part = 'pair_texts'";

/// Requests that were put aside and quoted a pair, as far as the pair's own place tells.
const PURGE_ASIDE: &str =
    "DELETE FROM deleted_rows WHERE part IN ('requests', 'errors') AND owner IN
    (SELECT owner FROM deleted_rows WHERE part IN ('snapshot_pairs', 'quotes') AND mentions = $1)";
const PURGE_STANDING: &str =
    "DELETE FROM deleted_rows WHERE part IN ('requests', 'errors') AND owner IN
    (SELECT pair_id FROM snapshot_pairs WHERE included_id = $1)";
const PURGE_OWN: &str = "DELETE FROM deleted_rows WHERE part = 'requests' AND owner = $1";
const FORGET_OWN: &str =
    "UPDATE snapshots SET json_doc = NULL, answer_body = NULL WHERE pair_id = $1";
const FORGET_QUOTES: &str = "UPDATE snapshots SET json_doc = NULL, answer_body = NULL
    WHERE pair_id IN (SELECT pair_id FROM snapshot_pairs WHERE included_id = $1)";

pub(crate) fn all(
    db: &mut dyn Db,
    workspace: &Workspace,
    since: Timestamp,
) -> StoreResult<Vec<Deletion>> {
    list(db, LIST, values![workspace, since], read)
}

pub(crate) fn purge(db: &mut dyn Db, workspace: &Workspace, id: DeletionId) -> StoreResult<bool> {
    if first(db, ONE, values![workspace, id], |_| Ok(()))?.is_none() {
        return Ok(false);
    }
    purge_known(db, id)?;
    parts::REQUESTS.sweep(db)?;
    Ok(true)
}

/// Whether there is anything to purge: most of the time there is not, and nothing is written.
pub(crate) fn any_before(db: &mut dyn Db, before: Timestamp) -> StoreResult<bool> {
    let old = first(db, OLDER, values![before], |_| Ok(()))?.is_some();
    Ok(old || notes::any_before(db, before)?)
}

pub(crate) fn purge_before(db: &mut dyn Db, before: Timestamp) -> StoreResult<u64> {
    let old: Vec<DeletionId> = list(db, OLDER, values![before], |row| id(row, 0))?;
    for deletion in &old {
        purge_known(db, *deletion)?;
    }
    notes::purge_before(db, before)?;
    if !old.is_empty() {
        parts::RECEIPTS.sweep(db)?;
        parts::REQUESTS.sweep(db)?;
    }
    Ok(old.len() as u64)
}

/// The messages that are put aside: what their tokens name is not garbage yet (BLB-4).
pub(crate) fn texts(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<String>> {
    let found = list(db, TEXTS, values![workspace], |row| rows::read(row.text(0)?))?;
    Ok(found.iter().filter_map(|row| rows::text(row, "user_text")).map(ToOwned::to_owned).collect())
}

/// A pair is deleted for good: no request that is put aside quotes it any more.
pub(super) fn purge_quotes(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    db.run(PURGE_ASIDE, values![pair])?;
    db.run(PURGE_STANDING, values![pair]).map(drop)
}

/// A pair is deleted for good: what providers said of other sends does not quote it any more.
pub(super) fn forget_what_was_said(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    errors::forget(db, None, pair)
}

/// A file of this pair is deleted for good: no request holds its text any more, be it the
/// pair's own or one that quoted it.
pub(super) fn purge_requests_about(db: &mut dyn Db, pair: PairId) -> StoreResult<()> {
    purge_quotes(db, pair)?;
    for statement in [PURGE_OWN, FORGET_OWN, FORGET_QUOTES] {
        db.run(statement, values![pair])?;
    }
    Ok(())
}

fn purge_known(db: &mut dyn Db, deletion: DeletionId) -> StoreResult<()> {
    for pair in list(db, OWNERS, values![deletion, "pairs"], |row| id(row, 0))? {
        purge_quotes(db, pair)?;
    }
    for note in list(db, OWNERS, values![deletion, "notes"], |row| row.string(0))? {
        notes::purge(db, &note)?;
    }
    db.run(DROP, values![deletion]).map(drop)
}

fn begin(db: &mut dyn Db, new: &NewDeletion, kind: DeletedKind, count: u64) -> StoreResult<()> {
    let NewDeletion { id, workspace, at, words } = new;
    db.run(PUT, values![*id, workspace, *at, kind.name(), count, words]).map(drop)
}

fn get(db: &mut dyn Db, workspace: &Workspace, id: DeletionId) -> StoreResult<Deletion> {
    first(db, ONE, values![workspace, id], read)?.ok_or(StoreError::NotFound(Noun::Deletion))
}

fn read(row: &dyn Cells) -> StoreResult<Deletion> {
    let kind = DeletedKind::parse(row.text(2)?);
    Ok(Deletion {
        id: id(row, 0)?,
        at: row.time(1)?,
        kind: kind.ok_or_else(|| unreadable("a kind of deletion is unknown"))?,
        count: row.count(3)?,
        words: row.string(4)?,
    })
}
