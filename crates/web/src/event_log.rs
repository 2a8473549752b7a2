//! Events for browsers: numbered, kept for a while, so that who was away catches up.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::response::sse;
use futures_util::{Stream, StreamExt, stream};
use plimsoll_domain::{Timestamp, TopicId};
use plimsoll_store::Workspace;
use serde_json::Value;
use tokio::sync::watch;

use crate::place::Place;

/// So many of the newest events can be caught up with.
const KEPT: usize = 2048;

/// And so many bytes of them: an event may hold a whole answer, and clients that do not read
/// must not fill the memory (REL-5). The newest one is kept whatever its size.
const KEPT_BYTES: usize = 16 << 20;

/// An event as browsers get it.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) audience: Audience,
    pub(crate) name: &'static str,
    pub(crate) data: String,
}

/// Who is told of an event.
#[derive(Clone, Debug)]
pub(crate) enum Audience {
    Everybody,
    /// All who look at a workspace.
    Workspace(Workspace),
    /// All who can see the pairs of a topic.
    Conversation(Workspace, TopicId),
    /// Those at one place.
    Place(Place),
}

impl Audience {
    pub(crate) fn includes(&self, place: &Place) -> bool {
        match self {
            Self::Everybody => true,
            Self::Workspace(workspace) => *workspace == place.workspace,
            Self::Conversation(workspace, topic) => {
                *workspace == place.workspace && place.shows(*topic)
            }
            Self::Place(told) => told == place,
        }
    }
}

impl From<&Workspace> for Audience {
    fn from(workspace: &Workspace) -> Self {
        Self::Workspace(workspace.clone())
    }
}

impl From<&Place> for Audience {
    fn from(place: &Place) -> Self {
        Self::Place(place.clone())
    }
}

/// Where events go through. Numbers grow also over restarts of the program: they start
/// at the time of the start.
pub(crate) struct EventLog {
    kept: Arc<Mutex<Kept>>,
    /// The number of the newest event. Events themselves are in one place only, so that a
    /// slow client holds none of them.
    newest: watch::Sender<u64>,
}

struct Kept {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    next: u64,
}

/// What comes after a number.
enum After {
    Event(Arc<Event>),
    Nothing,
    /// It is not kept any more, or was never there.
    Gone,
}

impl Kept {
    fn push(&mut self, event: Event) {
        self.bytes += event.data.len();
        self.events.push_back(Arc::new(event));
        while self.events.len() > 1
            && (self.events.len() > KEPT || self.bytes > KEPT_BYTES)
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= oldest.data.len();
        }
    }

    /// Numbers have no gaps, so an event is found by counting.
    fn after(&self, id: u64) -> After {
        let wanted = id.saturating_add(1);
        let oldest = self.events.front().map_or(self.next, |event| event.id);
        match wanted {
            _ if wanted == self.next => After::Nothing,
            _ if wanted > self.next || wanted < oldest => After::Gone,
            _ => {
                let place = usize::try_from(wanted - oldest).unwrap_or(usize::MAX);
                self.events.get(place).cloned().map_or(After::Gone, After::Event)
            }
        }
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EventLog {
    pub(crate) fn new(at: Timestamp) -> Self {
        let next = at.millis().max(0).unsigned_abs() << 10;
        let kept = Kept { events: VecDeque::new(), bytes: 0, next };
        Self { kept: Arc::new(Mutex::new(kept)), newest: watch::channel(next).0 }
    }

    /// Tells those whom it concerns; gives the number of the event.
    pub(crate) fn tell(
        &self,
        audience: impl Into<Audience>,
        name: &'static str,
        data: &Value,
    ) -> u64 {
        let (audience, data) = (audience.into(), data.to_string());
        let mut kept = lock(&self.kept);
        let id = kept.next;
        kept.next += 1;
        kept.push(Event { id, audience, name, data });
        drop(kept);
        self.newest.send_replace(id);
        id
    }

    /// The number of the newest event.
    pub(crate) fn newest(&self) -> u64 {
        lock(&self.kept).next - 1
    }

    /// The events of a place after a number, then all that come. Who asks for more
    /// than is kept, or falls behind, is told to start over.
    pub(crate) fn follow(
        &self,
        place: Place,
        after: Option<u64>,
    ) -> impl Stream<Item = Arc<Event>> + Send + use<> {
        let kept = Arc::clone(&self.kept);
        let last = after.unwrap_or_else(|| self.newest());
        let start = (kept, self.newest.subscribe(), last);
        let events = stream::unfold(start, |(kept, mut newest, last)| async move {
            loop {
                // Seen before it is looked, so that nothing comes unnoticed between the two.
                newest.borrow_and_update();
                let next = {
                    let kept = lock(&kept);
                    match kept.after(last) {
                        After::Event(event) => Some(event),
                        After::Gone => Some(reset(kept.next - 1)),
                        After::Nothing => None,
                    }
                };
                if let Some(event) = next {
                    let last = event.id;
                    return Some((event, (kept, newest, last)));
                }
                newest.changed().await.ok()?;
            }
        });
        events.filter(move |event| std::future::ready(event.audience.includes(&place)))
    }
}

fn reset(id: u64) -> Arc<Event> {
    let audience = Audience::Everybody;
    Arc::new(Event { id, audience, name: "reset", data: "{}".to_owned() })
}

pub(crate) fn on_the_wire(event: &Event) -> Result<sse::Event, Infallible> {
    Ok(sse::Event::default().id(event.id.to_string()).event(event.name).data(&event.data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event_log() -> EventLog {
        EventLog::new(Timestamp::from_millis(1000))
    }

    async fn names(
        event_log: &EventLog,
        after: Option<u64>,
        count: usize,
    ) -> Vec<(u64, &'static str)> {
        let following = event_log.follow(Place::default(), after).take(count);
        following.map(|event| (event.id, event.name)).collect().await
    }

    #[tokio::test]
    async fn api_2_who_was_away_catches_up() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        event_log.tell(&Workspace::default(), "b", &Value::Null);
        event_log.tell(&Workspace::parse("other/place").unwrap(), "c", &Value::Null);
        let last = event_log.tell(Audience::Everybody, "d", &Value::Null);
        assert_eq!(names(&event_log, Some(first), 2).await, [(first + 1, "b"), (last, "d")]);
    }

    #[tokio::test]
    async fn api_2_who_was_away_too_long_starts_over() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        for _ in 0..=KEPT {
            event_log.tell(Audience::Everybody, "b", &Value::Null);
        }
        assert_eq!(names(&event_log, Some(first), 1).await, [(event_log.newest(), "reset")]);
        assert_eq!(names(&event_log, Some(u64::MAX - 1), 1).await, [(event_log.newest(), "reset")]);
        assert_eq!(
            names(&event_log, Some(7), 1).await,
            [(event_log.newest(), "reset")],
            "an earlier run"
        );
    }

    #[tokio::test]
    async fn rel_5_large_events_are_kept_by_their_bytes() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        let large = Value::from("x".repeat(KEPT_BYTES / 4));
        for _ in 0..8 {
            event_log.tell(Audience::Everybody, "b", &large);
        }
        assert!(lock(&event_log.kept).bytes <= KEPT_BYTES);
        assert_eq!(names(&event_log, Some(first), 1).await, [(event_log.newest(), "reset")]);
        let newest = event_log.newest();
        assert_eq!(
            names(&event_log, Some(newest - 1), 1).await,
            [(newest, "b")],
            "the newest is there"
        );
        let huge =
            event_log.tell(Audience::Everybody, "c", &Value::from("x".repeat(2 * KEPT_BYTES)));
        assert_eq!(names(&event_log, Some(newest), 1).await, [(huge, "c")]);
        event_log.tell(Audience::Everybody, "d", &Value::Null);
        assert!(lock(&event_log.kept).bytes <= KEPT_BYTES);
    }

    #[tokio::test]
    async fn live_events_follow_without_gap_or_repeat() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        let following = event_log.follow(Place::default(), Some(first - 1));
        event_log.tell(Audience::Everybody, "b", &Value::Null);
        let seen: Vec<u64> = following.take(2).map(|event| event.id).collect().await;
        assert_eq!(seen, [first, first + 1]);
    }
}
