//! Rules of search (HIS-7).

use std::sync::Arc;

use plimsoll_domain::{HistoryScope, LifecycleEvent, MessagePair, PairId};

use super::{Backend, ODD_QUERIES, answered, at, filled, held, pair, pair_id, ready};
use plimsoll_store::{Edit, Outcome, Store, Workspace};

fn about(n: u8, user: &str, assistant: &str) -> MessagePair {
    MessagePair {
        user_text: user.to_owned(),
        assistant_text: Some(assistant.to_owned()),
        ..answered(n)
    }
}

async fn found(store: &Arc<dyn Store>, query: &str) -> Vec<PairId> {
    let hits = store.search(&Workspace::default(), query, 10).await.unwrap();
    hits.into_iter().map(|hit| hit.pair).collect()
}

/// All words, any case, with or without accents, whole phrases, the beginning of the last.
pub(crate) async fn words_are_found_in_both_texts(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let pairs = [
        about(1, "What is a Plimsoll line?", "A mark on the hull."),
        about(2, "Wie groß ist das Schiff?", "Der Hafen von Málaga misst es."),
        about(3, "the line of the hull", "mark"),
    ];
    filled(&store, &workspace, &pairs).await;
    let cases: [(&str, &[u8]); 8] = [
        ("plimsoll", &[1]),
        ("PLIMSOLL hull", &[1]),
        ("malaga", &[2]),
        ("plims", &[1]),
        ("\"plims\"", &[]),
        ("\"the hull\" line", &[1, 3]),
        ("\"mark on\"", &[1]),
        // No pair has both words, so those with one are told.
        ("plimsoll schiff", &[1, 2]),
    ];
    for (query, expected) in cases {
        let mut hits = found(&store, query).await;
        hits.sort();
        let expected: Vec<_> = expected.iter().map(|n| pair_id(*n)).collect();
        assert_eq!(hits, expected, "{query}");
    }
    let elsewhere = Workspace::parse("no/where").unwrap();
    assert!(store.search(&elsewhere, "plimsoll", 10).await.unwrap().is_empty(), "HIS-6");
}

/// More of the word in less text ranks higher, and the limit cuts the rest.
pub(crate) async fn better_hits_come_first(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let long = "cargo and many other words about things that nobody asked for, ".repeat(9);
    let pairs = [about(1, &long, "yes"), about(2, "anchor anchor", "anchor"), about(3, "no", "no")];
    filled(&store, &workspace, &pairs).await;
    let edit = Edit { user_text: Some(format!("{long} anchor")), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    let hits = store.search(&workspace, "anchor", 10).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.pair).collect::<Vec<_>>(), [pair_id(2), pair_id(1)]);
    assert!(hits[0].score > hits[1].score);
    assert_eq!(store.search(&workspace, "anchor", 1).await.unwrap().len(), 1);
    assert_eq!(store.search(&workspace, "anchor", 0).await.unwrap().len(), 0);
}

/// Marks are on character boundaries and hold the words that were found.
pub(crate) async fn marks_show_what_was_found(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[about(1, "Über dem Anker: das Seil", "kein Seil")]).await;
    let hit = &store.search(&workspace, "seil anker", 10).await.unwrap()[0];
    let words: Vec<_> = hit.marks.iter().map(|mark| &hit.snippet[mark.clone()]).collect();
    assert_eq!(words, ["Anker", "Seil"]);
}

/// Whatever people type is a query, and none is an operator.
pub(crate) async fn any_query_is_safe(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[about(1, "near and not or", "x")]).await;
    for query in ODD_QUERIES {
        let outcome = store.search(&workspace, query, 10).await;
        assert!(outcome.is_ok(), "{query:?}: {outcome:?}");
    }
    assert_eq!(found(&store, "NOT near").await, [pair_id(1)]);
    assert_eq!(found(&store, &"near ".repeat(2000)).await, [pair_id(1)]);
}

/// The index follows edits, answers, swaps and the end of a send.
pub(crate) async fn what_changed_is_found_as_it_is_now(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[about(1, "starboard", "first")]).await;
    let edit = Edit { user_text: Some("larboard".to_owned()), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    assert!(found(&store, "starboard").await.is_empty());
    assert_eq!(found(&store, "larboard").await, [pair_id(1)]);
    store.claim(pair_id(1), "m", HistoryScope::Everything, "me", at(60)).await.unwrap();
    assert!(found(&store, "first").await.is_empty());
    store.save_partial(held(&store, pair_id(1)).await, "second").await.unwrap();
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Cancel, &Outcome::default())
        .await
        .unwrap();
    assert_eq!(found(&store, "second").await, [pair_id(1)]);
    store.swap_answer(pair_id(1)).await.unwrap();
    assert_eq!(found(&store, "first").await, [pair_id(1)]);
    store.begin(&workspace, &[pair(2)], HistoryScope::Everything, "me", at(70)).await.unwrap();
    assert_eq!(found(&store, "question").await, [pair_id(2)], "at once, while it is sent");
    assert!(store.check().await.unwrap().is_empty());
}

/// More words than are written at once, some of them known already; and all of them gone again.
pub(crate) async fn each_word_of_a_long_text_is_counted(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let words = |from: u32, to: u32| {
        let all: Vec<String> = (from..to).map(|n| format!("buoy{n:04}")).collect();
        all.join(" ")
    };
    let pairs = [about(1, &words(0, 700), "short"), about(2, &words(650, 1800), "short")];
    for one in pairs {
        filled(&store, &workspace, &[one]).await;
    }
    assert!(store.check().await.unwrap().is_empty());
    assert_eq!(found(&store, "buoy1799").await, [pair_id(2)]);
    assert_eq!(found(&store, "buoy0650").await.len(), 2);
    let edit = Edit { user_text: Some(words(1799, 1801)), assistant_text: None };
    store.edit(pair_id(2), &edit, at(9)).await.unwrap();
    assert!(store.check().await.unwrap().is_empty(), "what nobody has is forgotten");
    assert_eq!(found(&store, "buoy0650").await, [pair_id(1)]);
    assert_eq!(found(&store, "buoy1800").await, [pair_id(2)]);
}
