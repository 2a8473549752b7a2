//! docs/storage.md tells the schema as it is, and its queries run.

use std::{collections::BTreeMap, fs, path::Path};

use plimsoll_store::{Pairs, Workspace};
use plimsoll_testkit::pairs::{answered, pair_id};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::ready;

fn page() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("docs/storage.md")).unwrap()
}

/// The names between backticks of each line of the table.
fn documented() -> BTreeMap<String, Vec<String>> {
    let page = page();
    let schema = page.split("## Schema").nth(1).unwrap();
    let rows = schema.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut names = row.split('`').skip(1).step_by(2).map(ToOwned::to_owned);
        (names.next().unwrap(), names.collect())
    })
    .collect()
}

fn real(connection: &Connection) -> BTreeMap<String, Vec<String>> {
    let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE '%\\_index%' ESCAPE '\\'
        ORDER BY t.name, c.cid";
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        tables.entry(row.get(0).unwrap()).or_default().push(row.get(1).unwrap());
    }
    tables
}

#[tokio::test]
async fn the_page_tells_the_schema_as_it_is() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(ready(&path).await);
    assert_eq!(documented(), real(&Connection::open(&path).unwrap()));
}

#[tokio::test]
async fn the_queries_of_the_page_run() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let mut about = answered(1);
    about.user_text = "the old harbour".to_owned();
    store.insert(&Workspace::default(), &about).await.unwrap();
    let connection = Connection::open(&path).unwrap();
    let page = page();
    let queries: Vec<&str> = page
        .split("plimsoll.db \"\n")
        .skip(1)
        .filter_map(|rest| rest.split("\"\n").next())
        .collect();
    assert_eq!(queries.len(), 5);
    let mut found = Vec::new();
    for query in queries {
        let mut statement = connection.prepare(query).unwrap();
        let mut rows = statement.query([]).unwrap();
        let mut count = 0;
        while rows.next().unwrap().is_some() {
            count += 1;
        }
        found.push(count);
    }
    assert_eq!(found, [1, 0, 1, 0, 0]);
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair, about);
}
