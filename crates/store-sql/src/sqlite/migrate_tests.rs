//! Migrations from an empty store and from one that has something to lose (REL-3), and what of
//! the schema other code must know.

use std::{collections::BTreeSet, fs, path::Path};

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    StoreError,
    sql::{TABLES_OF_A_WORKSPACE, deletions::TABLES_OF_A_PAIR},
};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{SqlStore, file::beside, open::open};
use crate::{
    OpenOptions,
    migrations::{Migration, SQLITE},
};

/// The released steps and two that are yet to come.
fn future() -> Vec<Migration> {
    let mut known = SQLITE.to_vec();
    known.push(Migration {
        name: "2999-01-01-notes",
        sql: "CREATE TABLE notes (a TEXT);",
        shared: true,
        older_goes_on: false,
    });
    known.push(Migration {
        name: "2999-01-02-more",
        sql: "ALTER TABLE notes ADD COLUMN b BIGINT; INSERT INTO notes VALUES ('x', 1);",
        shared: true,
        older_goes_on: false,
    });
    known
}

fn open_with(path: &Path, known: &[Migration]) -> Result<SqlStore, StoreError> {
    open(path, &OpenOptions::default(), known, Timestamp::from_millis(5))
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_empty_store_gets_all_steps_and_no_backup() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = open_with(&path, &future()).unwrap();
    assert_eq!(store.report().applied.len(), SQLITE.len() + 2);
    assert_eq!(store.report().backup, None);
    drop(store);
    assert_eq!(names(directory.path()), ["p.db"], "a store at rest is one file");
    let again = open_with(&path, &future()).unwrap();
    assert!(again.report().applied.is_empty());
}

#[test]
fn an_existing_store_is_backed_up_before_its_first_change() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(open_with(&path, &SQLITE).unwrap());
    let store = open_with(&path, &future()).unwrap();
    assert_eq!(store.report().applied, ["2999-01-01-notes", "2999-01-02-more"]);
    let backup = store.report().backup.clone().unwrap();
    drop(store);
    assert_eq!(backup, beside(&path, ".backup-1"));
    assert_eq!(count(&backup, "schema_migrations"), SQLITE.len() as i64);
    assert_eq!(count(&path, "notes"), 1);
    // The backup is a store of the earlier version, and opens as one.
    let old = open_with(&backup, &SQLITE).unwrap();
    assert!(old.report().applied.is_empty());
}

#[test]
fn a_step_that_fails_leaves_the_store_as_it_was() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(open_with(&path, &SQLITE).unwrap());
    let mut known = future();
    known[SQLITE.len() + 1].sql = "INSERT INTO notes VALUES ('half'); SELECT * FROM nothing;";
    assert!(matches!(open_with(&path, &known), Err(StoreError::Failed(_))));
    assert_eq!(count(&path, "notes"), 0, "the good step stays, the bad one is undone");
    let store = open_with(&path, &future()).unwrap();
    assert_eq!(store.report().applied, ["2999-01-02-more"]);
    let backup = store.report().backup.clone();
    assert_eq!(backup, Some(beside(&path, ".backup-2")), "no backup is written over another");
}

/// EST-6: earlier versions took the constant of a chat template for a factor; those factors go.
#[test]
fn est_6_factors_of_earlier_versions_are_dropped() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let before: Vec<Migration> =
        SQLITE.iter().copied().take_while(|one| one.name < "2026-11-18").collect();
    drop(open_with(&path, &before).unwrap());
    let factor = "INSERT INTO calibrations (model, place, log_ratio) VALUES ('m', 0, 0.69)";
    Connection::open(&path).unwrap().execute_batch(factor).unwrap();
    drop(open_with(&path, &SQLITE).unwrap());
    assert_eq!(count(&path, "usage_reports"), 0);
    assert_eq!(count(&path, "sqlite_master WHERE name = 'calibrations'"), 0);
}

#[test]
fn a_newer_store_is_refused_and_left_untouched() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(open_with(&path, &future()).unwrap());
    let before = fs::read(&path).unwrap();
    let refused = open_with(&path, &SQLITE).err().unwrap();
    let found = "2999-01-02-more".to_owned();
    let known = SQLITE.last().unwrap().name.to_owned();
    assert_eq!(refused, StoreError::Newer { found, known });
    assert!(fs::read(&path).unwrap() == before);
    let beside = names(directory.path());
    assert!(beside.iter().all(|name| !name.contains("backup")), "{beside:?}");
}

#[test]
fn a_database_of_somebody_else_is_refused_and_left_untouched() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let before = fs::read(&path).unwrap();
    let refused = open_with(&path, &SQLITE).err().unwrap();
    assert_eq!(refused, StoreError::NotAStore(path.clone()));
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn an_altered_step_is_noticed() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(open_with(&path, &future()).unwrap());
    let mut known = future();
    known[SQLITE.len()].sql = "CREATE TABLE notes (a TEXT, c TEXT);";
    let refused = open_with(&path, &known).err().unwrap();
    assert_eq!(refused, StoreError::Altered("2999-01-01-notes".to_owned()));
}

#[test]
fn many_openers_at_once_make_one_store() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let applied: usize = std::thread::scope(|scope| {
        let openers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| open_with(&path, &future()).unwrap())).collect();
        let stores: Vec<_> = openers.into_iter().map(|one| one.join().unwrap()).collect();
        stores.iter().map(|store| store.report().applied.len()).sum()
    });
    assert_eq!(applied, SQLITE.len() + 2, "each step is applied by one of them");
}

/// MEM-12: what sessions had for a summary becomes notes, which are found like any other.
#[tokio::test]
async fn mem_12_summaries_of_earlier_stores_become_notes() {
    use plimsoll_store::{Memory, MemoryFilter, MemoryQuery, Order, Search, Workspace};
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let before: Vec<Migration> =
        SQLITE.iter().copied().filter(|one| one.name < "2026-11-18f-memory").collect();
    drop(open_with(&path, &before).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "INSERT INTO memory_sessions (workspace, id, project, started_at, ended_at, summary)
            VALUES ('default/main', 's1', 'harbour', 5, 9, 'The mud is deeper than charted'),
            ('default/main', 's2', 'sea', 6, NULL, NULL);",
        )
        .unwrap();
    drop(connection);
    let at = Timestamp::from_millis(20);
    let store = crate::SqlStore::open_sqlite(&path, OpenOptions::default(), at).await.unwrap();
    let workspace = Workspace::default();
    let told = store.session(&workspace, "s1").await.unwrap();
    assert_eq!(told.summary.as_deref(), Some("The mud is deeper than charted"));
    assert_eq!(store.session(&workspace, "s2").await.unwrap().summary, None);
    let all = MemoryFilter::default();
    let (notes, total) = store.observations(&workspace, &all, Order::Newest, 9).await.unwrap();
    assert_eq!((total, notes[0].updated_at.millis(), &*notes[0].project), (1, 9, "harbour"));
    let query = MemoryQuery { text: "charted mud".to_owned(), limit: 5, ..MemoryQuery::default() };
    assert_eq!(store.search_memory(&workspace, &query).await.unwrap().hits.len(), 1);
    // It is revised in place from then on.
    let session = plimsoll_store::NewSession {
        id: "s1".to_owned(),
        project: "harbour".to_owned(),
        directory: None,
        author: None,
    };
    let next = store.summarise_session(&workspace, &session, "Anew", at).await.unwrap();
    assert_eq!((next.note, next.revision), (Some(notes[0].id), 2));
}

/// A table that somebody adds and that holds something of a pair must be named there, or an undo
/// would not bring it back.
#[test]
fn rec_5_every_table_that_refers_to_pairs_is_kept_or_can_be_made_again() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(open_with(&path, &SQLITE).unwrap());
    let connection = Connection::open(&path).unwrap();
    let sql = "SELECT DISTINCT t.name FROM sqlite_schema t, pragma_foreign_key_list(t.name) f
        WHERE t.type = 'table' AND f.\"table\" IN ('pairs', 'snapshots')";
    let mut statement = connection.prepare(sql).unwrap();
    let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let found: BTreeSet<String> = names.map(Result::unwrap).collect();
    let elsewhere = [
        // Kept as the rows of `snapshot_pairs` that they stand for.
        "snapshot_runs",
        // Counted again.
        "estimates",
        // A pair that is being sent is not deleted.
        "sends",
        // They stay, and only forget their pair.
        "receipts",
    ];
    let others = |table: &&str| !["pairs", "snapshot_pairs"].contains(table);
    let known = TABLES_OF_A_PAIR.iter().map(|(table, _)| *table).filter(others);
    let known: BTreeSet<String> = known.chain(elsewhere).map(ToOwned::to_owned).collect();
    assert_eq!(found, known);
}

/// A table that somebody adds and that holds something of a workspace must be named there, or it
/// would be left behind by whoever leaves.
#[test]
fn tea_10_every_table_of_a_workspace_is_emptied_with_it() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(open_with(&path, &SQLITE).unwrap());
    let connection = Connection::open(&path).unwrap();
    let sql = "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND c.name = 'workspace'";
    let mut statement = connection.prepare(sql).unwrap();
    let names = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let found: BTreeSet<String> = names.map(Result::unwrap).collect();
    // It goes when the words of what went have been counted.
    let known = TABLES_OF_A_WORKSPACE.iter().copied().chain(["search_places"]);
    assert_eq!(found, known.map(ToOwned::to_owned).collect());
}
