//! Rules of estimates (EST-7).

use std::sync::Arc;

use plimsoll_domain::{HistoryScope, LifecycleEvent, PairId};

use super::{Backend, LEASE, answered, at, filled, held, pair_id, ready};
use plimsoll_store::{Edit, Estimate, Outcome, Store, Workspace};

fn estimate(revision: u64) -> Estimate {
    Estimate { revision, user_tokens: 3, assistant_tokens: 4 }
}

/// Weighs a pair as it is now.
async fn weigh(store: &Arc<dyn Store>, n: u8, stamp: &str) {
    let revision = store.get(pair_id(n)).await.unwrap().revision;
    store.put_estimates(&[(pair_id(n), estimate(revision))], stamp).await.unwrap();
}

/// The pairs that have no estimate under a stamp, in the order of HIS-2.
pub(crate) async fn stale(
    store: &Arc<dyn Store>,
    workspace: &Workspace,
    stamp: &str,
) -> Vec<PairId> {
    let known = store.estimates(workspace, stamp).await.unwrap();
    let rows = store.rows(workspace).await.unwrap();
    rows.iter().map(|row| row.id).filter(|id| !known.contains_key(id)).collect()
}

/// Until it is weighed, and under each stamp anew.
pub(crate) async fn a_new_pair_is_stale(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(2), answered(1)]).await;
    let both = [pair_id(1), pair_id(2)];
    assert_eq!(stale(&store, &workspace, "s").await, both, "HIS-2");
    weigh(&store, 1, "s").await;
    assert_eq!(stale(&store, &workspace, "s").await, [pair_id(2)]);
    assert_eq!(stale(&store, &workspace, "other").await, both);
    let known = store.estimates(&workspace, "s").await.unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!(known[&pair_id(1)].assistant_tokens, 4);
}

/// An edit, a regeneration, its end and a swap; a label does not.
pub(crate) async fn every_change_of_text_makes_estimates_stale(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1)]).await;
    let is_stale = async || stale(&store, &workspace, "s").await.len() == 1;
    weigh(&store, 1, "s").await;
    store.set_star(&[pair_id(1)], plimsoll_domain::Star::new(1).unwrap()).await.unwrap();
    assert!(!is_stale().await, "a label weighs nothing");
    let edit = Edit { user_text: Some("new".to_owned()), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    assert!(is_stale().await);
    weigh(&store, 1, "s").await;
    store.claim(pair_id(1), "m", HistoryScope::Everything, "me", at(60), LEASE).await.unwrap();
    assert!(is_stale().await);
    weigh(&store, 1, "s").await;
    let outcome = Outcome { assistant_text: Some("x".to_owned()), ..Outcome::default() };
    store
        .set_state(held(&store, pair_id(1)).await, LifecycleEvent::Finish, &outcome)
        .await
        .unwrap();
    assert!(is_stale().await);
    weigh(&store, 1, "s").await;
    store.swap_answer(pair_id(1)).await.unwrap();
    assert!(is_stale().await);
}

/// A text that changes while it is weighed is weighed again.
pub(crate) async fn an_estimate_of_an_old_text_is_dropped(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1)]).await;
    let old = store.get(pair_id(1)).await.unwrap().revision;
    let edit = Edit { user_text: Some("new".to_owned()), assistant_text: None };
    store.edit(pair_id(1), &edit, at(50)).await.unwrap();
    let late = [(pair_id(1), estimate(old)), (pair_id(9), estimate(1))];
    store.put_estimates(&late, "s").await.unwrap();
    assert!(store.estimates(&workspace, "s").await.unwrap().is_empty());
    assert_eq!(stale(&store, &workspace, "s").await, [pair_id(1)]);
}

/// Going back to another model costs nothing.
pub(crate) async fn stamps_stand_beside_each_other(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    filled(&store, &workspace, &[answered(1)]).await;
    weigh(&store, 1, "fast").await;
    weigh(&store, 1, "exact").await;
    assert_eq!(store.estimates(&workspace, "fast").await.unwrap().len(), 1);
    assert_eq!(store.estimates(&workspace, "exact").await.unwrap().len(), 1);
}
