//! Full-text search over observations and prompts (MEM-6).

use std::ops::Range;

use super::{MemoryFilter, Observation, Prompt};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryQuery {
    /// Any text. Words in double quotes stand together; the last word may be the beginning
    /// of one unless it is quoted.
    pub text: String,
    pub filter: MemoryFilter,
    pub limit: usize,
    /// How many characters a snippet has at most.
    pub snippet_chars: usize,
}

/// There are at most some dozens of these at a time, so that their size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryFound {
    Observation(Observation),
    Prompt(Prompt),
}

#[derive(Clone, Debug, PartialEq)]
pub struct MemoryHit {
    pub found: MemoryFound,
    /// A piece of its text around what was found, on one line.
    pub snippet: String,
    /// What was found in the snippet, as ranges of bytes, in order, on character
    /// boundaries.
    pub marks: Vec<Range<usize>>,
    /// How well it fits; more is better, and only the order means something.
    pub score: f64,
    pub how: HowFound,
}

/// How a text was found (MEM-10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HowFound {
    /// Whether it has any word of the query.
    pub by_words: bool,
    /// Whether it has all of them.
    pub all_words: bool,
    /// Whether one of its words only looks like one that was asked for.
    pub similar: bool,
    /// Whether it means the like.
    pub by_meaning: bool,
}

impl HowFound {
    /// The same in words; none for what has all words as they were asked for.
    pub fn told(self) -> Option<&'static str> {
        match (self.by_words, self.by_meaning) {
            (true, _) if self.similar => Some("by similar words"),
            (true, _) if self.all_words => None,
            (true, true) => Some("by some words and meaning"),
            (true, false) => Some("by some words"),
            (false, _) => Some("by meaning"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryHits {
    /// The best first; of equally good ones the newest.
    pub hits: Vec<MemoryHit>,
    /// Whether no text held all words, so that those with any of them were taken.
    pub any_word: bool,
    /// How many fit the query, counted up to 10,000.
    pub matched: usize,
    /// Whether there are more than were counted.
    pub more: bool,
}
