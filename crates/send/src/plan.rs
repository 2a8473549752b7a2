//! From everything that is known to what would be sent, how that stands to the limit, and what
//! is done about it (VAL-1 to VAL-4). Nothing is asked and nothing is changed here.

use std::sync::Arc;

use plimsoll_budget::{
    Boundary, Decision, Model, ModelLimit, OverBudget, QuotaLimits, QuotaVerdict, Validation,
    Verdict, Weights, decide, fit_first, validate,
};
use plimsoll_domain::{Attachment, Delivery, File, FileId};
use plimsoll_tokens::Band;

use crate::{
    AttachedFile, Counter, Seen, SeenFile, SeenQuestion, Snapshot, Suggestion, Target, TooLarge,
    allowed_deliveries, default_delivery, seen::Hash, suggestions::suggestions,
};

/// What would be sent of a snapshot, and what a policy does about it.
#[derive(Clone, Debug)]
pub struct Plan {
    pub snapshot: Arc<Snapshot>,
    /// What it weighs.
    pub weights: Weights,
    /// How that stands to the limit.
    pub validation: Validation,
    /// What the policy does about it.
    pub decision: Decision,
    /// What would help, if it is over.
    pub suggestions: Vec<Suggestion>,
    /// Whether the account's windows have room for it (VAL-4).
    pub quota: QuotaVerdict,
    /// What is attached to the message, with how much of each would fit.
    pub attached: Vec<AttachedFile>,
}

/// Plans a send. The policy enters here and nowhere else; another policy is a second call.
/// The pairs themselves are looked at only when it is over the limit.
pub fn plan(snapshot: &Arc<Snapshot>, policy: OverBudget) -> Plan {
    let Snapshot { target, input, selection, message, .. } = &**snapshot;
    let weights = Weights {
        limit: input.limit,
        prelude: input.prelude(),
        history: selection.boundary.predicted_history_tokens,
        message: input.correction.apply(message.raw),
    };
    let stated = target.limit.binds.is_stated();
    let least_alone = stated.then(|| target.basis.band(weights.alone(), snapshot.odd_tokens()).low);
    let validation = validate(&weights, snapshot.warn_at, least_alone);
    let pairs_to_drop = match validation.verdict {
        Verdict::Over => fit_first(&weights, &selection.loads, input.correction),
        Verdict::Ok | Verdict::Warn | Verdict::TooLarge => 0,
    };
    let limits = QuotaLimits::of(&target.model);
    let mut plan = Plan {
        decision: decide(validation.verdict, policy, pairs_to_drop),
        quota: snapshot.quota.check(snapshot.now, weights.total(), &limits),
        suggestions: suggestions(snapshot, &weights, &validation, pairs_to_drop),
        snapshot: Arc::clone(snapshot),
        weights,
        validation,
        attached: Vec::new(),
    };
    plan.attached = message.attached.iter().map(|one| plan.with_head(one)).collect();
    plan
}

impl Snapshot {
    /// What of the total is of a kind that estimates misjudge by far.
    pub fn odd_tokens(&self) -> u64 {
        let tools = self.target.files.as_ref().map_or(0, |files| files.raw_tools.total());
        self.message.odd_tokens.saturating_add(tools)
    }
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

impl Plan {
    pub fn target(&self) -> &Target {
        &self.snapshot.target
    }

    /// The model that it goes to.
    pub fn model(&self) -> &Model {
        &self.target().model
    }

    /// ML, and why it is that.
    pub fn limit(&self) -> &ModelLimit {
        &self.target().limit
    }

    /// Where the load line is.
    pub fn boundary(&self) -> &Boundary {
        &self.snapshot.selection.boundary
    }

    /// Tokens kept for the answer.
    pub fn reply_reserve(&self) -> u64 {
        self.snapshot.input.reply_reserve
    }

    /// How many of the oldest pairs, pins aside, are left out before the first call (VAL-3, fit first).
    pub fn left_out_first(&self) -> usize {
        match self.decision {
            Decision::SendWithout(pairs) => pairs,
            Decision::Send | Decision::Ask | Decision::Block | Decision::PromptTooLarge => 0,
        }
    }

    /// BND-7: nothing of the history goes along because its newest pair alone does not fit.
    pub fn newest_too_large(&self) -> bool {
        self.boundary().included == 0 && self.snapshot.selection.room_wanted
    }

    /// Whether pairs are left out for a limit that nobody states (CAT-3, CAT-4).
    pub fn left_out_in_doubt(&self) -> bool {
        !self.limit().binds.is_stated() && self.snapshot.selection.room_wanted
    }

    /// What of the prelude is the system message.
    pub fn system_tokens(&self) -> u64 {
        self.snapshot.input.correction.apply(self.target().raw_system)
    }

    /// What each request to this model has once, as a part of the prelude (EST-6).
    pub fn request_tokens(&self) -> u64 {
        self.snapshot.input.correction.offset()
    }

    /// The tokens of what is said about files, and those of the tools that are offered with it.
    pub fn files_tokens(&self) -> (u64, u64) {
        let correction = self.snapshot.input.correction;
        self.target().files.as_ref().map_or((0, 0), |files| {
            (correction.apply(files.raw_section), correction.apply(files.raw_tools))
        })
    }

    /// Between which two ends an estimate of this request is expected to be right (EST-9).
    pub fn band_of(&self, tokens: u64) -> Band {
        self.target().basis.band(tokens, self.snapshot.odd_tokens())
    }

    /// Between which two ends the total is expected (EST-9).
    pub fn band(&self) -> Band {
        self.band_of(self.weights.total())
    }

    /// The total with its band and its basis, for people.
    pub fn total_in_words(&self) -> String {
        self.target().basis.told(self.weights.total(), self.snapshot.odd_tokens())
    }

    /// `X / Y` before the send.
    pub fn counter(&self) -> Counter {
        let Boundary { included, visible, .. } = *self.boundary();
        Counter { predicted: included, trimmed: 0, visible }
    }

    /// What is attached, each with the delivery that it goes out with.
    pub fn settled_attachments(&self) -> Vec<Attachment> {
        let settled = |one: &AttachedFile| Attachment {
            file: one.file.as_ref().ok().map(|file| file.id),
            delivery: one.file.is_ok().then_some(one.delivery),
        };
        self.attached.iter().map(settled).collect()
    }

    /// Everything that is sent besides the words, as a page shows it (PAY-6).
    pub fn seen(&self, instructions: Vec<Hash>, question: Option<SeenQuestion>) -> Seen {
        let file = |one: &AttachedFile| {
            let file = one.file.as_ref().ok();
            SeenFile { id: file.map(|file| file.id), delivery: file.map(|_| one.delivery) }
        };
        Seen {
            model: self.model().id.clone(),
            within: self.snapshot.within,
            instructions,
            pairs: self.snapshot.selection.included.clone(),
            files: self.attached.iter().map(file).collect(),
            question,
        }
    }

    /// How a file would be attached that nobody said anything about.
    pub fn attachment_preview(&self, file: &File) -> AttachmentPreview {
        let Target { capabilities, file_limits, .. } = self.target();
        let delivery = default_delivery(file, *capabilities);
        let too_large = file_limits.check(file, delivery, *capabilities);
        AttachmentPreview {
            delivery,
            deliveries: allowed_deliveries(file, *capabilities),
            too_large: too_large.map(|too_large| self.part_that_fits(file, too_large)),
        }
    }

    /// A file of the message; one that is too large with how much of it would fit.
    fn with_head(&self, one: &AttachedFile) -> AttachedFile {
        let mut one = one.clone();
        if let (Ok(file), Some(too_large)) = (&one.file, one.too_large.take()) {
            one.too_large = Some(self.part_that_fits(file, too_large));
        }
        one
    }

    /// LIM-3: about how many of the first bytes of a text would fit beside the rest.
    fn part_that_fits(&self, file: &File, too_large: TooLarge) -> TooLarge {
        // What the whole weighs may be off, and the part is not an average one.
        const CAREFUL: f64 = 0.9;
        let slope = self.snapshot.input.correction.slope();
        let size = too_large.size;
        let text = file.extracted().filter(|text| text.bytes == size);
        let known = text.map(|text| text.tokens).or(file.tokens.filter(|_| size == file.size));
        let whole = known.unwrap_or(size / 4).max(1) as f64 * slope;
        let bytes = self.room_for(file.id) as f64 * size as f64 / whole * CAREFUL;
        let head = too_large.head.map(|at_most| (bytes as u64).clamp(1, at_most.max(1)));
        TooLarge { head, ..too_large }
    }

    /// The tokens that a file may have beside the rest of the message, the prelude and the
    /// reply, and beside the history where that leaves it a quarter of the window. Where it
    /// does not, the send asks, and leaves history out.
    pub fn room_for(&self, file: FileId) -> u64 {
        /// What stands around a file in a message, and the note about the cut.
        const FRAME_TOKENS: u64 = 64;
        let is_it = |one: &&AttachedFile| one.file.as_ref().is_ok_and(|known| known.id == file);
        let itself = self.snapshot.message.attached.iter().filter(is_it).map(|one| one.tokens);
        let itself = itself.fold(0, u64::saturating_add);
        let Weights { limit, prelude, history, message } = self.weights;
        let taken = prelude.saturating_add(message.saturating_sub(itself));
        let taken = taken.saturating_add(self.reply_reserve()).saturating_add(FRAME_TOKENS);
        let beside = limit.saturating_sub(taken);
        match beside.saturating_sub(history) {
            room if room >= limit / 4 => room,
            _ => beside,
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
pub(crate) mod tests;
