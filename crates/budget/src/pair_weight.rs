//! What one pair adds to a request (EST-5), and whether it may be sent at all (BND-1).

use plimsoll_domain::{Lifecycle, PairUse};
use plimsoll_tokens::{Estimator, RawTokens};

use crate::Load;

/// Why a visible pair is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExcludedBecause {
    /// It does not fit.
    Budget,
    /// Its send failed, and `sendErrorPairs` is off.
    Error,
    /// It is being sent, or waits to be.
    InFlight,
    /// It was cancelled before any answer came.
    Cancelled,
    /// Somebody left it out by hand (HIS-10).
    LeftOut,
    /// Somebody said that the context begins after it (UI-17).
    BeforeTheLine,
}

impl ExcludedBecause {
    /// All reasons, in the order in which they are told.
    pub const ALL: [Self; 6] = [
        Self::Budget,
        Self::Error,
        Self::InFlight,
        Self::Cancelled,
        Self::LeftOut,
        Self::BeforeTheLine,
    ];

    /// The word shown in the badge's tooltip.
    pub fn name(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Error => "error",
            Self::InFlight => "in flight",
            Self::Cancelled => "cancelled",
            Self::LeftOut => "left out",
            Self::BeforeTheLine => "before the line",
        }
    }
}

/// Whether text makes a message: what is blank is not emitted (PAY-2).
pub fn is_emitted(text: &str) -> bool {
    !text.trim().is_empty()
}

/// The answer of a pair as it is sent: none of a pair in error, and none that is blank (PAY-2).
pub fn sent_answer(lifecycle: Lifecycle, answer: Option<&str>) -> Option<&str> {
    answer.filter(|text| lifecycle != Lifecycle::Error && is_emitted(text))
}

/// A pair whose texts were weighed before. A text that makes no message weighs 0, and
/// every other at least 1, so the tokens tell which messages there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeighedPair {
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// What somebody decided about it by hand (HIS-10).
    pub pair_use: PairUse,
    /// Raw tokens of the user's words.
    pub user_tokens: u64,
    /// Raw tokens of the answer.
    pub assistant_tokens: u64,
}

impl WeighedPair {
    /// Weighs the texts of a pair about which nobody decided anything.
    pub fn of(
        lifecycle: Lifecycle,
        user: &str,
        assistant: Option<&str>,
        estimator: &Estimator,
    ) -> Self {
        let raw = |text: &str| if is_emitted(text) { estimator.count(text).max(1) } else { 0 };
        let (user_tokens, assistant_tokens) = (raw(user), assistant.map_or(0, raw));
        Self { lifecycle, pair_use: PairUse::Auto, user_tokens, assistant_tokens }
    }

    /// Why this pair is never sent, whatever the room; none if it may be.
    pub fn not_sendable(&self, send_error_pairs: bool) -> Option<ExcludedBecause> {
        let by_itself = not_sendable(self.lifecycle, self.assistant_tokens > 0, send_error_pairs);
        match self.pair_use {
            PairUse::Out if by_itself != Some(ExcludedBecause::InFlight) => {
                Some(ExcludedBecause::LeftOut)
            }
            PairUse::Auto | PairUse::Out | PairUse::Pinned => by_itself,
        }
    }

    /// The load, with the overhead of each message.
    pub fn load(&self, overhead: u64, send_error_pairs: bool) -> Load {
        if self.not_sendable(send_error_pairs).is_some() {
            return Load::NOT_SENDABLE;
        }
        let answer = if self.lifecycle == Lifecycle::Error { 0 } else { self.assistant_tokens };
        let message = |tokens: u64| RawTokens::message(tokens, overhead);
        let load = Load::of(message(self.user_tokens) + message(answer));
        if self.pair_use == PairUse::Pinned { load.pin() } else { load }
    }
}

/// BND-1: why a pair never counts in X.
pub fn not_sendable(
    lifecycle: Lifecycle,
    answered: bool,
    send_error_pairs: bool,
) -> Option<ExcludedBecause> {
    match lifecycle {
        Lifecycle::Complete => None,
        Lifecycle::Error if send_error_pairs => None,
        Lifecycle::Error => Some(ExcludedBecause::Error),
        Lifecycle::Idle | Lifecycle::Sending => Some(ExcludedBecause::InFlight),
        Lifecycle::Cancelled if answered => None,
        Lifecycle::Cancelled => Some(ExcludedBecause::Cancelled),
    }
}

/// The tokens of one message with its overhead; 0 for one that is not emitted.
pub fn message_tokens(text: &str, estimator: &Estimator, overhead: u64) -> u64 {
    if is_emitted(text) { estimator.count(text).saturating_add(overhead) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(lifecycle: Lifecycle, user: &str, assistant: Option<&str>) -> WeighedPair {
        let estimator = Estimator::Heuristic { chars_per_token: 1.0 };
        WeighedPair::of(lifecycle, user, assistant, &estimator)
    }

    fn tokens(pair: WeighedPair, send_error_pairs: bool) -> Option<u64> {
        let load = pair.load(4, send_error_pairs);
        load.sendable.then_some(load.tokens.total())
    }

    #[test]
    fn est_5_text_and_overhead_of_what_is_emitted() {
        use Lifecycle::*;
        for (lifecycle, user, assistant, plain, with_errors) in [
            (Complete, "abc", Some("de"), Some(13), Some(13)),
            (Complete, "abc", None, Some(7), Some(7)),
            (Complete, " \n", Some("de"), Some(6), Some(6)),
            (Complete, "", Some("  "), Some(0), Some(0)),
            (Error, "abc", Some("half"), None, Some(7)),
            (Cancelled, "abc", Some("half"), Some(15), Some(15)),
            (Cancelled, "abc", None, None, None),
            (Cancelled, "abc", Some(" "), None, None),
            (Sending, "abc", Some("half"), None, None),
            (Idle, "abc", None, None, None),
        ] {
            let pair = weighed(lifecycle, user, assistant);
            assert_eq!(tokens(pair, false), plain, "{pair:?}");
            assert_eq!(tokens(pair, true), with_errors, "{pair:?} with sendErrorPairs");
        }
    }

    #[test]
    fn bnd_1_the_reason_is_told() {
        let reason = |lifecycle| weighed(lifecycle, "a", None).not_sendable(false);
        assert_eq!(reason(Lifecycle::Error), Some(ExcludedBecause::Error));
        assert_eq!(reason(Lifecycle::Sending), Some(ExcludedBecause::InFlight));
        assert_eq!(reason(Lifecycle::Cancelled), Some(ExcludedBecause::Cancelled));
        assert_eq!(reason(Lifecycle::Complete), None);
    }

    #[test]
    fn his_10_what_is_left_out_by_hand_is_not_sent_and_what_is_pinned_is_sent_first() {
        use Lifecycle::*;
        let load = |lifecycle, pair_use| {
            let pair = WeighedPair { pair_use, ..weighed(lifecycle, "abc", Some("de")) };
            (pair.load(4, false), pair.not_sendable(false))
        };
        let left_out = (Load::NOT_SENDABLE, Some(ExcludedBecause::LeftOut));
        for lifecycle in [Complete, Error, Cancelled] {
            assert_eq!(load(lifecycle, PairUse::Out), left_out, "{lifecycle:?}");
        }
        let in_flight = (Load::NOT_SENDABLE, Some(ExcludedBecause::InFlight));
        for pair_use in PairUse::ALL {
            assert_eq!(load(Sending, pair_use), in_flight, "{pair_use:?}");
        }
        let (pinned, _) = load(Complete, PairUse::Pinned);
        assert_eq!((pinned.sendable, pinned.pinned, pinned.tokens.total()), (true, true, 13));
        let failed = (Load::NOT_SENDABLE, Some(ExcludedBecause::Error));
        assert_eq!(load(Error, PairUse::Pinned), failed, "a pin does not make it sendable");
    }
}
