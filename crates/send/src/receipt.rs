//! Records of attempts (REC-1) and the signs of silent truncation (REC-2b).

use plimsoll_domain::PairId;

use crate::{IncludedPair, Message, Role};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It is under way.
    Sent,
    /// The answer came.
    Success,
    /// The first attempt was too large for the window.
    OverflowInitial,
    /// A later attempt still was.
    OverflowRetry,
    /// It still was, and nothing more may be dropped.
    OverflowExhausted,
    /// The message alone was too large; no call was made.
    PromptTooLarge,
    /// It failed for another reason.
    Error,
    /// The user stopped it.
    Cancelled,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Success => "success",
            Self::OverflowInitial => "overflow_initial",
            Self::OverflowRetry => "overflow_retry",
            Self::OverflowExhausted => "overflow_exhausted",
            Self::PromptTooLarge => "prompt_too_large",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A message of a request, as a receipt remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// Who spoke.
    pub role: Role,
    /// The pair it came from.
    pub pair_id: Option<PairId>,
    /// What it weighed.
    pub tokens: u64,
    /// BLAKE3 of its content.
    pub hash: String,
}

impl MessageRecord {
    /// The record of a message that weighs this much.
    pub fn of(message: &Message, tokens: u64) -> Self {
        Self { role: message.role, pair_id: message.pair, tokens, hash: message.hash() }
    }
}

/// One attempt, in the words of the spec. `messages` are added by whoever composes
/// the payload.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptRecord {
    /// The model it went to.
    pub model: String,
    /// ML.
    pub max_context: u64,
    /// ML less URA, prelude and reply reserve; may be negative.
    pub max_usable_raw: i64,
    /// The pairs of this attempt, oldest first.
    pub selection: Vec<IncludedPair>,
    /// The pairs of X that were left out so that it fits, oldest first.
    pub left_out: Vec<PairId>,
    /// The pairs of X that were deleted during the send (PAY-1).
    pub deleted: Vec<PairId>,
    /// X.
    pub predicted_message_count: usize,
    /// Tokens of X.
    pub predicted_history_tokens: u64,
    /// Tokens of X and URA.
    pub predicted_total_tokens: u64,
    /// Tokens of the history of this attempt.
    pub attempt_history_tokens: u64,
    /// All tokens of this attempt.
    pub attempt_total_tokens: u64,
    pub aut: u64,
    /// What tools added to the request so far, beside the attempt's own tokens.
    pub tool_tokens: u64,
    /// T: pairs of X that this attempt does not send, left out or deleted.
    pub trimmed_count: usize,
    /// Provider calls so far, 1 … NTA + 1. A call that is repeated with the same
    /// history, after a transient fault or with a smaller answer, counts once.
    pub attempts_used: u32,
    /// CPT.
    pub chars_per_token: f64,
    /// ML less all tokens of this attempt; may be negative.
    pub remaining_reserve: i64,
    /// How it ended.
    pub stage: Stage,
    /// What the provider said, when it failed.
    pub last_error_message: Option<String>,
    /// What gave an overflow away.
    pub overflow_matched: Option<String>,
    /// The messages that were sent.
    pub messages: Vec<MessageRecord>,
}

impl AttemptRecord {
    /// `X − T`: how many pairs were sent.
    pub fn sent_count(&self) -> usize {
        self.predicted_message_count - self.trimmed_count
    }
}

/// The provider read far less than was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncationSeen {
    /// The prompt tokens that the provider reported.
    pub read: u64,
    /// What was sent, by estimate.
    pub sent: u64,
}

/// Below this estimate a low report proves nothing.
const SMALLEST_TELLING_PROMPT: u64 = 500;

/// REC-2b: whether a report is below the plausible range of the estimate. An exact
/// count may be off by the chat format alone; an estimate by what calibration allows.
pub fn silent_truncation(estimate: u64, reported: u64, exact: bool) -> Option<TruncationSeen> {
    let floor_percent = if exact { 80 } else { 50 };
    let implausible =
        u128::from(reported) * 100 < u128::from(estimate) * u128::from(floor_percent as u32);
    (estimate >= SMALLEST_TELLING_PROMPT && reported > 0 && implausible)
        .then_some(TruncationSeen { read: reported, sent: estimate })
}

impl std::fmt::Display for TruncationSeen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use plimsoll_tokens::commas;
        write!(f, "the server read about {} of {} tokens", commas(self.read), commas(self.sent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rec_2b_silent_truncation() {
        let seen = silent_truncation(160_689, 16_387, false).unwrap();
        assert_eq!(seen.to_string(), "the server read about 16,387 of 160,689 tokens");
        assert_eq!(silent_truncation(1000, 501, false), None, "an estimate may be that wrong");
        assert!(silent_truncation(1000, 501, true).is_some(), "an exact count may not");
        assert_eq!(silent_truncation(100, 10, false), None, "too small to tell");
        assert_eq!(silent_truncation(1000, 0, false), None, "no report is no sign");
    }
}
