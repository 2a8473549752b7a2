//! The receipt of a send (REC-2) with its attempts (REC-1), and the signs of silent truncation
//! (REC-2b).

use plimsoll_domain::{FileId, PairId, ReceiptId, Usage};
use plimsoll_tokens::{Band, commas};
use serde::{Deserialize, Serialize};

use crate::{Counter, IncludedPair, Message, Role};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    #[default]
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

    /// Whether the provider said that the request was too large.
    pub fn is_overflow(self) -> bool {
        matches!(self, Self::OverflowInitial | Self::OverflowRetry | Self::OverflowExhausted)
    }
}

/// A message of a request, as a receipt remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageRecord {
    pub role: Role,
    /// The pair it came from.
    pub pair_id: Option<PairId>,
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

/// What an attempt could hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttemptBudget {
    /// ML.
    pub max_context: u64,
    /// ML less URA, prelude and reply reserve; may be negative.
    pub max_usable_raw: i64,
}

/// One attempt, in the words of the spec (REC-1). `messages` are added by whoever composes
/// the payload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttemptRecord {
    /// The model it went to.
    pub model: String,
    pub budget: AttemptBudget,
    /// The pairs of this attempt, oldest first.
    pub selection: Vec<IncludedPair>,
    /// The pairs of X that were left out so that it fits, oldest first.
    pub left_out: Vec<PairId>,
    /// The pairs of X that were deleted during the send (PAY-1).
    #[serde(skip_serializing_if = "Vec::is_empty")]
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
    #[serde(rename = "AUT")]
    pub message_tokens: u64,
    /// What tools added to the request so far, beside the attempt's own tokens.
    pub tool_tokens: u64,
    /// T: pairs of X that this attempt does not send, left out or deleted.
    pub trimmed_count: usize,
    /// What they weigh.
    pub trimming_removed_tokens: u64,
    /// X − T: how many pairs were sent.
    pub sent_count: usize,
    /// Provider calls so far, 1 … NTA + 1. A call that is repeated with the same
    /// history, after a transient fault or with a smaller answer, counts once.
    pub attempts_used: u32,
    /// CPT.
    pub chars_per_token: f64,
    /// ML less all tokens of this attempt; may be negative.
    pub remaining_reserve: i64,
    pub stage: Stage,
    /// What the provider said, when it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error_message: Option<String>,
    /// What gave an overflow away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow_matched: Option<String>,
    /// The messages that were sent.
    pub messages: Vec<MessageRecord>,
}

/// What a receipt says of the first request of a send and of what the sender saw (PAY-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// The sender did not say what it saw.
    #[default]
    #[serde(rename = "not compared")]
    NotCompared,
    /// It was compared, and it was the same.
    #[serde(rename = "compared")]
    Same,
    /// It was the same when it was sent; then it waited for its turn, and went with what was
    /// visible when that came (PAY-1).
    #[serde(rename = "changed while it waited")]
    ChangedWhileWaiting,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Timings {
    /// Milliseconds to the first text.
    pub first_text_ms: Option<u64>,
    /// Milliseconds in all.
    pub total_ms: u64,
}

/// What came of a send (REC-2), as it is kept. What earlier versions did not write down is
/// missing in what they kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub id: ReceiptId,
    /// The pair that was sent.
    pub pair_id: PairId,
    /// The model that it went to.
    pub model: String,
    /// Every attempt, in order.
    #[serde(default)]
    pub attempts: Vec<AttemptRecord>,
    /// What the provider said it used, all calls together.
    pub usage: Option<Usage>,
    /// The prompt of the first call: what was estimated before the send.
    pub first_prompt: Option<u64>,
    /// How often a tool was called (PRV-5).
    #[serde(default)]
    pub tool_calls: usize,
    /// What tools added to the last request.
    #[serde(default)]
    pub tool_tokens: u64,
    /// What it cost in US dollars, where the price is known.
    pub cost: Option<f64>,
    #[serde(default)]
    pub timings: Timings,
    #[serde(default)]
    pub estimator: String,
    /// What the estimate rests on, by its name (EST-9).
    #[serde(default)]
    pub basis: String,
    /// The same for people.
    #[serde(default)]
    pub basis_text: String,
    /// Between which two ends the estimate expected the prompt.
    #[serde(default)]
    pub band: Band,
    /// How far the estimate was off, in percent of what was reported.
    pub estimate_error_percent: Option<f64>,
    /// BLAKE3 over the history that was sent last (PAY-5); empty if nothing was sent.
    #[serde(default)]
    pub history_hash: String,
    /// The bytes of the last request.
    pub request_bytes: Option<usize>,
    /// Files that were taken away during the send and went along no longer (PAY-1).
    #[serde(default)]
    pub detached_files: Vec<FileId>,
    /// How what was sent first compares with what the sender saw (PAY-6).
    #[serde(default)]
    pub seen: Comparison,
    /// Whether the server read far less than was sent (REC-2b).
    pub truncation: Option<TruncationSeen>,
    /// `X / Y`, or `[X-T]/Y` after a trim (REC-3).
    #[serde(default)]
    pub counter: Counter,
    /// The limit that the last overflow stated.
    pub stated_limit: Option<u64>,
}

impl Receipt {
    /// The last attempt. There is none where the send was stopped before its first call.
    pub fn last(&self) -> Option<&AttemptRecord> {
        self.attempts.last()
    }

    /// The estimate of the whole request, in tokens.
    pub fn estimate(&self) -> u64 {
        self.last().map_or(0, |attempt| attempt.attempt_total_tokens)
    }

    pub fn stage(&self) -> Stage {
        self.last().map_or(Stage::Error, |attempt| attempt.stage)
    }

    /// The pairs that the last attempt left out so that it fits, oldest first.
    pub fn left_out(&self) -> Vec<PairId> {
        let (Some(first), Some(last)) = (self.attempts.first(), self.last()) else {
            return Vec::new();
        };
        if last.left_out.is_empty() && last.deleted.is_empty() {
            // A receipt from before the record named them, or nothing was left out.
            return first.selection.iter().take(last.trimmed_count).map(|pair| pair.id).collect();
        }
        last.left_out.clone()
    }

    /// One line: estimate, usage, the error in percent, the time, the counter.
    pub fn line(&self) -> String {
        let estimate = self.estimate();
        let doubt = self.band.plus_minus(estimate);
        let mut parts = vec![format!("{} · estimate {}{doubt}", self.model, commas(estimate))];
        if let Some(usage) = self.usage {
            parts.push(format!("used {} + {}", commas(usage.prompt), commas(usage.completion)));
        }
        if let Some(percent) = self.estimate_error_percent {
            parts.push(format!("error {percent:+.1} %"));
        }
        if self.tool_calls > 0 {
            let calls = if self.tool_calls == 1 { "call" } else { "calls" };
            let tokens = commas(self.tool_tokens);
            parts.push(format!("{} tool {calls}, {tokens} tokens", self.tool_calls));
        }
        parts.push(format!("{:.1} s", self.timings.total_ms as f64 / 1000.0));
        if let Some(cost) = self.cost.filter(|cost| *cost > 0.0) {
            parts.push(format!("${cost:.4}"));
        }
        parts.push(self.counter.to_string());
        parts.join(" · ")
    }
}

/// How far an estimate was off, in percent of what the provider read; none where it did not
/// say.
pub fn error_percent(estimate: u64, read: Option<u64>) -> Option<f64> {
    let read = read.filter(|read| *read > 0)?;
    Some((estimate as f64 / read as f64 - 1.0) * 100.0)
}

/// The provider read far less than was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
