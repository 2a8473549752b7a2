//! The numbers that the attempts of one send start from (PAY-1, BND-2).

use plimsoll_domain::PairId;
use plimsoll_tokens::{Correction, RawTokens};
use serde::{Deserialize, Serialize};

/// How many pairs an overflow drops at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TrimStep {
    /// One oldest pair (OVF-2).
    #[default]
    One,
    /// As many as the error's own numbers say (OVF-4).
    Smart,
}

/// A pair of the predicted set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludedPair {
    pub id: PairId,
    /// The model it was sent to; a label.
    pub model: String,
    /// A receipt keeps their sum.
    #[serde(with = "sum")]
    pub tokens: RawTokens,
    /// Whether somebody pinned it (HIS-10): it is never left out to make room (BND-8).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
}

mod sum {
    use plimsoll_tokens::RawTokens;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(tokens: &RawTokens, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(tokens.total())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<RawTokens, D::Error> {
        u64::deserialize(from).map(RawTokens::from)
    }
}

/// Everything that the attempts of one send know before the first call. Nothing in it changes
/// while the send lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptPlan {
    /// The model it goes to.
    pub model: String,
    /// ML, the model limit.
    pub limit: u64,
    /// Whether ML is only assumed or learned (CAT-3, CAT-4), so that any limit that the
    /// provider states is news.
    pub limit_uncertain: bool,
    /// Whether the message alone is larger than the limit without any doubt (VAL-1).
    pub too_large: bool,
    /// URA, the user request allowance.
    pub allowance: u64,
    /// AUT, the new message with its attachments and overhead.
    pub message: u64,
    /// The prelude's tokens, with what each request has once.
    pub prelude: u64,
    /// Tokens kept for the answer.
    pub reply_reserve: u64,
    /// What makes tokens of the model of raw ones.
    pub correction: Correction,
    /// Characters to a token, for the record.
    pub chars_per_token: f64,
    /// The predicted set, oldest first.
    pub included: Vec<IncludedPair>,
    /// How many oldest pairs, pins aside, are left out before the first call (VAL-3, fit first).
    pub fit_drop: usize,
    /// NTA, the most trim steps.
    pub max_trim_attempts: u32,
    /// How many pairs a step drops.
    pub trim_step: TrimStep,
    /// The largest answer that is asked for, if any.
    pub max_output: Option<u64>,
    /// How often a transient fault is retried (FAU-6).
    pub max_retries: u32,
}

impl AttemptPlan {
    /// The predicted history in tokens, corrected by what was learned.
    pub fn predicted_history_tokens(&self) -> u64 {
        self.correction.apply(self.included.iter().map(|pair| pair.tokens).sum::<RawTokens>())
    }

    /// The planning envelope: predicted history and URA (BND-2).
    pub fn predicted_total_tokens(&self) -> u64 {
        self.predicted_history_tokens().saturating_add(self.allowance)
    }

    /// The pairs that go when so many of the oldest do not, pins aside.
    pub fn without_oldest(&self, pairs: usize) -> impl Iterator<Item = &IncludedPair> {
        let mut left = pairs;
        self.included.iter().filter(move |pair| {
            let goes = pair.pinned || left == 0;
            left -= usize::from(!goes);
            goes
        })
    }

    /// ML less what is reserved; may be negative.
    pub fn max_usable_raw(&self) -> i64 {
        let reserved =
            self.allowance.saturating_add(self.prelude).saturating_add(self.reply_reserve);
        signed_difference(self.limit, reserved)
    }
}

/// `a - b`, held within what an i64 can say.
pub(crate) fn signed_difference(a: u64, b: u64) -> i64 {
    let difference = i128::from(a) - i128::from(b);
    i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
}
