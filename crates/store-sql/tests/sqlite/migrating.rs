//! Stores of every earlier schema are brought up to date (REL-3), also when the process is
//! killed amid it (REL-1): nothing is missing, and there is a backup.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    time::Instant,
};

use plimsoll_domain::FileId;
use plimsoll_store::{
    ConversationQuery, Conversations, Files, ListedIn, Pairs, Preferences, Receipts, Search,
    StoredPair, Topics, Upkeep, Workspace,
};
use plimsoll_store_sql::OpenOptions;
use plimsoll_testkit::pairs::at;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    earlier::{FIRST, STEPS, earlier, today},
    support::{child, child_path, open},
};

fn backups(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let backup = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.contains(".backup-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    entries.filter(backup).collect()
}

/// Everything is there, can be found, and is sound.
async fn whole(path: &Path, expected: &[StoredPair], what: &str) {
    let store = open(path).await.unwrap_or_else(|error| panic!("{what}: {error}"));
    let ids: Vec<_> = expected.iter().map(|stored| stored.pair.id).collect();
    assert!(store.get_many(&ids).await.unwrap() == expected, "{what}: pairs are not as they were");
    let found = store.check().await.unwrap();
    assert!(found.is_empty(), "{what}: {found:?}");
    let found = store.search(&Workspace::default(), "barnacle007", 5).await.unwrap();
    assert_eq!(found.len(), 1, "{what}: what was there before is found");
}

fn rows(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn rel_3_a_store_of_every_earlier_schema_is_brought_up_to_date() {
    let directory = TempDir::new().unwrap();
    let now = directory.path().join("now.db");
    let expected = today(&now, 40).await;
    assert_eq!(rows(&now, "schema_migrations"), STEPS.len() as i64, "a step is not in the list");
    for steps in FIRST..STEPS.len() {
        let place = directory.path().join(steps.to_string());
        std::fs::create_dir(&place).unwrap();
        let path = place.join("p.db");
        earlier(&now, &path, steps);
        let store = plimsoll_store_sql::SqlStore::open_sqlite(&path, OpenOptions::default(), at(0));
        let store = store.await.unwrap();
        assert_eq!(store.report().applied.len(), STEPS.len() - steps);
        drop(store);
        whole(&path, &expected, &format!("after {steps} steps")).await;
        let backups = backups(&place);
        assert_eq!(backups.len(), 1, "{backups:?}");
        assert_eq!(rows(&backups[0], "pair_texts"), 40, "the backup has it all");
        assert_eq!(rows(&backups[0], "schema_migrations"), steps as i64, "as it was before");
    }
}

/// FIL-6: of an older store only what a message holds or a tool made is listed.
#[tokio::test]
async fn fil_6_files_of_older_stores_are_listed_only_where_they_were_sent() {
    let directory = TempDir::new().unwrap();
    let (now, path) = (directory.path().join("now.db"), directory.path().join("p.db"));
    let pairs = today(&now, 1).await;
    let before = STEPS.iter().position(|(name, _)| *name == "2026-11-18a-files").unwrap();
    earlier(&now, &path, before);
    let id = |n: u8| FileId::new(at(i64::from(n)), [n; 10]);
    let then = Connection::open(&path).unwrap();
    for (n, source) in [(1, "user"), (2, "user"), (3, "assistant")] {
        let (id, hash) = (id(n).to_string(), format!("{n:064x}"));
        then.execute(
            "INSERT INTO files (id, workspace, name, mime, kind, size, hash, extension, source,
                 created_at, is_text)
             VALUES ($1, $2, 'a.txt', 'text/plain', 'DOCUMENT', 1, $3, 'txt', $4, $5, 1)",
            (id, Workspace::default().as_str(), hash, source, i64::from(n)),
        )
        .unwrap();
    }
    then.execute(
        "INSERT INTO pair_attachments (pair_id, place, file_id) VALUES ($1, 0, $2)",
        (pairs[0].pair.id.to_string(), id(1).to_string()),
    )
    .unwrap();
    drop(then);
    let store = open(&path).await.unwrap();
    let listed = store.listed_files(&Workspace::default(), ListedIn::default()).await.unwrap();
    assert_eq!(listed.iter().map(|file| file.id).collect::<Vec<_>>(), [id(3), id(1)]);
    assert_eq!(store.files(&Workspace::default()).await.unwrap().len(), 3, "none is lost");
}

/// HIS-9: an older store keeps its draft and its sends in flight, knows how long its texts are, and
/// says that it is older than conversations; a new one does not.
#[tokio::test]
async fn rel_3_an_older_store_opens_with_everything_and_keeps_its_draft() {
    let directory = TempDir::new().unwrap();
    let (now, path) = (directory.path().join("now.db"), directory.path().join("p.db"));
    let pairs = today(&now, 2).await;
    let workspace = Workspace::default();
    let fresh = open(&directory.path().join("fresh.db")).await.unwrap();
    assert_eq!(fresh.value("beforeConversations").await.unwrap(), None);
    let before = STEPS.iter().position(|(name, _)| *name == "2026-11-22-conversations").unwrap();
    earlier(&now, &path, before);
    let then = Connection::open(&path).unwrap();
    let (id, at_workspace) = (pairs[1].pair.id.to_string(), workspace.as_str());
    for (sql, values) in [
        ("INSERT INTO drafts (workspace, text, at) VALUES ($1, $2, 5)", [at_workspace, "half"]),
        (
            "INSERT INTO sends (workspace, pair_id, owner, since, partial_text)
                 VALUES ($1, $2, 'dead', 6, 'so far')",
            [at_workspace, id.as_str()],
        ),
    ] {
        then.execute(sql, values).unwrap();
    }
    drop(then);
    let store = open(&path).await.unwrap();
    assert_eq!(store.value("beforeConversations").await.unwrap().as_deref(), Some("yes"));
    let draft = store.draft(&workspace, None).await.unwrap().unwrap();
    assert_eq!(draft.text, "half");
    let sends = store.in_flight(&workspace).await.unwrap();
    assert_eq!(sends.iter().map(|send| send.pair).collect::<Vec<_>>(), [pairs[1].pair.id]);
    let query = ConversationQuery { limit: 10, ..ConversationQuery::default() };
    let listed = store.conversations(&workspace, &query).await.unwrap().conversations;
    let bytes = |one: &StoredPair| {
        one.pair.user_text.len() + one.pair.assistant_text.as_ref().map_or(0, String::len)
    };
    assert_eq!(listed[0].text_bytes, pairs.iter().map(bytes).sum::<usize>() as u64);
    assert!(store.topics(&workspace).await.unwrap().iter().all(|topic| topic.named));
}

/// REL-9: which pairs failed sends quoted is told as before, where some are gone and where others
/// stand between.
#[tokio::test]
async fn rel_9_what_failed_sends_of_older_stores_quoted_is_told_as_before() {
    let directory = TempDir::new().unwrap();
    let (now, path) = (directory.path().join("now.db"), directory.path().join("p.db"));
    let pairs = today(&now, 12).await;
    let before = STEPS.iter().position(|(name, _)| *name == "2026-11-20-quoted-pairs").unwrap();
    earlier(&now, &path, before);
    let id = |n: usize| pairs[n].pair.id;
    // Places without a pair are those of pairs that were deleted.
    let lists: [(usize, &[(i64, usize)]); 4] = [
        (8, &[(0, 0), (1, 1), (2, 2), (3, 3)]),
        (9, &[(0, 1), (1, 2), (3, 4), (4, 5)]),
        (10, &[(0, 5), (1, 3), (2, 4), (5, 0)]),
        (11, &[]),
    ];
    let then = Connection::open(&path).unwrap();
    for (of, quoted) in lists {
        let of = id(of).to_string();
        let snapshot = "INSERT INTO snapshots (pair_id, at, outgoing_user_text, json_doc)
             VALUES ($1, 1, 'x', '{}')";
        then.execute(snapshot, [&of]).unwrap();
        let row = "INSERT INTO snapshot_pairs (pair_id, place, included_id) VALUES ($1, $2, $3)";
        for (place, pair) in quoted {
            then.execute(row, (&of, place, id(*pair).to_string())).unwrap();
        }
    }
    drop(then);
    let store = open(&path).await.unwrap();
    for (of, quoted) in lists {
        let kept = store.snapshot(id(of)).await.unwrap().unwrap();
        let expected: Vec<_> = quoted.iter().map(|(_, pair)| id(*pair)).collect();
        assert_eq!(kept.included, expected);
        assert!(kept.json_doc.is_some());
    }
    assert!(rows(&path, "snapshot_runs") < 8, "lists are runs");
    store.delete(&[id(3)]).await.unwrap();
    for (of, told) in [(8, false), (9, true), (10, false)] {
        let kept = store.snapshot(id(of)).await.unwrap().unwrap();
        assert!(!kept.included.contains(&id(3)));
        assert_eq!(kept.json_doc.is_some(), told, "{of}");
    }
    assert!(store.check().await.unwrap().is_empty());
}

#[tokio::test]
async fn child_migrates() {
    let Some(path) = child_path() else { return };
    println!("opening");
    drop(open(&path).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn rel_1_killed_amid_a_migration_nothing_is_missing() {
    let kills = plimsoll_testkit::real::times(40, 160);
    let directory = TempDir::new().unwrap();
    let now = directory.path().join("now.db");
    let expected = today(&now, 200).await;
    let start = |path: &Path| {
        let mut process = child("migrating::child_migrates", path).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        while !lines.next().unwrap().unwrap().ends_with("opening") {}
        (process, lines)
    };
    // How long it takes here, at this hour.
    let path = directory.path().join("timed.db");
    earlier(&now, &path, FIRST);
    let (mut process, _lines) = start(&path);
    let began = Instant::now();
    process.wait().unwrap();
    let takes = began.elapsed();
    let (mut before, mut amid, mut after) = (0, 0, 0);
    for kill in 0..kills {
        let place = directory.path().join(kill.to_string());
        std::fs::create_dir(&place).unwrap();
        let path = place.join("p.db");
        earlier(&now, &path, FIRST + (kill / 20) as usize % (STEPS.len() - FIRST));
        let had = rows(&path, "schema_migrations");
        let (mut process, _lines) = start(&path);
        std::thread::sleep(takes * (kill % 20) / 16);
        process.kill().unwrap();
        process.wait().unwrap();
        let has = rows(&path, "schema_migrations");
        match has {
            has if has == had => before += 1,
            has if has == STEPS.len() as i64 => after += 1,
            _ => amid += 1,
        }
        // What was changed has a backup of before; half a backup is none.
        let whole_backup = |path: &PathBuf| {
            let rows = Connection::open(path).and_then(|backup| {
                backup.query_row("SELECT COUNT(*) FROM pair_texts", [], |row| row.get::<_, i64>(0))
            });
            rows == Ok(expected.len() as i64)
        };
        assert!(has == had || backups(&place).iter().any(whole_backup), "kill {kill}");
        whole(&path, &expected, &format!("kill {kill}")).await;
        assert!(backups(&place).iter().any(whole_backup), "kill {kill}");
        std::fs::remove_dir_all(&place).unwrap();
    }
    println!("{kills} kills: {before} before the first step, {amid} between steps, {after} after");
    assert!(before > 0 && before < kills, "the kills came all too early or too late");
}
