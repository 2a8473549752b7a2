//! SQLite and PostgreSQL find the same (TEA-3): 350 notes and 236 questions in four languages, as
//! notes of the memory and as pairs of the history.

// Helpers of tests stand outside the test functions, and may panic like them.
#![allow(clippy::unwrap_used, clippy::panic, dead_code)]
#![cfg(unix)]

#[path = "../../benches/quality/corpus.rs"]
mod corpus;

use std::path::Path;

use corpus::Corpus;
use plimsoll_domain::{MessagePair, Timestamp};
use plimsoll_store::{MemoryFound, MemoryQuery, NewObservation, SearchHit, Store, Workspace};
use plimsoll_store_sql::{OpenOptions, PostgresStore, SqlStore};
use plimsoll_testkit::{
    pairs::{pair, topic},
    postgres::Postgres,
};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// So many of the first are compared.
const FIRST: usize = 20;

async fn fill(store: &dyn Store, corpus: &Corpus) {
    let (start, workspace) = (Timestamp::from_millis(1_794_787_200_000), Workspace::default());
    let notes = corpus.notes.iter().map(|note| NewObservation {
        session: "quality".to_owned(),
        kind: "manual".to_owned(),
        title: note.title.clone(),
        content: note.content.clone(),
        project: "quality".to_owned(),
        ..NewObservation::default()
    });
    let notes: Vec<NewObservation> = notes.collect();
    store.save_observations(&workspace, &notes, start, start).await.unwrap();
    store.put_topic(&workspace, &topic()).await.unwrap();
    let pairs = corpus.notes.iter().zip(1..=u8::MAX).map(|(note, n)| MessagePair {
        user_text: note.title.clone(),
        assistant_text: Some(note.content.clone()),
        ..pair(n)
    });
    store.insert_many(&workspace, &pairs.collect::<Vec<_>>()).await.unwrap();
}

/// What is found, with all that is told of it.
async fn found(store: &dyn Store, text: &str) -> (Vec<String>, Vec<SearchHit>) {
    let workspace = Workspace::default();
    let query = MemoryQuery {
        text: text.to_owned(),
        limit: FIRST,
        snippet_chars: 300,
        ..MemoryQuery::default()
    };
    let hits = store.search_memory(&workspace, &query).await.unwrap();
    let told = hits.hits.into_iter().map(|hit| {
        let id = match hit.found {
            MemoryFound::Observation(note) => note.id,
            MemoryFound::Prompt(prompt) => prompt.id,
        };
        format!("#{id} {} {:?} {:?}", hit.snippet, hit.marks, hit.how)
    });
    let told = told.chain([format!("{} {} {}", hits.any_word, hits.matched, hits.more)]).collect();
    (told, store.search(&workspace, text, FIRST).await.unwrap())
}

#[tokio::test]
async fn tea_3_both_engines_find_the_same_first_twenty_in_the_same_order() {
    let Some(server) = Postgres::shared() else { return };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("quality");
    let corpus = Corpus::read(&corpus, None).unwrap();
    assert!(corpus.notes.len() >= 350 && corpus.questions.len() >= 236);
    let directory = tempfile::tempdir().unwrap();
    let (path, now) = (directory.path().join("plimsoll.db"), Timestamp::from_millis(0));
    let file = SqlStore::open_sqlite(&path, OpenOptions::default(), now).await.unwrap();
    let server =
        PostgresStore::open(&server.database(), OpenOptions::default(), now).await.unwrap();
    fill(&file, &corpus).await;
    fill(&server, &corpus).await;
    let mut notes = 0;
    for question in &corpus.questions {
        let (here, there) =
            (found(&file, &question.text).await, found(&server, &question.text).await);
        assert_eq!(here.0, there.0, "notes for {:?}", question.text);
        assert_eq!(here.1, there.1, "pairs for {:?}", question.text);
        notes += here.0.len() - 1;
    }
    assert!(notes > 1000, "{notes} were found in all");
}
