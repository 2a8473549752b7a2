//! What a file can suffer (REL-2): each gives a clear error, and none loses data.

use std::{fs, path::Path, time::Duration};

use plimsoll_domain::MessagePair;
use plimsoll_store::{Pairs, Search, StoreError, Upkeep, Workspace};
use plimsoll_store_sql::{OnCorrupt, OpenOptions, SqlStore};
use plimsoll_testkit::pairs::{answered, at, pair, pair_id};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{child, child_path, open, ready};

async fn set_aside(path: &Path) -> SqlStore {
    let options = OpenOptions { on_corrupt: OnCorrupt::SetAside, ..OpenOptions::default() };
    SqlStore::open_sqlite(path, options, at(0)).await.unwrap()
}

async fn written(path: &Path) {
    let store = ready(path).await;
    for n in 1..=40 {
        let long = MessagePair { user_text: "word ".repeat(500), ..answered(n) };
        store.insert(&Workspace::default(), &long).await.unwrap();
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused_then_set_aside_and_never_overwritten() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    written(&path).await;
    let whole = fs::read(&path).unwrap();
    let mut holed = whole.clone();
    holed[8192..40_000].fill(0xa5);
    let cases = [
        ("no database at all".as_bytes().to_vec(), "text"),
        (whole[..whole.len() / 2].to_vec(), "cut in half"),
        (whole[..50].to_vec(), "cut in the header"),
        (holed, "holes in the middle"),
        ([&[0; 100][..], &whole[100..]].concat(), "no header"),
    ];
    for (n, (damaged, what)) in (1..).zip(cases) {
        fs::write(&path, &damaged).unwrap();
        let refused = open(&path).await.err();
        assert_eq!(refused, Some(StoreError::Corrupt { set_aside: None }), "{what}");
        assert!(fs::read(&path).unwrap() == damaged, "{what}: nothing was changed");
        let store = set_aside(&path).await;
        let aside = store.report().set_aside.clone().unwrap();
        assert_eq!(aside.file_name().unwrap().to_str(), Some(&*format!("p.db.corrupt-{n}")));
        assert!(fs::read(&aside).unwrap() == damaged, "{what}: it is all there");
        assert_eq!(store.count(&Workspace::default()).await.unwrap(), 0);
    }
}

/// REL-10: an empty file, or a database of somebody else's, is no new store.
#[tokio::test]
async fn rel_10_an_empty_or_foreign_file_is_refused_and_can_be_set_aside() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let foreign = directory.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE notes (text)").unwrap();
    let empty = directory.path().join("empty.db");
    Connection::open(&empty).unwrap().execute_batch("PRAGMA user_version = 7").unwrap();
    for (n, from) in (1..).zip([None, Some(&foreign), Some(&empty)]) {
        let bytes = from.map(|from| fs::read(from).unwrap()).unwrap_or_default();
        fs::write(&path, &bytes).unwrap();
        let refused = open(&path).await.err().unwrap();
        assert!(refused.to_string().contains("plimsoll verify --set-aside"), "{refused}");
        assert!(SqlStore::look_through_sqlite(&path).await.is_err());
        assert!(fs::read(&path).unwrap() == bytes, "nothing was changed");
        let aside = SqlStore::set_aside_sqlite(&path).await.unwrap().unwrap();
        assert!(aside.ends_with(format!("p.db.corrupt-{n}")) && fs::read(&aside).unwrap() == bytes);
        assert!(!path.exists());
    }
    assert_eq!(SqlStore::set_aside_sqlite(&path).await.unwrap(), None, "there is none");
    let store = open(&path).await.unwrap();
    assert!(store.report().made);
    drop(store);
    assert_eq!(SqlStore::set_aside_sqlite(&path).await.unwrap(), None, "a sound one stays");
    assert!(!open(&path).await.unwrap().report().made && path.exists());
    let left = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<String> = left.map(|name| name.into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.contains(".making-")), "{left:?}");
}

/// A backup that somebody else handed over runs nothing of theirs.
#[tokio::test]
async fn a_backup_with_a_trigger_of_somebody_elses_is_refused() {
    let directory = TempDir::new().unwrap();
    let place = |name: &str| directory.path().join(name);
    let store = ready(&place("p.db")).await;
    let hostile = [
        "CREATE TRIGGER ours AFTER INSERT ON pairs BEGIN DELETE FROM pair_texts; END",
        "CREATE VIEW everything AS SELECT * FROM pair_texts",
    ];
    for (n, sql) in hostile.into_iter().enumerate() {
        let backup = place(&format!("backup-{n}.db"));
        store.backup_to(&backup).await.unwrap();
        let restored = |at: i64| {
            let (backup, path) = (backup.clone(), place("restored.db"));
            let kept = place(&format!("kept-{n}-{at}"));
            async move {
                SqlStore::restore_sqlite(
                    &backup,
                    &path,
                    &kept,
                    plimsoll_domain::Timestamp::from_millis(at),
                )
                .await
            }
        };
        restored(1).await.unwrap();
        Connection::open(&backup).unwrap().execute_batch(sql).unwrap();
        let refused = restored(2).await.unwrap_err();
        assert!(matches!(refused, StoreError::ForeignSchema(_)), "{refused}");
    }
}

#[tokio::test]
async fn a_log_without_its_file_is_not_thrown_away() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let log = directory.path().join("p.db-wal");
    fs::write(&log, "all that is left").unwrap();
    let refused = open(&path).await.err();
    assert_eq!(refused, Some(StoreError::Corrupt { set_aside: None }));
    assert_eq!(fs::read_to_string(&log).unwrap(), "all that is left");
    drop(set_aside(&path).await);
    let aside = directory.path().join("p.db.corrupt-1-wal");
    assert_eq!(fs::read_to_string(aside).unwrap(), "all that is left");
}

#[tokio::test]
async fn a_store_that_is_refused_keeps_its_log() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(ready(&path).await);
    let newer = Connection::open(&path).unwrap();
    newer.execute("INSERT INTO schema_migrations VALUES ('2999-01-01-x', 'y', 0, 0)", []).unwrap();
    let copy = directory.path().join("copy.db");
    for part in ["", "-wal"] {
        let name = |file: &str| directory.path().join(format!("{file}{part}"));
        fs::copy(name("p.db"), name("copy.db")).unwrap();
    }
    let before =
        (fs::read(&copy).unwrap(), fs::read(directory.path().join("copy.db-wal")).unwrap());
    let refused = open(&copy).await.err();
    assert!(matches!(refused, Some(StoreError::Newer { .. })), "{refused:?}");
    let after = (fs::read(&copy).unwrap(), fs::read(directory.path().join("copy.db-wal")).unwrap());
    assert!(before == after && !after.1.is_empty());
}

#[tokio::test]
async fn setting_aside_spares_a_sound_store() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    written(&path).await;
    let store = set_aside(&path).await;
    assert_eq!(store.report().set_aside, None);
    assert_eq!(store.count(&Workspace::default()).await.unwrap(), 40);
}

#[tokio::test]
async fn a_full_disk_is_said_and_costs_nothing() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(ready(&path).await);
    let room = fs::metadata(&path).unwrap().len() + 200_000;
    let options = OpenOptions { max_bytes: Some(room), ..OpenOptions::default() };
    let store = SqlStore::open_sqlite(&path, options, at(0)).await.unwrap();
    let workspace = Workspace::default();
    let mut kept = 0;
    let refused = loop {
        let long = MessagePair { user_text: "word ".repeat(5000), ..pair(kept + 1) };
        match store.insert(&workspace, &long).await {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refused, StoreError::DiskFull);
    assert!(kept > 0);
    assert_eq!(store.count(&workspace).await.unwrap(), u64::from(kept));
    assert!(store.check().await.unwrap().is_empty());
    store.delete(&[pair_id(1)]).await.unwrap();
    store.insert(&workspace, &pair(200)).await.unwrap();
}

#[tokio::test]
async fn a_locked_store_says_so_and_works_on() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(ready(&path).await);
    let options = OpenOptions { busy_timeout: Duration::from_millis(50), ..OpenOptions::default() };
    let store = SqlStore::open_sqlite(&path, options, at(0)).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let workspace = Workspace::default();
    let refused = store.insert(&workspace, &pair(1)).await;
    assert_eq!(refused.unwrap_err(), StoreError::Locked);
    assert_eq!(store.count(&workspace).await.unwrap(), 0, "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    store.insert(&workspace, &pair(1)).await.unwrap();
}

#[tokio::test]
async fn a_search_index_that_went_astray_is_found_by_a_check() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    store.insert(&Workspace::default(), &answered(1)).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("DROP TRIGGER pair_text_updated").unwrap();
    other.execute("UPDATE pair_texts SET user_text = 'unknown to the index'", []).unwrap();
    assert_eq!(store.check().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_deleted_text_is_gone_from_the_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let workspace = Workspace::default();
    let secret = MessagePair { user_text: "canary-xyzzyplugh".to_owned(), ..pair(1) };
    store.insert_many(&workspace, &[secret, answered(2)]).await.unwrap();
    assert_eq!(store.search(&workspace, "xyzzyplugh", 5).await.unwrap().len(), 1);
    store.delete(&[pair_id(1)]).await.unwrap();
    drop(store);
    let bytes = fs::read(&path).unwrap();
    let holds = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    assert!(!holds(b"xyzzyplugh") && !holds(b"canary"), "REC-5");
    assert!(holds(b"answer"));
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("new").join("p.db");
    let store = ready(&path).await;
    store.backup_to(&directory.path().join("b.db")).await.unwrap();
    for file in ["new/p.db", "new/p.db-wal", "new/p.db-shm", "b.db"] {
        let mode = fs::metadata(directory.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

/// Root may write anywhere, so the store is opened by a process of nobody's.
#[cfg(unix)]
#[tokio::test]
async fn a_read_only_directory_is_said() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(ready(&path).await);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let before = fs::read(&path).unwrap();
    for target in [path.clone(), directory.path().join("new.db")] {
        let mut opener = child("faults::child_opens_where_it_may_not_write", &target);
        if fs::write(directory.path().join("probe"), "").is_ok() {
            opener.uid(65_534).gid(65_534);
            fs::remove_file(directory.path().join("probe")).unwrap();
        }
        let output = opener.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("<ReadOnly>"), "{said} {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(fs::read(&path).unwrap() == before);
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn child_opens_where_it_may_not_write() {
    let Some(path) = child_path() else { return };
    println!("<{:?}>", open(&path).await.err().unwrap());
}
