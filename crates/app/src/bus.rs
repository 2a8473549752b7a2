//! Telling those who watch what happens, without waiting for any of them.
//!
//! Each watcher has a mailbox of its own. The pieces of an answer that wait there are one
//! piece, so that a watcher who is slow hears the same text in fewer words, and misses none
//! of it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use plimsoll_store::Workspace;
use tokio::sync::Notify;

use crate::{AppEvent, Progress};

/// The most events that are kept for a listener. One that falls further behind is told to read
/// the state from the store instead.
const BACKLOG: usize = 1024;

/// Which events a watcher wants to hear.
type EventFilter = fn(&Progress) -> bool;

/// Where events come from.
#[derive(Clone, Default)]
pub(crate) struct Bus(Arc<Mutex<Vec<Weak<Mailbox>>>>);

struct Mailbox {
    filter: EventFilter,
    waiting: Mutex<Waiting>,
    rang: Notify,
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<AppEvent>,
    missed: bool,
}

/// What happens, as one watcher hears it.
pub struct Events(Arc<Mailbox>);

/// What a watcher hears next.
#[derive(Clone, Debug)]
pub enum Heard {
    /// This happened.
    Event(AppEvent),
    /// Events were dropped because the listener fell too far behind.
    Missed,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bus {
    /// A listener that hears what passes its filter from now on.
    pub(crate) fn subscribe(&self, filter: EventFilter) -> Events {
        let mailbox = Arc::new(Mailbox { filter, waiting: Mutex::default(), rang: Notify::new() });
        lock(&self.0).push(Arc::downgrade(&mailbox));
        Events(mailbox)
    }

    pub(crate) fn publish(&self, workspace: &Workspace, progress: Progress) {
        self.tell(&AppEvent { workspace: Some(workspace.clone()), progress });
    }

    pub(crate) fn publish_everywhere(&self, progress: Progress) {
        self.tell(&AppEvent { workspace: None, progress });
    }

    fn tell(&self, event: &AppEvent) {
        lock(&self.0).retain(|watcher| {
            let Some(mailbox) = watcher.upgrade() else { return false };
            if (mailbox.filter)(&event.progress) {
                lock(&mailbox.waiting).put(event);
                mailbox.rang.notify_one();
            }
            true
        });
    }
}

impl Waiting {
    fn put(&mut self, event: &AppEvent) {
        // Of several answers at once each has its own text; their order says nothing.
        for waiting in self.events.iter_mut().rev() {
            match (&mut waiting.progress, &event.progress) {
                (Progress::Text(pair, text), Progress::Text(same, more))
                | (Progress::Reasoning(pair, text), Progress::Reasoning(same, more))
                    if pair == same =>
                {
                    return text.push_str(more);
                }
                (
                    Progress::Text(pair, _) | Progress::Reasoning(pair, _),
                    Progress::Text(other, _) | Progress::Reasoning(other, _),
                ) if pair != other => {}
                _ => break,
            }
        }
        if self.events.len() == BACKLOG {
            self.events.clear();
            self.missed = true;
        }
        self.events.push_back(event.clone());
    }
}

impl Events {
    /// Whether everything that happened so far was heard.
    pub fn is_caught_up(&self) -> bool {
        let waiting = lock(&self.0.waiting);
        waiting.events.is_empty() && !waiting.missed
    }

    /// What happened next, as soon as it has.
    pub async fn next(&mut self) -> Heard {
        loop {
            if let Some(heard) = self.waiting() {
                return heard;
            }
            self.0.rang.notified().await;
        }
    }

    /// What happened and was not heard yet.
    pub fn waiting(&mut self) -> Option<Heard> {
        let mut waiting = lock(&self.0.waiting);
        if std::mem::take(&mut waiting.missed) {
            return Some(Heard::Missed);
        }
        waiting.events.pop_front().map(Heard::Event)
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::{PairId, Timestamp};
    use proptest::prelude::*;

    use super::*;

    fn pair(n: u8) -> PairId {
        PairId::new(Timestamp::from_millis(0), [n; 10])
    }

    fn text(n: u8, text: &str) -> Progress {
        Progress::Text(pair(n), text.to_owned())
    }

    fn all(events: &mut Events) -> Vec<String> {
        let heard = std::iter::from_fn(|| events.waiting());
        heard
            .map(|heard| match heard {
                Heard::Event(event) => format!("{:?}", event.progress),
                Heard::Missed => "missed".to_owned(),
            })
            .collect()
    }

    #[test]
    fn each_hears_what_it_heeds_from_when_it_came() {
        let (bus, at) = (Bus::default(), Workspace::default());
        bus.publish(&at, Progress::Topics);
        let mut everything = bus.subscribe(|_| true);
        let mut files = bus.subscribe(|progress| matches!(progress, Progress::Files));
        bus.publish(&at, Progress::Memory);
        bus.publish_everywhere(Progress::Files);
        assert_eq!(all(&mut everything), ["Memory", "Files"]);
        assert_eq!(all(&mut files), ["Files"]);
        drop(files);
        bus.publish(&at, Progress::Files);
        assert_eq!(lock(&bus.0).len(), 1, "who is gone is forgotten");
    }

    #[test]
    fn who_is_far_behind_is_told_so_and_hears_what_comes_then() {
        let (bus, at) = (Bus::default(), Workspace::default());
        let mut events = bus.subscribe(|_| true);
        (0..=BACKLOG).for_each(|_| bus.publish(&at, Progress::Memory));
        bus.publish(&at, Progress::Topics);
        assert_eq!(all(&mut events), ["missed", "Memory", "Topics"]);
    }

    #[tokio::test]
    async fn who_waits_is_woken() {
        let bus = Bus::default();
        let mut events = bus.subscribe(|_| true);
        let heard = tokio::spawn(async move { events.next().await });
        tokio::task::yield_now().await;
        bus.publish_everywhere(Progress::Topics);
        assert!(matches!(heard.await.unwrap(), Heard::Event(_)));
    }

    proptest! {
        /// However long nobody listens, and however many answers come at once, each is whole.
        #[test]
        fn no_text_is_missed(
            pieces in prop::collection::vec((0u8..3, "[a-z]{0,4}"), 0..3 * BACKLOG),
            listens in 1usize..4000,
        ) {
            let (bus, at) = (Bus::default(), Workspace::default());
            let mut events = bus.subscribe(|_| true);
            let (mut said, mut heard) = ([const { String::new() }; 3], [const { String::new() }; 3]);
            let mut listen = || while let Some(next) = events.waiting() {
                let Heard::Event(AppEvent { progress: Progress::Text(id, text), .. }) = next else {
                    panic!("something else was heard")
                };
                let n = (0..3).find(|n| pair(*n) == id).unwrap();
                heard[usize::from(n)].push_str(&text);
            };
            for (at_once, (n, piece)) in pieces.iter().enumerate() {
                bus.publish(&at, text(*n, piece));
                said[usize::from(*n)].push_str(piece);
                if at_once % listens == 0 {
                    listen();
                }
            }
            listen();
            prop_assert_eq!(heard, said);
        }
    }
}
