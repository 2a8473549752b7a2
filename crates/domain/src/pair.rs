//! The message pair (HIS-1) and its labels.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use crate::{
    Attachment, IllegalTransition, Lifecycle, LifecycleEvent, PairId, ReceiptId, SegmentBody,
    TopicId,
    context_token::{ContextKind, segments},
};

/// Milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// A time from its milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// The milliseconds of this time.
    pub const fn millis(self) -> i64 {
        self.0
    }
}

/// A star count outside 0–3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("stars go from 0 to 3, not {0}")]
pub struct OutOfRange(pub u64);

/// Zero to three stars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Star(u8);

impl Star {
    /// The largest number of stars.
    pub const MAX: u8 = 3;

    /// A star count, if it is one.
    pub fn new(count: u64) -> Result<Self, OutOfRange> {
        match u8::try_from(count) {
            Ok(count) if count <= Self::MAX => Ok(Self(count)),
            _ => Err(OutOfRange(count)),
        }
    }

    /// How many stars.
    pub fn count(self) -> u8 {
        self.0
    }
}

/// The colour flag. A pair that was never flagged is grey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ColorFlag {
    /// Raised.
    Blue,
    /// Not raised.
    #[default]
    Grey,
}

impl ColorFlag {
    /// The name used in files and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blue => "blue",
            Self::Grey => "grey",
        }
    }

    /// The flag with this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "blue" => Some(Self::Blue),
            "grey" => Some(Self::Grey),
            _ => None,
        }
    }
}

/// Whether a pair goes along with later messages (HIS-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairUse {
    /// Where there is room for it (BND-1).
    #[default]
    Auto,
    /// Never: somebody left it out by hand.
    Out,
    /// Always where it is visible and can be sent: room is made for it first (BND-8).
    Pinned,
}

impl PairUse {
    pub const ALL: [Self; 3] = [Self::Auto, Self::Out, Self::Pinned];

    /// The name used in files and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Out => "out",
            Self::Pinned => "pinned",
        }
    }

    /// What it means, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Auto => "sent where there is room",
            Self::Out => "left out by hand",
            Self::Pinned => "pinned",
        }
    }

    /// The use with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// What a pair is (HIS-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairKind {
    /// A message and its answer.
    #[default]
    Chat,
    /// A summary of earlier pairs, which stands for them.
    Summary,
}

impl PairKind {
    pub const ALL: [Self; 2] = [Self::Chat, Self::Summary];

    /// The name used in files and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Summary => "summary",
        }
    }

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A pair that a summary stands for (HIS-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summarised {
    pub pair: PairId,
    /// The revision of the texts that were summarised; with another one, or without the pair, the
    /// summary is out of date.
    pub revision: u64,
    /// The use that the pair had, and gets again when the summary goes.
    pub use_before: PairUse,
}

/// What a provider says a request used, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// The whole prompt, cached part included.
    pub prompt: u64,
    /// The part of the prompt that came from the provider's prefix cache.
    pub cached: u64,
    /// The answer, reasoning included.
    pub completion: u64,
    /// The part of the answer that was reasoning.
    pub reasoning: u64,
}

/// Why a pair is in the error state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairError {
    /// A stable code, such as `interrupted` or `context_overflow_after_trimming`.
    pub code: String,
    /// What people read.
    pub message: String,
}

/// A user message and the answer to it.
#[derive(Clone, Debug, PartialEq)]
pub struct MessagePair {
    /// Its id; ids sort by time.
    pub id: PairId,
    /// The topic it is filed under.
    pub topic_id: TopicId,
    /// The model it was sent to.
    pub model: String,
    /// The user's words, context tokens in place.
    pub user_text: String,
    /// The answer. Absent, not empty, until text arrives.
    pub assistant_text: Option<String>,
    /// A label.
    pub star: Star,
    /// A label.
    pub color_flag: ColorFlag,
    /// Whether it goes along with later messages.
    pub pair_use: PairUse,
    pub kind: PairKind,
    /// The pairs that it stands for, if it is a summary.
    pub summarises: Vec<Summarised>,
    /// The first pair of the comparison that it belongs to (HIS-12).
    pub group: Option<PairId>,
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// When it was written.
    pub created_at: Timestamp,
    /// Why it failed, when it did.
    pub error: Option<PairError>,
    /// What the provider said it used.
    pub usage: Option<Usage>,
    /// The receipt of its send.
    pub receipt_id: Option<ReceiptId>,
    /// The answer before the last regeneration (SND-8).
    pub previous_answer: Option<String>,
    /// What each token of the user's words stands for, in order (TOK-5).
    pub attachments: Vec<Attachment>,
}

impl MessagePair {
    /// Moves along the lifecycle; a regeneration keeps the earlier answer beside (SND-8).
    pub fn apply(&mut self, event: LifecycleEvent) -> Result<(), IllegalTransition> {
        self.lifecycle = self.lifecycle.after(event)?;
        match event {
            LifecycleEvent::Start => self.error = None,
            LifecycleEvent::Regenerate => self.previous_answer = self.assistant_text.take(),
            LifecycleEvent::Finish | LifecycleEvent::Fail | LifecycleEvent::Cancel => {}
        }
        Ok(())
    }

    /// The order of everything (HIS-2): creation time, then id.
    pub fn order_key(&self) -> (Timestamp, PairId) {
        (self.created_at, self.id)
    }

    /// Whether the user text holds an image, and whether it holds any attachment.
    pub fn attachment_kinds(&self) -> (bool, bool) {
        attachment_kinds(&self.user_text)
    }
}

/// Whether a text holds an image token, and whether it holds any context token.
pub fn attachment_kinds(text: &str) -> (bool, bool) {
    let mut any = false;
    let mut image = false;
    for segment in segments(text) {
        if let SegmentBody::Token(token) = segment.body {
            any = true;
            image |= token.kind == ContextKind::Image;
        }
    }
    (image, any)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> MessagePair {
        let created_at = Timestamp::from_millis(1_000);
        MessagePair {
            id: PairId::new(created_at, [1; 10]),
            topic_id: TopicId::new(created_at, [2; 10]),
            model: "m".into(),
            user_text: "see <<context:image:/a.png>>>".into(),
            assistant_text: None,
            star: Star::default(),
            color_flag: ColorFlag::default(),
            pair_use: PairUse::default(),
            kind: PairKind::default(),
            summarises: Vec::new(),
            group: None,
            lifecycle: Lifecycle::Idle,
            created_at,
            error: None,
            usage: None,
            receipt_id: None,
            previous_answer: None,
            attachments: Vec::new(),
        }
    }

    #[test]
    fn stars_are_zero_to_three() {
        assert_eq!(Star::new(3).map(Star::count), Ok(3));
        assert_eq!(Star::new(4), Err(OutOfRange(4)));
        assert_eq!(Star::new(300), Err(OutOfRange(300)));
    }

    #[test]
    fn regenerating_keeps_the_earlier_answer() {
        let mut pair = pair();
        pair.apply(LifecycleEvent::Start).unwrap();
        pair.assistant_text = Some("first".into());
        pair.apply(LifecycleEvent::Finish).unwrap();
        pair.apply(LifecycleEvent::Regenerate).unwrap();
        assert_eq!(pair.assistant_text, None);
        assert_eq!(pair.previous_answer.as_deref(), Some("first"), "SND-8");
    }

    #[test]
    fn an_illegal_event_changes_nothing() {
        let mut pair = pair();
        let before = pair.clone();
        assert!(pair.apply(LifecycleEvent::Finish).is_err());
        assert_eq!(pair, before);
    }

    #[test]
    fn attachments_are_seen_in_the_text() {
        assert_eq!(pair().attachment_kinds(), (true, true));
        assert_eq!(attachment_kinds("a <<context:text:/a.txt>>>"), (false, true));
        assert_eq!(attachment_kinds("plain"), (false, false));
    }
}
