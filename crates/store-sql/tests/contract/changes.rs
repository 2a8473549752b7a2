//! Rules of the outbox (TEA-6).

use std::sync::Arc;

use plimsoll_domain::{
    ColorFlag, DeletionId, Draft, HistoryScope, LifecycleEvent, PairUse, Snippet, Star, TopicId,
};
use plimsoll_store::{
    Deletable, Edit, KnownText, NewDeletion, NewSession, News, Outcome, SavedFilter, Store,
    StoreError, Watched, WhatChanged, Workspace,
};

use super::{Backend, LEASE, answered, at, filled, pair, pair_id, ready, topic};

const EVERYTHING: HistoryScope = HistoryScope::Everything;

fn watched(workspace: &Workspace, after: u64) -> Watched {
    Watched { workspace: workspace.clone(), after, known: Vec::new() }
}

async fn news(store: &Arc<dyn Store>, workspace: &Workspace, after: u64) -> News {
    store.news(&[watched(workspace, after)], "nobody").await.unwrap()
}

/// What one write left in the outbox.
async fn told<T, E: std::fmt::Debug>(
    store: &Arc<dyn Store>,
    workspace: &Workspace,
    write: impl Future<Output = Result<T, E>>,
) -> Vec<WhatChanged> {
    let before = store.newest_change(workspace).await.unwrap();
    write.await.unwrap();
    let news = news(store, workspace, before).await;
    news.changes.into_iter().map(|change| change.what).collect()
}

pub(crate) async fn tea_6_changes_are_numbered_in_order_and_told_to_others(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = backend.open().await;
    let start = store.newest_change(&workspace).await.unwrap();
    store.begin(&workspace, &[pair(1)], EVERYTHING, "me", at(50), LEASE).await.unwrap();
    other.set_star(&[pair_id(1)], Star::new(2).unwrap()).await.unwrap();
    store.set_flag(&[pair_id(1)], ColorFlag::default()).await.unwrap();
    for (handle, ours) in [(&store, [true, false, true]), (&other, [false, true, false])] {
        let news = news(handle, &workspace, start).await;
        let labels = || WhatChanged::Labels(vec![pair_id(1)]);
        let told: Vec<_> = news.changes.iter().map(|change| change.what.clone()).collect();
        assert_eq!(told, [WhatChanged::Started(pair_id(1)), labels(), labels()]);
        let numbers: Vec<u64> = news.changes.iter().map(|change| change.number).collect();
        assert_eq!(numbers, [start + 1, start + 2, start + 3]);
        assert_eq!(news.changes.iter().map(|change| change.ours).collect::<Vec<_>>(), ours);
        assert_eq!(news.newest, [(workspace.clone(), start + 3)]);
        assert_eq!(news.lost, []);
    }
    assert_eq!(news(&other, &workspace, start + 2).await.changes.len(), 1);
    assert_eq!(news(&other, &workspace, start + 3).await.changes, []);
}

pub(crate) async fn tea_6_each_workspace_counts_for_itself(backend: &impl Backend) {
    let (store, here) = ready(backend).await;
    let there = Workspace::parse("other/main").unwrap();
    store.create_workspace(&there, at(0)).await.unwrap();
    assert_eq!(store.newest_change(&there).await.unwrap(), 0);
    let before = store.newest_change(&here).await.unwrap();
    let filter = SavedFilter { name: "a".to_owned(), text: "b".to_owned() };
    store.save_filter(&there, &filter).await.unwrap();
    assert_eq!(store.newest_change(&there).await.unwrap(), 1);
    assert_eq!(store.newest_change(&here).await.unwrap(), before);
    let news = store.news(&[watched(&here, before), watched(&there, 0)], "").await.unwrap();
    let told: Vec<_> = news.changes.iter().map(|c| (c.workspace.clone(), c.number)).collect();
    assert_eq!(told, [(there, 1)]);
}

pub(crate) async fn tea_6_what_fails_leaves_no_change(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.begin(&workspace, &[pair(1)], EVERYTHING, "me", at(50), LEASE).await.unwrap();
    let before = store.newest_change(&workspace).await.unwrap();
    let busy = store.begin(&workspace, &[pair(2)], EVERYTHING, "you", at(60), LEASE).await;
    assert!(matches!(busy.unwrap_err(), StoreError::Busy { .. }));
    let edit = Edit { user_text: Some("x".to_owned()), ..Edit::default() };
    assert!(store.edit(pair_id(1), &edit, at(60)).await.is_err());
    assert!(store.delete(&[pair_id(1)]).await.is_err());
    store.set_star(&[pair_id(9)], Star::default()).await.unwrap();
    assert_eq!(store.newest_change(&workspace).await.unwrap(), before);
    store.put_draft(&workspace, None, &Draft::default(), at(60)).await.unwrap();
    assert_eq!(store.newest_change(&workspace).await.unwrap(), before + 1, "no gap");
}

pub(crate) async fn tea_6_every_write_that_pages_hear_of_is_told(backend: &impl Backend) {
    use WhatChanged::{
        ContextFrom, Draft as DraftOf, Ended, Imported, Labels, Memory, Removed, Started, Texts,
        Topics,
    };
    let (store, here) = ready(backend).await;
    let (one, two) = (pair_id(1), pair_id(2));
    let wrote = told(&store, &here, store.insert_many(&here, &[answered(1), answered(2)])).await;
    assert_eq!(wrote, [Imported], "many pairs are one change");
    let edit = Edit { user_text: Some("other".to_owned()), ..Edit::default() };
    assert_eq!(told(&store, &here, store.edit(one, &edit, at(60))).await, [Texts(vec![one])]);
    let wrote = told(&store, &here, store.edit(one, &edit, at(61))).await;
    assert_eq!(wrote, [], "nothing changed");
    let both = [one, two];
    let labels = [Labels(both.to_vec())];
    assert_eq!(told(&store, &here, store.set_star(&both, Star::default())).await, labels);
    assert_eq!(told(&store, &here, store.set_flag(&both, ColorFlag::default())).await, labels);
    assert_eq!(told(&store, &here, store.set_use(&both, PairUse::Out)).await, labels);
    assert_eq!(told(&store, &here, store.set_topic(&both, topic().id)).await, labels);
    let uses = [(one, PairUse::Auto), (two, PairUse::Auto)];
    assert_eq!(told(&store, &here, store.set_uses(&uses)).await, labels);
    let wrote = told(&store, &here, store.claim(one, "m", EVERYTHING, "me", at(70), LEASE)).await;
    assert_eq!(wrote, [Started(one)]);
    let held = super::held(&store, one).await;
    let end = store.set_state(held, LifecycleEvent::Finish, &Outcome::default());
    assert_eq!(told(&store, &here, end).await, [Ended(one)]);
    assert_eq!(told(&store, &here, store.swap_answer(one)).await, [Texts(vec![one])]);
    let filter = SavedFilter { name: "a".to_owned(), text: "b".to_owned() };
    assert_eq!(told(&store, &here, store.save_filter(&here, &filter)).await, [Topics]);
    let snippet = Snippet { name: "a".to_owned(), text: "b".to_owned() };
    assert_eq!(told(&store, &here, store.put_snippet(&here, &snippet)).await, [Topics]);
    let mut child = topic();
    (child.id, child.parent) = (TopicId::new(at(3), [3; 10]), Some(topic().id));
    assert_eq!(told(&store, &here, store.put_topic(&here, &child)).await, [Topics]);
    assert_eq!(told(&store, &here, store.remove_topic(&here, child.id)).await, [Topics]);
    let mark = store.put_context_mark(&here, "contextFrom:x", Some("1"));
    assert_eq!(told(&store, &here, mark).await, [ContextFrom]);
    assert_eq!(store.value("contextFrom:x").await.unwrap().as_deref(), Some("1"));
    let draft = Draft { text: "hello".to_owned(), ..Draft::default() };
    let put = store.put_draft(&here, Some(topic().id), &draft, at(80));
    assert_eq!(told(&store, &here, put).await, [DraftOf(Some(topic().id))]);
    let session =
        NewSession { id: "s".to_owned(), project: "p".to_owned(), directory: None, author: None };
    let start = store.start_session(&here, &session, at(80));
    assert_eq!(told(&store, &here, start).await, [Memory]);
    let id = DeletionId::new(at(90), [1; 10]);
    let new = NewDeletion { id, workspace: here.clone(), at: at(90), words: String::new() };
    let aside = Deletable::Pairs(vec![one]);
    let wrote = told(&store, &here, store.put_aside(&new, &aside)).await;
    assert_eq!(wrote, [Removed(vec![one])]);
    let wrote = told(&store, &here, store.restore(&here, id)).await;
    assert_eq!(wrote, [Topics, Imported]);
    assert_eq!(told(&store, &here, store.delete(&both)).await, [Removed(both.to_vec())]);
}

pub(crate) async fn tea_6_text_that_others_receive_is_read_as_it_grows(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let held =
        store.begin(&workspace, &[pair(1)], EVERYTHING, "me", at(50), LEASE).await.unwrap()[0];
    let other = backend.open().await;
    let ask = async |owner: &str, chars: Option<u64>| {
        let known = chars.map(|chars| KnownText { pair: held.pair, epoch: held.epoch, chars });
        let known = known.into_iter().collect();
        let asked = Watched { workspace: workspace.clone(), after: 0, known };
        let mut sends = other.news(&[asked], owner).await.unwrap().sends;
        sends.pop().map(|send| (send.epoch, send.from, send.text))
    };
    assert_eq!(ask("you", None).await, Some((held.epoch, 0, String::new())));
    store.save_partial(held, "Größe").await.unwrap();
    assert_eq!(ask("me", None).await, None, "who receives it knows it");
    assert_eq!(ask("you", None).await, Some((held.epoch, 0, "Größe".to_owned())));
    store.save_partial(held, "Größe 資金🚢 and more").await.unwrap();
    assert_eq!(ask("you", Some(5)).await, Some((held.epoch, 5, " 資金🚢 and more".to_owned())));
    assert_eq!(ask("you", Some(18)).await, Some((held.epoch, 18, String::new())));
    store.set_state(held, LifecycleEvent::Finish, &Outcome::default()).await.unwrap();
    assert_eq!(ask("you", Some(5)).await, None);
    // Another send of the same pair begins from its own start.
    let again = store.claim(pair_id(1), "m", EVERYTHING, "me", at(60), LEASE).await.unwrap();
    store.save_partial(again, "anew").await.unwrap();
    assert_eq!(ask("you", Some(5)).await, Some((again.epoch, 0, "anew".to_owned())));
}

pub(crate) async fn tea_6_old_changes_are_forgotten_and_said_to_be(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2)]).await;
    let newest = store.newest_change(&workspace).await.unwrap();
    // The first look only notes when they were seen.
    while store.forget_changes(at(100), at(200)).await.unwrap() {}
    assert_eq!(news(&store, &workspace, newest - 1).await.changes.len(), 1);
    store.set_star(&[pair_id(1)], Star::default()).await.unwrap();
    while store.forget_changes(at(200), at(300)).await.unwrap() {}
    assert_eq!(news(&store, &workspace, newest - 1).await.lost, [], "not yet");
    while store.forget_changes(at(201), at(400)).await.unwrap() {}
    let gone = news(&store, &workspace, newest - 1).await;
    assert_eq!((gone.lost, gone.changes), (vec![workspace.clone()], Vec::new()));
    let kept = news(&store, &workspace, newest).await;
    assert_eq!((kept.lost, kept.changes.len()), (Vec::new(), 1));
    while store.forget_changes(at(900), at(900)).await.unwrap() {}
    let newest = newest + 1;
    assert_eq!(news(&store, &workspace, newest - 1).await.lost.len(), 1);
    assert_eq!(news(&store, &workspace, newest).await.lost, [], "all is known");
    assert_eq!(news(&store, &workspace, newest + 1).await.lost.len(), 1, "never given");
    store.set_star(&[pair_id(1)], Star::default()).await.unwrap();
    assert_eq!(store.newest_change(&workspace).await.unwrap(), newest + 1, "numbers go on");
}

pub(crate) async fn tea_6_many_workspaces_are_asked_for_at_once(backend: &impl Backend) {
    let (store, here) = ready(backend).await;
    let mut all = vec![watched(&here, 0)];
    for n in 0..1200 {
        all.push(watched(&Workspace::parse(&format!("many/{n}")).unwrap(), 0));
    }
    let last = all[1200].workspace.clone();
    store.create_workspace(&last, at(0)).await.unwrap();
    store.put_draft(&last, None, &Draft::default(), at(1)).await.unwrap();
    let news = store.news(&all, "").await.unwrap();
    assert_eq!(news.newest.len(), 1201);
    let told: Vec<_> = news.changes.iter().map(|change| change.workspace.clone()).collect();
    assert_eq!(told, [here, last]);
}
