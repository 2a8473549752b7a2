//! Comparisons with an age, a day or a number of tokens, as ranges of what rows hold.

use std::ops::Range;

use plimsoll_domain::Timestamp;

use crate::{Comparator, evaluate::Leaf};

/// Rows whose age compares so with that of `then`: the older one is the greater one.
pub(crate) fn since(comparator: Comparator, then: i64) -> Leaf {
    let at = Timestamp::from_millis(then);
    match comparator {
        Comparator::Equal => Leaf::Time { from: Some(at), until: after(at) },
        Comparator::Less => match after(at) {
            Some(from) => Leaf::Time { from: Some(from), until: None },
            None => Leaf::Newest(0),
        },
        Comparator::LessOrEqual => Leaf::Time { from: Some(at), until: None },
        Comparator::Greater => Leaf::Time { from: None, until: Some(at) },
        Comparator::GreaterOrEqual => Leaf::Time { from: None, until: after(at) },
    }
}

/// The next instant; none after the last one, which bounds nothing.
fn after(at: Timestamp) -> Option<Timestamp> {
    at.millis().checked_add(1).map(Timestamp::from_millis)
}

/// Rows whose tokens compare so with `count`.
pub(crate) fn tokens(comparator: Comparator, count: u32) -> Leaf {
    let range = match comparator {
        Comparator::Equal => Some((count, count)),
        Comparator::Greater => count.checked_add(1).map(|low| (low, u32::MAX)),
        Comparator::GreaterOrEqual => Some((count, u32::MAX)),
        Comparator::Less => count.checked_sub(1).map(|high| (0, high)),
        Comparator::LessOrEqual => Some((0, count)),
    };
    // Nothing is below zero or above the largest number.
    range.map_or(Leaf::Newest(0), |(low, high)| Leaf::Tokens { low, high })
}

/// Rows of a local day, or of the time before or after it.
pub(crate) fn on_day(comparator: Comparator, day: Range<Timestamp>) -> Leaf {
    let (from, until) = match comparator {
        Comparator::Equal => (Some(day.start), Some(day.end)),
        Comparator::Greater => (Some(day.end), None),
        Comparator::GreaterOrEqual => (Some(day.start), None),
        Comparator::Less => (None, Some(day.start)),
        Comparator::LessOrEqual => (None, Some(day.end)),
    };
    Leaf::Time { from, until }
}
