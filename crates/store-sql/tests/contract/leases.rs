//! Rules of who holds a send, and for how long (TEA-7).

use plimsoll_domain::{HistoryScope, Lifecycle, LifecycleEvent, Timestamp};
use plimsoll_store::{HeldSend, INTERRUPTED, Outcome, StoreError, ToolCallRecord};

use super::{Backend, LEASE, at, pair, pair_id, ready};

const EVERYTHING: HistoryScope = HistoryScope::Everything;

fn later(time: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_millis(time.millis() + millis)
}

fn call() -> ToolCallRecord {
    ToolCallRecord {
        name: "read".to_owned(),
        arguments: "{}".to_owned(),
        result: "words".to_owned(),
        failed: false,
        tokens: 1,
        millis: 1,
        made: Vec::new(),
    }
}

pub(crate) async fn tea_7_what_is_written_for_a_send_names_it(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let begun =
        store.begin(&workspace, &[pair(1)], EVERYTHING, "me", at(50), LEASE / 5).await.unwrap();
    let [held] = begun[..] else { panic!("one send was begun") };
    let send = store.sends_in_flight().await.unwrap().remove(0);
    assert_eq!((send.pair, send.epoch), (held.pair, held.epoch));
    let first = i64::try_from((LEASE / 5).as_millis()).unwrap();
    assert_eq!(send.expires_at, later(at(50), first));
    let lost = StoreError::LeaseLost { pair: pair_id(1) };
    let other = HeldSend { epoch: held.epoch + 1, ..held };
    assert_eq!(store.save_partial(other, "x").await.unwrap_err(), lost);
    assert_eq!(store.add_tool_call(other, &call()).await.unwrap_err(), lost);
    assert_eq!(store.renew(other, at(60)).await.unwrap_err(), lost);
    let refused = store.set_state(other, LifecycleEvent::Finish, &Outcome::default()).await;
    assert_eq!(refused.unwrap_err(), lost);
    let kept = store.get(pair_id(1)).await.unwrap().pair;
    assert_eq!((kept.lifecycle, kept.assistant_text), (Lifecycle::Sending, None));
    assert_eq!(store.tool_calls(pair_id(1)).await.unwrap(), []);
    store.save_partial(held, "half").await.unwrap();
    store.add_tool_call(held, &call()).await.unwrap();
    store.set_state(held, LifecycleEvent::Finish, &Outcome::default()).await.unwrap();
}

pub(crate) async fn tea_7_a_send_that_is_renewed_is_left_alone(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let held =
        store.begin(&workspace, &[pair(1)], EVERYTHING, "me", at(50), LEASE).await.unwrap()[0];
    let node = backend.open().await;
    // It looks dead to somebody, and is renewed before that is acted upon.
    let seen = node.sends_in_flight().await.unwrap();
    store.renew(held, later(seen[0].expires_at, 1)).await.unwrap();
    assert_eq!(node.interrupt(&seen).await.unwrap(), []);
    let send = node.sends_in_flight().await.unwrap().remove(0);
    assert_eq!(send.expires_at, later(seen[0].expires_at, 1));
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair.lifecycle, Lifecycle::Sending);
}

/// A handle that just stops renewing: within its lease nobody touches its send, behind it whoever
/// sees it first ends it, and nothing of the old owner is taken any more.
pub(crate) async fn tea_7_who_stops_renewing_is_ended_and_refused(backend: &impl Backend) {
    let (dead, workspace) = ready(backend).await;
    let held =
        dead.begin(&workspace, &[pair(1)], EVERYTHING, "dead", at(50), LEASE).await.unwrap()[0];
    dead.save_partial(held, "half").await.unwrap();
    let expires_at = dead.sends_in_flight().await.unwrap()[0].expires_at;
    let node = backend.open().await;
    let now = expires_at;
    assert!(node.recover(&|send| send.expires_at >= now).await.unwrap().is_empty());
    let now = later(expires_at, 1);
    let ended = node.recover(&|send| send.expires_at >= now).await.unwrap();
    assert_eq!(ended.len(), 1);
    for store in [&dead, &node] {
        let kept = store.get(pair_id(1)).await.unwrap().pair;
        assert_eq!(kept.error.unwrap().code, INTERRUPTED);
        assert_eq!(kept.assistant_text.as_deref(), Some("half"));
    }
    assert!(dead.recover(&|send| send.expires_at >= now).await.unwrap().is_empty(), "only once");
    let over = StoreError::Conflict { found: Lifecycle::Error };
    assert_eq!(dead.save_partial(held, "half and more").await.unwrap_err(), over);
    let lost = StoreError::LeaseLost { pair: pair_id(1) };
    assert_eq!(dead.renew(held, later(now, 1)).await.unwrap_err(), lost);
    assert_eq!(dead.add_tool_call(held, &call()).await.unwrap_err(), lost);
    let outcome = Outcome { assistant_text: Some("all of it".to_owned()), ..Outcome::default() };
    let late = dead.set_state(held, LifecycleEvent::Finish, &outcome).await;
    assert_eq!(late.unwrap_err(), over);
    let kept = node.get(pair_id(1)).await.unwrap().pair;
    assert_eq!(kept.assistant_text.as_deref(), Some("half"));
    node.begin(&workspace, &[pair(2)], EVERYTHING, "node", now, LEASE).await.unwrap();
}

pub(crate) async fn tea_7_a_pair_that_is_sent_again_is_another_send(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let first =
        store.begin(&workspace, &[pair(1)], EVERYTHING, "me", at(50), LEASE).await.unwrap()[0];
    store.set_state(first, LifecycleEvent::Finish, &Outcome::default()).await.unwrap();
    let second = store.claim(pair_id(1), "m", EVERYTHING, "you", at(60), LEASE).await.unwrap();
    assert_ne!(first.epoch, second.epoch);
    let lost = StoreError::LeaseLost { pair: pair_id(1) };
    assert_eq!(store.save_partial(first, "late").await.unwrap_err(), lost);
    let late = store.set_state(first, LifecycleEvent::Cancel, &Outcome::default()).await;
    assert_eq!(late.unwrap_err(), lost);
    assert_eq!(store.get(pair_id(1)).await.unwrap().pair.lifecycle, Lifecycle::Sending);
}
