//! Events for browsers: numbered, kept for a while, so that who was away catches up.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{Stream, stream};
use plimsoll_domain::{Timestamp, TopicId};
use plimsoll_store::Workspace;
use serde_json::Value;
use tokio::sync::watch;

use crate::{event_id::LogPlace, place::Place};

/// So many of the newest events can be caught up with.
const KEPT: usize = 2048;

/// And so many bytes of them: an event may hold a whole answer, and clients that do not read
/// must not fill the memory (REL-5). The newest one is kept whatever its size.
const KEPT_BYTES: usize = 16 << 20;

/// An event as browsers get it.
#[derive(Debug)]
pub(crate) struct Event {
    /// Its place in this log.
    pub(crate) id: u64,
    pub(crate) audience: Audience,
    pub(crate) name: &'static str,
    pub(crate) data: String,
    /// The last change of the workspace that was told before it; none for what concerns all.
    pub(crate) number: Option<u64>,
    pub(crate) text: TextStep,
}

/// What an event says of a text that grows, so that each client is told all of it once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TextStep {
    #[default]
    None,
    /// The send of this epoch begins.
    Begins(u64),
    /// More of its text is told: these bytes of it, as text or as HTML.
    Grows {
        epoch: u64,
        from: usize,
        to: usize,
        html: bool,
    },
    Ends(u64),
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

impl Audience {
    /// The workspace that it is about.
    pub(crate) fn workspace(&self) -> Option<&Workspace> {
        match self {
            Self::Everybody => None,
            Self::Workspace(workspace) | Self::Conversation(workspace, _) => Some(workspace),
            Self::Place(place) => Some(&place.workspace),
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
    /// Tells this run of the node from all others.
    run: String,
}

struct Kept {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    next: u64,
    /// Of each workspace that somebody looks at, the change up to which everything was told.
    numbers: HashMap<Workspace, u64>,
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
        let numbers = HashMap::new();
        let kept = Kept { events: VecDeque::new(), bytes: 0, next, numbers };
        // The standard library keys its maps with what the system gives as random.
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), next);
        let run = format!("{:08x}", random >> 32);
        Self { kept: Arc::new(Mutex::new(kept)), newest: watch::channel(next).0, run }
    }

    /// Everything up to this change of a workspace was told.
    pub(crate) fn told_up_to(&self, workspace: &Workspace, number: u64) {
        lock(&self.kept).numbers.insert(workspace.clone(), number);
    }

    /// Forgets the workspaces that nobody looks at.
    pub(crate) fn keep_numbers_of(&self, workspaces: &HashSet<Workspace>) {
        lock(&self.kept).numbers.retain(|workspace, _| workspaces.contains(workspace));
    }

    pub(crate) fn number(&self, workspace: &Workspace) -> Option<u64> {
        lock(&self.kept).numbers.get(workspace).copied()
    }

    /// The place of an event in this log.
    pub(crate) fn place(&self, event: u64) -> LogPlace {
        LogPlace { run: self.run.clone(), event }
    }

    /// Whether all that came behind a place is kept here.
    pub(crate) fn has(&self, place: &LogPlace) -> bool {
        place.run == self.run && !matches!(lock(&self.kept).after(place.event), After::Gone)
    }

    /// Tells those whom it concerns; gives the number of the event.
    pub(crate) fn tell(
        &self,
        audience: impl Into<Audience>,
        name: &'static str,
        data: &Value,
    ) -> u64 {
        self.tell_of_text(audience, name, data, TextStep::None)
    }

    /// The same for what tells of a text that grows.
    pub(crate) fn tell_of_text(
        &self,
        audience: impl Into<Audience>,
        name: &'static str,
        data: &Value,
        text: TextStep,
    ) -> u64 {
        let (audience, data) = (audience.into(), data.to_string());
        let mut kept = lock(&self.kept);
        let id = kept.next;
        kept.next += 1;
        let number = audience.workspace().and_then(|at| kept.numbers.get(at).copied());
        kept.push(Event { id, audience, name, data, number, text });
        drop(kept);
        self.newest.send_replace(id);
        id
    }

    /// The number of the newest event.
    pub(crate) fn newest(&self) -> u64 {
        lock(&self.kept).next - 1
    }

    /// All events behind one, whomever they concern. Who asks for more than is kept, or falls
    /// behind, is told to start over.
    pub(crate) fn follow(&self, last: u64) -> impl Stream<Item = Arc<Event>> + Send + use<> {
        let start = (Arc::clone(&self.kept), self.newest.subscribe(), last);
        stream::unfold(start, |(kept, mut newest, last)| async move {
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
        })
    }
}

fn reset(id: u64) -> Arc<Event> {
    let audience = Audience::Everybody;
    let (data, text) = ("{}".to_owned(), TextStep::None);
    Arc::new(Event { id, audience, name: "reset", data, number: None, text })
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    fn event_log() -> EventLog {
        EventLog::new(Timestamp::from_millis(1000))
    }

    async fn names(event_log: &EventLog, after: u64, count: usize) -> Vec<(u64, &'static str)> {
        let here = Place::default();
        let following = event_log.follow(after);
        let mine = following.filter(|event| std::future::ready(event.audience.includes(&here)));
        mine.take(count).map(|event| (event.id, event.name)).collect().await
    }

    #[tokio::test]
    async fn api_2_who_was_away_catches_up() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        event_log.tell(&Workspace::default(), "b", &Value::Null);
        event_log.tell(&Workspace::parse("other/place").unwrap(), "c", &Value::Null);
        let last = event_log.tell(Audience::Everybody, "d", &Value::Null);
        assert_eq!(names(&event_log, first, 2).await, [(first + 1, "b"), (last, "d")]);
    }

    #[tokio::test]
    async fn api_2_who_was_away_too_long_starts_over() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        for _ in 0..=KEPT {
            event_log.tell(Audience::Everybody, "b", &Value::Null);
        }
        assert_eq!(names(&event_log, first, 1).await, [(event_log.newest(), "reset")]);
        assert_eq!(names(&event_log, u64::MAX - 1, 1).await, [(event_log.newest(), "reset")]);
        assert_eq!(
            names(&event_log, 7, 1).await,
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
        assert_eq!(names(&event_log, first, 1).await, [(event_log.newest(), "reset")]);
        let newest = event_log.newest();
        assert_eq!(names(&event_log, newest - 1, 1).await, [(newest, "b")], "the newest is there");
        let huge =
            event_log.tell(Audience::Everybody, "c", &Value::from("x".repeat(2 * KEPT_BYTES)));
        assert_eq!(names(&event_log, newest, 1).await, [(huge, "c")]);
        event_log.tell(Audience::Everybody, "d", &Value::Null);
        assert!(lock(&event_log.kept).bytes <= KEPT_BYTES);
    }

    #[tokio::test]
    async fn live_events_follow_without_gap_or_repeat() {
        let event_log = event_log();
        let first = event_log.tell(Audience::Everybody, "a", &Value::Null);
        let following = event_log.follow(first - 1);
        event_log.tell(Audience::Everybody, "b", &Value::Null);
        let seen: Vec<u64> = following.take(2).map(|event| event.id).collect().await;
        assert_eq!(seen, [first, first + 1]);
    }
}
