//! Stores as they were after each step of the schema.

use std::path::Path;

use plimsoll_domain::MessagePair;
use plimsoll_store::{Pairs, StoredPair, Topics, Workspace};
use plimsoll_store_sql::{OpenOptions, SqlStore};
use plimsoll_testkit::pairs::{answered, at, topic};
use rusqlite::Connection;

/// All steps so far, in their order. One that is added here is tested from then on.
pub(crate) const STEPS: &[(&str, &str)] = &[
    ("2026-11-15-init", include_str!("../../migrations/2026-11-15-init.sql")),
    ("2026-11-15-search", include_str!("../../migrations/sqlite/2026-11-15-search.sql")),
    ("2026-11-16-files", include_str!("../../migrations/2026-11-16-files.sql")),
    ("2026-11-16-memory", include_str!("../../migrations/2026-11-16-memory.sql")),
    (
        "2026-11-16-memory-search",
        include_str!("../../migrations/sqlite/2026-11-16-memory-search.sql"),
    ),
    ("2026-11-17-first-prompt", include_str!("../../migrations/2026-11-17-first-prompt.sql")),
    ("2026-11-18a-files", include_str!("../../migrations/2026-11-18a-files.sql")),
    ("2026-11-18b-reports", include_str!("../../migrations/2026-11-18b-reports.sql")),
    ("2026-11-18c-deletions", include_str!("../../migrations/2026-11-18c-deletions.sql")),
    (
        "2026-11-18c-deletions-memory",
        include_str!("../../migrations/sqlite/2026-11-18c-deletions-memory.sql"),
    ),
    ("2026-11-18e-failed-answers", include_str!("../../migrations/2026-11-18e-failed-answers.sql")),
    ("2026-11-18f-memory", include_str!("../../migrations/2026-11-18f-memory.sql")),
    ("2026-11-19-receipt-parts", include_str!("../../migrations/2026-11-19-receipt-parts.sql")),
    ("2026-11-19-request-parts", include_str!("../../migrations/2026-11-19-request-parts.sql")),
    ("2026-11-20-quoted-pairs", include_str!("../../migrations/2026-11-20-quoted-pairs.sql")),
    ("2026-11-21-pair-use", include_str!("../../migrations/2026-11-21-pair-use.sql")),
    ("2026-11-22-conversations", include_str!("../../migrations/2026-11-22-conversations.sql")),
    ("2026-11-23-summaries", include_str!("../../migrations/2026-11-23-summaries.sql")),
    ("2026-11-24-snippets", include_str!("../../migrations/2026-11-24-snippets.sql")),
    (
        "2026-11-25-receipts-by-topic",
        include_str!("../../migrations/2026-11-25-receipts-by-topic.sql"),
    ),
    ("2026-11-26-gateway", include_str!("../../migrations/2026-11-26-gateway.sql")),
    ("2026-11-27-anchors", include_str!("../../migrations/2026-11-27-anchors.sql")),
    ("2026-11-28a-memory-bulk", include_str!("../../migrations/2026-11-28a-memory-bulk.sql")),
    ("2026-11-28b-memory-sync", include_str!("../../migrations/2026-11-28b-memory-sync.sql")),
    ("2026-11-29-memory-vectors", include_str!("../../migrations/2026-11-29-memory-vectors.sql")),
    ("2026-11-30-words", include_str!("../../migrations/2026-11-30-words.sql")),
    (
        "2026-11-30-words-sqlite",
        include_str!("../../migrations/sqlite/2026-11-30-words-sqlite.sql"),
    ),
    ("2026-12-01-changes", include_str!("../../migrations/2026-12-01-changes.sql")),
    ("2026-12-01b-leases", include_str!("../../migrations/2026-12-01b-leases.sql")),
    ("2026-12-02-people", include_str!("../../migrations/2026-12-02-people.sql")),
    ("2026-12-03-openid", include_str!("../../migrations/2026-12-03-openid.sql")),
];

/// The schema that the first store of anybody had: the first two steps came together.
pub(crate) const FIRST: usize = 2;

/// What the first schema had that people would miss.
pub(crate) const TABLES: [&str; 4] = ["workspaces", "topics", "pairs", "pair_texts"];

/// What search has since it has its own words.
const WORDS: [&str; 4] =
    ["search_docs", "search_places", "search_vocabulary", "history_search_texts"];

/// A store of today with pairs in it, and those pairs.
pub(crate) async fn today(path: &Path, count: u8) -> Vec<StoredPair> {
    let store = SqlStore::open_sqlite(path, OpenOptions::default(), at(0)).await.unwrap();
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    let long = |n: u8| MessagePair {
        user_text: format!("barnacle{n:03} {}", "text of a message ".repeat(90)),
        ..answered(n)
    };
    let pairs: Vec<MessagePair> = (1..=count).map(long).collect();
    store.insert_many(&workspace, &pairs).await.unwrap();
    let ids: Vec<_> = pairs.iter().map(|pair| pair.id).collect();
    store.get_many(&ids).await.unwrap()
}

/// A store with the same rows as it was after so many steps.
pub(crate) fn earlier(now: &Path, path: &Path, steps: usize) {
    let then = Connection::open(path).unwrap();
    then.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = WAL;
         CREATE TABLE schema_migrations (
             name TEXT NOT NULL PRIMARY KEY,
             checksum TEXT NOT NULL,
             applied_at BIGINT NOT NULL
         );",
    )
    .unwrap();
    then.execute("ATTACH $1 AS now", [now.to_str().unwrap()]).unwrap();
    for (name, sql) in &STEPS[..steps] {
        then.execute_batch(sql).unwrap();
        let row = "INSERT INTO main.schema_migrations
                   SELECT name, checksum, 0 FROM now.schema_migrations WHERE name = $1";
        assert_eq!(then.execute(row, [name]).unwrap(), 1, "{name} is no step");
    }
    // A program of that time had brought the words of search up to date.
    let words = STEPS[..steps].iter().any(|(name, _)| *name == "2026-11-30-words-sqlite");
    for table in TABLES.iter().chain(WORDS.iter().filter(|_| words)) {
        // Only the columns that there were then.
        let columns: String = then
            .query_row(
                "SELECT group_concat(name, ', ') FROM pragma_table_info($1, 'main')",
                [table],
                |row| row.get(0),
            )
            .unwrap();
        let copy =
            format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}");
        then.execute(&copy, []).unwrap();
    }
    if words {
        then.execute("DELETE FROM main.search_changes", []).unwrap();
    }
}
