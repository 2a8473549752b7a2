//! Sealed keys of providers. Nothing here can open them.

use super::{persons, projects};
use crate::{
    KeyHolder, Noun, SealedKey, StoreError, StoreResult,
    engine::{Cells, Db, first, list, unreadable},
};

const COLUMNS: &str = "id, holder_kind, holder, provider, servers, sealed, created_at";
const PUT: &str = "INSERT INTO sealed_keys (id, holder_kind, holder, provider, servers, sealed,
    created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
const REMOVE: &str =
    "DELETE FROM sealed_keys WHERE holder_kind = $1 AND holder = $2 AND provider = $3";

const RESEAL: &str = "UPDATE sealed_keys SET sealed = $1 WHERE id = $2 AND sealed = $3";

pub(crate) fn put(db: &mut dyn Db, key: &SealedKey) -> StoreResult<()> {
    // A key that stayed behind would be there for the next one of that name.
    match &key.holder {
        KeyHolder::Person(name) if persons::one(db, name)?.is_none() => {
            return Err(StoreError::NotFound(Noun::Person));
        }
        KeyHolder::Project(name) if projects::one(db, name)?.is_none() => {
            return Err(StoreError::NotFound(Noun::Project));
        }
        _ => {}
    }
    remove(db, &key.holder, &key.provider)?;
    let (kind, name) = key.holder.parts();
    let servers = key.servers.join("\n");
    let values = values![&key.id, kind, name, &key.provider, &servers, &key.sealed, key.created_at];
    db.run(PUT, values).map(drop)
}

pub(crate) fn all(db: &mut dyn Db) -> StoreResult<Vec<SealedKey>> {
    let sql = format!("SELECT {COLUMNS} FROM sealed_keys ORDER BY holder_kind, holder, provider");
    list(db, &sql, values![], read)
}

/// Whose key comes first: the person's own, then the project's, then the team's (TEA-10).
const SERVING: &str = "((holder_kind = 'person' AND holder = $1) OR
    (holder_kind = 'project' AND holder = $2) OR holder_kind = 'team')";
const FIRST: &str = "CASE holder_kind WHEN 'person' THEN 0 WHEN 'project' THEN 1 ELSE 2 END";

pub(crate) fn serving(
    db: &mut dyn Db,
    person: &str,
    project: &str,
    provider: &str,
) -> StoreResult<Option<SealedKey>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM sealed_keys WHERE {SERVING} AND provider = $3 ORDER BY {FIRST}"
    );
    first(db, &sql, values![person, project, provider], read)
}

pub(crate) fn all_serving(
    db: &mut dyn Db,
    person: &str,
    project: &str,
) -> StoreResult<Vec<SealedKey>> {
    let sql =
        format!("SELECT {COLUMNS} FROM sealed_keys WHERE {SERVING} ORDER BY provider, {FIRST}");
    list(db, &sql, values![person, project], read)
}

pub(crate) fn reseal(db: &mut dyn Db, was: &SealedKey, sealed: &str) -> StoreResult<bool> {
    Ok(db.run(RESEAL, values![sealed, &was.id, &was.sealed])? > 0)
}

pub(crate) fn remove(db: &mut dyn Db, holder: &KeyHolder, provider: &str) -> StoreResult<bool> {
    let (kind, name) = holder.parts();
    Ok(db.run(REMOVE, values![kind, name, provider])? > 0)
}

fn read(row: &dyn Cells) -> StoreResult<SealedKey> {
    let holder = KeyHolder::of_parts(row.text(1)?, row.text(2)?);
    Ok(SealedKey {
        id: row.string(0)?,
        holder: holder.ok_or_else(|| unreadable("a key belongs to nobody"))?,
        provider: row.string(3)?,
        servers: row.text(4)?.lines().map(str::to_owned).collect(),
        sealed: row.string(5)?,
        created_at: row.time(6)?,
    })
}
