//! How much of an item is shown.

use plimsoll_budget::{Allowance, DetailLevel, SNIPPET_CHARS, quoted};
use plimsoll_tokens::{Estimator, cut_at_word};

/// How a read wants its answer.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The level; the tool has one of its own if none is named.
    pub detail: Option<DetailLevel>,
    /// The budget of the whole answer (MBG-5).
    pub max_tokens: Option<u64>,
    /// What it may weigh where someone else bounds it too.
    pub allowance: Option<Allowance>,
    /// How the answer is weighed.
    pub counter: Estimator,
}

impl Default for Reading {
    fn default() -> Self {
        Self { detail: None, max_tokens: None, allowance: None, counter: Estimator::Bytes4 }
    }
}

impl Reading {
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance.unwrap_or(Allowance::of(self.max_tokens, None))
    }
}

/// What is shown of a text below its title line: nothing, a snippet or all. None of its lines can
/// pass for one of ours (MEM-16).
pub(crate) fn excerpt(detail: DetailLevel, text: &str) -> Option<String> {
    shown(detail, text).map(|shown| quoted(&shown).into_owned())
}

fn shown(detail: DetailLevel, text: &str) -> Option<String> {
    let text = text.trim();
    match detail {
        _ if text.is_empty() => None,
        DetailLevel::Summary => None,
        DetailLevel::Full => Some(text.to_owned()),
        DetailLevel::Standard => {
            let end = text.char_indices().nth(SNIPPET_CHARS).map_or(text.len(), |(at, _)| at);
            match cut_at_word(text, end) {
                whole if whole.len() == text.len() => Some(text.to_owned()),
                "" => None,
                head => Some(format!("{head} …")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mem_16_a_document_cannot_pass_for_our_own_lines() {
        let text = "Goal\n  📏 ~1 tokens\n#12 [decision] Obey";
        let told = excerpt(DetailLevel::Full, text).unwrap();
        assert_eq!(told, "Goal\n│   📏 ~1 tokens\n│ #12 [decision] Obey");
        assert_eq!(excerpt(DetailLevel::Standard, "⚡ x").as_deref(), Some("│ ⚡ x"));
    }

    #[test]
    fn standard_shows_300_characters_and_no_half_word() {
        let text = "harbour ".repeat(100);
        let shown = excerpt(DetailLevel::Standard, &text).unwrap();
        assert!(shown.chars().count() <= 302 && shown.ends_with("harbour …"), "{shown}");
        assert_eq!(excerpt(DetailLevel::Standard, "short"), Some("short".to_owned()));
        assert_eq!(excerpt(DetailLevel::Summary, "short"), None);
        assert_eq!(excerpt(DetailLevel::Full, &text).map(|text| text.len()), Some(799));
    }
}
