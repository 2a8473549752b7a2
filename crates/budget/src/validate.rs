//! Validation before a send (VAL-1 to VAL-3): a verdict, and what can be done.

use plimsoll_tokens::{Correction, RawTokens};

use crate::{Binds, Catalog, ModelLimit, catalog::larger_models};

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

/// The setting `overBudget` (VAL-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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

/// Decides by the policy.
pub fn decide(
    weights: &Weights,
    validation: &Validation,
    policy: OverBudget,
    history: &IncludedTokens<'_>,
) -> Decision {
    match (validation.verdict, policy) {
        (Verdict::Ok | Verdict::Warn, _) | (Verdict::Over, OverBudget::Trim) => Decision::Send,
        (Verdict::TooLarge, _) => Decision::PromptTooLarge,
        (Verdict::Over, OverBudget::Ask) => Decision::Ask,
        (Verdict::Over, OverBudget::Block) => Decision::Block,
        (Verdict::Over, OverBudget::Fit) => Decision::SendWithout(fit_first(weights, history)),
    }
}

/// The raw tokens of the included pairs, and what makes tokens of the model of their sum.
#[derive(Clone, Copy, Debug)]
pub struct IncludedTokens<'a> {
    /// Oldest first.
    pub raw: &'a [RawTokens],
    /// What was learned of the model.
    pub correction: Correction,
}

/// How many of the oldest pairs must go until the request fits. All of them, if even
/// that is not enough.
pub fn fit_first(weights: &Weights, history: &IncludedTokens<'_>) -> usize {
    let mut left: RawTokens = history.raw.iter().sum();
    let over = |left: RawTokens| {
        let history = history.correction.apply(left);
        Weights { history, ..*weights }.total() > weights.limit
    };
    let mut dropped = 0;
    for tokens in history.raw {
        if !over(left) {
            break;
        }
        left = left - *tokens;
        dropped += 1;
    }
    dropped
}

/// A file of the draft, for suggestions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    pub name: String,
    /// What it adds as it would be delivered now.
    pub tokens: u64,
    /// What it would add on demand; none if the model cannot read on demand.
    pub on_demand_tokens: Option<u64>,
}

/// Something that would help, with its numbers; surfaces make it an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Send the predicted set and trim on overflow.
    TrimAsNeeded,
    /// Send it although the message alone is estimated above the limit: nobody knows for sure.
    SendAnyway,
    /// Drop this many oldest pairs before the first call.
    FitFirst {
        /// How many.
        pairs: usize,
    },
    /// Take a file out or make it smaller.
    DetachFile {
        /// The largest file.
        name: String,
        /// What it weighs.
        tokens: u64,
    },
    /// Attach a file on demand instead.
    AttachOnDemand {
        /// The largest such file.
        name: String,
        frees: u64,
    },
    /// Use a model with a larger window.
    SwitchModel {
        /// Enabled models that it would fit, smallest window first.
        models: Vec<String>,
    },
    /// Set a filter that leaves the history out.
    ClearHistory { frees: u64 },
    /// Say how large the model's window is.
    SetWindow {
        model: String,
        /// What it would have to be at least.
        needed: u64,
    },
    /// Forget the limit that was learned.
    ForgetLearned { model: String },
    /// Make the message itself shorter.
    ShortenMessage {
        /// By at least this much.
        tokens: u64,
    },
}

/// A request that was judged, and what its suggestions are made of.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// What it weighs.
    pub weights: &'a Weights,
    /// What came of it.
    pub validation: &'a Validation,
    /// ML, and why it is that.
    pub limit: ModelLimit,
    /// The files of the message.
    pub attached: &'a [Attached],
    pub history: &'a IncludedTokens<'a>,
    /// All models.
    pub catalog: &'a Catalog,
    /// The one that it does not fit.
    pub model: &'a str,
}

/// What would help against a verdict of over or too large; empty for the others.
pub fn suggestions(judged: &Judged<'_>) -> Vec<Suggestion> {
    let Judged { weights, validation, limit, attached, history, catalog, model } = *judged;
    let mut out = Vec::new();
    let alone = weights.alone();
    let doubtful = !limit.binds.is_stated();
    match validation.verdict {
        Verdict::Ok | Verdict::Warn => return out,
        Verdict::Over if alone > weights.limit => out.push(Suggestion::SendAnyway),
        Verdict::Over => {
            out.push(Suggestion::TrimAsNeeded);
            let pairs = fit_first(weights, history);
            out.push(Suggestion::FitFirst { pairs });
        }
        Verdict::TooLarge => {}
    }
    if matches!(limit.binds, Binds::Learned(_)) {
        out.push(Suggestion::ForgetLearned { model: model.to_owned() });
    }
    // Tokens a minute are no window, and a limit that the caller gave is nobody's to keep.
    let window = !matches!(limit.binds, Binds::Tpm | Binds::Given);
    if window && (doubtful || alone > weights.limit) {
        let needed = validation.total;
        out.push(Suggestion::SetWindow { model: model.to_owned(), needed });
    }
    let largest = attached.iter().max_by_key(|file| file.tokens);
    if let Some(file) = largest {
        out.push(Suggestion::DetachFile { name: file.name.clone(), tokens: file.tokens });
    }
    let convertible = attached.iter().filter_map(|file| {
        let frees = file.tokens.checked_sub(file.on_demand_tokens?)?;
        (frees > 0).then_some((frees, &file.name))
    });
    if let Some((frees, name)) = convertible.max_by_key(|(frees, _)| *frees) {
        out.push(Suggestion::AttachOnDemand { name: name.clone(), frees });
    }
    let models = larger_models(catalog.with_limits(), validation.total, model);
    if !models.is_empty() {
        out.push(Suggestion::SwitchModel { models });
    }
    if validation.verdict == Verdict::Over && weights.history > 0 {
        out.push(Suggestion::ClearHistory { frees: weights.history });
    }
    out.extend(shorten(weights, attached));
    out
}

/// Shortening helps only where the message has so many words of its own; files are detached.
fn shorten(weights: &Weights, attached: &[Attached]) -> Option<Suggestion> {
    let tokens = weights.alone().checked_sub(weights.limit).filter(|tokens| *tokens > 0)?;
    let files = attached.iter().map(|file| file.tokens).fold(0, u64::saturating_add);
    let words = weights.message.saturating_sub(files);
    (words > tokens).then_some(Suggestion::ShortenMessage { tokens })
}

/// What helps after an overflow that trimming could not mend (OVF-3). `weights.limit` is the
/// window as it turned out; `requested` is what the provider counted, where it said so.
pub fn overflow_suggestions(
    weights: &Weights,
    requested: Option<u64>,
    attached: &[Attached],
    catalog: &Catalog,
    model: &str,
) -> Vec<Suggestion> {
    let mut out = Vec::new();
    if let Some(file) = attached.iter().max_by_key(|file| file.tokens) {
        out.push(Suggestion::DetachFile { name: file.name.clone(), tokens: file.tokens });
    }
    let needed = weights.total().max(requested.unwrap_or(0)).max(weights.limit.saturating_add(1));
    let models = larger_models(catalog.with_limits(), needed, model);
    if !models.is_empty() {
        out.push(Suggestion::SwitchModel { models });
    }
    if weights.history > 0 {
        out.push(Suggestion::ClearHistory { frees: weights.history });
    }
    out.extend(shorten(weights, attached));
    out
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
