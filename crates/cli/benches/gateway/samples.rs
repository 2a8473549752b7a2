//! The calls of one way in one scenario.

use std::time::Duration;

use crate::load::{Call, Round};

/// What of a call is looked at.
pub(crate) type Part = fn(&Call) -> Duration;

pub(crate) const FIRST: Part = |call| call.first;
pub(crate) const WHOLE: Part = |call| call.whole;
pub(crate) const AFTER_FIRST: Part = |call| call.whole - call.first;

/// Round by round.
#[derive(Default)]
pub(crate) struct Samples {
    rounds: Vec<Vec<Call>>,
    took: Duration,
    /// Why connections gave up that did.
    pub(crate) failed: Vec<String>,
}

impl Samples {
    pub(crate) fn add(&mut self, round: Round) {
        self.rounds.push(round.calls);
        self.took += round.took;
        self.failed.extend(round.failed);
    }

    /// Whether there is anything to tell.
    pub(crate) fn any(&self) -> bool {
        self.count() > 0
    }

    pub(crate) fn count(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    /// Calls in a second, all connections together.
    pub(crate) fn rate(&self) -> f64 {
        self.count() as f64 / self.took.as_secs_f64()
    }

    /// In milliseconds, over the calls of all rounds.
    pub(crate) fn percentile(&self, part: Part, percent: usize) -> f64 {
        percentile(self.rounds.iter().flatten(), part, percent)
    }

    /// What it is more than the other one's, in milliseconds.
    pub(crate) fn added(&self, direct: &Self, part: Part, percent: usize) -> f64 {
        self.percentile(part, percent) - direct.percentile(part, percent)
    }

    /// The same by rounds: each is held against the other's of the same moment, and the
    /// median is taken, so that a burst of something else on the machine counts once.
    pub(crate) fn added_by_rounds(&self, direct: &Self, part: Part, percent: usize) -> f64 {
        let pairs = self.rounds.iter().zip(&direct.rounds);
        let mut added: Vec<f64> = pairs
            .map(|(own, other)| percentile(own, part, percent) - percentile(other, part, percent))
            .collect();
        added.sort_by(f64::total_cmp);
        added.get(added.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

fn percentile<'a>(calls: impl IntoIterator<Item = &'a Call>, part: Part, percent: usize) -> f64 {
    let mut times: Vec<Duration> = calls.into_iter().map(part).collect();
    times.sort();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
