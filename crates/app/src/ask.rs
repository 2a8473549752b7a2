//! What is asked for, and what would be sent.

use std::sync::Arc;

use plimsoll_budget::{
    Boundary, ExcludedBecause, Model, ModelLimit, OverBudget, QuotaVerdict, Suggestion, Validation,
    Weights,
};
use plimsoll_domain::{Delivery, Draft, File, FileId, PairId, Purpose, Timestamp, Topic};
use plimsoll_provider::Provider;
use plimsoll_send::{
    Capabilities, Comparison, Counter, FilePart, Part, Seen, SendPlan, allowed_deliveries,
    default_delivery,
};
use plimsoll_store::{StoredPair, Workspace};
use plimsoll_tokens::{Band, Basis, RawTokens};

use crate::{
    AttachLimits, AttachedFile, QuotaChoice, TooLarge, tooling::FilesPart, weigher::Weigher,
};

/// Which pairs may go along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryChoice {
    /// None.
    Nothing,
    /// Those that a filter shows; the empty filter shows all.
    Filter(String),
    /// These and no others, whatever a filter would say now.
    These(Vec<PairId>),
}

/// What a person looks at and sends with: the filter and the selectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What is visible.
    pub history: HistoryChoice,
    /// The topic as a path; else the workspace's first.
    pub topic: Option<String>,
    /// The model; else the topic's, the newest pair's, or the settings' (CAT-5).
    pub model: Option<String>,
}

impl Default for View {
    /// Everything is visible, nothing is selected.
    fn default() -> Self {
        Self { history: HistoryChoice::Filter(String::new()), topic: None, model: None }
    }
}

/// A message to send, and all that it is sent with.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Where it belongs.
    pub workspace: Workspace,
    /// The filter and the selectors.
    pub view: View,
    /// The message.
    pub draft: Draft,
}

/// What the sender decided beforehand.
#[derive(Clone, Debug, Default)]
pub struct SendChoices {
    /// What happens above the limit (VAL-3); else by the settings.
    pub over_budget: Option<OverBudget>,
    /// What happens when the account's windows are full (VAL-4).
    pub quota: QuotaChoice,
    /// The digest of what the sender saw; the send is refused where it differs (PAY-6).
    /// Without one nothing is compared.
    pub seen: Option<SeenDigest>,
}

/// A digest that a page made, as text: anything else than the right one is a wrong one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenDigest(pub String);

impl SeenDigest {
    /// Whether the page saw this.
    pub fn is_of(&self, seen: &Seen) -> bool {
        self.0 == seen.digest().to_string()
    }
}

/// How a message would stand in the window. Nothing is sent or written for it.
#[derive(Clone, Debug)]
pub struct SendPreview {
    /// The model that it goes to.
    pub model: Model,
    /// ML, and why.
    pub limit: ModelLimit,
    /// Where the load line is.
    pub boundary: Boundary,
    /// BND-7: nothing of the history goes along because its newest pair alone does not fit.
    pub newest_too_large: bool,
    /// Whether pairs are left out for a limit that nobody states (CAT-3, CAT-4).
    pub left_out_in_doubt: bool,
    /// Tokens kept for the answer.
    pub reply_reserve: u64,
    /// What it weighs.
    pub weights: Weights,
    /// How that stands to the limit.
    pub validation: Validation,
    /// What would help, if it is over.
    pub suggestions: Vec<Suggestion>,
    /// Whether the account's windows have room for it (VAL-4).
    pub quota: QuotaVerdict,
    /// What the numbers rest on (EST-9).
    pub basis: Basis,
    /// What of the total is of a kind that estimates misjudge by far.
    pub odd_tokens: u64,
    /// What texts are multiplied with for this model (EST-6).
    pub(crate) slope: f64,
    /// What each request to this model has once, as a part of the prelude (EST-6).
    pub request_tokens: u64,
    /// The estimator in use, and whether its numbers are exact.
    pub estimator: (&'static str, bool),
    /// What of the prelude is the system message.
    pub system_tokens: u64,
    /// What is attached to it, one entry a token.
    pub attached: Vec<AttachedFile>,
    /// The limits of files with this model (LIM-1).
    pub limits: AttachLimits,
    /// Who gets the files of the message.
    pub capabilities: Capabilities,
    /// What is said about files besides (PAY-3); none if nothing is.
    pub files: Option<FilesPreview>,
    /// What the provider adds that nobody here sees, in words (DLV-5).
    pub hidden_prompt_notice: Option<&'static str>,
}

/// What is said about the files of the workspace: a part of the prelude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesPreview {
    /// The files section as it is sent.
    pub text: String,
    /// How many files it names.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// What it weighs.
    pub section_tokens: u64,
    /// The tools that are offered with it.
    pub tools: Vec<String>,
    /// What they weigh.
    pub tool_tokens: u64,
}

/// How a file would be attached.
#[derive(Clone, Debug)]
pub struct AttachmentPreview {
    /// How it would be delivered.
    pub delivery: Delivery,
    /// How it could be.
    pub deliveries: &'static [Delivery],
    /// Whether it is over the limit of its kind.
    pub too_large: Option<TooLarge>,
}

impl SendPreview {
    /// How a file would be attached that nobody said anything about.
    pub fn attachment_preview(&self, file: &File) -> AttachmentPreview {
        let delivery = default_delivery(file, self.capabilities);
        AttachmentPreview {
            delivery,
            deliveries: allowed_deliveries(file, self.capabilities),
            too_large: self.limits.check(file, delivery, self.capabilities).map(|too_large| {
                TooLarge {
                    head: too_large.head.map(|bytes| self.head_bytes(file, bytes)),
                    ..too_large
                }
            }),
        }
    }

    /// Says of each text that is too large how much of it would fit.
    pub(crate) fn tell_heads(&mut self) {
        let mut attached = std::mem::take(&mut self.attached);
        // The message is weighed with what is in it; what a file itself weighs is given back.
        self.attached.clone_from(&attached);
        for one in &mut attached {
            if let (Ok(file), Some(too_large)) = (&one.file, &mut one.too_large) {
                too_large.head = too_large.head.map(|bytes| self.head_bytes(file, bytes));
            }
        }
        self.attached = attached;
    }

    /// LIM-3: about how many of the first bytes of a text would fit beside the rest.
    pub(crate) fn head_bytes(&self, file: &File, at_most: u64) -> u64 {
        // What the whole weighs may be off, and the part is not an average one.
        const CAREFUL: f64 = 0.9;
        let whole = file.tokens.unwrap_or(file.size / 4).max(1) as f64 * self.slope;
        let bytes = self.room_for(file.id) as f64 * file.size as f64 / whole * CAREFUL;
        (bytes as u64).clamp(1, at_most.max(1))
    }

    /// The tokens that a file may have beside the rest of the message, the prelude and the
    /// reply, and beside the history where that leaves it a quarter of the window. Where it
    /// does not, the send asks, and leaves history out.
    pub(crate) fn room_for(&self, file: FileId) -> u64 {
        /// What stands around a file in a message, and the note about the cut.
        const FRAME: u64 = 64;
        let is_it = |one: &&AttachedFile| one.file.as_ref().is_ok_and(|known| known.id == file);
        let itself = self.attached.iter().filter(is_it).map(|one| one.tokens);
        let itself = itself.fold(0, u64::saturating_add);
        let Weights { ml, prelude, history, aut } = self.weights;
        let taken = prelude.saturating_add(aut.saturating_sub(itself));
        let taken = taken.saturating_add(self.reply_reserve).saturating_add(FRAME);
        let beside = ml.saturating_sub(taken);
        match beside.saturating_sub(history) {
            room if room >= ml / 4 => room,
            _ => beside,
        }
    }

    /// Between which two ends the total is expected (EST-9).
    pub fn band(&self) -> Band {
        self.basis.band(self.weights.total(), self.odd_tokens)
    }

    /// The total with its band and its basis, for people.
    pub fn told(&self) -> String {
        self.basis.told(self.weights.total(), self.odd_tokens)
    }

    /// `X / Y` before the send.
    pub fn counter(&self) -> Counter {
        Counter { predicted: self.boundary.x, trimmed: 0, visible: self.boundary.y }
    }
}

/// What a draft would be sent with.
#[derive(Clone, Debug)]
pub struct Planned {
    /// How it stands in the window.
    pub preview: SendPreview,
    /// What a page that shows this holds (PAY-6).
    pub seen: Seen,
    /// The visible position of the line.
    pub start: usize,
    /// From this visible position on nothing goes along.
    pub end: usize,
}

/// A message that is weighed and ready to go. Nothing was sent or written yet.
pub struct Prepared {
    pub(crate) workspace: Workspace,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) served_model: String,
    pub(crate) included: Vec<StoredPair>,
    pub(crate) topic: Topic,
    /// The topic's system message, where it has one and it is sent (PAY-3).
    pub(crate) system: Option<String>,
    pub(crate) purpose: Purpose,
    /// Raw tokens of everything that was predicted.
    pub(crate) raw_prompt_tokens: RawTokens,
    /// The newest pair of the workspace; a new one comes after it.
    pub(crate) newest: Option<Timestamp>,
    /// The message as it was written, tokens in place.
    pub text: String,
    /// How the questions of the included pairs go out, where that differs from their texts.
    pub(crate) questions: Vec<Option<Vec<Part>>>,
    /// How the message goes out.
    pub(crate) message: Vec<Part>,
    pub(crate) files: FilesPart,
    pub(crate) weigher: Weigher,
    /// How it stands in the window.
    pub preview: SendPreview,
    /// What a page that shows this holds (PAY-6).
    pub seen: Seen,
    /// How that compares with what the sender saw.
    pub(crate) compared: Comparison,
    /// Whether its pair stands where one stood that was visible: that one is answered anew or
    /// asked again.
    pub(crate) takes_a_place: bool,
    /// Where the line stood (BND-6).
    pub(crate) line: Option<PairId>,
    /// Visible pairs that stay ashore, oldest first, and why.
    pub ashore: Vec<(PairId, ExcludedBecause)>,
    /// What the send machine starts from.
    pub plan: SendPlan,
    /// Which pairs may go along.
    pub(crate) history: HistoryChoice,
}

impl Prepared {
    /// The pairs that go along, oldest first.
    pub fn included_ids(&self) -> Vec<PairId> {
        self.included.iter().map(|stored| stored.pair.id).collect()
    }

    /// What goes along as bytes, anywhere in it.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FilePart> {
        let parts = self.questions.iter().flatten().flatten().chain(&self.message);
        parts.filter_map(|part| match part {
            Part::File(file) => Some(file),
            _ => None,
        })
    }

    /// Raw tokens of a text, by the model's own measure.
    pub(crate) fn weigh(&self, text: &str) -> u64 {
        self.weigher.count(text)
    }
}
