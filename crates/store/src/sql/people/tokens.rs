//! Tokens and sign-ins: how somebody is known.

use plimsoll_domain::Timestamp;

use super::{persons, projects};
use crate::{
    KnownPerson, PersonToken, SignIn, StoreResult,
    engine::{Cells, Db, first, list},
};

const ADD: &str = "INSERT INTO person_tokens (hash, person, label, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (person, label) DO NOTHING";
const COLUMNS: &str = "hash, person, label, created_at, expires_at";
const REMOVE: &str = "DELETE FROM person_tokens WHERE person = $1 AND label = $2";
const ADD_SIGN_IN: &str = "INSERT INTO sign_ins (hash, person, created_at, expires_at)
    VALUES ($1, $2, $3, $4)";
const END: &str = "DELETE FROM sign_ins WHERE hash = $1";
const END_ALL: &str = "DELETE FROM sign_ins WHERE person = $1";
const FORGET: &str = "DELETE FROM sign_ins WHERE hash IN (SELECT hash FROM sign_ins
    WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";

pub(crate) fn add(db: &mut dyn Db, token: &PersonToken) -> StoreResult<bool> {
    let PersonToken { person, label, hash, created_at, expires_at } = token;
    Ok(db.run(ADD, values![hash, person, label, *created_at, *expires_at])? > 0)
}

pub(crate) fn all(db: &mut dyn Db, person: Option<&str>) -> StoreResult<Vec<PersonToken>> {
    let select = format!("SELECT {COLUMNS} FROM person_tokens");
    match person {
        Some(person) => {
            list(db, &format!("{select} WHERE person = $1 ORDER BY label"), values![person], read)
        }
        None => list(db, &format!("{select} ORDER BY person, label"), values![], read),
    }
}

pub(crate) fn remove(db: &mut dyn Db, person: &str, label: &str) -> StoreResult<bool> {
    Ok(db.run(REMOVE, values![person, label])? > 0)
}

pub(crate) fn known(
    db: &mut dyn Db,
    hash: &str,
    now: Timestamp,
) -> StoreResult<Option<KnownPerson>> {
    let sql = format!(
        "SELECT {} FROM person_tokens t JOIN people p ON p.name = t.person
         WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > $2)",
        persons::COLUMNS
    );
    with_roles(db, &sql, hash, now)
}

pub(crate) fn known_by_sign_in(
    db: &mut dyn Db,
    hash: &str,
    now: Timestamp,
) -> StoreResult<Option<KnownPerson>> {
    let sql = format!(
        "SELECT {} FROM sign_ins s JOIN people p ON p.name = s.person
         WHERE s.hash = $1 AND s.expires_at > $2",
        persons::COLUMNS
    );
    with_roles(db, &sql, hash, now)
}

fn with_roles(
    db: &mut dyn Db,
    sql: &str,
    hash: &str,
    now: Timestamp,
) -> StoreResult<Option<KnownPerson>> {
    let Some(person) = first(db, sql, values![hash, now], persons::read)? else { return Ok(None) };
    let roles = projects::roles_of(db, &person.name)?;
    let roles = roles.into_iter().map(|role| (role.project, role.role)).collect();
    Ok(Some(KnownPerson { person, roles }))
}

pub(crate) fn add_sign_in(db: &mut dyn Db, sign_in: &SignIn) -> StoreResult<()> {
    let SignIn { hash, person, created_at, expires_at } = sign_in;
    db.run(ADD_SIGN_IN, values![hash, person, *created_at, *expires_at]).map(drop)
}

pub(crate) fn end_sign_in(db: &mut dyn Db, hash: &str) -> StoreResult<bool> {
    Ok(db.run(END, values![hash])? > 0)
}

pub(crate) fn end_sign_ins_of(db: &mut dyn Db, person: &str) -> StoreResult<u64> {
    db.run(END_ALL, values![person])
}

pub(crate) fn forget_ended(db: &mut dyn Db, now: Timestamp, most: u64) -> StoreResult<u64> {
    db.run(FORGET, values![now, most])
}

fn read(row: &dyn Cells) -> StoreResult<PersonToken> {
    Ok(PersonToken {
        hash: row.string(0)?,
        person: row.string(1)?,
        label: row.string(2)?,
        created_at: row.time(3)?,
        expires_at: row.opt_int(4)?.map(Timestamp::from_millis),
    })
}
