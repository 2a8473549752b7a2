//! What a filter needs to know of the world, and the rows it is evaluated over.

use std::ops::Range;

use plimsoll_domain::{ColorFlag, Lifecycle, PairKind, PairUse, Star, Timestamp};

use crate::{Date, TopicNode};

/// The workspace at one moment: the clock, the calendar, the topics, the models, what is
/// selected and what is saved.
pub trait Scope {
    /// The time that ages are counted back from.
    fn now(&self) -> Timestamp;

    /// The start of a local calendar day and the start of the next one.
    fn day(&self, date: Date) -> Range<Timestamp>;

    /// The topics; [`Row::topic`] and [`TopicNode::parent`] are indices into this list.
    fn topics(&self) -> &[TopicNode];

    /// The ids of the models; [`Row::model`] is an index into this list.
    fn models(&self) -> &[String];

    /// The topic selected in the input zone, as an index.
    fn selected_topic(&self) -> Option<usize>;

    /// The id of the model selected in the input zone.
    fn selected_model(&self) -> Option<&str>;

    /// The text of the saved filter with this name.
    fn saved(&self, name: &str) -> Option<&str>;
}

/// What a filter looks at in a pair, texts aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// When it was written.
    pub created_at: Timestamp,
    /// The index of its topic in [`Scope::topics`].
    pub topic: Option<u32>,
    /// The index of its model in [`Scope::models`].
    pub model: u32,
    pub star: Star,
    pub flag: ColorFlag,
    pub pair_use: PairUse,
    pub kind: PairKind,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// Whether an image is attached.
    pub has_image: bool,
    /// Whether anything is attached.
    pub has_attachment: bool,
    /// Its tokens; only looked at when [`Filter::needs_tokens`](crate::Filter::needs_tokens).
    pub tokens: u32,
}

/// All pairs of the workspace.
pub trait Rows {
    /// The pairs in the order of HIS-2, the oldest first. Times are looked up by
    /// bisection, so the order matters.
    fn rows(&self) -> &[Row];

    /// Whether the texts of a row contain a term, where `term` is an index into
    /// [`Filter::text_terms`](crate::Filter::text_terms). It is asked as late and as
    /// seldom as possible.
    fn contains(&self, row: usize, term: usize) -> bool;
}
