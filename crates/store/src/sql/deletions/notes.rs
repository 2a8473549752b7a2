//! Notes of the memory. A deleted one stays in its table, marked, and is in no index; a
//! deletion only names it.

use plimsoll_domain::{DeletionId, Timestamp};

use super::{
    begin,
    rows::{Keeper, Row},
};
use crate::{
    DeletedKind, NewDeletion, StoreError, StoreResult, Workspace,
    engine::{Db, first, id},
};

const BRING_BACK: &str = "UPDATE memory_observations SET deleted_at = NULL
    WHERE id = $1 AND workspace = $2 AND deleted_at IS NOT NULL";
/// Another note that has got the topic key meanwhile (MEM-3).
const RIVAL: &str = "SELECT o.id FROM memory_observations n JOIN memory_observations o
    ON o.workspace = n.workspace AND o.topic_key = n.topic_key AND o.project = n.project
    AND o.scope = n.scope AND o.namespace = n.namespace AND o.id <> n.id
    WHERE n.id = $1 AND o.deleted_at IS NULL";
const PURGE: &str = "DELETE FROM memory_observations WHERE id = $1 AND deleted_at IS NOT NULL";
const PURGE_OLD: &str = "DELETE FROM memory_observations WHERE deleted_at < $1";
const ANY_OLD: &str = "SELECT id FROM memory_observations WHERE deleted_at < $1 LIMIT 1";
/// A deletion that took nothing but this note goes with it.
const FORGET_ONLY: &str = "DELETE FROM deletions WHERE id IN
    (SELECT deletion_id FROM deleted_rows WHERE part = 'notes' AND owner = $1)
    AND NOT EXISTS (SELECT 1 FROM deleted_rows r WHERE r.deletion_id = deletions.id
    AND r.part = 'notes' AND r.owner <> $1)";
const FORGET: &str = "DELETE FROM deleted_rows WHERE part = 'notes' AND owner = $1";
const FORGET_EMPTY: &str = "DELETE FROM deletions WHERE kind = 'notes' AND id NOT IN
    (SELECT deletion_id FROM deleted_rows WHERE part = 'notes')";
const OF_NOTE: &str = "SELECT d.id FROM deleted_rows r JOIN deletions d ON d.id = r.deletion_id
    WHERE r.part = 'notes' AND r.owner = $1 AND d.workspace = $2 ORDER BY d.at DESC, d.id DESC";
const TAKEN: &str = "SELECT id FROM deletions WHERE id = $1";

/// Remembers that these notes were deleted in one step. Its id is made of the time and the
/// first of them: nobody hands one in.
pub(crate) fn keep_notes(
    db: &mut dyn Db,
    workspace: &Workspace,
    ids: &[u64],
    words: &str,
    at: Timestamp,
) -> StoreResult<()> {
    let mut seed = [0; 10];
    seed[2..].copy_from_slice(&ids.first().copied().unwrap_or(0).to_be_bytes());
    let mut id = DeletionId::new(at, seed);
    // The same note can be deleted, brought back and deleted within one millisecond.
    while first(db, TAKEN, values![id], |_| Ok(()))?.is_some() {
        seed[0] = seed[0].wrapping_add(1);
        id = DeletionId::new(at, seed);
    }
    let new = NewDeletion { id, workspace: workspace.clone(), at, words: words.to_owned() };
    begin(db, &new, DeletedKind::Notes, ids.len() as u64)?;
    let mut keeper = Keeper::of(db, id)?;
    ids.iter().try_for_each(|id| keeper.keep(db, "notes", &id.to_string(), None, Row::new()))
}

/// The newest deletion that took a note.
pub(crate) fn of_note(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: u64,
) -> StoreResult<Option<DeletionId>> {
    first(db, OF_NOTE, values![&note.to_string(), workspace], |row| id(row, 0))
}

/// A note is gone for good: no deletion names it any more.
pub(crate) fn forget_note(db: &mut dyn Db, id: u64) -> StoreResult<()> {
    let owner = id.to_string();
    db.run(FORGET_ONLY, values![&owner])?;
    db.run(FORGET, values![&owner]).map(drop)
}

pub(crate) fn bring_back(db: &mut dyn Db, workspace: &Workspace, note: &str) -> StoreResult<()> {
    let id: u64 = note.parse().unwrap_or(0);
    if db.run(BRING_BACK, values![id, workspace])? == 0 {
        return Ok(());
    }
    match first(db, RIVAL, values![id], |row| row.count(0))? {
        Some(by) => Err(StoreError::KeyTaken { by }),
        None => Ok(()),
    }
}

pub(super) fn purge(db: &mut dyn Db, note: &str) -> StoreResult<()> {
    let id: u64 = note.parse().unwrap_or(0);
    db.run(PURGE, values![id]).map(drop)
}

pub(super) fn any_before(db: &mut dyn Db, before: Timestamp) -> StoreResult<bool> {
    Ok(first(db, ANY_OLD, values![before], |_| Ok(()))?.is_some())
}

pub(super) fn purge_before(db: &mut dyn Db, before: Timestamp) -> StoreResult<()> {
    db.run(PURGE_OLD, values![before])?;
    db.run(FORGET_EMPTY, values![]).map(drop)
}
