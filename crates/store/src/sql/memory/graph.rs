//! Relations.

use std::collections::HashSet;

use plimsoll_domain::Timestamp;

use super::{count, observations};
use crate::{
    NewRelation, Noun, Related, Relation, SUPERSEDES, StoreError, StoreResult, Workspace,
    engine::{Cells, Db, Numbers, first, list},
    sql::outbox,
};

const COLUMNS: &str = "r.id, r.from_id, r.to_id, r.kind, r.note, r.created_at";
const SAME: &str =
    "SELECT id FROM memory_relations WHERE from_id = $1 AND to_id = $2 AND kind = $3";
const EARLIER: &str =
    "SELECT to_id FROM memory_relations WHERE from_id = $1 AND kind = 'supersedes'";
const INSERT: &str = "INSERT INTO memory_relations (id, workspace, from_id, to_id, kind, note,
    created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const NOTE: &str = "UPDATE memory_relations SET note = $1 WHERE id = $2";
const REMOVE: &str = "DELETE FROM memory_relations WHERE id = $1";
/// Both ends are there.
const ALIVE: &str = "JOIN memory_observations a ON a.id = r.from_id AND a.deleted_at IS NULL
    JOIN memory_observations b ON b.id = r.to_id AND b.deleted_at IS NULL";

pub(crate) fn relate(
    db: &mut dyn Db,
    workspace: &Workspace,
    relations: &[NewRelation],
    at: Timestamp,
) -> StoreResult<Vec<Related>> {
    outbox::memory(db, workspace)?;
    relations.iter().map(|relation| relate_one(db, workspace, relation, at)).collect()
}

fn relate_one(
    db: &mut dyn Db,
    workspace: &Workspace,
    relation: &NewRelation,
    at: Timestamp,
) -> StoreResult<Related> {
    if relation.from == relation.to {
        return Err(StoreError::SelfRelation(relation.from));
    }
    observations::get(db, workspace, relation.from)?;
    observations::get(db, workspace, relation.to)?;
    if relation.kind == SUPERSEDES && supersedes(db, relation.to, relation.from)? {
        return Err(StoreError::Circle { from: relation.from, to: relation.to });
    }
    if let Some(id) = same(db, relation)? {
        if relation.note.is_some() {
            db.run(NOTE, values![relation.note.as_ref(), id])?;
        }
        return Ok(Related { id, fresh: false });
    }
    let id = db.next_number(Numbers::Relations)?;
    insert(db, workspace, id, relation, at)?;
    Ok(Related { id, fresh: true })
}

/// Whether one note supersedes another, also by those between.
fn supersedes(db: &mut dyn Db, from: u64, to: u64) -> StoreResult<bool> {
    let mut seen = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for earlier in list(db, EARLIER, values![next], |row| row.count(0))? {
            if earlier == to {
                return Ok(true);
            }
            if seen.insert(earlier) {
                open.push(earlier);
            }
        }
    }
    Ok(false)
}

fn same(db: &mut dyn Db, relation: &NewRelation) -> StoreResult<Option<u64>> {
    first(db, SAME, values![relation.from, relation.to, &relation.kind], |row| row.count(0))
}

fn insert(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    relation: &NewRelation,
    at: Timestamp,
) -> StoreResult<()> {
    let (kind, note) = (&relation.kind, relation.note.as_ref());
    db.run(INSERT, values![id, workspace, relation.from, relation.to, kind, note, at]).map(drop)
}

/// Brings a relation in; says its id and whether it is new.
pub(super) fn bring(
    db: &mut dyn Db,
    workspace: &Workspace,
    relation: &Relation,
) -> StoreResult<(u64, bool)> {
    observations::get(db, workspace, relation.from)?;
    observations::get(db, workspace, relation.to)?;
    let new = NewRelation {
        from: relation.from,
        to: relation.to,
        kind: relation.kind.clone(),
        note: relation.note.clone(),
    };
    if let Some(id) = same(db, &new)? {
        return Ok((id, false));
    }
    let taken = "SELECT 1 FROM memory_relations WHERE id = $1";
    let taken = relation.id == 0 || first(db, taken, values![relation.id], |_| Ok(()))?.is_some();
    let id = if taken { db.next_number(Numbers::Relations)? } else { relation.id };
    db.number_past(Numbers::Relations, id)?;
    insert(db, workspace, id, &new, relation.created_at)?;
    Ok((id, true))
}

pub(crate) fn unrelate(db: &mut dyn Db, workspace: &Workspace, id: u64) -> StoreResult<Relation> {
    outbox::memory(db, workspace)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_relations r {ALIVE} WHERE r.id = $1 AND r.workspace = $2"
    );
    let relation = first(db, &sql, values![id, workspace], read)?
        .ok_or(StoreError::NotFound(Noun::Relation))?;
    db.run(REMOVE, values![id])?;
    Ok(relation)
}

pub(crate) fn relations_of(
    db: &mut dyn Db,
    workspace: &Workspace,
    ids: &[u64],
    limit: usize,
) -> StoreResult<Vec<Relation>> {
    let mut found: Vec<Relation> = Vec::new();
    for end in ["from_id", "to_id"] {
        let sql = format!(
            "SELECT {COLUMNS} FROM memory_relations r {ALIVE}
            WHERE r.{end} = $1 AND r.workspace = $2 ORDER BY r.id LIMIT $3"
        );
        for id in ids {
            found.extend(list(db, &sql, values![*id, workspace, count(limit)], read)?);
        }
    }
    found.sort_by_key(|relation| relation.id);
    found.dedup_by_key(|relation| relation.id);
    found.truncate(limit);
    Ok(found)
}

pub(super) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    limit: usize,
) -> StoreResult<Vec<Relation>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_relations r {ALIVE}
        WHERE r.id > $1 AND r.workspace = $2 ORDER BY r.id LIMIT $3"
    );
    list(db, &sql, values![id, workspace, count(limit)], read)
}

fn read(row: &dyn Cells) -> StoreResult<Relation> {
    Ok(Relation {
        id: row.count(0)?,
        from: row.count(1)?,
        to: row.count(2)?,
        kind: row.string(3)?,
        note: row.opt_string(4)?,
        created_at: row.time(5)?,
    })
}
