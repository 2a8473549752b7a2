//! Quota windows (VAL-4): requests and tokens a minute, tokens a day, over the real
//! usage log. Pure state; the caller brings the time.

use std::{collections::VecDeque, time::Duration};

use plimsoll_domain::Timestamp;

use crate::Model;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// What an account may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaLimits {
    /// Requests a minute.
    pub rpm: Option<u64>,
    /// Tokens a minute.
    pub tpm: Option<u64>,
    /// Tokens a day.
    pub tpd: Option<u64>,
}

impl QuotaLimits {
    /// The limits of a model in the catalog.
    pub fn of(model: &Model) -> Self {
        Self { rpm: model.rpm, tpm: model.tpm, tpd: model.tpd }
    }
}

/// Which window a send would break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaKind {
    RequestsPerMinute,
    TokensPerMinute,
    TokensPerDay,
}

/// Whether a send fits the windows now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaVerdict {
    /// It does.
    Fits,
    /// It will, after this time; the window that frees up last is named.
    Wait {
        /// How long until it fits.
        after: Duration,
        /// What it waits for.
        kind: QuotaKind,
    },
    /// It is larger than the whole window; waiting does not help.
    Never(QuotaKind),
}

/// The usage log of one model, newest last, for as long as the longest window.
#[derive(Clone, Debug, Default)]
pub struct Quota {
    log: VecDeque<(Timestamp, u64)>,
}

impl Quota {
    /// A request went out at `at` and used this many tokens.
    pub fn record(&mut self, at: Timestamp, tokens: u64) {
        // A clock that went backwards must not hide usage from the windows.
        let at = self.log.back().map_or(at, |(last, _)| at.max(*last));
        self.log.push_back((at, tokens));
        while self.log.front().is_some_and(|(first, _)| at.millis() - first.millis() >= DAY) {
            self.log.pop_front();
        }
    }

    /// Whether a request of `tokens` fits now, and if not, when it will.
    pub fn check(&self, now: Timestamp, tokens: u64, limits: &QuotaLimits) -> QuotaVerdict {
        let windows = [
            (QuotaKind::RequestsPerMinute, limits.rpm, MINUTE, 1),
            (QuotaKind::TokensPerMinute, limits.tpm, MINUTE, tokens),
            (QuotaKind::TokensPerDay, limits.tpd, DAY, tokens),
        ];
        let mut longest: Option<(i64, QuotaKind)> = None;
        for (kind, limit, length, need) in windows {
            let Some(limit) = limit else { continue };
            if need > limit {
                return QuotaVerdict::Never(kind);
            }
            let wait = self.wait(now, kind, length, limit - need);
            if wait > longest.map_or(0, |(wait, _)| wait) {
                longest = Some((wait, kind));
            }
        }
        match longest {
            None => QuotaVerdict::Fits,
            Some((wait, kind)) => {
                let after = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
                QuotaVerdict::Wait { after, kind }
            }
        }
    }

    /// Milliseconds until what is used in the window is at most `allowed`.
    fn wait(&self, now: Timestamp, kind: QuotaKind, length: i64, allowed: u64) -> i64 {
        let mut used = 0u64;
        for (at, tokens) in self.log.iter().rev() {
            let leaves_in = at.millis() + length - now.millis();
            if leaves_in <= 0 {
                return 0;
            }
            let weight = if kind == QuotaKind::RequestsPerMinute { 1 } else { *tokens };
            used = used.saturating_add(weight);
            // The newest entries alone are already too much: this one must leave.
            if used > allowed {
                return leaves_in;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn limits(rpm: Option<u64>, tpm: Option<u64>, tpd: Option<u64>) -> QuotaLimits {
        QuotaLimits { rpm, tpm, tpd }
    }

    #[test]
    fn val_4_a_send_waits_until_the_window_frees_up() {
        let mut quota = Quota::default();
        quota.record(at(0), 4000);
        quota.record(at(30), 1500);
        let limits = limits(Some(3), Some(6000), None);
        assert_eq!(quota.check(at(40), 500, &limits), QuotaVerdict::Fits);
        let wait = |seconds| QuotaVerdict::Wait {
            after: Duration::from_secs(seconds),
            kind: QuotaKind::TokensPerMinute,
        };
        assert_eq!(quota.check(at(40), 501, &limits), wait(20), "the first must leave");
        assert_eq!(quota.check(at(40), 4600, &limits), wait(50), "both must leave");
        assert_eq!(quota.check(at(60), 4500, &limits), QuotaVerdict::Fits);
        let never = QuotaVerdict::Never(QuotaKind::TokensPerMinute);
        assert_eq!(quota.check(at(40), 6001, &limits), never);
    }

    #[test]
    fn val_4_requests_and_days_count_too() {
        let mut quota = Quota::default();
        quota.record(at(0), 10);
        quota.record(at(1), 10);
        assert_eq!(
            quota.check(at(2), 1, &limits(Some(2), None, None)),
            QuotaVerdict::Wait {
                after: Duration::from_secs(58),
                kind: QuotaKind::RequestsPerMinute
            }
        );
        assert_eq!(
            quota.check(at(2), 5, &limits(Some(2), None, Some(20))),
            QuotaVerdict::Wait {
                after: Duration::from_secs(86_398),
                kind: QuotaKind::TokensPerDay
            },
            "the longest wait is the one that counts"
        );
    }

    #[test]
    fn rel_2_a_clock_that_goes_backwards_hides_nothing() {
        let mut quota = Quota::default();
        quota.record(at(100), 50);
        quota.record(at(10), 50);
        let verdict = quota.check(at(101), 1, &limits(None, Some(100), None));
        assert_ne!(verdict, QuotaVerdict::Fits);
    }

    proptest! {
        /// After the wait that was announced, the send fits.
        #[test]
        fn the_announced_wait_is_enough(
            log in prop::collection::vec((0i64..200, 0u64..3000), 0..30),
            tokens in 0u64..4000,
            tpm in 1u64..6000,
            rpm in 1u64..10,
        ) {
            let mut log = log;
            log.sort();
            let mut quota = Quota::default();
            for (seconds, used) in &log {
                quota.record(at(*seconds), *used);
            }
            let limits = limits(Some(rpm), Some(tpm), Some(100_000));
            let now = at(200);
            match quota.check(now, tokens, &limits) {
                QuotaVerdict::Fits => {}
                QuotaVerdict::Never(_) => prop_assert!(tokens > tpm || tokens > 100_000),
                QuotaVerdict::Wait { after, .. } => {
                    let wait = after.as_millis() as i64;
                    let then = Timestamp::from_millis(now.millis() + wait);
                    prop_assert_eq!(quota.check(then, tokens, &limits), QuotaVerdict::Fits);
                    let just_before = Timestamp::from_millis(now.millis() + wait - 1);
                    prop_assert_ne!(quota.check(just_before, tokens, &limits), QuotaVerdict::Fits);
                }
            }
        }
    }
}
