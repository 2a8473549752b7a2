//! Stores in files move to PostgreSQL and back (TEA-4, REL-3).

use std::path::Path;

use plimsoll_store::{Pairs, Search, Upkeep, Workspace};
use plimsoll_store_sql::{OpenOptions, PostgresStore, SqlStore, transfer};
use plimsoll_testkit::{pairs::at, postgres::Postgres};
use tempfile::TempDir;

use crate::earlier::{FIRST, STEPS, earlier, today};

async fn file(path: &Path) -> SqlStore {
    SqlStore::open_sqlite(path, OpenOptions::default(), at(0)).await.unwrap()
}

/// All rows of all tables, as text. What is made of the rest has numbers of its own.
fn all_rows(path: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%search%'
        AND name NOT IN ('schema_migrations') ORDER BY name";
    let mut asked = connection.prepare(tables).unwrap();
    let tables = asked.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut all = Vec::new();
    for table in tables.map(Result::unwrap) {
        let mut asked = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = asked.column_count();
        let rows = asked.query_map([], |row| {
            let cells = (0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap()));
            Ok(format!("{table}: {}", cells.collect::<Vec<_>>().join(", ")))
        });
        all.extend(rows.unwrap().map(Result::unwrap));
    }
    all.sort();
    all
}

#[tokio::test]
async fn tea_4_rel_3_a_store_of_every_earlier_schema_moves_there_and_back() {
    let Some(server) = Postgres::shared() else { return };
    let directory = TempDir::new().unwrap();
    let now = directory.path().join("now.db");
    let expected = today(&now, 12).await;
    // Every one is a move of its own; those that only add an index are like their neighbours.
    for steps in (FIRST..=STEPS.len()).filter(|steps| steps % 3 == 0 || *steps == STEPS.len()) {
        let path = directory.path().join(format!("{steps}.db"));
        earlier(&now, &path, steps);
        let source = file(&path).await;
        let address = tokio::task::spawn_blocking(|| server.database()).await.unwrap();
        let there = PostgresStore::open(&address, OpenOptions::default(), at(9)).await.unwrap();
        transfer(&source, &there, &mut |_, _| {}).await.unwrap();
        let ids: Vec<_> = expected.iter().map(|stored| stored.pair.id).collect();
        assert!(there.get_many(&ids).await.unwrap() == expected, "{steps} steps");
        let found = there.search(&Workspace::default(), "barnacle007", 5).await.unwrap();
        assert_eq!(found.len(), 1, "{steps} steps");
        assert!(there.check().await.unwrap().is_empty());

        let back = directory.path().join(format!("{steps}-back.db"));
        let returned = file(&back).await;
        transfer(&there, &returned, &mut |_, _| {}).await.unwrap();
        assert_eq!(all_rows(&back), all_rows(&path), "{steps} steps");
        let backup = directory.path().join(format!("{steps}-backup.db"));
        there.backup_to(&backup).await.unwrap();
        assert_eq!(all_rows(&backup), all_rows(&path), "{steps} steps");
    }
}
