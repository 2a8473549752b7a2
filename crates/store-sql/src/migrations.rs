//! Migrations: append-only, in the order of their names, each known by a checksum.

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
}

/// The steps for SQLite. Those for every database stand in `migrations/`, those for one
/// in a folder below it.
pub(crate) const SQLITE: &[Migration] = &[
    Migration { name: "2026-11-15-init", sql: include_str!("../migrations/2026-11-15-init.sql") },
    Migration {
        name: "2026-11-15-search",
        sql: include_str!("../migrations/sqlite/2026-11-15-search.sql"),
    },
    Migration { name: "2026-11-16-files", sql: include_str!("../migrations/2026-11-16-files.sql") },
    Migration {
        name: "2026-11-16-memory",
        sql: include_str!("../migrations/2026-11-16-memory.sql"),
    },
    Migration {
        name: "2026-11-16-memory-search",
        sql: include_str!("../migrations/sqlite/2026-11-16-memory-search.sql"),
    },
    Migration {
        name: "2026-11-17-first-prompt",
        sql: include_str!("../migrations/2026-11-17-first-prompt.sql"),
    },
    Migration {
        name: "2026-11-18a-files",
        sql: include_str!("../migrations/2026-11-18a-files.sql"),
    },
    Migration {
        name: "2026-11-18b-reports",
        sql: include_str!("../migrations/2026-11-18b-reports.sql"),
    },
    Migration {
        name: "2026-11-18c-deletions",
        sql: include_str!("../migrations/2026-11-18c-deletions.sql"),
    },
    Migration {
        name: "2026-11-18c-deletions-memory",
        sql: include_str!("../migrations/sqlite/2026-11-18c-deletions-memory.sql"),
    },
    Migration {
        name: "2026-11-18e-failed-answers",
        sql: include_str!("../migrations/2026-11-18e-failed-answers.sql"),
    },
    Migration {
        name: "2026-11-18f-memory",
        sql: include_str!("../migrations/2026-11-18f-memory.sql"),
    },
    Migration {
        name: "2026-11-19-receipt-parts",
        sql: include_str!("../migrations/2026-11-19-receipt-parts.sql"),
    },
    Migration {
        name: "2026-11-19-request-parts",
        sql: include_str!("../migrations/2026-11-19-request-parts.sql"),
    },
    Migration {
        name: "2026-11-20-quoted-pairs",
        sql: include_str!("../migrations/2026-11-20-quoted-pairs.sql"),
    },
    Migration {
        name: "2026-11-21-pair-use",
        sql: include_str!("../migrations/2026-11-21-pair-use.sql"),
    },
    Migration {
        name: "2026-11-22-conversations",
        sql: include_str!("../migrations/2026-11-22-conversations.sql"),
    },
    Migration {
        name: "2026-11-23-summaries",
        sql: include_str!("../migrations/2026-11-23-summaries.sql"),
    },
    Migration {
        name: "2026-11-24-snippets",
        sql: include_str!("../migrations/2026-11-24-snippets.sql"),
    },
    Migration {
        name: "2026-11-25-receipts-by-topic",
        sql: include_str!("../migrations/2026-11-25-receipts-by-topic.sql"),
    },
    Migration {
        name: "2026-11-26-gateway",
        sql: include_str!("../migrations/2026-11-26-gateway.sql"),
    },
    Migration {
        name: "2026-11-27-anchors",
        sql: include_str!("../migrations/2026-11-27-anchors.sql"),
    },
    Migration {
        name: "2026-11-28a-memory-bulk",
        sql: include_str!("../migrations/2026-11-28a-memory-bulk.sql"),
    },
    Migration {
        name: "2026-11-28b-memory-sync",
        sql: include_str!("../migrations/2026-11-28b-memory-sync.sql"),
    },
    Migration {
        name: "2026-11-29-memory-vectors",
        sql: include_str!("../migrations/sqlite/2026-11-29-memory-vectors.sql"),
    },
    Migration { name: "2026-11-30-words", sql: include_str!("../migrations/2026-11-30-words.sql") },
    Migration {
        name: "2026-11-30-words-sqlite",
        sql: include_str!("../migrations/sqlite/2026-11-30-words-sqlite.sql"),
    },
    Migration {
        name: "2026-12-02-people",
        sql: include_str!("../migrations/2026-12-02-people.sql"),
    },
];

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
        "2026-11-30-words-sqlite" => Some(search::settle),
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

/// The steps that a store still needs, given the names and checksums of those it has.
pub(crate) fn pending<'m>(
    known: &'m [Migration],
    applied: &[(String, String)],
) -> StoreResult<&'m [Migration]> {
    for (place, (name, checksum)) in applied.iter().enumerate() {
        match known.get(place) {
            Some(migration) if migration.name == name => {
                if migration.checksum() != *checksum {
                    return Err(StoreError::Altered(name.clone()));
                }
            }
            _ => {
                let newest = applied.last().map_or_else(String::new, |(name, _)| name.clone());
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

    const TWO: &[Migration] =
        &[Migration { name: "a", sql: "A;\n" }, Migration { name: "b", sql: "B;" }];

    fn applied(migrations: &[Migration]) -> Vec<(String, String)> {
        migrations.iter().map(|one| (one.name.to_owned(), one.checksum())).collect()
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
        let altered = vec![("a".to_owned(), "0".to_owned())];
        assert_eq!(pending(TWO, &altered).unwrap_err(), StoreError::Altered("a".into()));
    }

    #[test]
    fn line_ends_do_not_count() {
        let windows = Migration { name: "a", sql: "A;\r\n" };
        assert_eq!(windows.checksum(), TWO[0].checksum());
    }

    #[test]
    fn names_are_in_order_and_released_texts_stay() {
        assert!(SQLITE.is_sorted_by(|a, b| a.name < b.name));
        assert!(SQLITE.iter().all(|migration| migration.name.starts_with("20")));
    }
}
