//! REL-9: what receipts take, those of earlier versions too.

use std::path::Path;

use plimsoll_domain::{MessagePair, PairId, ReceiptId, Timestamp};
use plimsoll_store::{Pairs, ReceiptFilter, ReceiptRecord, Receipts, Store, Upkeep, Workspace};
use plimsoll_testkit::pairs::{answered, at, topic};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{open, ready};

/// A window that holds so many pairs, as for many short messages in 20K tokens.
const WINDOW: u32 = 240;

/// So many sends: what 2,000 of them may take is 20 MB.
const SENDS: u32 = 200;
const MOST: u64 = 20_000_000 / 10;

fn numbered(n: u32) -> [u8; 10] {
    let mut random = [7; 10];
    random[6..].copy_from_slice(&n.to_be_bytes());
    random
}

fn pair_id(n: u32) -> PairId {
    PairId::new(at(i64::from(n)), numbered(n))
}

fn pair(n: u32) -> MessagePair {
    MessagePair {
        id: pair_id(n),
        user_text: format!("question {n}, forty letters in all, about"),
        ..answered(1)
    }
}

/// The receipt of the send after `n` pairs, in the shape of REC-1.
fn receipt(n: u32) -> ReceiptRecord {
    let pairs = n.saturating_sub(WINDOW)..n;
    let id = |n: u32| pair_id(n).to_string();
    let hash = |text: String| blake3::hash(text.as_bytes()).to_hex().to_string();
    let message = |role: &str, n: u32, pair: Option<String>| json!({"role": role, "pairId": pair, "tokens": 14, "hash": hash(format!("{role} {n}"))});
    let selection: Vec<_> =
        pairs.clone().map(|n| json!({"id": id(n), "model": "test", "tokens": 27})).collect();
    let of_pair = |n| [message("user", n, Some(id(n))), message("assistant", n, Some(id(n)))];
    let messages: Vec<_> = pairs.flat_map(of_pair).chain([message("user", n, None)]).collect();
    let attempt = |stage: &str| json!({"stage": stage, "selection": selection, "messages": messages, "leftOut": []});
    let body = json!({"pairId": id(n), "attempts": [attempt("sent"), attempt("success")],
        "estimateErrorPercent": 0.1 + f64::from(n) / 7.0});
    ReceiptRecord {
        id: ReceiptId::new(at(i64::from(n)), numbered(n)),
        workspace: Workspace::default(),
        pair: Some(pair_id(n)),
        topic: topic().id,
        model: "test".to_owned(),
        at: at(i64::from(n)),
        stage: "success".to_owned(),
        estimate: 20_000,
        usage: None,
        first_prompt: None,
        cost: None,
        trimmed: 0,
        body: Some(body.to_string()),
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

/// M1 of the review: each receipt listed the whole window again.
#[tokio::test]
async fn rel_9_a_receipt_adds_what_is_new_and_shows_all_that_was_sent() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let workspace = Workspace::default();
    let pairs: Vec<MessagePair> = (0..WINDOW + SENDS).map(pair).collect();
    store.insert_many(&workspace, &pairs).await.unwrap();
    // The first one has the whole window to tell.
    store.put_receipt(&receipt(WINDOW)).await.unwrap();
    store.vacuum().await.unwrap();
    let (before, mut listed) = (size(&path), 0);
    for n in WINDOW + 1..WINDOW + SENDS {
        let receipt = receipt(n);
        listed += receipt.body.as_ref().map_or(0, String::len) as u64;
        store.put_receipt(&receipt).await.unwrap();
    }
    store.vacuum().await.unwrap();
    let added = size(&path) - before;
    assert!(listed > 10 * MOST, "the receipts of this test are long: {listed} bytes");
    assert!(added < MOST / 2, "{SENDS} receipts took {added} bytes of {listed}");
    for n in (WINDOW..WINDOW + SENDS).step_by(19) {
        assert_eq!(store.receipt(receipt(n).id).await.unwrap(), receipt(n));
    }
    // An edit or a deletion of a pair changes nothing of what later receipts show.
    store.delete(&[pair_id(WINDOW + 3)]).await.unwrap();
    let later = receipt(WINDOW + 40);
    assert_eq!(store.receipt(later.id).await.unwrap(), later);
    assert_eq!(store.receipt(receipt(WINDOW + 3).id).await.unwrap().body, None);
}

/// A store of an earlier version becomes small, also when that is cut off again and again.
#[tokio::test]
async fn rel_9_receipts_of_earlier_versions_are_written_anew_and_the_file_gets_smaller() {
    const OLD: u32 = 60;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let pairs: Vec<MessagePair> = (0..WINDOW + OLD).map(pair).collect();
    store.insert_many(&Workspace::default(), &pairs).await.unwrap();
    for n in WINDOW..WINDOW + OLD {
        store.put_receipt(&receipt(n)).await.unwrap();
    }
    drop(store);
    {
        let then = Connection::open(&path).unwrap();
        let old = "UPDATE receipt_bodies SET body = $1 WHERE receipt_id = $2";
        for n in WINDOW..WINDOW + OLD {
            let receipt = receipt(n);
            then.execute(old, (receipt.body, receipt.id.to_string())).unwrap();
        }
        then.execute("DELETE FROM receipt_parts", []).unwrap();
        then.execute_batch("VACUUM").unwrap();
    }
    let before = size(&path);
    let mut steps = 0;
    loop {
        let store = open(&path).await.unwrap();
        let some = receipt(WINDOW + steps % OLD);
        assert_eq!(store.receipt(some.id).await.unwrap(), some, "both forms are read");
        let more = store.shrink().await.unwrap();
        drop(store);
        steps += 1;
        assert!(steps < 20, "it comes to an end");
        if !more {
            break;
        }
    }
    assert!(steps > 3, "the work is done in bounded steps");
    let after = size(&path);
    assert!(after * 4 < before, "{before} bytes became {after}");
    let store = open(&path).await.unwrap();
    for n in WINDOW..WINDOW + OLD {
        assert_eq!(store.receipt(receipt(n).id).await.unwrap(), receipt(n));
    }
    let listed = store.receipts(&Workspace::default(), &ReceiptFilter::default()).await.unwrap();
    assert_eq!(listed.len(), OLD as usize);
    assert!(store.check().await.unwrap().is_empty());
}

/// What no receipt has any more goes when deletions are purged, and not before.
#[tokio::test]
async fn rec_5_lines_of_receipts_go_with_the_last_receipt_that_has_them() {
    use plimsoll_domain::DeletionId;
    use plimsoll_store::{Deletable, Deletions, NewDeletion};
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let workspace = Workspace::default();
    let pairs: Vec<MessagePair> = (0..40).map(pair).collect();
    store.insert_many(&workspace, &pairs).await.unwrap();
    for n in [30, 31] {
        store.put_receipt(&receipt(n)).await.unwrap();
    }
    let all = count(&path, "receipt_parts");
    let new = |n: u8| NewDeletion {
        id: DeletionId::new(at(50), [n; 10]),
        workspace: workspace.clone(),
        at: at(50),
        words: "some".to_owned(),
    };
    let pairs = Deletable::Pairs(vec![pair_id(31)]);
    store.put_aside(&new(1), &pairs).await.unwrap();
    assert_eq!(count(&path, "receipt_parts"), all, "it can be brought back");
    store.restore(&workspace, new(1).id).await.unwrap();
    assert_eq!(store.receipt(receipt(31).id).await.unwrap(), receipt(31));
    store.put_aside(&new(2), &pairs).await.unwrap();
    store.purge_deleted_before(Timestamp::from_millis(i64::MAX)).await.unwrap();
    let left = count(&path, "receipt_parts");
    assert!(left < all && left > 30, "{left} of {all} lines");
    assert_eq!(store.receipt(receipt(30).id).await.unwrap(), receipt(30));
    store.put_aside(&new(3), &Deletable::Pairs(vec![pair_id(30)])).await.unwrap();
    store.purge_deleted_before(Timestamp::from_millis(i64::MAX)).await.unwrap();
    assert_eq!(count(&path, "receipt_parts"), 0);
}

/// While a provider is down every send leaves its request (REC-5): each message once. What is
/// deleted for good is gone from the file at once, however many requests held it.
#[tokio::test]
async fn rel_9_requests_of_failed_sends_add_what_is_new_and_forget_what_is_deleted() {
    use plimsoll_store::ErrorSnapshot;
    const FAILED: u32 = 200;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let workspace = Workspace::default();
    let text = |n: u32| format!("question {n}, unmistakable-{n}-words, {}", "and more ".repeat(12));
    let pairs: Vec<MessagePair> =
        (0..WINDOW + FAILED).map(|n| MessagePair { user_text: text(n), ..pair(n) }).collect();
    store.insert_many(&workspace, &pairs).await.unwrap();
    let request = |n: u32| {
        let message = |n: u32| json!({"role": "user", "content": text(n)});
        let messages: Vec<_> = (n - WINDOW..=n).map(message).collect();
        json!({"model": "test", "messages": messages, "stream": true}).to_string()
    };
    let snapshot = |n: u32| ErrorSnapshot {
        pair: pair_id(n),
        at: at(i64::from(n)),
        included: (n - WINDOW..n).map(pair_id).collect(),
        outgoing_user_text: text(n),
        json_doc: Some(request(n)),
        answer: None,
    };
    let mut listed = 0;
    // The first one tells the whole window.
    store.put_snapshot(&snapshot(WINDOW)).await.unwrap();
    drop(store);
    let before = size(&path);
    let store = open(&path).await.unwrap();
    for n in WINDOW + 1..WINDOW + FAILED {
        store.put_snapshot(&snapshot(n)).await.unwrap();
        listed += request(n).len();
    }
    drop(store);
    // What people wrote is about 150 bytes of each; a list of the window would be 40,000.
    let added = size(&path) - before;
    assert!(added < u64::from(FAILED) * 2_000, "{FAILED} failed sends took {added} bytes");
    let store = open(&path).await.unwrap();
    let sum = |sql: &str| {
        let connection = Connection::open(&path).unwrap();
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs() as usize
    };
    let kept = sum("SELECT SUM(LENGTH(json_doc)) FROM snapshots")
        + sum("SELECT SUM(LENGTH(digest) + LENGTH(body)) FROM request_parts");
    assert!(kept * 20 < listed, "{FAILED} requests of {listed} bytes took {kept}");
    for n in [WINDOW, WINDOW + 7, WINDOW + FAILED - 1] {
        assert_eq!(store.snapshot(pair_id(n)).await.unwrap(), Some(snapshot(n)));
    }
    assert!(store.check().await.unwrap().is_empty());
    // The oldest is in the first request alone, the newest of all in every one.
    store.delete(&[pair_id(0), pair_id(WINDOW - 1)]).await.unwrap();
    assert_eq!(store.snapshot(pair_id(WINDOW)).await.unwrap().unwrap().json_doc, None);
    store.delete(&(WINDOW..WINDOW + FAILED).map(pair_id).collect::<Vec<_>>()).await.unwrap();
    drop(store);
    let bytes = std::fs::read(&path).unwrap();
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    assert!(holds("unmistakable-5-words"));
    for gone in [0, WINDOW - 1, WINDOW, WINDOW + FAILED - 1] {
        assert!(!holds(&format!("unmistakable-{gone}-words")), "{gone} is still in the file");
    }
    assert_eq!(count(&path, "request_parts"), 0);
}

/// REC-5: what a request of a failed send quoted comes back with the pairs, in their order, also
/// where several requests quoted them and some of those are deleted meanwhile.
#[tokio::test]
async fn rec_5_pairs_that_come_back_are_quoted_where_they_were() {
    use plimsoll_domain::DeletionId;
    use plimsoll_store::{Deletable, Deletions, ErrorSnapshot, NewDeletion};
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let workspace = Workspace::default();
    let pairs: Vec<MessagePair> = (0..30).map(pair).collect();
    store.insert_many(&workspace, &pairs).await.unwrap();
    let snapshot = |n: u32, included: &[u32]| ErrorSnapshot {
        pair: pair_id(n),
        at: at(i64::from(n)),
        included: included.iter().copied().map(pair_id).collect(),
        outgoing_user_text: format!("question {n}"),
        json_doc: Some(format!("{{\"n\":{n}}}")),
        answer: None,
    };
    let kept = [
        snapshot(20, &[0, 1, 2, 3, 9, 4, 5]),
        snapshot(21, &[1, 2, 3, 4, 5, 6]),
        snapshot(22, &[6, 3, 2]),
    ];
    for one in &kept {
        store.put_snapshot(one).await.unwrap();
    }
    let aside = async |n: u8, pairs: &[u32]| {
        let new = NewDeletion {
            id: DeletionId::new(at(50 + i64::from(n)), [n; 10]),
            workspace: workspace.clone(),
            at: at(50 + i64::from(n)),
            words: "some".to_owned(),
        };
        let pairs = pairs.iter().copied().map(pair_id).collect();
        store.put_aside(&new, &Deletable::Pairs(pairs)).await.unwrap();
        new.id
    };
    let as_kept = async |what: &str| {
        for one in &kept {
            assert_eq!(store.snapshot(one.pair).await.unwrap().as_ref(), Some(one), "{what}");
        }
    };
    as_kept("at first").await;
    let one = aside(1, &[3]).await;
    let left = store.snapshot(pair_id(20)).await.unwrap().unwrap();
    assert_eq!(left.included, [0, 1, 2, 9, 4, 5].map(pair_id));
    assert_eq!(left.json_doc, None);
    // Another failed send meanwhile gets no number of somebody who may come back.
    store.put_snapshot(&snapshot(23, &[2, 7, 8, 4])).await.unwrap();
    store.restore(&workspace, one).await.unwrap();
    as_kept("one is back").await;
    let later = store.snapshot(pair_id(23)).await.unwrap();
    assert_eq!(later, Some(snapshot(23, &[2, 7, 8, 4])));
    // A failed send and what it quoted, together and one after the other.
    let both = aside(2, &[21, 2, 5]).await;
    store.restore(&workspace, both).await.unwrap();
    as_kept("both are back").await;
    let (quoted, quoting) = (aside(3, &[2]).await, aside(4, &[21]).await);
    store.restore(&workspace, quoting).await.unwrap();
    store.restore(&workspace, quoted).await.unwrap();
    let lists: Vec<_> = [20, 21, 22, 23].map(pair_id).into();
    for (id, one) in lists.into_iter().zip(kept.iter().chain(&[snapshot(23, &[2, 7, 8, 4])])) {
        assert_eq!(store.snapshot(id).await.unwrap().unwrap().included, one.included);
    }
    assert!(store.check().await.unwrap().is_empty());
}

/// The file is written anew on the disk, not in memory: `temp_store` would decide otherwise.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn child_vacuums() {
    let Some(path) = crate::support::child_path() else { return };
    let store = open(&path).await.unwrap();
    let most = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let before = most();
    store.vacuum().await.unwrap();
    println!("\nvacuum took {} KB", most() - before);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn rel_7_a_file_is_not_written_anew_in_memory() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = ready(&path).await;
    let long = |n: u32| MessagePair { user_text: format!("{n} ").repeat(400_000), ..pair(n) };
    for n in 0..40 {
        store.insert(&Workspace::default(), &long(n)).await.unwrap();
    }
    drop(store);
    let file = size(&path) >> 10;
    let done = crate::support::child("receipts::child_vacuums", &path).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let took = said.lines().find_map(|line| line.strip_prefix("vacuum took ")).unwrap();
    let took: u64 = took.trim_end_matches(" KB").parse().unwrap();
    assert!(file > 40_000 && took < file / 3, "{took} KB for a file of {file} KB");
}

/// Whoever stops waiting stops the writing anew, and the store works on.
#[tokio::test]
async fn rel_11_a_file_that_is_being_written_anew_holds_nobody_up() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    let store = std::sync::Arc::new(ready(&path).await);
    let long = |n: u32| MessagePair { user_text: format!("{n} ").repeat(100_000), ..pair(n) };
    for n in 0..20 {
        store.insert(&Workspace::default(), &long(n)).await.unwrap();
    }
    for _ in 0..5 {
        let at_work = std::sync::Arc::clone(&store);
        let vacuum = tokio::spawn(async move { at_work.vacuum().await });
        tokio::task::yield_now().await;
        vacuum.abort();
        let _ = vacuum.await;
        store.set_star(&[pair_id(1)], plimsoll_domain::Star::new(2).unwrap()).await.unwrap();
    }
    store.vacuum().await.unwrap();
    assert!(store.check().await.unwrap().is_empty());
}
