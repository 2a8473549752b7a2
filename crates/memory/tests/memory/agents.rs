//! Many agents on one store.

use std::sync::{Arc, atomic::AtomicI64};

use plimsoll_memory::{Find, Ledger, Recall, Save};

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
    let told = desk.memory.stats(None).await.unwrap();
    assert_eq!(told.total, AGENTS * NOTES + 1);
    let shared = desk.memory.find_observations(None, None, "shared", 1).await.unwrap();
    assert_eq!(shared[0].revision_count, (AGENTS * NOTES) as u64, "each text was the next");
    assert!(desk.store.check().await.unwrap().is_empty());
}
