//! A message that is being written.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Attachment, PairId};

/// What a send is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A new message.
    #[default]
    New,
    /// A pair that failed or was stopped is asked again: it goes when the new pair is
    /// written down (SND-7).
    ReAsk(PairId),
    /// The newest complete pair is answered anew; the answer it has is kept beside the
    /// new one (SND-8).
    Regenerate(PairId),
    /// A message is sent again in other words: it is a new pair at the end, and the old one is
    /// left out from then on (HIS-13).
    SendAgain(PairId),
    /// The pairs that go along are summarised, and the summary stands for them (HIS-11).
    Summarise,
}

/// A message that is being written.
// It stands in the input, is kept there over the night (INS-5), weighed and sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// Its text, context tokens in place.
    pub text: String,
    /// What each token of the text stands for, in order (TOK-5).
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// Not kept: whoever comes back writes a new message.
    #[serde(skip)]
    pub purpose: Purpose,
}
