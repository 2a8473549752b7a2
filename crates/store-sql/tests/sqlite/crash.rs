//! `kill -9` at any instant (REL-1): what was confirmed is there, and the store opens.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader},
    path::Path,
    time::Duration,
};

use plimsoll_domain::{HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairId};
use plimsoll_store::{Edit, INTERRUPTED, Outcome, Pairs, Store, Upkeep, Workspace};
use plimsoll_testkit::pairs::{LEASE, at, pair};
use tempfile::TempDir;

use crate::support::{child, child_path, held, open, ready};

/// How often the writer is killed.
const KILLS: u64 = 40;

/// Pair number `n` of run `run`, with a text that proves itself whole.
fn numbered(run: u64, n: u64) -> MessagePair {
    let created_at = at(i64::try_from(run * 1_000_000 + n).unwrap());
    let mut random = [0; 10];
    random[..8].copy_from_slice(&(run << 32 | n).to_be_bytes());
    let id = PairId::new(created_at, random);
    let user_text = format!("{id} {}end", "text ".repeat((n % 700) as usize));
    MessagePair { id, created_at, user_text, ..pair(1) }
}

/// Writes, answers, edits and deletes until it is killed; says what is confirmed.
#[tokio::test]
async fn child_writes_until_it_is_killed() {
    let Some(path) = child_path() else { return };
    let run: u64 = std::env::var("RUN").unwrap().parse().unwrap();
    let store = open(&path).await.unwrap();
    let workspace = Workspace::default();
    store.recover(&|_| false).await.unwrap();
    for n in 0.. {
        let next = numbered(run, n);
        store
            .begin(
                &workspace,
                std::slice::from_ref(&next),
                HistoryScope::Everything,
                "child",
                at(0),
                LEASE,
            )
            .await
            .unwrap();
        println!("\n+{}", next.id);
        for length in 1..4 {
            store.save_partial(held(&store, next.id).await, &"part ".repeat(length)).await.unwrap();
        }
        println!("\n~{}", next.id);
        store
            .set_state(held(&store, next.id).await, LifecycleEvent::Finish, &Outcome::default())
            .await
            .unwrap();
        println!("\n={}", next.id);
        if n % 3 == 0 {
            let edit = Edit { user_text: None, assistant_text: Some("edited".to_owned()) };
            store.edit(next.id, &edit, at(1)).await.unwrap();
        }
        if n % 5 == 4 {
            println!("\n?{}", next.id);
            store.delete(&[next.id]).await.unwrap();
        }
    }
}

/// What the child said before it was killed.
#[derive(Default)]
struct Said {
    begun: HashSet<String>,
    partial: HashSet<String>,
    ended: HashSet<String>,
    perhaps_deleted: HashSet<String>,
}

fn run_and_kill(path: &Path, run: u64, after: Duration) -> Said {
    let mut command = child("crash::child_writes_until_it_is_killed", path);
    let mut process = command.env("RUN", run.to_string()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(after);
        process.kill().unwrap();
        process.wait().unwrap();
    });
    let mut said = Said::default();
    for line in lines.map_while(Result::ok) {
        let Some((mark, id)) = line.split_at_checked(1).filter(|(_, id)| id.len() == 36) else {
            continue;
        };
        match mark {
            "+" => said.begun.insert(id.to_owned()),
            "~" => said.partial.insert(id.to_owned()),
            "=" => said.ended.insert(id.to_owned()),
            "?" => said.perhaps_deleted.insert(id.to_owned()),
            _ => false,
        };
    }
    killer.join().unwrap();
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn rel_1_nothing_confirmed_is_lost_when_the_process_is_killed() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("p.db");
    drop(ready(&path).await);
    let mut confirmed = 0;
    for run in 0..KILLS {
        // The moments spread over starting, writing and checkpoints.
        let after = Duration::from_millis(15 + run * 37 % 200);
        let said = run_and_kill(&path, run, after);
        let store = open(&path).await.unwrap();
        assert!(store.check().await.unwrap().is_empty(), "run {run}");
        for id in &said.begun {
            let found = store.get(PairId::parse(id).unwrap()).await;
            if said.perhaps_deleted.contains(id) && found.is_err() {
                continue;
            }
            let pair = found.unwrap_or_else(|error| panic!("run {run}, {id}: {error}")).pair;
            assert!(pair.user_text.starts_with(id) && pair.user_text.ends_with("end"));
            if said.partial.contains(id) {
                let text = pair.assistant_text.unwrap();
                assert!(text == "part part part " || text == "edited", "{text}");
            }
            if said.ended.contains(id) {
                assert_eq!(pair.lifecycle, Lifecycle::Complete);
            }
        }
        confirmed += said.begun.len();
        for interrupted in store.recover(&|_| false).await.unwrap() {
            let error = interrupted.pair.error.unwrap();
            assert_eq!(error.code, INTERRUPTED, "SND-6");
        }
        let rows = store.rows(&Workspace::default()).await.unwrap();
        assert!(rows.iter().all(|row| row.lifecycle != Lifecycle::Sending));
    }
    assert!(confirmed > 0, "the child got somewhere");
    println!("{confirmed} pairs confirmed over {KILLS} kills");
}

#[tokio::test]
async fn child_opens() {
    let Some(path) = child_path() else { return };
    println!("opening");
    drop(open(&path).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn rel_1_a_store_that_was_killed_while_it_was_made_opens() {
    let directory = TempDir::new().unwrap();
    for run in 0..KILLS {
        let path = directory.path().join(format!("{run}.db"));
        let mut process = child("crash::child_opens", &path).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        while !lines.next().unwrap().unwrap().ends_with("opening") {}
        std::thread::sleep(Duration::from_micros(run * 600));
        process.kill().unwrap();
        process.wait().unwrap();
        let store = open(&path).await.unwrap();
        assert!(store.check().await.unwrap().is_empty(), "run {run}");
        assert_eq!(store.count(&Workspace::default()).await.unwrap(), 0);
    }
}
