//! How much of each item an answer tells: the level, its hint, and what a snippet is.

use std::str::FromStr;

use thiserror::Error;

/// How much of each item a read tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DetailLevel {
    /// Ids, types, titles.
    Summary,
    /// Snippets.
    #[default]
    Standard,
    /// Everything.
    Full,
}

/// Characters of an item at the standard level.
pub const SNIPPET_CHARS: usize = 300;

/// The line under a summary.
pub const SUMMARY_HINT: &str = "💡 Use detail_level: standard or full for more detail.";

/// A text that names no level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no detail_level; use summary, standard or full")]
pub struct BadDetailLevel(pub String);

impl DetailLevel {
    /// All levels, from little to much.
    pub const ALL: [Self; 3] = [Self::Summary, Self::Standard, Self::Full];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }

    /// The hint that a read of this level ends with, if any.
    pub fn hint(self) -> Option<&'static str> {
        (self == Self::Summary).then_some(SUMMARY_HINT)
    }
}

impl FromStr for DetailLevel {
    type Err = BadDetailLevel;

    /// The level with this name, in any case.
    fn from_str(text: &str) -> Result<Self, BadDetailLevel> {
        Self::ALL
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| BadDetailLevel(text.chars().take(60).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names() {
        for level in DetailLevel::ALL {
            assert_eq!(level.name().parse(), Ok(level));
            assert_eq!(format!(" {} ", level.name().to_uppercase()).parse(), Ok(level));
        }
        assert_eq!("more".parse::<DetailLevel>(), Err(BadDetailLevel("more".to_owned())));
    }
}
