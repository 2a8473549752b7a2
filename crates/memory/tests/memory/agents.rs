//! Many agents on one store.

use std::sync::{Arc, atomic::AtomicI64};

use plimsoll_memory::{Find, Ledger, MemoryError, Recall, Save, Stats, Update};

use crate::support::{NOON, desk, memory_on, open, save};

/// Twenty handles, as twenty processes have them: no write is lost, none meets a lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_agents_lose_nothing() {
    const AGENTS: usize = 20;
    const NOTES: usize = 10;
    let desk = desk().await;
    let mut agents = tokio::task::JoinSet::new();
    for agent in 0..AGENTS {
        let path = desk.path();
        agents.spawn(async move {
            let now = Arc::new(AtomicI64::new(NOON));
            let memory = memory_on(open(&path).await, now, Ledger::default());
            for n in 0..NOTES {
                let title = format!("agent {agent} note {n}");
                memory.save(save(&title, "what all of them saw")).await.unwrap();
                let shared = Save { topic_key: Some("shared".into()), ..save("Shared", &title) };
                memory.save(shared).await.unwrap();
                memory.search(Find { query: title, ..Find::default() }).await.unwrap();
                memory.context(Recall::default()).await.unwrap();
            }
        });
    }
    while let Some(done) = agents.join_next().await {
        done.unwrap();
    }
    let told = desk.memory.stats(Stats::default()).await.unwrap();
    assert_eq!(told.total, AGENTS * NOTES + 1);
    let shared = desk.memory.find_observations(None, None, "shared", 1).await.unwrap();
    assert_eq!(shared[0].revision_count, (AGENTS * NOTES) as u64, "each text was the next");
    assert!(desk.store.check().await.unwrap().is_empty());
}

/// MEM-3: writers that all saw the same text do not write over each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mem_3_of_writers_that_saw_the_same_one_wins() {
    const WRITERS: usize = 4;
    let desk = desk().await;
    let id = desk.note("Depth", "9 m").await;
    let mut memories = Vec::new();
    for _ in 0..WRITERS {
        let now = Arc::new(AtomicI64::new(NOON));
        memories.push(memory_on(open(&desk.path()).await, now, Ledger::default()));
    }
    for seen in 1..=10 {
        let mut writers = tokio::task::JoinSet::new();
        for (writer, memory) in memories.iter().cloned().enumerate() {
            writers.spawn(async move {
                let content = Some(format!("writer {writer} measured it after {seen}"));
                let seen_revision = Some(seen);
                memory.update(Update { id, content, seen_revision, ..Update::default() }).await
            });
        }
        let done = writers.join_all().await;
        assert_eq!(done.iter().filter(|one| one.is_ok()).count(), 1, "{done:?}");
        for late in done.into_iter().filter_map(Result::err) {
            assert_eq!(late, MemoryError::ChangedMeanwhile { id, revision: seen + 1 });
        }
    }
    let only_seen = Update { id, seen_revision: Some(11), ..Update::default() };
    assert_eq!(desk.memory.update(only_seen).await.unwrap_err(), MemoryError::NothingToChange);
}
