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
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryHits {
    /// The best first; of equally good ones the newest.
    pub hits: Vec<MemoryHit>,
    /// Whether no text held all words, so that those with any of them were taken.
    pub any_word: bool,
    /// How many fit the query, as far as they were counted.
    pub matched: usize,
    /// Whether the words are so common that only the newest that fit were looked at.
    pub more: bool,
}
