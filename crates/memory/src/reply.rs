//! What a use case answers.

use plimsoll_budget::Answer;

/// An answer, ready to be sent. Its numbers are those of the spec's structured content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The whole text, with its footers where it has some.
    pub text: String,
    /// The observations that are shown or were written, the worthiest first; of relations
    /// and prompts their own ids, where these are what was written.
    pub ids: Vec<u64>,
    /// How many items are shown.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// What the text weighs.
    pub estimated_tokens: u64,
    /// Whether an item was cut.
    pub cut: bool,
}

impl Reply {
    /// A budgeted answer; `ids` are those of its pieces, in order of worth.
    pub(crate) fn of(answer: Answer, ids: &[Option<u64>]) -> Self {
        let ids = ids.iter().take(answer.pieces).copied().flatten().collect();
        Self {
            text: answer.text,
            ids,
            shown: answer.shown,
            total: answer.total,
            estimated_tokens: answer.estimated_tokens,
            cut: answer.cut,
        }
    }
}
