//! Two processes on one store.

use std::sync::Arc;

use plimsoll_domain::{HistoryScope, MessagePair, PairId};
use plimsoll_store::{Pairs, StoreError, Upkeep, Workspace};
use plimsoll_testkit::pairs::{LEASE, at, pair};
use tempfile::TempDir;

use crate::support::{child, child_path, open, ready};

const EACH: u8 = 60;

fn numbered(writer: u8, n: u8) -> MessagePair {
    let created_at = at(i64::from(n));
    let id = PairId::new(created_at, [writer, n, 0, 0, 0, 0, 0, 0, 0, 0]);
    MessagePair { id, created_at, ..pair(1) }
}

#[tokio::test]
async fn child_writes_its_share() {
    let Some(path) = child_path() else { return };
    let writer: u8 = std::env::var("WRITER").unwrap().parse().unwrap();
    let store = open(&path).await.unwrap();
    for n in 0..EACH {
        store.insert(&Workspace::default(), &numbered(writer, n)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_write_at_once_lose_nothing() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let children: Vec<_> = (1..=3u8)
        .map(|writer| {
            let mut command = child("processes::child_writes_its_share", &path);
            command.env("WRITER", writer.to_string()).spawn().unwrap()
        })
        .collect();
    for n in 0..EACH {
        store.insert(&Workspace::default(), &numbered(0, n)).await.unwrap();
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(store.count(&Workspace::default()).await.unwrap(), u64::from(EACH) * 4);
    assert!(store.check().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_want_to_send_one_does() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let mut stores = vec![Arc::new(ready(&path).await)];
    for _ in 0..3 {
        stores.push(Arc::new(open(&path).await.unwrap()));
    }
    let tasks: Vec<_> = (0..16u8)
        .map(|n| {
            let store = Arc::clone(&stores[usize::from(n) % stores.len()]);
            tokio::spawn(async move {
                store
                    .begin(
                        &Workspace::default(),
                        &[numbered(n, n)],
                        HistoryScope::Everything,
                        "me",
                        at(0),
                        LEASE,
                    )
                    .await
            })
        })
        .collect();
    let mut started = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => started += 1,
            Err(error) => assert!(matches!(error, StoreError::Busy { .. }), "{error:?}"),
        }
    }
    assert_eq!(started, 1, "SND-2");
    assert_eq!(stores[0].count(&Workspace::default()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_write_that_nobody_waits_for_is_done() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let workspace = Workspace::default();
    let pair = pair(1);
    {
        let mut insert = std::pin::pin!(store.insert(&workspace, &pair));
        let waker = std::task::Waker::noop();
        let mut context = std::task::Context::from_waker(waker);
        // Once is enough to hand it over; then the caller is gone.
        let _ = insert.as_mut().poll(&mut context);
    }
    drop(store);
    let again = open(&path).await.unwrap();
    assert_eq!(again.count(&workspace).await.unwrap(), 1);
}
