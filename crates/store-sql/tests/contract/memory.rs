//! Rules of the memory (MEM-1 to MEM-9).

use std::sync::Arc;

use super::{Backend, at, ready};
use plimsoll_store::{
    Change, MemoryCounts, MemoryFilter, MemoryRecord, NewObservation, NewPrompt, NewRelation,
    NewSession, Noun, Order, ProgressDocument, Projects, Saved, SavedObservation, Scope, Store,
    StoreError, Workspace,
};

/// A note about something.
pub(crate) fn note(title: &str, content: &str) -> NewObservation {
    NewObservation {
        session: "manual-save".to_owned(),
        kind: "manual".to_owned(),
        title: title.to_owned(),
        content: content.to_owned(),
        project: "harbour".to_owned(),
        ..NewObservation::default()
    }
}

/// Saves one note at a time of the tests.
pub(crate) async fn save(
    store: &Arc<dyn Store>,
    note: &NewObservation,
    millis: i64,
) -> SavedObservation {
    let workspace = Workspace::default();
    let saved = store
        .save_observations(&workspace, std::slice::from_ref(note), at(millis), at(millis - 900_000))
        .await
        .unwrap();
    saved.into_iter().next().unwrap()
}

/// A session of the tests' project.
pub(crate) fn session(id: &str) -> NewSession {
    NewSession { id: id.to_owned(), project: "harbour".to_owned(), directory: None, author: None }
}

/// MEM-1: started, ended, summarised, made when first named.
pub(crate) async fn sessions_come_and_end(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    assert!(store.start_session(&workspace, &session("one"), at(1)).await.unwrap());
    let there = NewSession { directory: Some("/src".to_owned()), ..session("one") };
    assert!(!store.start_session(&workspace, &there, at(2)).await.unwrap());
    assert!(store.end_session(&workspace, &there, Some("done"), at(3)).await.unwrap().known);
    let ended = store.end_session(&workspace, &session("two"), None, at(4)).await.unwrap();
    assert_eq!((ended.known, ended.note), (false, None));
    let three = store.summarise_session(&workspace, &session("three"), "text", at(5)).await;
    assert!(!three.unwrap().known);
    let one = store.session(&workspace, "one").await.unwrap();
    assert_eq!((one.started_at, one.ended_at), (at(1), Some(at(3))));
    assert_eq!((one.directory.as_deref(), one.summary.as_deref()), (Some("/src"), Some("done")));
    save(&store, &note("a", "b"), 6).await;
    let all = store.sessions(&workspace, &MemoryFilter::default(), 3).await.unwrap();
    let ids: Vec<&str> = all.iter().map(|session| session.id.as_str()).collect();
    assert_eq!(ids, ["manual-save", "three", "two"], "the newest first");
    let elsewhere = Workspace::parse("no/where").unwrap();
    let unknown = store.session(&elsewhere, "one").await.unwrap_err();
    assert_eq!(unknown, StoreError::NotFound(Noun::Session));
    assert!(store.start_session(&elsewhere, &session("one"), at(1)).await.is_err());
}

/// MEM-3: one note a key, project, scope and namespace, and its earlier texts stay.
pub(crate) async fn a_topic_key_revises_in_place(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let keyed = |content: &str| NewObservation {
        topic_key: Some("harbour/depth".to_owned()),
        ..note("Depth", content)
    };
    let first = save(&store, &keyed("9 m"), 1).await;
    assert_eq!(first.saved, Saved::Added);
    let second = save(&store, &keyed("10 m"), 2).await;
    assert_eq!((second.id, second.saved), (first.id, Saved::Revised { revision: 2 }));
    let same = save(&store, &keyed("10 m"), 3).await;
    assert_eq!((same.id, same.saved), (first.id, Saved::Repeated { duplicates: 1 }));
    let mut others = Vec::new();
    for other in [
        NewObservation { project: "sea".to_owned(), ..keyed("11 m") },
        NewObservation { scope: Scope::Personal, ..keyed("11 m") },
        NewObservation { namespace: Some("x".to_owned()), ..keyed("11 m") },
    ] {
        let other = save(&store, &other, 4).await;
        assert_eq!(other.saved, Saved::Added);
        others.push(other.id);
    }
    let earlier = store.observation_revisions(&workspace, first.id).await.unwrap();
    assert_eq!((earlier.len(), earlier[0].revision, &*earlier[0].content), (1, 1, "9 m"));
    let restore = Change { restore: Some(1), ..Change::default() };
    let back = store.change_observation(&workspace, first.id, &restore, at(5)).await.unwrap();
    assert_eq!((back.revision_count, &*back.content, back.updated_at), (3, "9 m", at(5)));
    let gone = Change { restore: Some(9), ..Change::default() };
    let unknown = store.change_observation(&workspace, first.id, &gone, at(6)).await.unwrap_err();
    assert_eq!(unknown, StoreError::NotFound(Noun::Revision));
    let moved = Change { project: Some("lake".to_owned()), ..Change::default() };
    let moved = store.change_observation(&workspace, first.id, &moved, at(7)).await.unwrap();
    assert_eq!((moved.revision_count, &*moved.project), (3, "lake"), "a place is no text");
    let into = |project: &str, scope| Change {
        project: Some(project.to_owned()),
        scope: Some(scope),
        ..Change::default()
    };
    let unkeyed = save(&store, &note("Depth", "12 m"), 8).await.id;
    let key = Change { topic_key: Some("harbour/depth".to_owned()), ..Change::default() };
    for (id, change, by) in [
        (first.id, into("sea", Scope::Project), others[0]),
        (first.id, into("harbour", Scope::Personal), others[1]),
        (
            unkeyed,
            Change { topic_key: key.topic_key.clone(), ..into("sea", Scope::Project) },
            others[0],
        ),
    ] {
        let taken = store.change_observation(&workspace, id, &change, at(9)).await.unwrap_err();
        assert_eq!(taken, StoreError::KeyTaken { by });
    }
    // The place is free again, once by moving away and once by deleting.
    store.change_observation(&workspace, unkeyed, &key, at(10)).await.unwrap();
    store.delete_observation(&workspace, unkeyed, false, at(11)).await.unwrap();
    let back = into("harbour", Scope::Project);
    store.change_observation(&workspace, first.id, &back, at(12)).await.unwrap();
}

/// MEM-3 for what is brought in: one note a key, with the texts of both, once.
pub(crate) async fn notes_of_one_key_are_brought_together(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    let keyed = |content: &str| NewObservation {
        topic_key: Some("harbour/depth".to_owned()),
        ..note("Depth", content)
    };
    for (place, content, millis) in [
        (&workspace, "7 m", 1),
        (&workspace, "9 m", 2),
        (&other, "8 m", 3),
        (&other, "9 m", 4),
        (&other, "10 m", 5),
    ] {
        store.save_observations(place, &[keyed(content)], at(millis), at(0)).await.unwrap();
    }
    let (older, newer) = (taken_out(&store, &workspace).await, taken_out(&store, &other).await);
    for (place, records, texts) in [
        (&workspace, &newer, ["7 m", "8 m", "9 m", "10 m"]),
        (&other, &older, ["8 m", "9 m", "7 m", "10 m"]),
    ] {
        let known = store.observations(place, &MemoryFilter::default(), Order::Newest, 9).await;
        let id = known.unwrap().0[0].id;
        let brought = store.bring_memory(place, records).await.unwrap();
        assert_eq!(brought.last().map(|one| one.id), Some(id));
        let again = store.bring_memory(place, records).await.unwrap();
        assert!(again.iter().all(|one| !one.fresh), "twice is once");
        let all = store.observations(place, &MemoryFilter::default(), Order::Newest, 9).await;
        let (notes, total) = all.unwrap();
        assert_eq!((total, notes[0].id), (1, id));
        let earlier = store.observation_revisions(place, id).await.unwrap();
        assert!((1..).zip(&earlier).all(|(n, one)| one.revision == n), "{earlier:?}");
        assert_eq!(notes[0].revision_count, earlier.len() as u64 + 1);
        let told: Vec<&str> = earlier.iter().map(|one| &*one.content).collect();
        assert_eq!([told.as_slice(), &[&*notes[0].content]].concat(), texts);
    }
    assert!(store.check().await.unwrap().is_empty());
}

/// MEM-3: of two writers that saw the same text, one is told that it came too late.
pub(crate) async fn one_of_two_writers_is_too_late(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = backend.open().await;
    let id = save(&store, &note("Depth", "9 m"), 1).await.id;
    let saw_the_first = |content: &str| Change {
        seen: Some(1),
        content: Some(content.to_owned()),
        ..Change::default()
    };
    let first = saw_the_first("10 m");
    store.change_observation(&workspace, id, &first, at(2)).await.unwrap();
    let late = other.change_observation(&workspace, id, &saw_the_first("11 m"), at(3)).await;
    assert_eq!(late.unwrap_err(), StoreError::Revised { revision: 2 });
    let now = Change { seen: Some(2), ..saw_the_first("11 m") };
    let now = other.change_observation(&workspace, id, &now, at(4)).await.unwrap();
    assert_eq!((now.revision_count, &*now.content), (3, "11 m"));
}

/// MEM-4: the same within the time is counted, not kept twice.
pub(crate) async fn the_same_note_is_kept_once(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let first = save(&store, &note("Tide", "High at noon"), 0).await;
    let again = save(&store, &note("tide", " high  at\nNOON "), 1000).await;
    assert_eq!((again.id, again.saved), (first.id, Saved::Repeated { duplicates: 1 }));
    let others = [
        NewObservation { kind: "bugfix".to_owned(), ..note("Tide", "High at noon") },
        NewObservation { project: "sea".to_owned(), ..note("Tide", "High at noon") },
        NewObservation { scope: Scope::Personal, ..note("Tide", "High at noon") },
        note("Tides", "High at noon"),
        note("Tide", "High at noon."),
    ];
    for other in others {
        assert_eq!(save(&store, &other, 2000).await.saved, Saved::Added, "{other:?}");
    }
    let later = save(&store, &note("Tide", "High at noon"), 902_000).await;
    assert_eq!(later.saved, Saved::Added, "after a quarter of an hour it is news");
    let kept = store.observation(&workspace, first.id).await.unwrap();
    assert_eq!((kept.duplicate_count, kept.last_seen_at), (1, Some(at(1000))));
}

/// MEM-5: softly deleted is out of sight, hard deleted is gone, and ids are never reused.
pub(crate) async fn deleted_notes_show_nowhere(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let ids: Vec<u64> = {
        let mut ids = Vec::new();
        for title in ["one", "two", "three"] {
            ids.push(save(&store, &note(title, "plover"), 1).await.id);
        }
        ids
    };
    let relation =
        NewRelation { from: ids[0], to: ids[1], kind: "relates_to".to_owned(), note: None };
    store.relate(&workspace, &[relation], at(2)).await.unwrap();
    store.delete_observation(&workspace, ids[0], false, at(3)).await.unwrap();
    store.delete_observation(&workspace, ids[2], true, at(3)).await.unwrap();
    let missing = StoreError::NotFound(Noun::Observation);
    for id in [ids[0], ids[2], 99] {
        assert_eq!(store.observation(&workspace, id).await.unwrap_err(), missing);
        assert_eq!(store.around(&workspace, id, &Projects::All, 5, 5).await.unwrap_err(), missing);
        let again = store.delete_observation(&workspace, id, false, at(4)).await;
        assert_eq!(again.unwrap_err(), missing);
    }
    let around = store.around(&workspace, ids[1], &Projects::All, 5, 5).await.unwrap();
    assert_eq!((around.before.len(), around.after.len(), around.in_session), (0, 0, 1));
    assert!(store.relations_of(&workspace, &ids, 10).await.unwrap().is_empty());
    let counts = store.memory_counts(&workspace, &Projects::All).await.unwrap();
    assert_eq!((counts.observations, counts.relations), (1, 0));
    store.delete_observation(&workspace, ids[0], true, at(5)).await.unwrap();
    let next = save(&store, &note("four", "plover"), 6).await.id;
    assert!(next > ids[2], "an id never stands for another note");
    assert!(store.check().await.unwrap().is_empty());
}

/// Groups are told up to a number, and how many there are is told truly.
pub(crate) async fn types_and_projects_are_counted(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let kind = |n: usize| NewObservation {
        kind: format!("type {:02}", n % 70),
        project: format!("project {}", n % 3),
        ..note("x", &n.to_string())
    };
    let many: Vec<NewObservation> = (0..75).map(kind).collect();
    store.save_observations(&workspace, &many, at(1), at(0)).await.unwrap();
    let counts = store.memory_counts(&workspace, &Projects::All).await.unwrap();
    assert_eq!((counts.observations, counts.kind_count, counts.project_count), (75, 70, 3));
    assert_eq!(counts.kinds.len(), MemoryCounts::MOST_GROUPS);
    assert_eq!(counts.kinds[0], ("type 00".to_owned(), 2));
    let one = store
        .memory_counts(&workspace, &Projects::Only(vec!["project 1".to_owned()]))
        .await
        .unwrap();
    assert_eq!((one.observations, one.kind_count, one.project_count), (25, 25, 1));
}

/// A session is told around one of its notes, the nearest first.
pub(crate) async fn neighbours_are_of_the_same_session(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut ids = Vec::new();
    for n in 0..7 {
        let other = NewObservation { session: "other".to_owned(), ..note("x", &n.to_string()) };
        save(&store, &other, n).await;
        ids.push(save(&store, &note("y", &n.to_string()), n).await.id);
    }
    let around = store.around(&workspace, ids[3], &Projects::All, 2, 9).await.unwrap();
    let of = |notes: &[plimsoll_store::Observation]| {
        notes.iter().map(|note| note.id).collect::<Vec<_>>()
    };
    assert_eq!((around.focus.id, around.in_session), (ids[3], 7));
    assert_eq!(of(&around.before), [ids[2], ids[1]]);
    assert_eq!(of(&around.after), [ids[4], ids[5], ids[6]]);
}

/// Relations are drawn once, and taken away by their id.
pub(crate) async fn relations_join_notes(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let a = save(&store, &note("a", "a"), 1).await.id;
    let with = NewObservation { relate_to: vec![a], ..note("b", "b") };
    let b = save(&store, &with, 2).await;
    assert_eq!(b.relations.len(), 1);
    let again = NewRelation {
        from: b.id,
        to: a,
        kind: "relates_to".to_owned(),
        note: Some("why".to_owned()),
    };
    let known = store.relate(&workspace, std::slice::from_ref(&again), at(3)).await.unwrap();
    assert_eq!((known[0].id, known[0].fresh), (b.relations[0], false));
    let lost = NewRelation { to: 99, ..again.clone() };
    let other = NewRelation { kind: "explains".to_owned(), ..again };
    let none = store.relate(&workspace, &[other, lost], at(4)).await;
    assert_eq!(none.unwrap_err(), StoreError::NotFound(Noun::Observation), "all or none");
    let told = store.relations_of(&workspace, &[a], 10).await.unwrap();
    assert_eq!((told.len(), told[0].note.as_deref()), (1, Some("why")));
    let bad = NewObservation { relate_to: vec![99], ..note("c", "c") };
    let refused = store.save_observations(&workspace, &[bad], at(5), at(0)).await;
    assert!(refused.is_err());
    assert_eq!(store.memory_counts(&workspace, &Projects::All).await.unwrap().observations, 2);
    let itself = NewObservation { relate_to: vec![a], ..note("a", "a") };
    let refused = store.save_observations(&workspace, &[itself], at(6), at(0)).await;
    assert_eq!(refused.unwrap_err(), StoreError::SelfRelation(a), "it repeats what it names");
    assert_eq!(store.observation(&workspace, a).await.unwrap().duplicate_count, 0);
    let circle = NewRelation { from: a, to: a, kind: "x".to_owned(), note: None };
    let refused = store.relate(&workspace, &[circle], at(7)).await;
    assert_eq!(refused.unwrap_err(), StoreError::SelfRelation(a));
    store.unrelate(&workspace, b.relations[0]).await.unwrap();
    let twice = store.unrelate(&workspace, b.relations[0]).await.unwrap_err();
    assert_eq!(twice, StoreError::NotFound(Noun::Relation));
}

/// MEM-8: old notes become one, all or none; and a project has one document.
pub(crate) async fn old_notes_become_a_summary(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(save(&store, &note(&n.to_string(), "x"), n * 1000).await.id);
    }
    let summary = note("All", "of it");
    let young = store.compact(&workspace, &ids, at(3000), &summary, at(9000)).await;
    assert!(young.is_err(), "the last one is too young");
    assert_eq!(store.memory_counts(&workspace, &Projects::All).await.unwrap().observations, 4);
    let id = store.compact(&workspace, &ids[..3], at(3000), &summary, at(9000)).await.unwrap();
    let (left, total) = store
        .observations(&workspace, &MemoryFilter::default(), plimsoll_store::Order::Newest, 10)
        .await
        .unwrap();
    assert_eq!(left.iter().map(|note| note.id).collect::<Vec<_>>(), [id, ids[3]]);
    assert_eq!(total, 2);
    let document = |content: &str, millis| ProgressDocument {
        project: "harbour".to_owned(),
        namespace: None,
        content: content.to_owned(),
        updated_at: at(millis),
    };
    for (content, millis) in [("{}", 1), ("{\"a\":1}", 2)] {
        store.put_progress(&workspace, &document(content, millis)).await.unwrap();
    }
    let kept = store.progress(&workspace, "harbour", None).await.unwrap();
    assert_eq!(kept, Some(document("{\"a\":1}", 2)));
    assert_eq!(store.progress(&workspace, "harbour", Some("x")).await.unwrap(), None);
}

/// MEM-9: everything comes out in one order and goes in again as it was, once.
pub(crate) async fn the_memory_is_taken_out_and_brought_in_whole(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    let a = save(&store, &note("a", "a"), 1).await.id;
    let keyed = |text: &str| NewObservation {
        topic_key: Some("k".to_owned()),
        relate_to: vec![a],
        ..note("b", text)
    };
    save(&store, &keyed("1"), 2).await;
    save(&store, &keyed("2"), 3).await;
    let prompt = NewPrompt {
        session: "s".to_owned(),
        content: "why?".to_owned(),
        project: "harbour".to_owned(),
        namespace: Some("n".to_owned()),
    };
    store.save_prompt(&workspace, &prompt, at(4)).await.unwrap();
    let document = ProgressDocument {
        project: "harbour".to_owned(),
        namespace: None,
        content: "1".to_owned(),
        updated_at: at(5),
    };
    store.put_progress(&workspace, &document).await.unwrap();
    let all = taken_out(&store, &workspace).await;
    assert_eq!(all.len(), 2 + 1 + 2 + 1 + 1);
    let brought = store.bring_memory(&workspace, &all).await.unwrap();
    assert!(brought.iter().all(|one| !one.fresh), "it is all there already");
    assert_eq!(taken_out(&store, &workspace).await, all);
    // The ids are taken in this store, so another workspace numbers its own.
    let without_relations: Vec<MemoryRecord> =
        all.iter().filter(|record| !matches!(record, MemoryRecord::Relation(_))).cloned().collect();
    let brought = store.bring_memory(&other, &without_relations).await.unwrap();
    assert!(brought.iter().all(|one| one.fresh));
    let again = store.bring_memory(&other, &without_relations).await.unwrap();
    assert!(again.iter().all(|one| !one.fresh));
    let copies = brought.iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(copies, again.iter().map(|one| one.id).collect::<Vec<_>>());
    assert_eq!(store.memory_counts(&other, &Projects::All).await.unwrap().observations, 2);
}

async fn taken_out(store: &Arc<dyn Store>, workspace: &Workspace) -> Vec<MemoryRecord> {
    let mut all: Vec<MemoryRecord> = Vec::new();
    loop {
        let page = store.memory_after(workspace, all.last(), 1).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}
