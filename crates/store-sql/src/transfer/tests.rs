//! Moving between files; `tests/postgres` moves there and back.

use plimsoll_domain::Timestamp;
use plimsoll_store::{Noun, Pairs, StoreError, Topics, Upkeep, Workspace};
use plimsoll_testkit::pairs::{answered, pair_id, topic};
use tempfile::TempDir;

use super::*;
use crate::{Fault, Faults, OpenOptions, SqlStore};

async fn open(directory: &TempDir, name: &str, faults: Option<Faults>) -> SqlStore {
    let options = OpenOptions { faults, ..OpenOptions::default() };
    let at = Timestamp::from_millis(1);
    SqlStore::open_sqlite(&directory.path().join(name), options, at).await.unwrap()
}

async fn filled(store: &SqlStore, pairs: u8) {
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    let pairs: Vec<_> = (1..=pairs).map(answered).collect();
    store.insert_many(&workspace, &pairs).await.unwrap();
}

#[tokio::test]
async fn tea_4_what_is_moved_is_the_same() {
    let directory = TempDir::new().unwrap();
    let (source, target) = (open(&directory, "a", None).await, open(&directory, "b", None).await);
    filled(&source, 250).await;
    let mut told = Vec::new();
    let rows = transfer(&source, &target, &mut |done, of| told.push((done, of))).await.unwrap();
    assert_eq!(told.last(), Some(&(rows, rows)));
    assert_eq!(target.count(&Workspace::default()).await.unwrap(), 250);
    assert!(target.check().await.unwrap().is_empty(), "the words of search are made");
}

#[tokio::test]
async fn tea_4_a_store_that_holds_something_is_left_alone() {
    let directory = TempDir::new().unwrap();
    let (source, target) = (open(&directory, "a", None).await, open(&directory, "b", None).await);
    filled(&source, 2).await;
    filled(&target, 1).await;
    let refused = transfer(&source, &target, &mut |_, _| {}).await.unwrap_err();
    assert_eq!(refused, StoreError::Exists(Noun::StoreWithRows));
    assert_eq!(target.count(&Workspace::default()).await.unwrap(), 1);
}

/// Whichever write it was that failed, the next move goes on behind it.
#[tokio::test]
async fn tea_4_a_move_that_was_stopped_goes_on() {
    for at in 1..14 {
        let directory = TempDir::new().unwrap();
        let faults = Faults::default();
        let source = open(&directory, "a", None).await;
        let target = open(&directory, "b", Some(faults.clone())).await;
        filled(&source, 250).await;
        let fault = if at % 2 == 0 { Fault::Refused } else { Fault::Unconfirmed };
        faults.fail(at * 5..u64::MAX, fault);
        let stopped = transfer(&source, &target, &mut |_, _| {}).await;
        faults.heal();
        let mut begun = None;
        let mut told = |done, _| {
            begun.get_or_insert(done);
        };
        let moved = transfer(&source, &target, &mut told);
        match stopped {
            Ok(_) => assert!(moved.await.is_err(), "it had ended"),
            Err(_) => {
                moved.await.unwrap();
                assert!(begun > Some(0) || at < 4, "{at}: it began at {begun:?}");
            }
        }
        assert_eq!(target.count(&Workspace::default()).await.unwrap(), 250, "{at}");
        assert!(target.get(pair_id(250)).await.is_ok());
    }
}

/// A source that holds something else by now is moved from the start.
#[tokio::test]
async fn tea_4_a_move_of_something_else_begins_anew() {
    let directory = TempDir::new().unwrap();
    let faults = Faults::default();
    let source = open(&directory, "a", None).await;
    let target = open(&directory, "b", Some(faults.clone())).await;
    filled(&source, 250).await;
    faults.fail(5..u64::MAX, Fault::Refused);
    transfer(&source, &target, &mut |_, _| {}).await.unwrap_err();
    faults.heal();
    source.insert(&Workspace::default(), &answered(251)).await.unwrap();
    source.delete(&[pair_id(3)]).await.unwrap();
    transfer(&source, &target, &mut |_, _| {}).await.unwrap();
    assert!(target.get(pair_id(3)).await.is_err());
    assert_eq!(target.count(&Workspace::default()).await.unwrap(), 250);
}
