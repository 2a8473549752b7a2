//! Rules of what models made of notes (MEM-10).

use std::sync::Arc;

use plimsoll_store::{
    Change, MemoryFilter, NoteText, NoteVectors, Projects, Store, VectorCounts, Workspace,
};

use super::{
    Backend, at,
    memory::{note, save},
    ready,
};

const MODEL: &str = "tiny";

async fn missing(store: &Arc<dyn Store>, since: i64, before: u64) -> Vec<NoteText> {
    let workspace = Workspace::default();
    store.notes_without_vectors(&workspace, MODEL, at(since), before, 9).await.unwrap()
}

async fn missing_ids(store: &Arc<dyn Store>) -> Vec<u64> {
    missing(store, 0, u64::MAX).await.iter().map(|note| note.id).collect()
}

/// Something that could be the vectors of a text.
fn made(text: &NoteText) -> NoteVectors {
    NoteVectors {
        id: text.id,
        fingerprint: text.fingerprint.clone(),
        vectors: vec![0, 255, 7, text.title.len() as u8],
    }
}

/// Gives all notes without vectors some.
async fn fill(store: &Arc<dyn Store>) -> u64 {
    let vectors: Vec<NoteVectors> = missing(store, 0, u64::MAX).await.iter().map(made).collect();
    store.put_vectors(&Workspace::default(), MODEL, &vectors).await.unwrap()
}

async fn kept(store: &Arc<dyn Store>, model: &str) -> Vec<(u64, Vec<u8>)> {
    let all = store.vectors_after(&Workspace::default(), model, 0, 99).await.unwrap();
    all.into_iter().map(|kept| (kept.id, kept.vectors)).collect()
}

pub(crate) async fn mem_10_vectors_are_kept_until_the_text_is_another(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "the mud is deep"), 1).await.id;
    let b = save(&store, &note("bb", "the tide is low"), 2).await.id;
    let texts = missing(&store, 0, u64::MAX).await;
    assert_eq!(texts.iter().map(|text| text.id).collect::<Vec<_>>(), [b, a], "the newest first");
    assert_eq!((&*texts[1].title, &*texts[1].content), ("a", "the mud is deep"));
    assert_eq!(missing(&store, 2, u64::MAX).await.len(), 1, "changed since");
    assert_eq!(missing(&store, 0, b).await.len(), 1, "before an id");
    let nothing = store.vector_counts(&workspace, MODEL).await.unwrap();
    assert_eq!(nothing, VectorCounts { notes: 2, with_vectors: 0 });

    assert_eq!(fill(&store).await, 2);
    assert_eq!(missing_ids(&store).await, [0; 0]);
    assert_eq!(kept(&store, MODEL).await, [(b, vec![0, 255, 7, 2]), (a, vec![0, 255, 7, 1])]);
    assert_eq!(kept(&store, "another").await, []);
    let all = store.vector_counts(&workspace, MODEL).await.unwrap();
    assert_eq!(all, VectorCounts { notes: 2, with_vectors: 2 });

    // Another text needs other vectors; until then there are the old ones.
    let change = Change { content: Some("the mud is gone".to_owned()), ..Change::default() };
    store.change_observation(&workspace, a, &change, at(5)).await.unwrap();
    assert_eq!(missing_ids(&store).await, [a]);
    assert_eq!(missing(&store, 5, u64::MAX).await[0].content, "the mud is gone");
    assert_eq!(kept(&store, MODEL).await.len(), 2);
    let counts = store.vector_counts(&workspace, MODEL).await.unwrap();
    assert_eq!(counts, VectorCounts { notes: 2, with_vectors: 1 });
    assert_eq!(fill(&store).await, 1);
    assert_eq!(missing_ids(&store).await, [0; 0]);
    // Those of another model are none.
    let other = store.notes_without_vectors(&workspace, "another", at(0), u64::MAX, 9).await;
    assert_eq!(other.unwrap().len(), 2);
    assert_eq!(store.forget_vectors(&workspace).await.unwrap(), 2);
    assert_eq!(missing_ids(&store).await, [b, a]);
}

pub(crate) async fn mem_10_vectors_go_with_their_note(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "one"), 1).await.id;
    let b = save(&store, &note("b", "two"), 2).await.id;
    store.delete_observation(&workspace, b, false, at(3)).await.unwrap();
    assert_eq!(missing_ids(&store).await, [a], "a deleted one needs none");
    fill(&store).await;
    store.delete_observation(&workspace, a, false, at(4)).await.unwrap();
    assert_eq!(kept(&store, MODEL).await.len(), 1, "it may come back");
    let counts = store.vector_counts(&workspace, MODEL).await.unwrap();
    assert_eq!(counts, VectorCounts::default());
    store.delete_observation(&workspace, a, true, at(5)).await.unwrap();
    assert_eq!(kept(&store, MODEL).await, []);
}

pub(crate) async fn mem_10_vectors_are_read_in_the_order_of_change(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    for n in 1..=5 {
        save(&store, &note(&"x".repeat(n), "text"), n as i64).await;
    }
    fill(&store).await;
    let page = |after| store.vectors_after(&workspace, MODEL, after, 2);
    let (mut ids, mut last) = (Vec::new(), 0);
    loop {
        let some = page(last).await.unwrap();
        let Some(end) = some.last() else { break };
        assert!(some.iter().all(|kept| kept.change > last));
        last = end.change;
        ids.extend(some.iter().map(|kept| kept.id));
    }
    assert_eq!(ids.len(), 5);
    // What is written again comes again, at the end, also to who reads in another process.
    let change = Change { title: Some("other".to_owned()), ..Change::default() };
    store.change_observation(&workspace, ids[2], &change, at(9)).await.unwrap();
    fill(&backend.open().await).await;
    let since = page(last).await.unwrap();
    assert_eq!(since.iter().map(|kept| kept.id).collect::<Vec<_>>(), [ids[2]]);
    // Nobody else sees them.
    let elsewhere = Workspace::parse("default/elsewhere").unwrap();
    assert_eq!(store.vectors_after(&elsewhere, MODEL, 0, 9).await.unwrap(), []);
}

pub(crate) async fn mem_10_vectors_of_a_text_that_changed_meanwhile_are_not_kept(
    backend: &impl Backend,
) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "one"), 1).await.id;
    let early = made(&missing(&store, 0, u64::MAX).await[0]);
    let change = Change { content: Some("two".to_owned()), ..Change::default() };
    store.change_observation(&workspace, a, &change, at(2)).await.unwrap();
    let gone = NoteVectors { id: 999, ..early.clone() };
    let kept = store.put_vectors(&workspace, MODEL, &[early, gone]).await.unwrap();
    assert_eq!((kept, missing_ids(&store).await), (0, vec![a]));
}

pub(crate) async fn mem_10_ids_are_narrowed_by_a_filter(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut ids = Vec::new();
    for n in 0..450u64 {
        let project = if n % 2 == 0 { "harbour" } else { "sea" };
        let one = plimsoll_store::NewObservation {
            project: project.to_owned(),
            ..note(&format!("n{n}"), "text")
        };
        ids.push(save(&store, &one, 10 + n as i64).await.id);
    }
    store.delete_observation(&workspace, ids[4], false, at(900)).await.unwrap();
    ids.reverse();
    let sea = MemoryFilter {
        projects: Projects::Only(vec!["sea".to_owned()]),
        ..MemoryFilter::default()
    };
    let found = store.notes_passing(&workspace, &sea, &ids).await.unwrap();
    assert_eq!(found, store.newest_notes(&workspace, &sea, 999).await.unwrap(), "in their order");
    assert_eq!(found.len(), 225);
    let all = store.notes_passing(&workspace, &MemoryFilter::default(), &ids).await.unwrap();
    assert_eq!(all.len(), 449, "a deleted one passes none");
    assert_eq!(store.newest_notes(&workspace, &sea, 3).await.unwrap(), found[..3]);
    assert_eq!(store.notes_passing(&workspace, &sea, &[]).await.unwrap(), [0; 0]);
}
