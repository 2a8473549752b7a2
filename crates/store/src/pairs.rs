//! Message pairs (HIS-1): written down, answered, labelled, edited, deleted.

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_domain::{
    ColorFlag, Lifecycle, LifecycleEvent, MessagePair, PairError, PairId, ReceiptId, Star,
    Timestamp, TopicId, Usage,
};

use crate::{StoreResult, Workspace};

/// A pair as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPair {
    /// Where it belongs.
    pub workspace: Workspace,
    /// The pair itself. While it is being sent, the answer is what was saved last.
    pub pair: MessagePair,
    /// When it was last edited, if ever (HIS-5).
    pub edited_at: Option<Timestamp>,
    /// Whether the answer was cut by its length (SND-4c).
    pub cut: bool,
    /// Counts the changes of its texts; estimates are made for one revision (EST-7).
    pub revision: u64,
}

/// All that a filter looks at, texts aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRow {
    /// Its id.
    pub id: PairId,
    /// When it was written.
    pub created_at: Timestamp,
    /// Its topic.
    pub topic_id: TopicId,
    /// Its model; rows of one model share the text.
    pub model: Arc<str>,
    /// Its stars.
    pub star: Star,
    /// Its flag.
    pub flag: ColorFlag,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// Whether an image is attached.
    pub has_image: bool,
    /// Whether anything is attached.
    pub has_attachment: bool,
}

impl PairRow {
    /// The row of a pair.
    pub fn of(pair: &MessagePair) -> Self {
        let (has_image, has_attachment) = pair.attachment_kinds();
        Self {
            id: pair.id,
            created_at: pair.created_at,
            topic_id: pair.topic_id,
            model: Arc::from(pair.model.as_str()),
            star: pair.star,
            flag: pair.color_flag,
            lifecycle: pair.lifecycle,
            has_image,
            has_attachment,
        }
    }
}

/// What a send leaves behind when it ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The answer. Without one, what was saved last stays.
    pub assistant_text: Option<String>,
    /// Why it failed, when it did.
    pub error: Option<PairError>,
    /// What the provider said it used.
    pub usage: Option<Usage>,
    /// The receipt of the send.
    pub receipt_id: Option<ReceiptId>,
    /// Whether the answer was cut by its length (SND-4c).
    pub cut: bool,
}

/// New texts for a pair. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// The user's words.
    pub user_text: Option<String>,
    /// The answer.
    pub assistant_text: Option<String>,
}

/// The texts of a pair before its first edit (HIS-5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The user's words.
    pub user_text: String,
    /// The answer, if there was one.
    pub assistant_text: Option<String>,
}

/// The history.
#[async_trait]
pub trait Pairs: Send + Sync {
    /// Writes a pair down. When this returns it is on the disk: it survives a crash and
    /// a power cut. A pair in `sending` is refused with `Unclaimed`;
    /// [`Owners::begin`](crate::Owners::begin) is the way to write one.
    async fn insert(&self, workspace: &Workspace, pair: &MessagePair) -> StoreResult<()>;

    /// Writes many down, all or none, with the same promise. For imports.
    async fn insert_many(&self, workspace: &Workspace, pairs: &[MessagePair]) -> StoreResult<()>;

    /// One pair.
    async fn get(&self, id: PairId) -> StoreResult<StoredPair>;

    /// Those of the pairs that exist, in the order of HIS-2, without repeats.
    async fn get_many(&self, ids: &[PairId]) -> StoreResult<Vec<StoredPair>>;

    /// Every pair of a workspace without its texts, in the order of HIS-2.
    async fn rows(&self, workspace: &Workspace) -> StoreResult<Vec<PairRow>>;

    /// How many pairs a workspace holds.
    async fn count(&self, workspace: &Workspace) -> StoreResult<u64>;

    /// Keeps what has arrived of an answer so far; the whole of it, not the newest piece.
    /// It survives a crash of the process; a power cut may cost the last of these.
    async fn save_partial(&self, id: PairId, assistant_text: &str) -> StoreResult<()>;

    /// Ends a send by `Finish`, `Fail` or `Cancel`: the pair gets the outcome, and the
    /// workspace is free again. Refused with `Conflict` when the pair is not being sent
    /// any more, and with `Unclaimed` for the events that start a send.
    async fn set_state(
        &self,
        id: PairId,
        event: LifecycleEvent,
        outcome: &Outcome,
    ) -> StoreResult<()>;

    /// Changes the texts of a pair; refused with `Busy` while it is being sent. The texts
    /// before each edit are kept (HIS-5). An edit that changes nothing leaves no mark.
    async fn edit(&self, id: PairId, edit: &Edit, at: Timestamp) -> StoreResult<()>;

    /// The texts before the first edit; none if the pair was never edited.
    async fn original(&self, id: PairId) -> StoreResult<Option<Original>>;

    /// Exchanges the answer with the one before the last regeneration (SND-8), with all
    /// that belongs to it: model, state, error, usage and receipt. Doing it twice
    /// changes nothing.
    async fn swap_answer(&self, id: PairId) -> StoreResult<()>;

    /// Stars the pairs that exist; says how many.
    async fn set_star(&self, ids: &[PairId], star: Star) -> StoreResult<u64>;

    /// Flags the pairs that exist; says how many.
    async fn set_flag(&self, ids: &[PairId], flag: ColorFlag) -> StoreResult<u64>;

    /// Moves the pairs that exist to a topic of their own workspace; says how many.
    /// Refused as a whole when the topic is unknown there.
    async fn set_topic(&self, ids: &[PairId], topic: TopicId) -> StoreResult<u64>;

    /// Moves pairs to a topic each, all or none, and says how many: an undo puts pairs back into
    /// as many topics as they came from.
    async fn set_topics(&self, moves: &[(PairId, TopicId)]) -> StoreResult<u64>;

    /// Deletes the pairs that exist, all or none, and says how many. They are purged from
    /// revisions, search, snapshots (also those of other pairs whose request quoted them),
    /// estimates and the bodies of their receipts (REC-5); the numbers of receipts stay.
    /// Refused with `Busy` when one of them is being sent.
    async fn delete(&self, ids: &[PairId]) -> StoreResult<u64>;
}
