//! People.

use super::projects;
use crate::{
    MonthlyLimits, Person, Project, ProjectRole, Role, StoreResult,
    engine::{Cells, Db, first, list},
};

pub(super) const COLUMNS: &str =
    "p.name, p.created_at, p.admin, p.email, p.subject, p.tokens_per_month, p.cost_per_month";
const ADD: &str = "INSERT INTO people (name, created_at, admin, email, subject, tokens_per_month,
    cost_per_month) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING";
const USED: &str = "SELECT 1 FROM person_use WHERE person = $1 LIMIT 1";
const PUT_ADMIN: &str = "UPDATE people SET admin = $1 WHERE name = $2";
const PUT_LIMITS: &str =
    "UPDATE people SET tokens_per_month = $1, cost_per_month = $2 WHERE name = $3";
const REMOVE_KEYS: &str = "DELETE FROM sealed_keys WHERE holder_kind = 'person' AND holder = $1";
const REMOVE: &str = "DELETE FROM people WHERE name = $1";

pub(crate) fn add(db: &mut dyn Db, person: &Person) -> StoreResult<bool> {
    let project = Project {
        name: person.own_project(),
        created_at: person.created_at,
        limits: MonthlyLimits::default(),
    };
    // Nobody gets what somebody before them left behind, or is counted what they used.
    let used = first(db, USED, values![&person.name], |_| Ok(()))?.is_some();
    if used || one(db, &person.name)?.is_some() || !projects::add(db, &project)? {
        return Ok(false);
    }
    db.run(
        ADD,
        values![
            &person.name,
            person.created_at,
            person.admin,
            person.email.as_deref(),
            person.subject.as_deref(),
            person.limits.tokens,
            person.limits.cost,
        ],
    )?;
    let role =
        ProjectRole { project: project.name, person: person.name.clone(), role: Role::Owner };
    projects::put_role(db, &role)?;
    Ok(true)
}

pub(crate) fn one(db: &mut dyn Db, name: &str) -> StoreResult<Option<Person>> {
    first(db, &format!("SELECT {COLUMNS} FROM people p WHERE p.name = $1"), values![name], read)
}

pub(crate) fn all(db: &mut dyn Db) -> StoreResult<Vec<Person>> {
    list(db, &format!("SELECT {COLUMNS} FROM people p ORDER BY p.name"), values![], read)
}

pub(crate) fn by_subject(db: &mut dyn Db, subject: &str) -> StoreResult<Option<Person>> {
    let sql = format!("SELECT {COLUMNS} FROM people p WHERE p.subject = $1");
    first(db, &sql, values![subject], read)
}

pub(crate) fn put_admin(db: &mut dyn Db, name: &str, admin: bool) -> StoreResult<bool> {
    Ok(db.run(PUT_ADMIN, values![admin, name])? > 0)
}

pub(crate) fn put_limits(db: &mut dyn Db, name: &str, limits: &MonthlyLimits) -> StoreResult<bool> {
    Ok(db.run(PUT_LIMITS, values![limits.tokens, limits.cost, name])? > 0)
}

pub(crate) fn remove(db: &mut dyn Db, name: &str) -> StoreResult<bool> {
    db.run(REMOVE_KEYS, values![name])?;
    Ok(db.run(REMOVE, values![name])? > 0)
}

pub(super) fn read(row: &dyn Cells) -> StoreResult<Person> {
    Ok(Person {
        name: row.string(0)?,
        created_at: row.time(1)?,
        admin: row.truth(2)?,
        email: row.opt_string(3)?,
        subject: row.opt_string(4)?,
        limits: MonthlyLimits { tokens: row.opt_count(5)?, cost: row.opt_real(6)? },
    })
}
