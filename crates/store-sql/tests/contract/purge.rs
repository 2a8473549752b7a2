//! Rules of deletion (REC-5).

use plimsoll_domain::{HistoryScope, LifecycleEvent, ReceiptId};

use super::{Backend, LEASE, answered, at, books, filled, held, pair, pair_id, ready};
use plimsoll_store::{
    Edit, ErrorSnapshot, Estimate, FailedAnswer, GroupBy, Noun, Outcome, ReceiptFilter, StoreError,
};

/// Revisions, search, estimates, snapshots and the bodies of receipts go; numbers stay.
pub(crate) async fn a_deleted_pair_is_gone_everywhere(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut secret = answered(1);
    secret.user_text = "the plover egg".to_owned();
    secret.previous_answer = Some("plover".to_owned());
    filled(&store, &workspace, &[secret, answered(2)]).await;
    let edit = Edit { user_text: Some("the gannet egg".to_owned()), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    let estimate = Estimate { revision: 2, user_tokens: 3, assistant_tokens: 4 };
    store.put_estimates(&[(pair_id(1), estimate)], "s").await.unwrap();
    let receipt = books::receipt(1);
    store.put_receipt(&receipt).await.unwrap();
    let deleted = store.delete(&[pair_id(1), pair_id(9)]).await.unwrap();
    assert_eq!(deleted, 1, "what does not exist is not counted");
    let missing = StoreError::NotFound(Noun::Pair);
    assert_eq!(store.get(pair_id(1)).await.unwrap_err(), missing);
    assert_eq!(store.archived(&[pair_id(1)]).await.unwrap(), []);
    for word in ["plover", "gannet"] {
        assert!(store.search(&workspace, word, 10).await.unwrap().is_empty(), "{word}");
    }
    assert!(store.estimates(&workspace, "s").await.unwrap().is_empty());
    let kept = store.receipt(receipt.id).await.unwrap();
    assert_eq!((kept.pair, kept.body), (None, None));
    let all = ReceiptFilter::default();
    let totals = store.totals(&workspace, &all, GroupBy::Model).await.unwrap();
    assert_eq!(totals[0].estimate, receipt.estimate, "the totals stay true");
    assert_eq!(store.count(&workspace).await.unwrap(), 1);
}

/// A refusal with these words.
fn answer(body: &str) -> FailedAnswer {
    FailedAnswer { status: Some(400), body: Some(body.to_owned()), transport: None }
}

/// The request of another pair holds the words of those that it quoted.
pub(crate) async fn requests_that_quoted_a_deleted_pair_are_purged(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1), answered(2), answered(3)]).await;
    let snapshot = ErrorSnapshot {
        pair: pair_id(3),
        at: at(50),
        included: vec![pair_id(1), pair_id(2)],
        outgoing_user_text: "question 3".to_owned(),
        json_doc: Some("{\"messages\":[\"question 1\"]}".to_owned()),
        answer: Some(answer("'question 1' is too long")),
    };
    store.put_snapshot(&snapshot).await.unwrap();
    store.delete(&[pair_id(1)]).await.unwrap();
    let left = store.snapshot(pair_id(3)).await.unwrap().unwrap();
    assert_eq!((left.included, left.json_doc), (vec![pair_id(2)], None));
    let kept = left.answer.unwrap();
    assert_eq!((kept.status, kept.body), (Some(400), None), "servers repeat what they were sent");
    assert_eq!(left.outgoing_user_text, "question 3");
    store.delete(&[pair_id(3)]).await.unwrap();
    assert_eq!(store.snapshot(pair_id(3)).await.unwrap(), None);
}

/// What is written after the deletion does not bring texts back.
pub(crate) async fn a_deleted_pair_does_not_come_back_through_its_send(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(2)).await.unwrap();
    let receipt = books::receipt(1);
    store.put_receipt(&receipt).await.unwrap();
    assert_eq!(store.receipt(receipt.id).await.unwrap().body, None);
    let snapshot = ErrorSnapshot {
        pair: pair_id(2),
        at: at(50),
        included: vec![pair_id(1)],
        outgoing_user_text: "question 2".to_owned(),
        json_doc: Some("question 1".to_owned()),
        answer: Some(answer("question 1")),
    };
    store.put_snapshot(&snapshot).await.unwrap();
    let kept = store.snapshot(pair_id(2)).await.unwrap().unwrap();
    assert_eq!((kept.included, kept.json_doc), (vec![], None));
    assert_eq!(kept.answer.unwrap().body, None);
    let gone = ErrorSnapshot { pair: pair_id(1), ..snapshot };
    assert_eq!(store.put_snapshot(&gone).await.unwrap_err(), StoreError::NotFound(Noun::Pair));
    let unknown = store.receipt(ReceiptId::new(at(1), [8; 10])).await;
    assert_eq!(unknown.unwrap_err(), StoreError::NotFound(Noun::Receipt));
}

/// It has to be cancelled first; nothing of the bulk is deleted.
pub(crate) async fn a_pair_in_flight_is_not_deleted(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(1)).await.unwrap();
    store
        .begin(&workspace, &[pair(2)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    let both = [pair_id(1), pair_id(2)];
    let busy = StoreError::Busy { since: at(50), pair: pair_id(2) };
    assert_eq!(store.delete(&both).await.unwrap_err(), busy);
    assert_eq!(store.count(&workspace).await.unwrap(), 2);
    store
        .set_state(held(&store, pair_id(2)).await, LifecycleEvent::Cancel, &Outcome::default())
        .await
        .unwrap();
    assert_eq!(store.delete(&both).await.unwrap(), 2);
}
