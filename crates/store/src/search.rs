//! Full-text search over pairs (HIS-7) and over the memory (MEM-6).

use std::ops::Range;

use async_trait::async_trait;
use plimsoll_domain::PairId;

use crate::{MemoryHits, MemoryQuery, StoreResult, Workspace};

#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    pub pair: PairId,
    /// A piece of its text around what was found.
    pub snippet: String,
    /// What was found in the snippet, as ranges of bytes, in order, on character
    /// boundaries.
    pub marks: Vec<Range<usize>>,
    /// How well it fits; more is better, and only the order means something.
    pub score: f64,
}

/// Search, which each database does in its own way.
#[async_trait]
pub trait Search: Send + Sync {
    /// The pairs of a workspace that hold all words of the query, the best first, at most
    /// `limit`. Case and accents do not matter. Words in double quotes stand together; the
    /// last word may be the beginning of one unless it is quoted. Any text is a legal
    /// query; one without a word finds nothing. A partial answer is found once its send
    /// has ended.
    async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>>;

    /// The notes and prompts that hold all words of the query, or, where there are none, any of
    /// them. Case, accents and endings of words do not matter, and a word of the title counts
    /// more. Any text is a legal query; one without a word finds nothing.
    async fn search_memory(
        &self,
        workspace: &Workspace,
        query: &MemoryQuery,
    ) -> StoreResult<MemoryHits>;
}
