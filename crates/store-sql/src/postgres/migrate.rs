//! Bringing a store up to date: forward only, each step in a transaction, by one node at a time
//! (TEA-5).

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    StoreError, StoreResult, Workspace,
    engine::{Db, first, list},
    sql::workspaces,
    values,
};
use tokio::runtime::Handle;

use super::{
    PostgresStore,
    error::Trouble,
    transaction::{Kind, Transaction},
};
use crate::{
    OpenReport,
    migrations::{Applied, Migration, completion, pending, preparation},
};

const TABLES: &str = "SELECT COUNT(*) FROM information_schema.tables
    WHERE table_schema = current_schema()";
const OURS: &str = "SELECT COUNT(*) FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_name = 'schema_migrations'";
const TABLE: &str = "CREATE TABLE schema_migrations (
    name TEXT COLLATE \"C\" NOT NULL PRIMARY KEY,
    checksum TEXT NOT NULL,
    applied_at BIGINT NOT NULL,
    older_goes_on SMALLINT NOT NULL
);
CREATE SEQUENCE writes;";
const RECORD: &str = "INSERT INTO schema_migrations (name, checksum, applied_at, older_goes_on)
    VALUES ($1, $2, $3, $4)";
const APPLIED: &str = "SELECT name, checksum, older_goes_on FROM schema_migrations ORDER BY name";

pub(super) async fn migrate(
    store: &PostgresStore,
    known: &'static [Migration],
    at: Timestamp,
) -> StoreResult<OpenReport> {
    // A store that is up to date needs no lock.
    let before = store.run(Kind::Read, applied).await?;
    let mut report = OpenReport { made: before.is_empty(), ..OpenReport::default() };
    if pending(known, &before)?.is_empty() {
        return Ok(report);
    }
    let (pool, handle) = (store.pool.clone(), Handle::current());
    let done = tokio::task::spawn_blocking(move || {
        let mut names = Vec::new();
        loop {
            let transaction = Transaction::begin(&pool, &handle, "", &Kind::Migrate);
            match transaction.and_then(|transaction| step(transaction, known, at)) {
                Ok(Some(name)) => names.push(name),
                Ok(None) => return Ok(names),
                Err(trouble) => return Err(trouble.error()),
            }
        }
    });
    report.applied = done.await.map_err(|error| StoreError::Failed(error.to_string()))??;
    Ok(report)
}

/// What the store has so far. A database that is not ours is refused.
pub(super) fn applied(db: &mut dyn Db) -> StoreResult<Vec<Applied>> {
    if first(db, OURS, values![], |row| row.count(0))? == Some(0) {
        if first(db, TABLES, values![], |row| row.count(0))? != Some(0) {
            return Err(StoreError::NotAStore("the database".into()));
        }
        return Ok(Vec::new());
    }
    list(db, APPLIED, values![], |row| {
        Ok(Applied { name: row.string(0)?, checksum: row.string(1)?, older_goes_on: row.truth(2)? })
    })
}

/// Applies the next step; says which, if there was one.
fn step(
    mut transaction: Transaction<'_>,
    known: &[Migration],
    at: Timestamp,
) -> Result<Option<String>, Trouble> {
    let now = transaction.run_as_it_is(&|db| applied(db))?;
    let next = pending(known, &now).map_err(Trouble::Lasting)?.first();
    let Some(next) = next.copied() else { return Ok(None) };
    if now.is_empty() {
        transaction.batch(TABLE)?;
    }
    if let Some(prepare) = preparation(next.name) {
        transaction.run_as_it_is(&prepare)?;
    }
    transaction.batch(&text(&next))?;
    if let Some(complete) = completion(next.name) {
        transaction.run_as_it_is(&complete)?;
    }
    transaction.run_as_it_is(&|db| {
        db.run(RECORD, values![next.name, &next.checksum(), at, next.older_goes_on])?;
        if now.is_empty() {
            workspaces::create(db, &Workspace::default(), at)?;
        }
        Ok(())
    })?;
    transaction.commit()?;
    Ok(Some(next.name.to_owned()))
}

/// The text of a step as PostgreSQL takes it: numbers have 64 bits, bytes another name, and texts
/// are compared by their bytes, whatever the language of the database is.
fn text(step: &Migration) -> String {
    if !step.shared {
        return step.sql.to_owned();
    }
    let mut text = String::with_capacity(step.sql.len() * 2);
    let lines = step.sql.lines().filter(|line| !line.trim_start().starts_with("--"));
    for line in lines {
        let mut rest = line;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '_');
            let (word, behind) = rest.split_at(match end {
                Some(0) => rest.chars().next().map_or(0, char::len_utf8),
                Some(end) => end,
                None => rest.len(),
            });
            text.push_str(match word {
                "INTEGER" => "BIGINT",
                "BLOB" => "BYTEA",
                "TEXT" => "TEXT COLLATE \"C\"",
                other => other,
            });
            rest = behind;
        }
        text.push('\n');
    }
    text
}
