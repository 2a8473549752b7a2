//! Rules of sends in flight.

use plimsoll_domain::{
    HistoryScope, Lifecycle, LifecycleEvent, PairError, ReceiptId, TopicId, Usage,
};

use super::{Backend, LEASE, answered, at, held, pair, pair_id, ready, topic};
use plimsoll_store::{INTERRUPTED, Outcome, StoreError, Workspace};

/// SND-1: the pair is there, in `sending`, when the send may start.
pub(crate) async fn a_send_is_written_down_before_it_starts(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    let second_handle = backend.open().await;
    let stored = second_handle.get(pair_id(1)).await.unwrap().pair;
    assert_eq!(stored.lifecycle, Lifecycle::Sending);
    assert_eq!(stored.user_text, pair(1).user_text);
    let send = second_handle.in_flight(&workspace).await.unwrap().remove(0);
    assert_eq!((send.pair, send.owner.as_str(), send.since), (pair_id(1), "me", at(50)));
}

/// SND-2: a second send is refused, says since when the first runs, and leaves nothing.
pub(crate) async fn one_send_a_workspace(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    let busy = StoreError::Busy { since: at(50), pair: pair_id(1) };
    let other_process = backend.open().await;
    let refused = other_process
        .begin(&workspace, &[pair(2)], HistoryScope::Everything, "you", at(60), LEASE)
        .await;
    assert_eq!(refused.unwrap_err(), busy);
    assert_eq!(store.count(&workspace).await.unwrap(), 1);
    store.insert(&workspace, &pair(3)).await.unwrap();
    assert_eq!(
        store
            .claim(pair_id(3), "m", HistoryScope::Everything, "me", at(70), LEASE)
            .await
            .unwrap_err(),
        busy
    );
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    let mut far = topic();
    far.id = TopicId::new(at(2), [3; 10]);
    store.put_topic(&other, &far).await.unwrap();
    let mut there = pair(4);
    there.topic_id = far.id;
    store.begin(&other, &[there], HistoryScope::Everything, "me", at(80), LEASE).await.unwrap();
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &Outcome::default())
        .await
        .unwrap();
    assert_eq!(store.in_flight(&workspace).await.unwrap(), []);
    store
        .begin(&workspace, &[pair(5)], HistoryScope::Everything, "me", at(90), LEASE)
        .await
        .unwrap();
}

/// A pair that was written down can be sent later, with the model of that time.
pub(crate) async fn an_idle_pair_can_be_claimed(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &pair(1)).await.unwrap();
    store.claim(pair_id(1), "gpt-4o", HistoryScope::Everything, "me", at(50), LEASE).await.unwrap();
    let stored = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!((stored.lifecycle, stored.model.as_str()), (Lifecycle::Sending, "gpt-4o"));
    assert_eq!(stored.previous_answer, None);
}

/// SND-3: what has arrived is kept, and the outcome replaces it.
pub(crate) async fn partial_text_is_kept_until_the_end(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    store.save_partial(held(&store, pair_id(1)).await, "").await.unwrap();
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair.assistant_text, None, "HIS-1");
    store.save_partial(held(&store, pair_id(1)).await, "The cap").await.unwrap();
    store.save_partial(held(&store, pair_id(1)).await, "The capital").await.unwrap();
    let partial = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!(partial.assistant_text.as_deref(), Some("The capital"));
    let outcome = Outcome {
        assistant_text: Some("The capital is Paris.".to_owned()),
        usage: Some(Usage { prompt: 7, cached: 0, completion: 5, reasoning: 0 }),
        receipt_id: Some(ReceiptId::new(at(60), [4; 10])),
        cut: true,
        error: None,
    };
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &outcome)
        .await
        .unwrap();
    let stored = store.get(pair_id(1)).await.unwrap();
    assert_eq!(stored.pair.lifecycle, Lifecycle::Complete);
    assert_eq!(stored.pair.assistant_text, outcome.assistant_text);
    assert_eq!((stored.pair.usage, stored.pair.receipt_id), (outcome.usage, outcome.receipt_id));
    assert!(stored.cut, "SND-4c");
    let late = store.save_partial(held(&store, pair_id(1)).await, "The").await;
    assert_eq!(late.unwrap_err(), StoreError::Conflict { found: Lifecycle::Complete });
    assert_eq!(store.get(pair_id(1)).await.unwrap(), stored, "a late piece changes nothing");
}

/// A change that comes too late is refused and changes nothing.
pub(crate) async fn a_send_ends_once(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    let failed = Outcome {
        error: Some(PairError { code: "net".to_owned(), message: "gone".to_owned() }),
        ..Outcome::default()
    };
    store.set_state(held(&store, pair_id(1)).await, LifecycleEvent::Fail, &failed).await.unwrap();
    let before = store.get(pair_id(1)).await.unwrap();
    assert_eq!(before.pair.error, failed.error);
    for event in [LifecycleEvent::Finish, LifecycleEvent::Fail, LifecycleEvent::Cancel] {
        let refused =
            store.set_state(held(&store, pair_id(1)).await, event, &Outcome::default()).await;
        assert_eq!(refused.unwrap_err(), StoreError::Conflict { found: Lifecycle::Error });
    }
    assert_eq!(store.get(pair_id(1)).await.unwrap(), before);
}

/// There is no way into `sending` but `begin` and `claim`, and only from where it is legal.
pub(crate) async fn only_an_owner_makes_a_pair_sending(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut sending = pair(1);
    sending.lifecycle = Lifecycle::Sending;
    assert_eq!(store.insert(&workspace, &sending).await.unwrap_err(), StoreError::Unclaimed);
    store.insert(&workspace, &pair(2)).await.unwrap();
    for event in [LifecycleEvent::Start, LifecycleEvent::Regenerate] {
        let refused =
            store.set_state(held(&store, pair_id(2)).await, event, &Outcome::default()).await;
        assert_eq!(refused.unwrap_err(), StoreError::Unclaimed);
    }
    let refused = store
        .begin(&workspace, &[answered(3)], HistoryScope::Everything, "me", at(50), LEASE)
        .await;
    assert!(matches!(refused.unwrap_err(), StoreError::Illegal(_)));
    let mut failed = pair(4);
    failed.lifecycle = Lifecycle::Error;
    store.insert(&workspace, &failed).await.unwrap();
    let refused = store.claim(pair_id(4), "m", HistoryScope::Everything, "me", at(50), LEASE).await;
    assert!(matches!(refused.unwrap_err(), StoreError::Illegal(_)));
    assert_eq!(store.in_flight(&workspace).await.unwrap(), []);
    assert_eq!(store.count(&workspace).await.unwrap(), 2);
}

/// SND-4: the partial text stays, the user text is never lost.
pub(crate) async fn cancelling_keeps_what_arrived(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    store.save_partial(held(&store, pair_id(1)).await, "half").await.unwrap();
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Cancel, &Outcome::default())
        .await
        .unwrap();
    let stored = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!(stored.lifecycle, Lifecycle::Cancelled);
    assert_eq!(stored.assistant_text.as_deref(), Some("half"));
    assert_eq!(stored.user_text, pair(1).user_text);
}

/// SND-6: after a crash the pair is in error, with what had arrived, and the way is free.
pub(crate) async fn sends_of_the_dead_are_interrupted(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "dead", at(50), LEASE)
        .await
        .unwrap();
    store.save_partial(held(&store, pair_id(1)).await, "half").await.unwrap();
    let found = store.recover(&|send| send.owner != "dead").await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0], store.get(pair_id(1)).await.unwrap());
    let stored = &found[0].pair;
    assert_eq!(stored.lifecycle, Lifecycle::Error);
    assert_eq!(stored.error.as_ref().map(|error| error.code.as_str()), Some(INTERRUPTED));
    assert_eq!(stored.assistant_text.as_deref(), Some("half"));
    assert_eq!(stored.user_text, pair(1).user_text);
    assert!(store.recover(&|_| false).await.unwrap().is_empty(), "only once");
    store
        .begin(&workspace, &[pair(2)], HistoryScope::Everything, "me", at(60), LEASE)
        .await
        .unwrap();
}

/// A second process must not end the sends of the first.
pub(crate) async fn sends_of_the_living_are_left_alone(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "living", at(50), LEASE)
        .await
        .unwrap();
    let other_process = backend.open().await;
    assert!(other_process.recover(&|send| send.owner == "living").await.unwrap().is_empty());
    let stored = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!(stored.lifecycle, Lifecycle::Sending);
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &Outcome::default())
        .await
        .unwrap();
}
