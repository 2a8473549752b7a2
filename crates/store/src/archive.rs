//! Whole pairs, as an export takes them out and an import brings them in (HIS-8).

use plimsoll_domain::{
    Lifecycle, MessagePair, PairError, PairId, ReceiptId, Timestamp, Topic, Usage,
};

use crate::{Workspace, sql::archive};

/// A pair with all that is kept about it. What can be counted again, such as estimates,
/// is not part of it, and neither are the books.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedPair {
    /// The pair. Its `previous_answer` is the text of `previous`.
    pub pair: MessagePair,
    /// Whether the answer was cut by its length (SND-4c).
    pub cut: bool,
    /// How often its texts changed, by which a summary knows whether it is out of date; 0 where
    /// no summary stands for it.
    pub revision: u64,
    /// When it was last edited, if ever (HIS-5).
    pub edited_at: Option<Timestamp>,
    /// The texts before each edit, the original first.
    pub revisions: Vec<Revision>,
    /// The answer before the last regeneration (SND-8).
    pub previous: Option<PreviousAnswer>,
}

/// The texts of a pair before one edit (HIS-5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    pub user_text: String,
    pub assistant_text: Option<String>,
    pub edited_at: Timestamp,
}

/// An answer that a regeneration put aside, with all that belongs to it (SND-8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousAnswer {
    pub model: String,
    pub text: Option<String>,
    /// Where the pair stood with it.
    pub lifecycle: Lifecycle,
    /// Whether it was cut by its length.
    pub cut: bool,
    /// What the provider said it used.
    pub usage: Option<Usage>,
    pub receipt_id: Option<ReceiptId>,
    pub error: Option<PairError>,
}

/// How much of a batch was new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BroughtIn {
    /// Topics that were made.
    pub topics: u64,
    /// Pairs that were written.
    pub pairs: u64,
    /// Pairs that were there, and of which a token stands for a file again.
    pub mended: u64,
}

jobs! {
    /// The door for exports and imports.
    pub trait Archive {
        /// Those of the pairs that exist, whole, in the order of HIS-2, without repeats.
        read archived(ids: &[PairId]) -> Vec<ArchivedPair> = archive::archived;

        /// Which of the ids are taken, and by which workspace.
        read whereabouts(ids: &[PairId]) -> Vec<(PairId, Workspace)> = archive::whereabouts;

        /// Writes a batch down, all or none, on the disk when this returns. Topics come
        /// parents first. A topic or pair whose id is taken is left as it is, so that a batch
        /// may be brought again; only where a pair of this workspace has the same words and a
        /// token of it stands for no file, it stands for the one that is brought (TOK-5), and
        /// the estimates are stale. Refused with `Unclaimed` for a pair in `sending`, and when a
        /// topic's name is bad or taken by another, or its parent or a pair's topic is unknown
        /// in this workspace.
        write bring_in(workspace: &Workspace, topics: &[Topic], pairs: &[ArchivedPair])
            -> BroughtIn = archive::bring_in;
    }
}
