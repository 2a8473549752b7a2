//! The connections that are open, how many there may be, and who has to go (REL-8).
//!
//! Whoever has sent a whole request keeps the connection for as long as the answer takes, a
//! stream of events for ever. Whoever has not has a time to do so, and goes before that where
//! the room is needed for others.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

/// The times that clients have.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, from its first byte.
    pub head: Duration,
    /// For the first byte of a request.
    pub idle: Duration,
    /// For each piece of a body.
    pub body: Duration,
    /// For reading an answer, where somebody else needs the connection.
    pub reading: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(15), idle: seconds(75), body: seconds(30), reading: seconds(30) }
    }
}

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Nothing was sent yet, or everything was answered.
    Idle,
    /// A head has begun.
    Head,
    /// A request is being answered.
    Answering,
    /// An answer is not being read.
    Unread,
}

/// One connection.
pub(super) struct Held {
    doing: Mutex<(Doing, Instant)>,
    go: Notify,
    /// Whether all others are taken by requests: only whether we live is answered then.
    pub(super) last_resort: bool,
}

impl Held {
    fn new(last_resort: bool) -> Self {
        let doing = Mutex::new((Doing::Idle, Instant::now()));
        Self { doing, go: Notify::new(), last_resort }
    }

    fn doing(&self) -> MutexGuard<'_, (Doing, Instant)> {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From one thing to another, if that is what it is doing.
    fn turn(&self, from: Doing, to: Doing) {
        let mut doing = self.doing();
        if doing.0 == from {
            *doing = (to, Instant::now());
        }
    }

    pub(super) fn bytes_came(&self) {
        self.turn(Doing::Idle, Doing::Head);
    }

    pub(super) fn request_came(&self) {
        *self.doing() = (Doing::Answering, Instant::now());
    }

    /// The last byte of an answer was handed over.
    pub(super) fn answered(&self) {
        *self.doing() = (Doing::Idle, Instant::now());
    }

    pub(super) fn is_not_read(&self) {
        self.turn(Doing::Answering, Doing::Unread);
    }

    /// Bytes were taken. The end of an answer may still be on its way when its last byte was
    /// handed over.
    pub(super) fn is_read(&self) {
        let mut doing = self.doing();
        match doing.0 {
            Doing::Unread => *doing = (Doing::Answering, Instant::now()),
            Doing::Idle => doing.1 = Instant::now(),
            Doing::Head | Doing::Answering => {}
        }
    }

    /// Waits until the connection has to go.
    pub(super) async fn must_go(&self) {
        self.go.notified().await;
    }

    fn end(&self) {
        self.go.notify_one();
    }
}

pub(super) struct Connections {
    most: usize,
    patience: Patience,
    open: Mutex<HashMap<u64, Arc<Held>>>,
    next: AtomicU64,
    came: Notify,
}

/// The place of a connection; it is free again when this is dropped.
pub(super) struct Place {
    of: Arc<Connections>,
    number: u64,
    pub(super) held: Arc<Held>,
}

/// As many may ask whether we live when everything else is taken.
const LAST_RESORT: usize = 16;
/// Descriptors that are needed for other things: the store, files, providers.
const OTHER_DESCRIPTORS: u64 = 96;
/// No more clients at once, however many descriptors there are.
const MOST: u64 = 2048;

/// How many clients a number of descriptors is good for.
pub(super) fn room(descriptors: Option<u64>) -> usize {
    let room = descriptors.map_or(MOST, |all| {
        let rest = all.saturating_sub(OTHER_DESCRIPTORS + LAST_RESORT as u64);
        rest.clamp((all / 4).clamp(1, MOST), MOST)
    });
    usize::try_from(room).unwrap_or(usize::MAX)
}

impl Connections {
    pub(super) fn new(most: usize, patience: Patience) -> Arc<Self> {
        let (open, next) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Self { most, patience, open, next, came: Notify::new() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Arc<Held>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection. Where all are taken, whoever has waited longest without a
    /// request goes; where all are busy, there are a few places of last resort.
    pub(super) fn take(self: &Arc<Self>) -> Place {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut open = self.open();
        let last = open.values().filter(|held| held.last_resort).count();
        let taken = open.len() - last >= self.most;
        let idle = || longest_without_request(&open, self.patience.reading);
        let idle = taken.then(idle).flatten();
        let last_resort = taken && idle.is_none();
        let oldest = || open.iter().filter(|(_, held)| held.last_resort).map(|(at, _)| *at).min();
        let goes = if last_resort && last >= LAST_RESORT { oldest() } else { idle };
        if let Some(held) = goes.and_then(|goes| open.remove(&goes)) {
            held.end();
        }
        let held = Arc::new(Held::new(last_resort));
        open.insert(number, Arc::clone(&held));
        drop(open);
        self.came.notify_one();
        Place { of: Arc::clone(self), number, held }
    }

    /// Ends whoever has waited longest without a request, since the machine has no more room.
    pub(super) fn make_room(&self) {
        let mut open = self.open();
        let idle = longest_without_request(&open, self.patience.reading);
        if let Some(held) = idle.and_then(|idle| open.remove(&idle)) {
            held.end();
        }
    }

    /// Ends those whose time is up, and gives how many are left.
    fn sweep(&self) -> usize {
        let mut open = self.open();
        open.retain(|_, held| {
            let (doing, since) = *held.doing();
            let time = match doing {
                Doing::Idle => self.patience.idle,
                Doing::Head => self.patience.head,
                Doing::Answering | Doing::Unread => return true,
            };
            let stays = since.elapsed() < time;
            if !stays {
                held.end();
            }
            stays
        });
        open.len()
    }

    /// Looks after the times for as long as it is polled; sleeps while nobody is there.
    pub(super) async fn watch(&self) {
        let shortest = self.patience.head.min(self.patience.idle);
        let pause = (shortest / 8).clamp(Duration::from_millis(10), Duration::from_secs(1));
        loop {
            if self.sweep() == 0 {
                self.came.notified().await;
            }
            tokio::time::sleep(pause).await;
        }
    }
}

fn longest_without_request(open: &HashMap<u64, Arc<Held>>, reading: Duration) -> Option<u64> {
    let usual = open.iter().filter(|(_, held)| !held.last_resort);
    let waits = usual.filter_map(|(number, held)| {
        let (doing, since) = *held.doing();
        let evictable = match doing {
            Doing::Idle | Doing::Head => true,
            Doing::Unread => since.elapsed() >= reading,
            Doing::Answering => false,
        };
        evictable.then_some((since, *number))
    });
    waits.min().map(|(_, number)| number)
}

impl Drop for Place {
    fn drop(&mut self) {
        self.of.open().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(most: usize) -> Arc<Connections> {
        Connections::new(most, Patience::default())
    }

    async fn gone(place: &Place) -> bool {
        tokio::time::timeout(Duration::ZERO, place.held.must_go()).await.is_ok()
    }

    #[tokio::test]
    async fn rel_8_who_waits_longest_without_a_request_gives_way() {
        let all = of(3);
        let (watcher, half, idle) = (all.take(), all.take(), all.take());
        watcher.held.request_came();
        half.held.bytes_came();
        idle.held.request_came();
        idle.held.answered();
        let fourth = all.take();
        assert!(!fourth.held.last_resort && gone(&half).await);
        assert!(!gone(&watcher).await && !gone(&idle).await);
        fourth.held.request_came();
        let fifth = all.take();
        assert!(!fifth.held.last_resort && gone(&idle).await && !gone(&watcher).await);
    }

    #[tokio::test]
    async fn rel_8_when_all_are_busy_a_few_places_are_left_and_the_newest_has_one() {
        let all = of(2);
        let busy = [all.take(), all.take()];
        busy.iter().for_each(|place| place.held.request_came());
        let mut last = Vec::new();
        for _ in 0..LAST_RESORT * 3 {
            let place = all.take();
            assert!(place.held.last_resort);
            place.held.request_came();
            last.push(place);
        }
        assert_eq!(all.open().len(), 2 + LAST_RESORT);
        assert!(!gone(&busy[0]).await && !gone(&busy[1]).await);
        assert!(gone(&last[0]).await && !gone(&last[LAST_RESORT * 3 - 1]).await);
        // One of last resort that is done makes no room for another client.
        last[LAST_RESORT * 3 - 1].held.answered();
        assert!(all.take().held.last_resort);
        drop((busy, last));
        assert_eq!(all.open().len(), 0);
    }

    #[tokio::test]
    async fn rel_8_times_end_heads_and_idle_connections_and_no_answers() {
        let short = Duration::from_millis(1);
        let patience = Patience { head: short, idle: short, body: short, reading: short };
        let all = Connections::new(9, patience);
        let (idle, half, watcher, unread) = (all.take(), all.take(), all.take(), all.take());
        half.held.bytes_came();
        watcher.held.request_came();
        unread.held.request_came();
        unread.held.is_not_read();
        std::thread::sleep(short * 2);
        assert_eq!(all.sweep(), 2);
        assert!(gone(&idle).await && gone(&half).await);
        assert!(!gone(&watcher).await && !gone(&unread).await);
    }

    #[test]
    fn rel_8_some_descriptors_are_left_for_the_store() {
        for (descriptors, clients) in [
            (None, 2048),
            (Some(1_000_000), 2048),
            (Some(1024), 912),
            (Some(256), 144),
            (Some(64), 16),
        ] {
            assert_eq!(room(descriptors), clients, "{descriptors:?}");
        }
    }
}
