//! Rules of projects, and of sessions that belong to one (MEM-11, MEM-12).

use super::{
    Backend, at,
    memory::{note, save, session},
    ready,
};
use plimsoll_store::{
    MemoryFilter, NewObservation, NewPrompt, NewSession, Order, Projects, SESSION_SUMMARY,
    SHARED_SESSION, Scope, StoreError,
};

/// MEM-12: a summary is a note of its session, found like one, and keeps what it had.
pub(crate) async fn a_summary_keeps_what_it_had(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let long = "Goal: dredge the basin. Done: half of it.";
    let first = store.summarise_session(&workspace, &session("one"), long, at(1)).await.unwrap();
    let id = first.note.unwrap();
    let ended = store.end_session(&workspace, &session("one"), Some("ok"), at(2)).await.unwrap();
    assert_eq!((ended.note, ended.revision), (Some(id), 2), "put behind it, not in its place");
    let again = store.end_session(&workspace, &session("one"), Some("ok"), at(3)).await.unwrap();
    assert_eq!((again.note, again.revision), (Some(id), 2), "once");
    let note = store.observation(&workspace, id).await.unwrap();
    assert_eq!((&*note.content, &*note.kind), (&*format!("{long}\n\nok"), SESSION_SUMMARY));
    assert!(note.title.contains("one") && note.session == "one" && note.project == "harbour");
    let next = store.summarise_session(&workspace, &session("one"), "anew", at(4)).await.unwrap();
    assert_eq!((next.note, next.revision), (Some(id), 3));
    let earlier = store.observation_revisions(&workspace, id).await.unwrap();
    assert_eq!(earlier.iter().map(|one| &*one.content).next(), Some(long));
    let told = store.session(&workspace, "one").await.unwrap();
    assert_eq!((told.summary.as_deref(), told.summary_id), (Some("anew"), Some(id)));
    // An id that is too long for a key has its own summary all the same.
    let (a, b) = ("s".repeat(199) + "a", "s".repeat(199) + "b");
    for id in [&a, &b] {
        store.summarise_session(&workspace, &session(id), id, at(5)).await.unwrap();
    }
    let told = store.session(&workspace, &a).await.unwrap();
    assert_eq!(told.summary.as_deref(), Some(&*a));
    store.delete_observation(&workspace, id, false, at(6)).await.unwrap();
    assert_eq!(store.session(&workspace, "one").await.unwrap().summary, None);
}

/// MEM-12: what one project began, no other goes on with.
pub(crate) async fn a_session_belongs_to_one_project(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let of = |project: &str| NewSession { project: project.to_owned(), ..session("one") };
    store.start_session(&workspace, &of("alpha"), at(1)).await.unwrap();
    store.summarise_session(&workspace, &of("alpha"), "alpha's", at(2)).await.unwrap();
    let theirs = StoreError::OfAnotherProject { session: "one".into(), project: "alpha".into() };
    let beta = of("beta");
    let started = store.start_session(&workspace, &beta, at(3)).await;
    assert_eq!(started.unwrap_err(), theirs);
    let ended = store.end_session(&workspace, &beta, Some("x"), at(3)).await;
    assert_eq!(ended.unwrap_err(), theirs);
    let summarised = store.summarise_session(&workspace, &beta, "x", at(3)).await;
    assert_eq!(summarised.unwrap_err(), theirs);
    let in_it =
        NewObservation { session: "one".to_owned(), project: "beta".to_owned(), ..note("a", "b") };
    let saved = store.save_observations(&workspace, &[in_it], at(3), at(0)).await;
    assert_eq!(saved.unwrap_err(), theirs);
    let prompt = NewPrompt {
        session: "one".to_owned(),
        content: "c".to_owned(),
        project: "beta".to_owned(),
        namespace: None,
    };
    assert_eq!(store.save_prompt(&workspace, &prompt, at(3)).await.unwrap_err(), theirs);
    assert!(!store.start_session(&workspace, &of("ALPHA"), at(4)).await.unwrap(), "but for case");
    let one = store.session(&workspace, "one").await.unwrap();
    assert_eq!((&*one.project, one.summary.as_deref()), ("alpha", Some("alpha's")));
    // The session of who names none is everybody's, and each has their own summary of it.
    for project in ["alpha", "beta"] {
        let shared = NewSession { id: SHARED_SESSION.to_owned(), ..of(project) };
        store.start_session(&workspace, &shared, at(5)).await.unwrap();
        store.summarise_session(&workspace, &shared, project, at(5)).await.unwrap();
    }
    let shared = store.session(&workspace, SHARED_SESSION).await.unwrap();
    assert_eq!(shared.summary.as_deref(), Some("alpha"));
}

/// MEM-11: what is read in a project, and what projects there are.
pub(crate) async fn projects_are_read_apart(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let of = |project: &str, title: &str| NewObservation {
        project: project.to_owned(),
        ..note(title, "keel")
    };
    let mine = NewObservation { scope: Scope::Personal, ..of("sea", "personal") };
    for note in [of("harbour", "a"), of("sea", "b"), of("", "nowhere"), mine] {
        save(&store, &note, 1).await;
    }
    let prompt = NewPrompt {
        session: "p".to_owned(),
        content: "c".to_owned(),
        project: "quay".to_owned(),
        namespace: None,
    };
    store.save_prompt(&workspace, &prompt, at(1)).await.unwrap();
    assert_eq!(store.memory_projects(&workspace).await.unwrap(), ["harbour", "quay", "sea"]);
    let titles = async |projects: Projects| {
        let filter = MemoryFilter { projects, ..MemoryFilter::default() };
        let (mut notes, total) =
            store.observations(&workspace, &filter, Order::Oldest, 9).await.unwrap();
        assert_eq!(total, notes.len() as u64);
        notes.sort_by_key(|note| note.id);
        notes.into_iter().map(|note| note.title).collect::<Vec<_>>().join(" ")
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(titles(Projects::All).await, "a b nowhere personal");
    assert_eq!(titles(Projects::Only(names(&["harbour"]))).await, "a");
    assert_eq!(titles(Projects::Only(names(&[]))).await, "");
    assert_eq!(titles(Projects::Seen(names(&["harbour"]))).await, "a nowhere personal");
    let around =
        store.around(&workspace, 1, &Projects::Seen(names(&["harbour"])), 9, 9).await.unwrap();
    assert_eq!((around.after.len(), around.in_session), (2, 3));
}
