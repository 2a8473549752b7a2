//! Wrong tries, counted by where they come from and bounded in memory: whoever guesses is slowed.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Wrong tries of many places.
pub(crate) struct Tries {
    most: u32,
    places: Mutex<HashMap<String, Tried>>,
}

/// Wrong tries since a time.
#[derive(Clone, Copy)]
struct Tried {
    since: Instant,
    wrong: u32,
}

/// The time in which they are counted.
const WRONG_TIME: Duration = Duration::from_secs(60);
/// So many places are told apart; more of them share what is left.
const MOST_PLACES: usize = 1024;
/// The place of everybody who is one too many.
const OTHERS: &str = "others";

impl Tries {
    /// As many wrong tries are taken from one place in a minute.
    pub(crate) fn at_most(most: u32) -> Self {
        Self { most, places: Mutex::default() }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<String, Tried>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seconds until a place may try again; none if it may now.
    pub(crate) fn must_wait(&self, place: &str, now: Instant) -> Option<u64> {
        let places = self.places();
        let tried = places.get(place).or_else(|| places.get(OTHERS))?;
        let passed = now.saturating_duration_since(tried.since);
        let wait = WRONG_TIME.checked_sub(passed)?;
        (tried.wrong >= self.most).then(|| wait.as_secs() + 1)
    }

    /// Something wrong came from a place.
    pub(crate) fn was_wrong(&self, place: &str, now: Instant) {
        let mut places = self.places();
        let over = |tried: &Tried| now.saturating_duration_since(tried.since) >= WRONG_TIME;
        places.retain(|_, tried| !over(tried));
        let room = places.len() < MOST_PLACES || places.contains_key(place);
        let place = if room { place } else { OTHERS };
        let tried = places.entry(place.to_owned()).or_insert(Tried { since: now, wrong: 0 });
        tried.wrong = tried.wrong.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_wrong_tries_are_slowed_and_take_bounded_memory() {
        let (tries, now) = (Tries::at_most(3), Instant::now());
        for _ in 0..3 {
            assert_eq!(tries.must_wait("a", now), None);
            tries.was_wrong("a", now);
        }
        assert_eq!(tries.must_wait("a", now), Some(61));
        assert_eq!(tries.must_wait("b", now), None);
        assert_eq!(tries.must_wait("a", now + WRONG_TIME), Some(1));
        assert_eq!(tries.must_wait("a", now + WRONG_TIME + Duration::from_millis(1)), None);
        for place in 0..3 * MOST_PLACES {
            tries.was_wrong(&place.to_string(), now);
        }
        assert!(tries.places().len() <= MOST_PLACES + 1);
        assert!(tries.must_wait("somebody new", now).is_some(), "the rest share what is left");
    }
}
