//! People by who they are at a provider of identities.

use plimsoll_domain::Timestamp;

use super::persons;
use crate::{
    OpenIdAttempt, Person, StoreResult,
    engine::{Cells, Db, first, list},
};

const FORGET_SUBJECT: &str = "UPDATE people SET subject = NULL WHERE name = $1";
const REMOVE_NAME: &str = "DELETE FROM openid_names WHERE person = $1";
const ADD_NAME: &str = "INSERT INTO openid_names (name, person) VALUES ($1, $2)
    ON CONFLICT (name) DO NOTHING";
const NAMES: &str = "SELECT name, person FROM openid_names ORDER BY name";
const PERSON_OF: &str = "SELECT person FROM openid_names WHERE name = $1";
const BIND: &str = "UPDATE people SET subject = $1 WHERE name = $2 AND subject IS NULL";
const COUNT: &str = "SELECT COUNT(*) FROM openid_attempts";
const BEGIN: &str = "INSERT INTO openid_attempts (state, browser, goes_to, expires_at)
    VALUES ($1, $2, $3, $4)";
const ATTEMPT: &str = "SELECT state, browser, goes_to, expires_at FROM openid_attempts
    WHERE state = $1 AND browser = $2";
const END: &str = "DELETE FROM openid_attempts WHERE state = $1 AND browser = $2";
const FORGET: &str = "DELETE FROM openid_attempts WHERE state IN (SELECT state FROM openid_attempts
    WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";

pub(crate) fn put_name(db: &mut dyn Db, person: &str, name: Option<&str>) -> StoreResult<bool> {
    if persons::one(db, person)?.is_none() {
        return Ok(false);
    }
    if let Some(name) = name {
        let whose = first(db, PERSON_OF, values![name], |row| row.string(0))?;
        if whose.is_some_and(|whose| whose != person) {
            return Ok(false);
        }
    }
    db.run(REMOVE_NAME, values![person])?;
    db.run(FORGET_SUBJECT, values![person])?;
    match name {
        Some(name) => Ok(db.run(ADD_NAME, values![name, person])? > 0),
        None => Ok(true),
    }
}

pub(crate) fn names(db: &mut dyn Db) -> StoreResult<Vec<(String, String)>> {
    list(db, NAMES, values![], |row| Ok((row.string(0)?, row.string(1)?)))
}

pub(crate) fn bind(
    db: &mut dyn Db,
    subject: &str,
    names: &[String],
) -> StoreResult<Option<Person>> {
    // Somebody who is known already is not bound to a second account.
    if let Some(known) = persons::by_subject(db, subject)? {
        return Ok(Some(known));
    }
    for name in names {
        let Some(person) = first(db, PERSON_OF, values![name], |row| row.string(0))? else {
            continue;
        };
        if db.run(BIND, values![subject, &person])? > 0 {
            db.run(REMOVE_NAME, values![&person])?;
            return persons::one(db, &person);
        }
    }
    Ok(None)
}

pub(crate) fn begin(db: &mut dyn Db, attempt: &OpenIdAttempt, most: u64) -> StoreResult<bool> {
    let there = first(db, COUNT, values![], |row| row.count(0))?.unwrap_or(0);
    if there >= most {
        return Ok(false);
    }
    let OpenIdAttempt { state, browser, goes_to, expires_at } = attempt;
    Ok(db.run(BEGIN, values![state, browser, goes_to, *expires_at])? > 0)
}

pub(crate) fn take(
    db: &mut dyn Db,
    state: &str,
    browser: &str,
    now: Timestamp,
) -> StoreResult<Option<OpenIdAttempt>> {
    let attempt = first(db, ATTEMPT, values![state, browser], read)?;
    // Of two who come with the same, one takes it out.
    let taken = db.run(END, values![state, browser])? > 0;
    Ok(attempt.filter(|attempt| taken && attempt.expires_at > now))
}

pub(crate) fn forget_ended(db: &mut dyn Db, now: Timestamp, most: u64) -> StoreResult<u64> {
    db.run(FORGET, values![now, most])
}

fn read(row: &dyn Cells) -> StoreResult<OpenIdAttempt> {
    Ok(OpenIdAttempt {
        state: row.string(0)?,
        browser: row.string(1)?,
        goes_to: row.string(2)?,
        expires_at: row.time(3)?,
    })
}
