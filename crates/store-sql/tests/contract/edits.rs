//! Rules of edits, regenerations and swaps.

use plimsoll_domain::{HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairError, Usage};

use super::{Backend, LEASE, answered, at, held, pair, pair_id, ready};
use plimsoll_store::{Edit, Noun, Outcome, StoreError};

fn new_question(text: &str) -> Edit {
    Edit { user_text: Some(text.to_owned()), assistant_text: None }
}

/// HIS-5: the mark is set, and the first texts stay however often it is edited.
pub(crate) async fn an_edit_keeps_the_original(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(1)).await.unwrap();
    assert!(store.archived(&[pair_id(1)]).await.unwrap()[0].revisions.is_empty());
    store.edit(pair_id(1), &new_question("better"), at(50)).await.unwrap();
    let again = Edit { assistant_text: Some("another".to_owned()), ..new_question("best") };
    store.edit(pair_id(1), &again, at(60)).await.unwrap();
    let stored = store.get(pair_id(1)).await.unwrap();
    assert_eq!(stored.edited_at, Some(at(60)));
    assert_eq!(stored.pair.user_text, "best");
    assert_eq!(stored.pair.assistant_text.as_deref(), Some("another"));
    let first = &store.archived(&[pair_id(1)]).await.unwrap()[0].revisions[0];
    assert_eq!(first.user_text, answered(1).user_text);
    assert_eq!(first.assistant_text, answered(1).assistant_text);
}

/// No mark, no revision, no stale estimate for nothing.
pub(crate) async fn an_edit_that_changes_nothing_leaves_no_mark(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(1)).await.unwrap();
    let before = store.get(pair_id(1)).await.unwrap();
    store.edit(pair_id(1), &Edit::default(), at(50)).await.unwrap();
    store.edit(pair_id(1), &new_question(&answered(1).user_text), at(50)).await.unwrap();
    assert_eq!(store.get(pair_id(1)).await.unwrap(), before);
}

/// The filter's `i` and `a` follow the text.
pub(crate) async fn an_edit_updates_what_is_attached(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &answered(1)).await.unwrap();
    let image = new_question("see <<context:image:/a.png>>>");
    store.edit(pair_id(1), &image, at(50)).await.unwrap();
    let row = &store.rows(&workspace).await.unwrap()[0];
    assert!(row.has_image && row.has_attachment);
}

/// Texts do not change under a send.
pub(crate) async fn a_pair_in_flight_is_not_edited(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store
        .begin(&workspace, &[pair(1)], HistoryScope::Everything, "me", at(50), LEASE)
        .await
        .unwrap();
    let busy = StoreError::Busy { since: at(50), pair: pair_id(1) };
    let refused = store.edit(pair_id(1), &new_question("x"), at(60)).await;
    assert_eq!(refused.unwrap_err(), busy);
    assert_eq!(store.swap_answer(pair_id(1)).await.unwrap_err(), busy);
}

/// A complete pair with all that an answer brings.
fn first_answer() -> MessagePair {
    let usage = Usage { prompt: 5, cached: 1, completion: 2, reasoning: 0 };
    MessagePair { usage: Some(usage), ..answered(1) }
}

/// SND-8: the answer is put aside, and the new one takes its place.
pub(crate) async fn regenerating_keeps_the_earlier_answer(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &first_answer()).await.unwrap();
    store.claim(pair_id(1), "gpt-4o", HistoryScope::Everything, "me", at(50), LEASE).await.unwrap();
    let sending = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!((sending.assistant_text, sending.usage), (None, None));
    let outcome = Outcome { assistant_text: Some("second".to_owned()), ..Outcome::default() };
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &outcome)
        .await
        .unwrap();
    let stored = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!(stored.assistant_text.as_deref(), Some("second"));
    assert_eq!(stored.previous_answer, first_answer().assistant_text);
    assert_eq!(stored.model, "gpt-4o");
}

/// SND-8: model and usage come back with the answer, and swapping twice changes nothing.
pub(crate) async fn a_swap_brings_everything_back(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &first_answer()).await.unwrap();
    let missing = store.swap_answer(pair_id(1)).await;
    assert_eq!(missing.unwrap_err(), StoreError::NotFound(Noun::PreviousAnswer));
    store.claim(pair_id(1), "gpt-4o", HistoryScope::Everything, "me", at(50), LEASE).await.unwrap();
    let outcome =
        Outcome { assistant_text: Some("second".to_owned()), cut: true, ..Outcome::default() };
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &outcome)
        .await
        .unwrap();
    let second = store.get(pair_id(1)).await.unwrap();
    store.swap_answer(pair_id(1)).await.unwrap();
    let back = store.get(pair_id(1)).await.unwrap();
    let expected = MessagePair { previous_answer: Some("second".to_owned()), ..first_answer() };
    assert_eq!(back.pair, expected);
    assert!(!back.cut);
    store.swap_answer(pair_id(1)).await.unwrap();
    let again = store.get(pair_id(1)).await.unwrap();
    assert_eq!((again.pair, again.cut), (second.pair, true));
}

/// A failed attempt does not cost the answer that was there.
pub(crate) async fn a_failed_regeneration_can_be_swapped_back(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    store.insert(&workspace, &first_answer()).await.unwrap();
    store.claim(pair_id(1), "gpt-4o", HistoryScope::Everything, "me", at(50), LEASE).await.unwrap();
    let error = PairError { code: "net".to_owned(), message: "gone".to_owned() };
    let outcome = Outcome { error: Some(error.clone()), ..Outcome::default() };
    store.set_state(held(&store, pair_id(1)).await, LifecycleEvent::Fail, &outcome).await.unwrap();
    store.swap_answer(pair_id(1)).await.unwrap();
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair, first_answer());
    store.swap_answer(pair_id(1)).await.unwrap();
    let failed = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!((failed.lifecycle, failed.error), (Lifecycle::Error, Some(error)));
}
