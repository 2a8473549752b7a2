//! Rules of the history.

use plimsoll_domain::{
    ColorFlag, Lifecycle, MessagePair, PairError, PairId, PairKind, PairUse, ReceiptId, Star,
    TopicId, Usage,
};

use super::{Backend, answered, at, filled, held, pair, pair_id, ready, topic};
use plimsoll_store::{Noun, StoreError, Workspace};

/// A pair with everything that it can have.
fn rich() -> MessagePair {
    MessagePair {
        user_text: "see <<context:image:/a.png>>> – für Größe, 東京, \u{1f6a2}".to_owned(),
        assistant_text: Some("line one\nline 'two' \\ %s $1".to_owned()),
        star: Star::new(3).unwrap(),
        color_flag: ColorFlag::Blue,
        pair_use: PairUse::Pinned,
        kind: PairKind::default(),
        summarises: Vec::new(),
        group: None,
        lifecycle: Lifecycle::Error,
        error: Some(PairError { code: "auth".to_owned(), message: "no key".to_owned() }),
        usage: Some(Usage { prompt: 10, cached: 4, completion: 3, reasoning: 1 }),
        receipt_id: Some(ReceiptId::new(at(5), [9; 10])),
        previous_answer: Some("an earlier one".to_owned()),
        ..pair(1)
    }
}

/// HIS-1: nothing is lost between writing and reading.
pub(crate) async fn a_pair_comes_back_as_it_was_written(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    for written in [rich(), pair(2), answered(3)] {
        store.insert(&workspace, &written).await.unwrap();
        let stored = store.get(written.id).await.unwrap();
        assert_eq!(stored.pair, written);
        assert_eq!((&stored.workspace, stored.edited_at, stored.cut), (&workspace, None, false));
    }
}

/// What is not there is said to be missing, pair, topic or workspace.
pub(crate) async fn an_unknown_pair_is_not_found(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let missing = StoreError::NotFound(Noun::Pair);
    assert_eq!(store.get(pair_id(9)).await.unwrap_err(), missing);
    assert_eq!(store.archived(&[pair_id(9)]).await.unwrap(), []);
    assert_eq!(store.save_partial(held(&store, pair_id(9)).await, "x").await.unwrap_err(), missing);
    let lost = MessagePair { topic_id: TopicId::new(at(1), [7; 10]), ..pair(1) };
    let refused = store.insert(&workspace, &lost).await;
    assert_eq!(refused.unwrap_err(), StoreError::NotFound(Noun::Topic));
    let nowhere = Workspace::parse("no/where").unwrap();
    let refused = store.insert(&nowhere, &pair(1)).await;
    assert_eq!(refused.unwrap_err(), StoreError::NotFound(Noun::Workspace));
    assert_eq!(store.count(&workspace).await.unwrap(), 0);
}

/// A second pair with the same id is refused, and the first one stays.
pub(crate) async fn an_id_is_used_once(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(1)).await.unwrap();
    let refused = store.insert(&workspace, &pair(1)).await;
    assert_eq!(refused.unwrap_err(), StoreError::Exists(Noun::Pair));
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair, answered(1));
}

/// HIS-2: creation time, then id, whatever the order of writing; no repeats.
pub(crate) async fn history_has_one_order(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let twin = MessagePair { id: PairId::new(at(3000), [1; 10]), ..pair(3) };
    let early = MessagePair { created_at: at(-5), ..pair(9) };
    for written in [&pair(3), &pair(1), &early, &twin, &pair(2)] {
        store.insert(&workspace, written).await.unwrap();
    }
    let order = [early.id, pair_id(1), pair_id(2), twin.id, pair_id(3)];
    let rows = store.rows(&workspace).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), order);
    let asked = [pair_id(3), pair_id(77), early.id, pair_id(3), twin.id];
    let many = store.get_many(&asked).await.unwrap();
    let ids: Vec<_> = many.iter().map(|stored| stored.pair.id).collect();
    assert_eq!(ids, [early.id, twin.id, pair_id(3)]);
}

/// What the filter looks at is the same in rows and pairs.
pub(crate) async fn rows_tell_all_but_the_texts(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let file = MessagePair { user_text: "<<context:text:/a.txt>>>".to_owned(), ..pair(2) };
    filled(&store, &workspace, &[rich(), file.clone(), pair(3)]).await;
    let rows = store.rows(&workspace).await.unwrap();
    for (row, written) in rows.iter().zip([rich(), file, pair(3)]) {
        assert_eq!(row.id, written.id);
        assert_eq!(row.created_at, written.created_at);
        assert_eq!(row.topic_id, written.topic_id);
        assert_eq!(*row.model, *written.model);
        assert_eq!((row.star, row.flag), (written.star, written.color_flag));
        assert_eq!(row.pair_use, written.pair_use);
        assert_eq!(row.lifecycle, written.lifecycle);
        assert_eq!((row.has_image, row.has_attachment), written.attachment_kinds());
    }
}

/// An import that fails half-way leaves nothing.
pub(crate) async fn many_are_written_all_or_none(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let refused = store.insert_many(&workspace, &[pair(1), pair(2), pair(1)]).await;
    assert_eq!(refused.unwrap_err(), StoreError::Exists(Noun::Pair));
    assert_eq!(store.count(&workspace).await.unwrap(), 0);
    filled(&store, &workspace, &[pair(1), pair(2)]).await;
    assert_eq!(store.count(&workspace).await.unwrap(), 2);
}

/// Those that exist are changed and counted; the others are passed over.
pub(crate) async fn labels_change_in_bulk(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[pair(1), pair(2), pair(3)]).await;
    let two = [pair_id(1), pair_id(3), pair_id(9)];
    assert_eq!(store.set_star(&two, Star::new(2).unwrap()).await.unwrap(), 2);
    assert_eq!(store.set_flag(&two, ColorFlag::Blue).await.unwrap(), 2);
    assert_eq!(store.set_use(&two, PairUse::Out).await.unwrap(), 2);
    let rows = store.rows(&workspace).await.unwrap();
    let labels: Vec<_> =
        rows.iter().map(|row| (row.star.count(), row.flag, row.pair_use)).collect();
    let labelled = (2, ColorFlag::Blue, PairUse::Out);
    assert_eq!(labels, [labelled, (0, ColorFlag::Grey, PairUse::Auto), labelled]);
}

/// HIS-3, HIS-6: pairs move in bulk, but not to a topic of another workspace.
pub(crate) async fn a_pair_moves_only_within_its_workspace(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    let mut near = topic();
    near.id = TopicId::new(at(1), [2; 10]);
    near.name = "Near".to_owned();
    let mut far = near.clone();
    far.id = TopicId::new(at(2), [3; 10]);
    store.put_topic(&workspace, &near).await.unwrap();
    store.put_topic(&other, &far).await.unwrap();
    filled(&store, &workspace, &[pair(1), pair(2)]).await;
    let both = [pair_id(1), pair_id(2)];
    assert_eq!(store.set_topic(&both, near.id).await.unwrap(), 2);
    let refused = store.set_topic(&both, far.id).await;
    assert_eq!(refused.unwrap_err(), StoreError::NotFound(Noun::Topic));
    let rows = store.rows(&workspace).await.unwrap();
    assert!(rows.iter().all(|row| row.topic_id == near.id));
    // Each to its own, and all or none.
    let moves = [(pair_id(1), topic().id), (pair_id(2), far.id)];
    let refused = store.set_topics(&moves).await;
    assert_eq!(refused.unwrap_err(), StoreError::NotFound(Noun::Topic));
    let rows = store.rows(&workspace).await.unwrap();
    assert!(rows.iter().all(|row| row.topic_id == near.id));
    let moves = [(pair_id(2), near.id), (pair_id(1), topic().id), (pair_id(9), near.id)];
    assert_eq!(store.set_topics(&moves).await.unwrap(), 2);
    let rows = store.rows(&workspace).await.unwrap();
    let topics: Vec<_> = rows.iter().map(|row| row.topic_id).collect();
    assert_eq!(topics, [topic().id, near.id]);
}

/// HIS-6: history is scoped.
pub(crate) async fn workspaces_do_not_see_each_other(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    store.create_workspace(&other, at(9)).await.unwrap();
    let mut far = topic();
    far.id = TopicId::new(at(2), [3; 10]);
    store.put_topic(&other, &far).await.unwrap();
    store.insert(&workspace, &pair(1)).await.unwrap();
    let there = MessagePair { topic_id: far.id, ..pair(2) };
    store.insert(&other, &there).await.unwrap();
    assert_eq!(store.rows(&workspace).await.unwrap().len(), 1);
    assert_eq!(store.rows(&other).await.unwrap()[0].id, pair_id(2));
    assert_eq!(store.count(&other).await.unwrap(), 1);
    assert_eq!(store.workspaces().await.unwrap(), [workspace, other]);
}
