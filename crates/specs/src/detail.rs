//! How much of an item is shown.

use plimsoll_tokens::{Estimator, cut_at_word};

use crate::{SpecsError, stage::choose};

/// Characters of an item at the standard level.
const SNIPPET: usize = 300;

/// The line below an answer in summary.
pub(crate) const SUMMARY_HINT: &str = "💡 Use detail_level: standard or full for more detail.";

/// The level of detail of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Detail {
    /// Names and titles.
    Summary,
    /// A snippet of each.
    #[default]
    Standard,
    /// All.
    Full,
}

/// How a read wants its answer.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The level; the tool has one of its own if none is named.
    pub detail: Option<Detail>,
    /// The budget of the whole answer (MBG-5).
    pub max_tokens: Option<u64>,
    /// How the answer is weighed.
    pub counter: Estimator,
}

impl Default for Reading {
    fn default() -> Self {
        Self { detail: None, max_tokens: None, counter: Estimator::Bytes4 }
    }
}

impl Detail {
    /// The levels, from little to much.
    pub const ALL: [Self; 3] = [Self::Summary, Self::Standard, Self::Full];

    /// Its name in arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }

    /// The level with this name.
    pub fn parse(name: &str) -> Result<Self, SpecsError> {
        choose("detail_level", name, Self::ALL, Self::name)
    }

    /// The hint that belongs below an answer at this level.
    pub(crate) fn hint(self) -> Option<&'static str> {
        (self == Self::Summary).then_some(SUMMARY_HINT)
    }

    /// What is shown of a text below its title line: nothing, a snippet or all.
    pub(crate) fn excerpt(self, text: &str) -> Option<String> {
        let text = text.trim();
        match self {
            _ if text.is_empty() => None,
            Self::Summary => None,
            Self::Full => Some(text.to_owned()),
            Self::Standard => {
                let end = text.char_indices().nth(SNIPPET).map_or(text.len(), |(at, _)| at);
                match cut_at_word(text, end) {
                    whole if whole.len() == text.len() => Some(text.to_owned()),
                    "" => None,
                    head => Some(format!("{head} …")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_shows_300_characters_and_no_half_word() {
        let text = "harbour ".repeat(100);
        let shown = Detail::Standard.excerpt(&text).unwrap();
        assert!(shown.chars().count() <= 302 && shown.ends_with("harbour …"), "{shown}");
        assert_eq!(Detail::Standard.excerpt("short"), Some("short".to_owned()));
        assert_eq!(Detail::Summary.excerpt("short"), None);
        assert_eq!(Detail::Full.excerpt(&text).map(|text| text.len()), Some(799));
    }
}
