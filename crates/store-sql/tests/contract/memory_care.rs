//! Notes that are brought back, superseded, expired, anchored, and looked at first (MEM-12,
//! MEM-15, MEM-16).

use std::sync::Arc;

use super::{
    Backend, at,
    memory::{note, save},
    ready,
};
use plimsoll_store::{
    Anchor, AnchorState, Change, MemoryFilter, MemoryQuery, NewObservation, NewRelation, Noun,
    Order, Proposal, SUPERSEDES, Saved, Store, StoreError, Workspace,
};

/// The titles that still count at a time, the newest first.
async fn current(store: &Arc<dyn Store>, millis: i64) -> Vec<String> {
    let filter = MemoryFilter { current_at: Some(at(millis)), ..MemoryFilter::default() };
    let listed = store.observations(&Workspace::default(), &filter, Order::Newest, 50).await;
    let (notes, total) = listed.unwrap();
    assert_eq!(notes.len() as u64, total);
    // The others are those that do not count any more.
    let all = store.observations(&Workspace::default(), &MemoryFilter::default(), Order::Newest, 0);
    let filter = MemoryFilter { outdated_at: Some(at(millis)), ..MemoryFilter::default() };
    let outdated = store.observations(&Workspace::default(), &filter, Order::Newest, 50).await;
    assert_eq!(outdated.unwrap().1, all.await.unwrap().1 - total);
    notes.into_iter().map(|note| note.title).collect()
}

async fn found(store: &Arc<dyn Store>, words: &str) -> usize {
    let query = MemoryQuery { text: words.to_owned(), limit: 9, ..MemoryQuery::default() };
    store.search_memory(&Workspace::default(), &query).await.unwrap().hits.len()
}

/// MEM-12: until it is purged, a deleted note can be brought back by itself.
pub(crate) async fn mem_12_a_deleted_note_is_brought_back(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let keyed = NewObservation { topic_key: Some("k".to_owned()), ..note("a", "lantern") };
    let (a, b) =
        (save(&store, &keyed, 1000).await.id, save(&store, &note("b", "b"), 2000).await.id);
    for (id, time) in [(a, 3000), (b, 4000)] {
        store.delete_observation(&workspace, id, false, at(time)).await.unwrap();
    }
    let (deleted, total) = store.deleted_observations(&workspace, 9).await.unwrap();
    let told: Vec<_> = deleted.iter().map(|one| (one.observation.id, one.deleted_at)).collect();
    assert_eq!((told, total), (vec![(b, at(4000)), (a, at(3000))], 2));
    let back = store.bring_back_observation(&workspace, a).await.unwrap();
    assert_eq!((&*back.title, found(&store, "lantern").await), ("a", 1));
    assert_eq!(store.deletion_of_note(&workspace, a).await.unwrap(), None, "nothing to undo");
    assert!(store.deletion_of_note(&workspace, b).await.unwrap().is_some());
    assert_eq!(store.deleted_observations(&workspace, 9).await.unwrap().1, 1);
    let there = store.bring_back_observation(&workspace, a).await.unwrap();
    assert_eq!(there, back, "one that is there is left as it is");
    // Another has got its key meanwhile.
    store.delete_observation(&workspace, a, false, at(5000)).await.unwrap();
    let rival = save(&store, &keyed, 6000).await.id;
    let refused = store.bring_back_observation(&workspace, a).await.unwrap_err();
    assert_eq!(refused, StoreError::KeyTaken { by: rival });
    assert_eq!(store.deleted_observations(&workspace, 9).await.unwrap().1, 2, "nothing changed");
    store.purge_all_before(at(9000)).await.unwrap();
    let gone = store.bring_back_observation(&workspace, b).await.unwrap_err();
    assert_eq!(gone, StoreError::NotFound(Noun::Observation));
}

/// MEM-15: a note says what superseded it, for as long as that is there; there are no circles.
pub(crate) async fn mem_15_notes_supersede_one_another(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "lantern a"), 1000).await.id;
    let over = |ids: Vec<u64>, title: &str| NewObservation {
        supersedes: ids,
        ..note(title, &format!("lantern {title}"))
    };
    let b = save(&store, &over(vec![a], "b"), 2000).await.id;
    let c = save(&store, &over(vec![b], "c"), 3000).await.id;
    let by = async |id: u64| store.observation(&workspace, id).await.unwrap().superseded_by;
    assert_eq!((by(a).await, by(b).await, by(c).await), (Some(b), Some(c), None));
    assert_eq!(current(&store, 4000).await, ["c"]);
    assert_eq!(found(&store, "lantern").await, 3, "they stay findable");
    // In a circle nothing would count any more.
    let circle = Change { supersedes: vec![c], ..Change::default() };
    let refused = store.change_observation(&workspace, a, &circle, at(5000)).await.unwrap_err();
    assert_eq!(refused, StoreError::Circle { from: a, to: c });
    let both = |from, to| NewRelation { from, to, kind: SUPERSEDES.to_owned(), note: None };
    let drawn = store.relate(&workspace, &[both(a, b)], at(5000)).await.unwrap_err();
    assert_eq!(drawn, StoreError::Circle { from: a, to: b });
    let itself = Change { supersedes: vec![a], ..Change::default() };
    let refused = store.change_observation(&workspace, a, &itself, at(5000)).await.unwrap_err();
    assert_eq!(refused, StoreError::SelfRelation(a));
    // What replaced it is gone, so it counts again.
    store.delete_observation(&workspace, c, false, at(6000)).await.unwrap();
    assert_eq!((by(b).await, current(&store, 6000).await), (None, vec!["b".to_owned()]));
}

/// MEM-15: an expired note is found, but does not count any more.
pub(crate) async fn mem_15_notes_expire(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let until = NewObservation { expires_at: Some(at(5000)), ..note("a", "lantern") };
    let a = save(&store, &until, 1000).await.id;
    save(&store, &note("b", "b"), 2000).await;
    assert_eq!(current(&store, 4999).await, ["b", "a"]);
    assert_eq!(current(&store, 5000).await, ["b"]);
    assert_eq!(found(&store, "lantern").await, 1);
    let known = store.observation(&workspace, a).await.unwrap();
    assert_eq!(known.expires_at, Some(at(5000)));
    let never = Change { expires_at: Some(Change::NEVER), ..Change::default() };
    let changed = store.change_observation(&workspace, a, &never, at(6000)).await.unwrap();
    assert_eq!((changed.expires_at, changed.revision_count), (None, 1));
    assert_eq!(current(&store, 9000).await, ["b", "a"]);
}

/// MEM-15, MEM-16: anchors and authors are kept, also with earlier texts.
pub(crate) async fn mem_15_anchors_and_authors_are_kept(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let anchor = |target: &str, hash: Option<&str>| Anchor {
        target: target.to_owned(),
        state: hash.map(|hash| AnchorState { hash: hash.to_owned(), size: 3, changed: 9 }),
    };
    let first = NewObservation {
        topic_key: Some("k".to_owned()),
        author: Some("codex".to_owned()),
        anchors: vec![anchor("src/a.rs#x", Some("h1")), anchor("commit:abc1234", None)],
        ..note("a", "one")
    };
    let id = save(&store, &first, 1000).await.id;
    let kept = store.observation(&workspace, id).await.unwrap();
    assert_eq!((&kept.anchors, kept.author.as_deref()), (&first.anchors, Some("codex")));
    // A new text without anchors keeps those that there are; one with anchors renews them.
    let next = NewObservation {
        author: Some("ann".to_owned()),
        anchors: vec![],
        content: "two".to_owned(),
        ..first.clone()
    };
    assert_eq!(save(&store, &next, 2000).await.saved, Saved::Revised { revision: 2 });
    let kept = store.observation(&workspace, id).await.unwrap();
    assert_eq!((&kept.anchors, kept.author.as_deref()), (&first.anchors, Some("ann")));
    let earlier = store.observation_revisions(&workspace, id).await.unwrap();
    assert_eq!(earlier[0].author.as_deref(), Some("codex"));
    let renewed = vec![anchor("src/a.rs#x", Some("h2"))];
    let again = NewObservation { anchors: renewed.clone(), ..next };
    assert!(matches!(save(&store, &again, 3000).await.saved, Saved::Repeated { .. }));
    assert_eq!(store.observation(&workspace, id).await.unwrap().anchors, renewed);
    let anchored = MemoryFilter { anchored: true, ..MemoryFilter::default() };
    assert_eq!(store.observations(&workspace, &anchored, Order::Newest, 9).await.unwrap().1, 1);
    let none = Change { anchors: Some(Vec::new()), ..Change::default() };
    let changed = store.change_observation(&workspace, id, &none, at(4000)).await.unwrap();
    assert_eq!((changed.anchors, changed.revision_count), (vec![], 2));
    assert_eq!(store.observations(&workspace, &anchored, Order::Newest, 9).await.unwrap().1, 0);
}

/// MEM-16: what waits is nowhere until it is approved, and then as it would have been saved.
pub(crate) async fn mem_16_what_waits_is_apart(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "lantern"), 1000).await.id;
    let full = NewObservation {
        author: Some("codex".to_owned()),
        namespace: Some("n".to_owned()),
        topic_key: Some("k".to_owned()),
        tool_name: Some("t".to_owned()),
        relate_to: vec![a],
        supersedes: vec![a],
        expires_at: Some(at(99_000)),
        anchors: vec![Anchor { target: "src/a.rs".to_owned(), state: None }],
        ..note("b", "lantern two")
    };
    let change = Change {
        content: Some("lantern three".to_owned()),
        anchors: Some(Vec::new()),
        author: Some("codex".to_owned()),
        ..Change::default()
    };
    let proposals =
        vec![Proposal::New(full.clone()), Proposal::Change { of: a, change: change.clone() }];
    let ids = store.propose(&workspace, &proposals, at(2000)).await.unwrap();
    assert_eq!(ids, [a + 1, a + 2]);
    assert_eq!(store.propose(&workspace, &proposals, at(3000)).await.unwrap(), ids, "once");
    let (waiting, total) = store.pending_notes(&workspace, 9).await.unwrap();
    let kept: Vec<_> = waiting.iter().map(|one| one.proposal.clone()).collect();
    assert_eq!((kept, total), (proposals, 2));
    assert_eq!(waiting[0].saved_at, at(2000));
    assert_eq!(found(&store, "lantern").await, 1);
    assert_eq!(current(&store, 4000).await, ["a"]);
    let missing = store.observation(&workspace, ids[0]).await.unwrap_err();
    assert_eq!(missing, StoreError::NotFound(Noun::Observation));
    assert_eq!(store.observation(&workspace, a).await.unwrap().content, "lantern");
    // The change first, then the note, which takes the place of the one that it names.
    let approved = store.approve(&workspace, ids[1], at(5000)).await.unwrap();
    assert_eq!((approved.id, approved.saved), (a, Saved::Revised { revision: 2 }));
    assert_eq!(store.observation(&workspace, a).await.unwrap().content, "lantern three");
    let approved = store.approve(&workspace, ids[0], at(6000)).await.unwrap();
    assert_eq!((approved.id, approved.saved), (ids[0], Saved::Added));
    let note_b = store.observation(&workspace, ids[0]).await.unwrap();
    assert_eq!((note_b.created_at, note_b.author.as_deref()), (at(2000), Some("codex")));
    assert_eq!((note_b.anchors, note_b.expires_at), (full.anchors, full.expires_at));
    assert_eq!(store.observation(&workspace, a).await.unwrap().superseded_by, Some(ids[0]));
    assert_eq!(store.relations_of(&workspace, &[a], 9).await.unwrap().len(), 2);
    assert_eq!(store.pending_notes(&workspace, 9).await.unwrap(), (vec![], 0));
    let again = store.approve(&workspace, ids[0], at(7000)).await.unwrap_err();
    assert_eq!(again, StoreError::NotFound(Noun::Pending));
}

/// MEM-16: a note that was not approved is among the deleted ones; a change is gone.
pub(crate) async fn mem_16_what_is_refused_can_be_brought_back(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "a"), 1000).await.id;
    let gone = NewObservation { supersedes: vec![a], ..note("c", "c") };
    let change = Change { title: Some("other".to_owned()), ..Change::default() };
    let proposals = [
        Proposal::New(note("b", "lantern")),
        Proposal::Change { of: a, change },
        Proposal::New(gone),
        Proposal::New(note("d", "d")),
    ];
    let ids = store.propose(&workspace, &proposals, at(2000)).await.unwrap();
    store.reject(&workspace, ids[0], false, at(3000)).await.unwrap();
    store.reject(&workspace, ids[1], false, at(3000)).await.unwrap();
    store.reject(&workspace, ids[3], true, at(3000)).await.unwrap();
    assert_eq!(found(&store, "lantern").await, 0);
    assert_eq!(store.observation(&workspace, a).await.unwrap().title, "a");
    let (deleted, total) = store.deleted_observations(&workspace, 9).await.unwrap();
    assert_eq!((deleted[0].observation.id, total), (ids[0], 1));
    let back = store.bring_back_observation(&workspace, ids[0]).await.unwrap();
    assert_eq!((back.title.as_str(), found(&store, "lantern").await), ("b", 1));
    // What it names was deleted while it waited: the rest of it is kept all the same.
    store.delete_observation(&workspace, a, true, at(4000)).await.unwrap();
    let approved = store.approve(&workspace, ids[2], at(5000)).await.unwrap();
    assert_eq!((approved.id, approved.saved), (ids[2], Saved::Added));
}
