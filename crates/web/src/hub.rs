//! Events for browsers: numbered, kept for a while, so that who was away catches up.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use axum::response::sse;
use futures_util::{Stream, StreamExt, stream};
use plimsoll_domain::Timestamp;
use plimsoll_store::Workspace;
use serde_json::Value;
use tokio::sync::broadcast;

/// So many of the newest events can be caught up with.
const KEPT: usize = 2048;

/// An event as browsers get it.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) workspace: Option<Workspace>,
    pub(crate) name: &'static str,
    pub(crate) data: String,
}

/// Where events go through. Numbers grow also over restarts of the program: they start
/// at the time of the start.
pub(crate) struct Hub {
    kept: Mutex<Kept>,
    live: broadcast::Sender<Arc<Event>>,
}

struct Kept {
    events: VecDeque<Arc<Event>>,
    next: u64,
}

impl Hub {
    pub(crate) fn new(at: Timestamp) -> Self {
        let first = at.millis().max(0).unsigned_abs() << 10;
        let kept = Mutex::new(Kept { events: VecDeque::new(), next: first });
        Self { kept, live: broadcast::channel(KEPT).0 }
    }

    /// Tells everybody; gives the number of the event.
    pub(crate) fn tell(
        &self,
        workspace: Option<&Workspace>,
        name: &'static str,
        data: &Value,
    ) -> u64 {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let id = kept.next;
        kept.next += 1;
        let workspace = workspace.cloned();
        let event = Arc::new(Event { id, workspace, name, data: data.to_string() });
        kept.events.push_back(Arc::clone(&event));
        if kept.events.len() > KEPT {
            kept.events.pop_front();
        }
        // Nobody listening is fine. Sent under the lock, so that numbers arrive in order.
        let _ = self.live.send(event);
        id
    }

    /// The number of the newest event.
    pub(crate) fn newest(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).next - 1
    }

    /// The events of a workspace after a number, then all that come. Who asks for more
    /// than is kept, or falls behind, is told to start over.
    pub(crate) fn follow(
        &self,
        workspace: Workspace,
        after: Option<u64>,
    ) -> impl Stream<Item = Arc<Event>> + Send + use<> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let live = self.live.subscribe();
        let newest = kept.next - 1;
        let after = after.unwrap_or(newest);
        let oldest = kept.events.front().map_or(kept.next, |event| event.id);
        let missed = if after + 1 < oldest || after > newest {
            vec![reset(newest)]
        } else {
            kept.events.iter().filter(|event| event.id > after).cloned().collect()
        };
        drop(kept);
        let live = stream::unfold((live, newest), |(mut live, last)| async move {
            loop {
                match live.recv().await {
                    Ok(event) if event.id <= last => {}
                    Ok(event) => return Some((event.clone(), (live, event.id))),
                    Err(broadcast::error::RecvError::Lagged(_)) => {
                        return Some((reset(last), (live, last)));
                    }
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        });
        stream::iter(missed).chain(live).filter(move |event| {
            let here = event.workspace.as_ref().is_none_or(|at| *at == workspace);
            std::future::ready(here)
        })
    }
}

fn reset(id: u64) -> Arc<Event> {
    Arc::new(Event { id, workspace: None, name: "reset", data: "{}".to_owned() })
}

/// An event on the wire.
pub(crate) fn on_the_wire(event: &Event) -> Result<sse::Event, Infallible> {
    Ok(sse::Event::default().id(event.id.to_string()).event(event.name).data(&event.data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hub() -> Hub {
        Hub::new(Timestamp::from_millis(1000))
    }

    async fn names(hub: &Hub, after: Option<u64>, count: usize) -> Vec<(u64, &'static str)> {
        let following = hub.follow(Workspace::default(), after).take(count);
        following.map(|event| (event.id, event.name)).collect().await
    }

    #[tokio::test]
    async fn api_2_who_was_away_catches_up() {
        let hub = hub();
        let first = hub.tell(None, "a", &Value::Null);
        hub.tell(Some(&Workspace::default()), "b", &Value::Null);
        hub.tell(Some(&Workspace::parse("other/place").unwrap()), "c", &Value::Null);
        let last = hub.tell(None, "d", &Value::Null);
        assert_eq!(names(&hub, Some(first), 2).await, [(first + 1, "b"), (last, "d")]);
    }

    #[tokio::test]
    async fn api_2_who_was_away_too_long_starts_over() {
        let hub = hub();
        let first = hub.tell(None, "a", &Value::Null);
        for _ in 0..=KEPT {
            hub.tell(None, "b", &Value::Null);
        }
        assert_eq!(names(&hub, Some(first), 1).await, [(hub.newest(), "reset")]);
        assert_eq!(names(&hub, Some(u64::MAX - 1), 1).await, [(hub.newest(), "reset")]);
        assert_eq!(names(&hub, Some(7), 1).await, [(hub.newest(), "reset")], "an earlier run");
    }

    #[tokio::test]
    async fn live_events_follow_without_gap_or_repeat() {
        let hub = hub();
        let first = hub.tell(None, "a", &Value::Null);
        let following = hub.follow(Workspace::default(), Some(first - 1));
        hub.tell(None, "b", &Value::Null);
        let seen: Vec<u64> = following.take(2).map(|event| event.id).collect().await;
        assert_eq!(seen, [first, first + 1]);
    }
}
