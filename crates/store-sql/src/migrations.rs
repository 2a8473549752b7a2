//! Migrations: append-only, in the order of their names, each known by a checksum.

use std::sync::LazyLock;

use plimsoll_store::{
    StoreError, StoreResult,
    engine::Db,
    sql::{memory::summaries, search},
};

/// One step of the schema. What was released is never changed, only followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Migration {
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
    /// Whether it is for every database.
    pub(crate) shared: bool,
    /// Whether the release before can go on with a store that has it (TEA-5): nodes are brought up
    /// to date one after the other.
    pub(crate) older_goes_on: bool,
}

/// A step that a store has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Applied {
    pub(crate) name: String,
    pub(crate) checksum: String,
    pub(crate) older_goes_on: bool,
}

/// A database that a step is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    Both,
    Sqlite,
    Postgres,
}

/// One list for all databases. The texts stand in `migrations/`, those for one in a folder below it.
/// `older_goes_on` behind a name says that the release before can work with a store that has it.
macro_rules! steps {
    ($($for:ident $name:literal $($goes_on:ident)?,)*) => {
        const STEPS: &[(For, Migration)] = &[$((
            steps!(@for $for),
            Migration {
                name: $name,
                sql: include_str!(steps!(@path $for $name)),
                shared: matches!(steps!(@for $for), For::Both),
                older_goes_on: steps!(@goes_on $($goes_on)?),
            },
        )),*];
    };
    (@goes_on) => { false };
    (@goes_on older_goes_on) => { true };
    (@for both) => { For::Both };
    (@for sqlite) => { For::Sqlite };
    (@for postgres) => { For::Postgres };
    (@path both $name:literal) => { concat!("../migrations/", $name, ".sql") };
    (@path sqlite $name:literal) => { concat!("../migrations/sqlite/", $name, ".sql") };
    (@path postgres $name:literal) => { concat!("../migrations/postgres/", $name, ".sql") };
}

steps! {
    both "2026-11-15-init",
    sqlite "2026-11-15-search",
    both "2026-11-16-files",
    both "2026-11-16-memory",
    sqlite "2026-11-16-memory-search",
    both "2026-11-17-first-prompt",
    both "2026-11-18a-files",
    both "2026-11-18b-reports",
    both "2026-11-18c-deletions",
    sqlite "2026-11-18c-deletions-memory",
    both "2026-11-18e-failed-answers",
    both "2026-11-18f-memory",
    both "2026-11-19-receipt-parts",
    both "2026-11-19-request-parts",
    both "2026-11-20-quoted-pairs",
    both "2026-11-21-pair-use",
    both "2026-11-22-conversations",
    both "2026-11-23-summaries",
    both "2026-11-24-snippets",
    both "2026-11-25-receipts-by-topic",
    both "2026-11-26-gateway",
    both "2026-11-27-anchors",
    both "2026-11-28a-memory-bulk",
    both "2026-11-28b-memory-sync",
    both "2026-11-29-memory-vectors",
    both "2026-11-30-words",
    sqlite "2026-11-30-words-sqlite",
    postgres "2026-11-30-words-postgres",
    both "2026-12-01-changes",
    both "2026-12-01b-leases",
    both "2026-12-02-people",
    both "2026-12-03-openid" older_goes_on,
}

/// The steps for SQLite.
pub(crate) static SQLITE: LazyLock<Vec<Migration>> = LazyLock::new(|| of(For::Sqlite));

/// The steps for PostgreSQL.
pub(crate) static POSTGRES: LazyLock<Vec<Migration>> = LazyLock::new(|| of(For::Postgres));

fn of(database: For) -> Vec<Migration> {
    let steps = STEPS.iter().filter(|(step, _)| *step == For::Both || *step == database);
    steps.map(|(_, migration)| *migration).collect()
}

/// What is done before the text of a step, in the same transaction, where SQL alone cannot: it
/// knows neither hashes nor words.
pub(crate) fn preparation(step: &str) -> Option<fn(&mut dyn Db) -> StoreResult<()>> {
    match step {
        "2026-11-18f-memory" => Some(summaries::from_column),
        _ => None,
    }
}

/// The same, behind the text of a step.
pub(crate) fn completion(step: &str) -> Option<fn(&mut dyn Db) -> StoreResult<()>> {
    match step {
        "2026-11-30-words-sqlite" | "2026-11-30-words-postgres" => Some(search::settle),
        _ => None,
    }
}

impl Migration {
    /// Tells whether a store was made by this very text. Line ends do not count, because
    /// a checkout may change them.
    pub(crate) fn checksum(&self) -> String {
        blake3::hash(self.sql.replace("\r\n", "\n").as_bytes()).to_hex().to_string()
    }
}

/// The steps that a store still needs, given those it has. One of a newer version is refused
/// unless all that it has more says that we can go on.
pub(crate) fn pending<'m>(
    known: &'m [Migration],
    applied: &[Applied],
) -> StoreResult<&'m [Migration]> {
    for (place, step) in applied.iter().enumerate() {
        match known.get(place) {
            Some(migration) if migration.name == step.name => {
                if migration.checksum() != step.checksum {
                    return Err(StoreError::Altered(step.name.clone()));
                }
            }
            None if applied.iter().skip(place).all(|step| step.older_goes_on) => break,
            _ => {
                let newest = applied.last().map_or_else(String::new, |step| step.name.clone());
                let known = known.last().map_or_else(String::new, |last| last.name.to_owned());
                return Err(StoreError::Newer { found: newest, known });
            }
        }
    }
    Ok(known.get(applied.len()..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn step(name: &'static str, sql: &'static str) -> Migration {
        Migration { name, sql, shared: true, older_goes_on: false }
    }

    const TWO: &[Migration] = &[step("a", "A;\n"), step("b", "B;")];

    fn applied(migrations: &[Migration]) -> Vec<Applied> {
        let applied = |one: &Migration| Applied {
            name: one.name.to_owned(),
            checksum: one.checksum(),
            older_goes_on: one.older_goes_on,
        };
        migrations.iter().map(applied).collect()
    }

    #[test]
    fn tea_5_an_older_release_goes_on_where_it_can() {
        let mut newer = applied(TWO);
        newer[1].older_goes_on = true;
        assert!(pending(&TWO[..1], &newer).unwrap().is_empty());
        newer.push(Applied { name: "c".into(), ..newer[1].clone() });
        assert!(pending(&TWO[..1], &newer).unwrap().is_empty());
        newer[1].older_goes_on = false;
        assert!(pending(&TWO[..1], &newer).is_err(), "one that it cannot go on with is enough");
    }

    #[test]
    fn what_is_missing_is_pending() {
        assert_eq!(pending(TWO, &[]).unwrap().len(), 2);
        assert_eq!(pending(TWO, &applied(&TWO[..1])).unwrap()[0].name, "b");
        assert!(pending(TWO, &applied(TWO)).unwrap().is_empty());
    }

    #[test]
    fn a_newer_store_and_an_altered_one_are_told_apart() {
        let newer = pending(&TWO[..1], &applied(TWO)).unwrap_err();
        assert_eq!(newer, StoreError::Newer { found: "b".into(), known: "a".into() });
        let mut altered = applied(&TWO[..1]);
        altered[0].checksum = "0".to_owned();
        assert_eq!(pending(TWO, &altered).unwrap_err(), StoreError::Altered("a".into()));
    }

    #[test]
    fn line_ends_do_not_count() {
        let windows = step("a", "A;\r\n");
        assert_eq!(windows.checksum(), TWO[0].checksum());
    }

    #[test]
    fn names_are_in_order_and_released_texts_stay() {
        for known in [&*SQLITE, &*POSTGRES] {
            assert!(known.is_sorted_by(|a, b| a.name < b.name));
            assert!(known.iter().all(|migration| migration.name.starts_with("20")));
        }
    }
}
