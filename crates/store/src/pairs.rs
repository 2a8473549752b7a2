//! Message pairs (HIS-1): written down, sent, labelled, edited, deleted.

use std::{sync::Arc, time::Duration};

use plimsoll_domain::{
    ColorFlag, HistoryScope, Lifecycle, LifecycleEvent, MessagePair, PairError, PairId, PairKind,
    PairUse, ReceiptId, Star, Timestamp, TopicId, Usage,
};

use crate::{
    Workspace,
    sql::{labels, owners, pairs, read_pairs, summaries},
};

/// A pair as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPair {
    pub workspace: Workspace,
    /// The pair itself. While it is being sent, the answer is what was saved last.
    pub pair: MessagePair,
    /// When it was last edited, if ever (HIS-5).
    pub edited_at: Option<Timestamp>,
    /// Whether the answer was cut by its length (SND-4c).
    pub cut: bool,
    /// Whether a pair that this summary stands for was edited or deleted since (HIS-11).
    pub outdated: bool,
    /// The summary that stands for this pair, where it is left out for it (HIS-11).
    pub summarised_by: Option<PairId>,
    /// Counts the changes of its texts; estimates are made for one revision (EST-7).
    pub revision: u64,
}

/// All that a filter looks at, texts aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRow {
    pub id: PairId,
    pub created_at: Timestamp,
    pub topic_id: TopicId,
    /// Its model; rows of one model share the text.
    pub model: Arc<str>,
    pub star: Star,
    pub flag: ColorFlag,
    pub pair_use: PairUse,
    pub kind: PairKind,
    pub lifecycle: Lifecycle,
    pub has_image: bool,
    pub has_attachment: bool,
}

impl PairRow {
    pub fn of(pair: &MessagePair) -> Self {
        let (has_image, has_attachment) = pair.attachment_kinds();
        Self {
            id: pair.id,
            created_at: pair.created_at,
            topic_id: pair.topic_id,
            model: Arc::from(pair.model.as_str()),
            star: pair.star,
            flag: pair.color_flag,
            pair_use: pair.pair_use,
            kind: pair.kind,
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
    pub error: Option<PairError>,
    /// What the provider said it used.
    pub usage: Option<Usage>,
    pub receipt_id: Option<ReceiptId>,
    /// Whether the answer was cut by its length (SND-4c).
    pub cut: bool,
}

/// New texts for a pair. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    pub user_text: Option<String>,
    pub assistant_text: Option<String>,
}

/// The error code of a pair whose process died while it was being sent (SND-6).
pub const INTERRUPTED: &str = "interrupted";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendInFlight {
    pub workspace: Workspace,
    pub pair: PairId,
    /// The process that does it, in the words of the caller.
    pub owner: String,
    pub since: Timestamp,
    /// Tells it from every other send of the workspace.
    pub epoch: u64,
    /// Until when its owner holds it, unless it is renewed (TEA-7).
    pub expires_at: Timestamp,
}

/// A send in the hands of who carries it out. All that is written for it names it, and is refused
/// with `LeaseLost` where another holds the pair by now (TEA-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldSend {
    pub pair: PairId,
    /// [`SendInFlight::epoch`].
    pub epoch: u64,
}

impl HeldSend {
    /// For what is written for a pair that nobody sends, such as in an import.
    pub fn of_no_send(pair: PairId) -> Self {
        Self { pair, epoch: 0 }
    }
}

/// A send that was found interrupted: the pair as it is now, in error.
pub type Interrupted = StoredPair;

jobs! {
    /// The history, and the sends in flight: at most one a conversation, each owned by a process
    /// (SND-2).
    ///
    /// An owner is any text that tells one run of a process from all others, such as a
    /// process id with its start time. Whether it is alive is for the caller to say.
    pub trait Pairs {
        /// Writes a pair down. When this returns it is on the disk: it survives a crash and
        /// a power cut. A pair in `sending` is refused with `Unclaimed`;
        /// [`begin`](Self::begin) is the way to write one.
        write insert(workspace: &Workspace, pair: &MessagePair) -> () = pairs::insert;

        /// Writes many down, all or none, with the same promise. For imports.
        write insert_many(workspace: &Workspace, pairs: &[MessagePair]) -> () = pairs::insert_many;

        read get(id: PairId) -> StoredPair = read_pairs::get;

        /// Those of the pairs that exist, in the order of HIS-2, without repeats.
        read get_many(ids: &[PairId]) -> Vec<StoredPair> = read_pairs::get_many;

        /// Every pair of a workspace without its texts, in the order of HIS-2.
        read rows(workspace: &Workspace) -> Vec<PairRow> = read_pairs::rows;

        /// Those of one conversation.
        read rows_of(workspace: &Workspace, topic: TopicId) -> Vec<PairRow> = read_pairs::rows_of;

        /// The model that answered here last; what was imported came from elsewhere.
        read newest_model(workspace: &Workspace) -> Option<String> = read_pairs::newest_model;

        read count(workspace: &Workspace) -> u64 = read_pairs::count;

        /// Keeps what has arrived of an answer so far; the whole of it, not the newest piece.
        /// It survives a crash of the process; a power cut may cost the last of these.
        write_lazily save_partial(send: HeldSend, assistant_text: &str) -> () = owners::save_partial;

        /// The summaries that stand for any of these pairs (HIS-11).
        read summaries_of(pairs: &[PairId]) -> Vec<PairId> = summaries::about;

        /// The pairs of the comparison that a pair belongs to, itself included (HIS-12).
        read compared_with(id: PairId) -> Vec<PairId> = read_pairs::compared_with;

        /// Sets the use of each of these pairs that exists, all or none.
        write set_uses(uses: &[(PairId, PairUse)]) -> u64 = labels::set_uses;

        /// Ends a send by `Finish`, `Fail` or `Cancel`: the pair gets the outcome, and its
        /// conversation is free again. Refused with `Conflict` when the pair is not being sent
        /// any more, and with `Unclaimed` for the events that start a send.
        write set_state(send: HeldSend, event: LifecycleEvent, outcome: &Outcome)
            -> () = pairs::set_state;

        /// Changes the texts of a pair; refused with `Busy` while it is being sent. The texts
        /// before each edit are kept (HIS-5). An edit that changes nothing leaves no mark.
        write edit(id: PairId, edit: &Edit, at: Timestamp) -> () = pairs::edit;

        /// Exchanges the answer with the one before the last regeneration (SND-8), with all
        /// that belongs to it: model, state, error, usage and receipt. Doing it twice
        /// changes nothing.
        write swap_answer(id: PairId) -> () = pairs::swap_answer;

        /// Stars the pairs that exist; says how many.
        write set_star(ids: &[PairId], star: Star) -> u64 = labels::set_star;

        /// Flags the pairs that exist; says how many.
        write set_flag(ids: &[PairId], flag: ColorFlag) -> u64 = labels::set_flag;

        /// Leaves pairs out, pins them, or neither (HIS-10). Those that do not exist are passed over.
        write set_use(ids: &[PairId], pair_use: PairUse) -> u64 = labels::set_use;

        /// Moves the pairs that exist to a topic of their own workspace; says how many.
        /// Refused as a whole when the topic is unknown there.
        write set_topic(ids: &[PairId], topic: TopicId) -> u64 = labels::set_topic;

        /// Moves pairs to a topic each, all or none, and says how many: an undo puts pairs back
        /// into as many topics as they came from.
        write set_topics(moves: &[(PairId, TopicId)]) -> u64 = labels::set_topics;

        /// Deletes the pairs that exist, all or none, and says how many. They are purged from
        /// revisions, search, snapshots (also those of other pairs whose request quoted them),
        /// estimates and the bodies of their receipts (REC-5); the numbers of receipts stay.
        /// Refused with `Busy` when one of them is being sent.
        write_alone delete(ids: &[PairId]) -> u64 = pairs::delete;

        /// Writes down an idle pair, or those of one comparison (HIS-12), and claims their
        /// conversation, or the workspace where the scope is everything, in one durable step
        /// (SND-1): they are `sending` when this returns, and nothing is kept when it is refused
        /// with `Busy`.
        ///
        /// `at` is by the clock of the database, where that has one of its own
        /// ([`database_time`](crate::Upkeep::database_time)): the send is held for the time of
        /// `lease` from then on.
        write begin(
            workspace: &Workspace, pairs: &[MessagePair], scope: HistoryScope, owner: &str,
            at: Timestamp, lease: Duration
        ) -> Vec<HeldSend> = owners::begin;

        /// Claims the same for a pair that is already there: an idle one is sent, a complete one
        /// is asked again (SND-8), where its answer is kept beside the new one. `model` is the one
        /// that will answer.
        write claim(
            id: PairId, model: &str, scope: HistoryScope, owner: &str, at: Timestamp, lease: Duration
        ) -> HeldSend = owners::claim;

        /// Holds a send until a later time, by the same clock. Refused with `LeaseLost` when it
        /// was ended or is another's by now.
        write_lazily renew(send: HeldSend, until: Timestamp) -> () = owners::renew;

        /// The sends in flight in a workspace, the oldest first.
        read in_flight(workspace: &Workspace) -> Vec<SendInFlight> = owners::in_flight;

        read sends_in_flight() -> Vec<SendInFlight> = owners::all;

        /// Ends these sends: the pairs go to `error` with the code [`INTERRUPTED`] and keep what
        /// had arrived (SND-6). One that ended or changed hands since is left alone.
        write interrupt(sends: &[SendInFlight]) -> Vec<Interrupted> = owners::interrupt;
    }
}
