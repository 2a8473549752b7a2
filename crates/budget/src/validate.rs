//! Validation before a send (VAL-1 to VAL-3): a verdict, and what a policy does about it.

use plimsoll_tokens::{Correction, RawTokens};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::Load;

/// What a request weighs, against its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// ML, the model limit.
    pub limit: u64,
    /// The system message and the files section.
    pub prelude: u64,
    /// The included pairs.
    pub history: u64,
    /// AUT: the outgoing message with its attachments.
    pub message: u64,
}

impl Weights {
    /// Everything that would be sent (VAL-2).
    pub fn total(&self) -> u64 {
        self.prelude.saturating_add(self.history).saturating_add(self.message)
    }

    /// The message and the prelude, which no trimming makes smaller.
    pub fn alone(&self) -> u64 {
        self.prelude.saturating_add(self.message)
    }

    /// The total as tenths of a percent of ML, to the nearest.
    pub fn permille(&self) -> u64 {
        if self.limit == 0 {
            return if self.total() == 0 { 0 } else { u64::MAX };
        }
        let limit = u128::from(self.limit);
        let permille = (u128::from(self.total()) * 1000 + limit / 2) / limit;
        u64::try_from(permille).unwrap_or(u64::MAX)
    }
}

/// How a request stands to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing to say.
    Ok,
    /// Above the warning mark; sending stays possible.
    Warn,
    /// Above the limit; the user chooses.
    Over,
    /// The message alone is above the limit; no call is made (VAL-1).
    TooLarge,
}

impl Verdict {
    /// The word used in `plan --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Over => "over",
            Self::TooLarge => "too_large",
        }
    }
}

/// A verdict with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validation {
    /// How the request stands.
    pub verdict: Verdict,
    /// What would be sent.
    pub total: u64,
    /// How far above the limit it is; 0 if it is not.
    pub excess: u64,
}

/// Judges a request. `warn_at` is a percentage of ML. `least_alone` is the least that the
/// message and the prelude can weigh, by the band of the estimate (EST-9), where ML is stated;
/// none where ML is learned or assumed. Only what is above a stated limit without doubt is
/// refused (VAL-1); what is merely estimated above it is over like anything else.
pub fn validate(weights: &Weights, warn_at: u64, least_alone: Option<u64>) -> Validation {
    let total = weights.total();
    let above_mark = u128::from(total) * 100 > u128::from(warn_at) * u128::from(weights.limit);
    let verdict = if least_alone.is_some_and(|least| least > weights.limit) {
        Verdict::TooLarge
    } else if total > weights.limit {
        Verdict::Over
    } else if above_mark {
        Verdict::Warn
    } else {
        Verdict::Ok
    };
    Validation { verdict, total, excess: total.saturating_sub(weights.limit) }
}

/// What happens above the limit, the setting `overBudget` (VAL-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OverBudget {
    /// The user chooses each time.
    #[default]
    Ask,
    /// Send the predicted set and trim on overflow.
    Trim,
    /// Drop oldest pairs until it fits, before the first call.
    Fit,
    /// Never send what is over.
    Block,
}

impl OverBudget {
    /// All policies.
    pub const ALL: [Self; 4] = [Self::Ask, Self::Trim, Self::Fit, Self::Block];

    /// The name used in settings and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Trim => "trim",
            Self::Fit => "fit",
            Self::Block => "block",
        }
    }

    /// The policy with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// What to do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send the predicted set.
    Send,
    /// Send it without its oldest pairs, this many.
    SendWithout(usize),
    Ask,
    /// Do not send.
    Block,
    /// `user_prompt_too_large`: no history could be dropped that would help.
    PromptTooLarge,
}

/// Decides by the policy. `pairs_to_drop` are those that must go until a request that is over fits.
pub fn decide(verdict: Verdict, policy: OverBudget, pairs_to_drop: usize) -> Decision {
    match (verdict, policy) {
        (Verdict::Ok | Verdict::Warn, _) | (Verdict::Over, OverBudget::Trim) => Decision::Send,
        (Verdict::TooLarge, _) => Decision::PromptTooLarge,
        (Verdict::Over, OverBudget::Ask) => Decision::Ask,
        (Verdict::Over, OverBudget::Block) => Decision::Block,
        (Verdict::Over, OverBudget::Fit) => Decision::SendWithout(pairs_to_drop),
    }
}

/// How many of the oldest pairs, pins aside, must go until the request fits. All of them, if even
/// that is not enough. `included` are their loads, oldest first; `correction` makes tokens of the
/// model of a sum of them.
pub fn fit_first(weights: &Weights, included: &[Load], correction: Correction) -> usize {
    let mut left: RawTokens = included.iter().map(|load| load.tokens).sum();
    let over = |left: RawTokens| {
        let history = correction.apply(left);
        Weights { history, ..*weights }.total() > weights.limit
    };
    let mut dropped = 0;
    for load in included.iter().filter(|load| !load.pinned) {
        if !over(left) {
            break;
        }
        left = left - load.tokens;
        dropped += 1;
    }
    dropped
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
