//! A store with many conversations, each of one pair.

use std::path::Path;

use plimsoll_domain::{Lifecycle, MessagePair, PairId, Topic, TopicId};
use plimsoll_store::Workspace;
use plimsoll_testkit::pairs::{at, pair};

use crate::served::store;

/// The title of conversation `n`; the highest number is the newest.
pub(crate) fn title(n: u32) -> String {
    format!("Talk {n:05} about ships")
}

/// Five at a time were written in at the same moment.
fn conversation(n: u32) -> (Topic, MessagePair) {
    let created_at = at(i64::from(n / 5) * 60_000);
    let mut random = [0; 10];
    random[..4].copy_from_slice(&n.to_be_bytes());
    let topic = Topic { name: title(n), ..Topic::new_chat(TopicId::new(created_at, random)) };
    let said = MessagePair {
        id: PairId::new(created_at, random),
        topic_id: topic.id,
        created_at,
        model: "test".to_owned(),
        user_text: title(n),
        assistant_text: Some("They float.".to_owned()),
        lifecycle: Lifecycle::Complete,
        ..pair(1)
    };
    (topic, said)
}

/// Writes so many conversations into the store of a home, before anybody serves it.
pub(crate) fn write_conversations(home: &Path, count: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = store::open(&home.join("data"), at(0)).await;
        let (topics, pairs): (Vec<_>, Vec<_>) = (0..count).map(conversation).unzip();
        store.bring_in(&Workspace::default(), &topics, &[]).await.unwrap();
        for pairs in pairs.chunks(1000) {
            store.insert_many(&Workspace::default(), pairs).await.unwrap();
        }
    });
}
