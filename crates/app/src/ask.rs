//! What is asked for, and what would be sent.

use std::sync::Arc;

use plimsoll_budget::{
    Boundary, ExcludedBecause, Model, ModelLimit, OverBudget, Suggestion, Validation, Weights,
};
use plimsoll_domain::{PairId, Topic};
use plimsoll_provider::Provider;
use plimsoll_send::{Counter, SendPlan};
use plimsoll_store::{StoredPair, Workspace};

/// Which pairs may go along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryChoice {
    /// None.
    Nothing,
    /// Those that a filter shows; the empty filter shows all.
    Filter(String),
}

/// A message to send.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Where it belongs.
    pub workspace: Workspace,
    /// The message.
    pub text: String,
    /// The model; else the topic's, the newest pair's, or the settings' (CAT-5).
    pub model: Option<String>,
    /// The topic as a path; else the workspace's first.
    pub topic: Option<String>,
    /// Which history goes along.
    pub history: HistoryChoice,
    /// What happens above the limit; else by the settings.
    pub over_budget: Option<OverBudget>,
}

/// A message that is weighed and ready to go. Nothing was sent or written yet.
pub struct Prepared {
    pub(crate) workspace: Workspace,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) served_model: String,
    pub(crate) included: Vec<StoredPair>,
    pub(crate) topic: Topic,
    /// Raw tokens of everything that was predicted, before any factor.
    pub(crate) raw_prompt_tokens: u64,
    /// What goes out, in full.
    pub text: String,
    /// The model that it goes to.
    pub model: Model,
    /// ML, and why.
    pub limit: ModelLimit,
    /// Where the load line is.
    pub boundary: Boundary,
    /// Visible pairs that stay ashore, oldest first, and why.
    pub ashore: Vec<(PairId, ExcludedBecause)>,
    /// What it weighs.
    pub weights: Weights,
    /// How that stands to the limit.
    pub validation: Validation,
    /// What would help, if it is over.
    pub suggestions: Vec<Suggestion>,
    /// What the send machine starts from.
    pub plan: SendPlan,
    /// The estimator in use, and whether its numbers are exact.
    pub estimator: (&'static str, bool),
    /// The request, byte for byte (PAY-5).
    pub json_doc: String,
}

impl Prepared {
    /// `X / Y` before the send.
    pub fn counter(&self) -> Counter {
        Counter { predicted: self.boundary.x, trimmed: 0, visible: self.boundary.y }
    }

    /// The pairs that go along, oldest first.
    pub fn included_ids(&self) -> Vec<PairId> {
        self.included.iter().map(|stored| stored.pair.id).collect()
    }

    /// The topic's system message, where there is one to send.
    pub(crate) fn system(&self) -> Option<&str> {
        self.topic.system_message.as_deref().filter(|text| plimsoll_budget::is_emitted(text))
    }
}
