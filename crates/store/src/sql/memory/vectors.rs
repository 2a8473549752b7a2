//! Vectors beside the notes.

use std::collections::HashSet;

use plimsoll_domain::Timestamp;

use super::{Conditions, count};
use crate::{
    KeptVectors, MemoryFilter, NoteText, NoteVectors, StoreResult, VectorCounts, Workspace,
    engine::{Db, Numbers, first, list},
};

/// The additions keep a database from an index by time, which would sort all notes for each few.
const MISSING: &str = "SELECT o.id, o.fingerprint, o.title, o.content FROM memory_observations o
    LEFT JOIN memory_vectors v
        ON v.observation_id = o.id AND v.model = $1 AND v.fingerprint = o.fingerprint
    WHERE o.workspace || '' = $2 AND o.deleted_at IS NULL AND o.updated_at + 0 >= $3 AND o.id < $4
        AND v.observation_id IS NULL
    ORDER BY o.id DESC LIMIT $5";
const SAME_TEXT: &str = "SELECT id FROM memory_observations
    WHERE id = $1 AND workspace = $2 AND fingerprint = $3";
const PUT: &str = "INSERT INTO memory_vectors
    (observation_id, workspace, model, fingerprint, change_number, vectors)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (observation_id) DO UPDATE SET model = excluded.model,
        fingerprint = excluded.fingerprint, change_number = excluded.change_number,
        vectors = excluded.vectors";
const AFTER: &str = "SELECT observation_id, change_number, vectors FROM memory_vectors
    WHERE workspace = $1 AND model = $2 AND change_number > $3
    ORDER BY change_number LIMIT $4";
const COUNTS: &str = "SELECT COUNT(*), COUNT(v.observation_id) FROM memory_observations o
    LEFT JOIN memory_vectors v
        ON v.observation_id = o.id AND v.model = $1 AND v.fingerprint = o.fingerprint
    WHERE o.workspace = $2 AND o.deleted_at IS NULL";
const FORGET: &str = "DELETE FROM memory_vectors WHERE workspace = $1";

/// Ids that one statement asks for; every database takes as many values.
const AT_ONCE: usize = 200;

pub(crate) fn missing(
    db: &mut dyn Db,
    workspace: &Workspace,
    model: &str,
    changed_since: Timestamp,
    before: u64,
    limit: usize,
) -> StoreResult<Vec<NoteText>> {
    list(db, MISSING, values![model, workspace, changed_since, before, count(limit)], |row| {
        Ok(NoteText {
            id: row.count(0)?,
            fingerprint: row.string(1)?,
            title: row.string(2)?,
            content: row.string(3)?,
        })
    })
}

pub(crate) fn put(
    db: &mut dyn Db,
    workspace: &Workspace,
    model: &str,
    vectors: &[NoteVectors],
) -> StoreResult<u64> {
    let mut kept = 0;
    for NoteVectors { id, fingerprint, vectors } in vectors {
        if first(db, SAME_TEXT, values![*id, workspace, fingerprint], |_| Ok(()))?.is_none() {
            continue;
        }
        let change = db.next_number(Numbers::Vectors)?;
        let bytes = vectors.as_slice();
        db.run(PUT, values![*id, workspace, model, fingerprint, change, bytes])?;
        kept += 1;
    }
    Ok(kept)
}

pub(crate) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    model: &str,
    change: u64,
    limit: usize,
) -> StoreResult<Vec<KeptVectors>> {
    list(db, AFTER, values![workspace, model, change, count(limit)], |row| {
        Ok(KeptVectors {
            id: row.count(0)?,
            change: row.count(1)?,
            vectors: row.bytes(2)?.to_vec(),
        })
    })
}

pub(crate) fn counts(
    db: &mut dyn Db,
    workspace: &Workspace,
    model: &str,
) -> StoreResult<VectorCounts> {
    let counts = first(db, COUNTS, values![model, workspace], |row| {
        Ok(VectorCounts { notes: row.count(0)?, with_vectors: row.count(1)? })
    })?;
    Ok(counts.unwrap_or_default())
}

pub(crate) fn forget(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<u64> {
    db.run(FORGET, values![workspace])
}

pub(crate) fn passing(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    ids: &[u64],
) -> StoreResult<Vec<u64>> {
    let mut passing = HashSet::new();
    for some in ids.chunks(AT_ONCE) {
        let mut conditions = Conditions::of("", workspace);
        conditions.observations("", filter);
        let places: Vec<String> = some.iter().map(|id| conditions.value(*id)).collect();
        let sql = format!(
            "SELECT id FROM memory_observations WHERE {} AND id IN ({})",
            conditions.sql,
            places.join(", ")
        );
        passing.extend(list(db, &sql, &conditions.values, |row| row.count(0))?);
    }
    Ok(ids.iter().copied().filter(|id| passing.contains(id)).collect())
}

pub(crate) fn newest(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    limit: usize,
) -> StoreResult<Vec<u64>> {
    let mut conditions = Conditions::of("", workspace);
    conditions.observations("", filter);
    let limit = conditions.value(count(limit));
    let sql = format!(
        "SELECT id FROM memory_observations WHERE {} ORDER BY updated_at DESC, id DESC
        LIMIT {limit}",
        conditions.sql
    );
    list(db, &sql, &conditions.values, |row| row.count(0))
}
