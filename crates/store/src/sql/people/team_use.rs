//! What people used, by project and day.

use plimsoll_domain::Timestamp;

use crate::{
    PersonUse, StoreResult, TeamUse, UseBy,
    engine::{Cells, Db, first, list},
};

const COUNT: &str = "INSERT INTO person_use (person, project, day, calls, tokens, cost)
    VALUES ($1, $2, $3, 1, $4, $5) ON CONFLICT (person, project, day) DO UPDATE SET
    calls = person_use.calls + 1, tokens = person_use.tokens + excluded.tokens,
    cost = person_use.cost + excluded.cost";
const SUMS: &str = "CAST(COALESCE(SUM(calls), 0) AS BIGINT),
    CAST(COALESCE(SUM(tokens), 0) AS BIGINT), COALESCE(SUM(cost), 0.0)";
const PURGE: &str = "DELETE FROM person_use WHERE day < $1 AND (person, project, day) IN
    (SELECT person, project, day FROM person_use WHERE day < $1 ORDER BY day LIMIT $2)";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MONTH_DAYS: i64 = 30;

fn day(at: Timestamp) -> i64 {
    at.millis().div_euclid(DAY_MS)
}

pub(crate) fn count(db: &mut dyn Db, used: &[PersonUse]) -> StoreResult<()> {
    for one in used {
        let PersonUse { person, project, at, tokens, cost } = one;
        db.run(COUNT, values![person, project, day(*at), *tokens, *cost])?;
    }
    Ok(())
}

pub(crate) fn by_person(db: &mut dyn Db, person: &str, now: Timestamp) -> StoreResult<TeamUse> {
    of_month(db, "person", person, now)
}

pub(crate) fn in_project(db: &mut dyn Db, project: &str, now: Timestamp) -> StoreResult<TeamUse> {
    of_month(db, "project", project, now)
}

fn of_month(
    db: &mut dyn Db,
    column: &'static str,
    name: &str,
    now: Timestamp,
) -> StoreResult<TeamUse> {
    let sql =
        format!("SELECT {SUMS} FROM person_use WHERE {column} = $1 AND day > $2 AND day <= $3");
    let today = day(now);
    let sums = first(db, &sql, values![name, today - MONTH_DAYS, today], |row| sums(row, 0))?;
    Ok(TeamUse { name: name.to_owned(), ..sums.unwrap_or_default() })
}

pub(crate) fn since(db: &mut dyn Db, since: Timestamp, by: UseBy) -> StoreResult<Vec<TeamUse>> {
    let column = match by {
        UseBy::Person => "person",
        UseBy::Project => "project",
    };
    let sql = format!(
        "SELECT {column}, {SUMS} FROM person_use WHERE day >= $1 GROUP BY {column}
         ORDER BY SUM(cost) DESC, SUM(tokens) DESC, {column}"
    );
    list(db, &sql, values![day(since)], |row| Ok(TeamUse { name: row.string(0)?, ..sums(row, 1)? }))
}

pub(crate) fn of_person(db: &mut dyn Db, person: &str) -> StoreResult<Vec<TeamUse>> {
    let sql = format!(
        "SELECT project, {SUMS} FROM person_use WHERE person = $1 GROUP BY project ORDER BY project"
    );
    list(db, &sql, values![person], |row| Ok(TeamUse { name: row.string(0)?, ..sums(row, 1)? }))
}

pub(crate) fn purge(db: &mut dyn Db, before: Timestamp, most: u64) -> StoreResult<u64> {
    db.run(PURGE, values![day(before), most])
}

fn sums(row: &dyn Cells, place: usize) -> StoreResult<TeamUse> {
    Ok(TeamUse {
        name: String::new(),
        calls: row.count(place)?,
        tokens: row.count(place + 1)?,
        cost: row.real(place + 2)?,
    })
}
