//! Text terms: `c'…'`, compiled once.

use regex::{Regex, RegexBuilder};

use crate::Pattern;

/// The largest number of different texts in one filter. Each holds a compiled matcher,
/// so that memory needs a bound.
pub const MAX_TEXT_TERMS: usize = 256;

/// How many pieces of a pattern are searched for one after the other.
const MAX_MATCHERS: usize = 8;

/// A text that rows are searched for.
#[derive(Clone, Debug)]
pub struct TextTerm {
    pattern: Pattern,
    /// One for each piece between wildcards, in order.
    matchers: Vec<Regex>,
}

impl TextTerm {
    /// Compiles a pattern; none if the matcher would be too large.
    pub(crate) fn new(pattern: &Pattern) -> Option<Self> {
        // The text may stand anywhere, so wildcards at either end say nothing.
        let mut pieces: Vec<String> = pattern
            .pieces()
            .iter()
            .filter(|piece| !piece.is_empty())
            .map(|piece| regex::escape(piece))
            .collect();
        // A plain text is found far faster than one with wildcards. That is only worth
        // it for a few pieces, as each matcher takes memory.
        if pieces.len() > MAX_MATCHERS {
            let rest = pieces.split_off(MAX_MATCHERS - 1).join(".*?");
            pieces.push(rest);
        }
        let matchers = pieces.iter().map(|piece| {
            RegexBuilder::new(piece).case_insensitive(true).dot_matches_new_line(true).build()
        });
        let matchers = matchers.collect::<Result<_, _>>().ok()?;
        Some(Self { pattern: pattern.clone(), matchers })
    }

    /// What is searched for, for a caller that has an index of its own (FLT-7).
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Whether a text contains the term, case aside.
    pub fn is_match(&self, text: &str) -> bool {
        let Some((last, before)) = self.matchers.split_last() else { return true };
        // Taking the first place for each piece leaves the most room for the next.
        let mut from = 0;
        for matcher in before {
            match matcher.find_at(text, from) {
                Some(found) => from = found.end(),
                None => return false,
            }
        }
        last.is_match_at(text, from)
    }
}
