//! Rules of summaries (HIS-11) and of comparisons (HIS-12).

use std::sync::Arc;

use plimsoll_domain::{
    DeletionId, HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairId, PairKind, PairUse,
    Summarised,
};

use super::{Backend, LEASE, answered, at, filled, held, pair, pair_id, ready};
use plimsoll_store::{Deletable, Edit, NewDeletion, Outcome, Store, StoreError, Workspace};

/// A summary of the pairs 1 and 2, right after the second.
fn summary() -> MessagePair {
    let summarises =
        [1, 2].map(|n| Summarised { pair: pair_id(n), revision: 1, use_before: PairUse::Auto });
    MessagePair {
        kind: PairKind::Summary,
        pair_use: PairUse::Pinned,
        summarises: summarises.to_vec(),
        created_at: answered(2).created_at,
        ..pair(9)
    }
}

async fn uses(store: &Arc<dyn Store>, workspace: &Workspace) -> Vec<(PairId, PairUse)> {
    let rows = store.rows(workspace).await.unwrap();
    rows.iter().map(|row| (row.id, row.pair_use)).collect()
}

async fn with_summary(backend: &impl Backend) -> (Arc<dyn Store>, Workspace) {
    let (store, workspace) = ready(backend).await;
    let pairs = [answered(1), answered(2), answered(3)];
    filled(&store, &workspace, &pairs).await;
    store.set_use(&[pair_id(1)], PairUse::Pinned).await.unwrap();
    let scope = HistoryScope::Everything;
    store.begin(&workspace, &[summary()], scope, "me", at(50), LEASE).await.unwrap();
    (store, workspace)
}

async fn finish(store: &Arc<dyn Store>) {
    let outcome = Outcome { assistant_text: Some("short".to_owned()), ..Outcome::default() };
    store.set_state(held(store, pair_id(9)).await, LifecycleEvent::Finish, &outcome).await.unwrap();
}

use PairUse::{Auto, Out, Pinned};

/// While it is being made nothing changes; with it the pairs are left out, whatever they were then.
pub(crate) async fn his_11_a_summary_takes_the_place_of_its_pairs(backend: &impl Backend) {
    let (store, workspace) = with_summary(backend).await;
    let in_order =
        [(pair_id(1), Pinned), (pair_id(2), Auto), (pair_id(9), Pinned), (pair_id(3), Auto)];
    assert_eq!(uses(&store, &workspace).await, in_order);
    finish(&store).await;
    let after = [(pair_id(1), Out), (pair_id(2), Out), (pair_id(9), Pinned), (pair_id(3), Auto)];
    assert_eq!(uses(&store, &workspace).await, after);
    let kept = backend.open().await.get(pair_id(9)).await.unwrap();
    assert_eq!((kept.pair.kind, kept.outdated), (PairKind::Summary, false));
    let before: Vec<_> = kept.pair.summarises.iter().map(|one| one.use_before).collect();
    assert_eq!(before, [Pinned, Auto], "as they were when it was complete");
    assert_eq!(store.summaries_of(&[pair_id(2), pair_id(3)]).await.unwrap(), [pair_id(9)]);
    assert_eq!(store.summaries_of(&[pair_id(3)]).await.unwrap(), []);
    let summarised_by = async |number| store.get(pair_id(number)).await.unwrap().summarised_by;
    assert_eq!(summarised_by(1).await, Some(pair_id(9)));
    assert_eq!(summarised_by(3).await, None);
    store.set_use(&[pair_id(2), pair_id(3)], Auto).await.unwrap();
    assert_eq!(summarised_by(2).await, None, "it is sent beside its summary");
    store.set_use(&[pair_id(3)], Out).await.unwrap();
    assert_eq!(summarised_by(3).await, None, "left out by hand");
}

/// When it is deleted each pair is used as it was before; when that is undone it stands for them
/// again. What somebody chose meanwhile stays.
pub(crate) async fn his_11_without_the_summary_uses_are_as_before(backend: &impl Backend) {
    let (store, workspace) = with_summary(backend).await;
    finish(&store).await;
    let id = DeletionId::new(at(60), [7; 10]);
    let new = NewDeletion { id, workspace: workspace.clone(), at: at(60), words: String::new() };
    store.put_aside(&new, &Deletable::Pairs(vec![pair_id(9)])).await.unwrap();
    let before = [(pair_id(1), Pinned), (pair_id(2), Auto), (pair_id(3), Auto)];
    assert_eq!(uses(&store, &workspace).await, before);
    store.restore(&workspace, id).await.unwrap();
    let again = [(pair_id(1), Out), (pair_id(2), Out), (pair_id(9), Pinned), (pair_id(3), Auto)];
    assert_eq!(uses(&store, &workspace).await, again);
    assert_eq!(store.get(pair_id(9)).await.unwrap().pair.summarises.len(), 2);
    store.set_use(&[pair_id(2)], Pinned).await.unwrap();
    store.delete(&[pair_id(9)]).await.unwrap();
    let chosen = [(pair_id(1), Pinned), (pair_id(2), Pinned), (pair_id(3), Auto)];
    assert_eq!(uses(&store, &workspace).await, chosen);
}

/// An edit or a deletion of a pair that it stands for; a deletion that is undone does not count.
pub(crate) async fn his_11_a_summary_of_what_changed_is_out_of_date(backend: &impl Backend) {
    let (store, workspace) = with_summary(backend).await;
    finish(&store).await;
    let outdated = async || store.get(pair_id(9)).await.unwrap().outdated;
    let id = DeletionId::new(at(60), [7; 10]);
    let new = NewDeletion { id, workspace: workspace.clone(), at: at(60), words: String::new() };
    store.put_aside(&new, &Deletable::Pairs(vec![pair_id(2)])).await.unwrap();
    assert!(outdated().await);
    store.restore(&workspace, id).await.unwrap();
    assert!(!outdated().await);
    let edit = Edit { user_text: Some("other words".to_owned()), assistant_text: None };
    store.edit(pair_id(3), &edit, at(70)).await.unwrap();
    assert!(!outdated().await, "it does not stand for that one");
    store.edit(pair_id(1), &edit, at(71)).await.unwrap();
    assert!(outdated().await);
}

/// SND-2: the pairs of a comparison are one send; the next waits until all of them have ended.
pub(crate) async fn his_12_a_comparison_is_begun_as_one(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let group = Some(pair_id(1));
    let compared = [
        MessagePair { group, ..pair(1) },
        MessagePair { group, pair_use: Out, model: "other".to_owned(), ..pair(2) },
    ];
    let alone = HistoryScope::Conversation;
    store.begin(&workspace, &compared, alone, "me", at(50), LEASE).await.unwrap();
    for n in [1, 2] {
        let kept = store.get(pair_id(n)).await.unwrap().pair;
        assert_eq!((kept.group, kept.lifecycle), (group, Lifecycle::Sending));
        let refused = store.begin(&workspace, &[pair(3)], alone, "me", at(60), LEASE).await;
        assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
        store
            .set_state(held(&store, pair_id(n)).await, LifecycleEvent::Finish, &Outcome::default())
            .await
            .unwrap();
    }
    store.begin(&workspace, &[pair(3)], alone, "me", at(60), LEASE).await.unwrap();
    // One that is refused leaves nothing of the others.
    let twice = [MessagePair { group, ..pair(4) }, MessagePair { group, ..pair(4) }];
    store
        .set_state(held(&store, pair_id(3)).await, LifecycleEvent::Finish, &Outcome::default())
        .await
        .unwrap();
    assert!(store.begin(&workspace, &twice, alone, "me", at(70), LEASE).await.is_err());
    assert_eq!(store.count(&workspace).await.unwrap(), 3);
}
