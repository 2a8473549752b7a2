//! Search, in statements that every database takes. A database only tells which texts hold
//! words; which words are asked for and how well a text fits is decided in [`crate::words`].

mod changes;
mod check;
mod find;
mod vocabulary;

pub use changes::settle;
pub use check::check;
pub use find::{Finder, Found, FoundText, Wanted, find};

/// What is searched apart from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    /// Notes and prompts.
    Memory,
    /// Pairs.
    History,
}

impl Area {
    pub const ALL: [Self; 2] = [Self::Memory, Self::History];

    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::History => "history",
        }
    }

    /// What a word of the title counts for, in words of the rest. The title of a pair is its
    /// question.
    fn title_worth(self) -> f64 {
        match self {
            Self::Memory => 3.0,
            Self::History => 1.2,
        }
    }

    /// The table of texts as words.
    pub fn texts(self) -> &'static str {
        match self {
            Self::Memory => "memory_search_texts",
            Self::History => "history_search_texts",
        }
    }
}

/// What a number of the memory's texts stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryText {
    Note(u64),
    Prompt(u64),
}

impl MemoryText {
    pub(super) fn doc(self) -> u64 {
        match self {
            Self::Note(id) => id * 2,
            Self::Prompt(id) => id * 2 + 1,
        }
    }

    pub fn of(doc: u64) -> Self {
        if doc.is_multiple_of(2) { Self::Note(doc / 2) } else { Self::Prompt(doc / 2) }
    }
}
