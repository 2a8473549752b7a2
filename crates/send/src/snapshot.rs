//! Everything that is known at one instant about a message and what may go along with it. Whoever
//! reads stores, files and settings gathers it; [`plan`](crate::plan()) decides from it alone.

use std::sync::Arc;

use plimsoll_budget::{
    Boundary, BoundaryInput, Catalog, ExcludedBecause, Load, Model, ModelLimit, Quota,
};
use plimsoll_domain::{PairId, Timestamp, TopicId};
use plimsoll_tokens::{Basis, RawTokens};

use crate::{AttachLimits, AttachedFile, Capabilities, SeenPair};

/// A message, who would answer it, and what may go along.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub target: Arc<Target>,
    /// What the line was drawn with: the limit, the allowance, the prelude, what was learned.
    pub input: BoundaryInput,
    pub selection: Arc<Selection>,
    pub message: WeighedMessage,
    /// Tokens of the beginning that the last send to this model had as well: a provider may have
    /// kept them (UI-18).
    pub sent_before: u64,
    /// The conversation that is looked at alone; none where everything is (HIS-9).
    pub within: Option<TopicId>,
    /// What the account used lately (VAL-4).
    pub quota: Quota,
    pub now: Timestamp,
    /// From how many percent of ML people are warned.
    pub warn_at: u64,
    /// All models, for what would hold more.
    pub catalog: Arc<Catalog>,
}

/// Who would answer, and what that means for the numbers.
#[derive(Clone, Debug)]
pub struct Target {
    pub model: Model,
    /// ML, and why it is that.
    pub limit: ModelLimit,
    /// What the numbers rest on (EST-9).
    pub basis: Basis,
    /// The estimator in use, and whether its numbers are exact.
    pub estimator: (&'static str, bool),
    /// What of the prelude is the system message.
    pub raw_system: RawTokens,
    /// Who gets the files of messages.
    pub capabilities: Capabilities,
    /// The limits of files (LIM-1).
    pub file_limits: AttachLimits,
    /// What is said about the files of the workspace (PAY-3); none if nothing is.
    pub files: Option<FilesTold>,
    /// What the provider adds that nobody here sees, in words (DLV-5).
    pub hidden_prompt_notice: Option<&'static str>,
}

/// What is said about the files of the workspace: a part of the prelude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilesTold {
    /// The files section as it is sent.
    pub text: String,
    /// How many files it names.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    pub raw_section: RawTokens,
    /// The tools that are offered with it.
    pub tools: Vec<String>,
    pub raw_tools: RawTokens,
}

/// A message and what is attached to it, on the scales.
#[derive(Clone, Debug, Default)]
pub struct WeighedMessage {
    /// Its raw tokens, overhead included.
    pub raw: RawTokens,
    /// What of them estimates misjudge by far (EST-9).
    pub odd_tokens: u64,
    /// One entry for each reference in its text.
    pub attached: Vec<AttachedFile>,
}

/// A visible pair that may go along.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Where it stands among all visible pairs.
    pub position: usize,
    pub id: PairId,
    /// The revision of the texts that were weighed.
    pub revision: u64,
    pub load: Load,
    /// Why it does not go, if it does not.
    pub reason: ExcludedBecause,
}

/// The visible pairs, parted at the load line. It is made anew only when something moved that,
/// so that a keystroke does no history work.
#[derive(Clone, Debug)]
pub struct Selection {
    pub boundary: Boundary,
    /// The visible position of the line.
    pub start: usize,
    /// From this visible position on nothing goes along.
    pub end: usize,
    /// The pairs that go along, oldest first.
    pub included: Vec<SeenPair>,
    /// What each of them weighs.
    pub loads: Vec<Load>,
    /// The other candidates, oldest first, and why they stay.
    pub excluded: Vec<(PairId, ExcludedBecause)>,
    /// Whether any of those could go if there were room.
    pub room_wanted: bool,
}

impl Selection {
    /// Parts candidates, oldest first, at a boundary over them.
    pub fn new(boundary: Boundary, candidates: impl Iterator<Item = Candidate>) -> Self {
        let mut selection = Self {
            boundary,
            start: 0,
            end: 0,
            included: Vec::with_capacity(boundary.included),
            loads: Vec::with_capacity(boundary.included),
            excluded: Vec::with_capacity(boundary.visible - boundary.included),
            room_wanted: false,
        };
        let mut start = None;
        for (at, candidate) in candidates.enumerate() {
            let Candidate { position, id, revision, load, reason } = candidate;
            selection.end = position + 1;
            if at == boundary.start {
                start = Some(position);
            }
            if boundary.includes(at, load) {
                let pinned = load.pinned;
                selection.included.push(SeenPair { at: position, id, revision, pinned });
                selection.loads.push(load);
            } else {
                selection.excluded.push((id, reason));
                selection.room_wanted |= load.sendable;
            }
        }
        selection.start = start.unwrap_or(selection.end);
        selection
    }

    /// The raw tokens of the pairs that go along.
    pub fn raw_history(&self) -> RawTokens {
        self.loads.iter().map(|load| load.tokens).sum()
    }
}
