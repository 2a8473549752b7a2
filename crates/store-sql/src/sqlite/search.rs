//! Full-text search by FTS5: pairs here (HIS-7), the memory in `memory_search`. The index itself is kept by the triggers of the
//! schema.

use async_trait::async_trait;
use plimsoll_store::{
    MemoryHits, MemoryQuery, Search, SearchHit, StoreResult, Workspace,
    engine::{Db, Engine, id, list},
    sql::memory::grams::is_word,
    values,
};

use super::{
    SqlStore, memory_search, memory_terms,
    snippet::{CLOSE, OPEN, unmark},
};

/// Words of a snippet, about two lines.
const SEARCH: &str = "SELECT d.pair_id, snippet(search_index, -1, $1, $2, '…', 24), rank
    FROM search_index JOIN search_docs d ON d.doc = search_index.rowid
    WHERE search_index MATCH $3 AND d.workspace = $4
    ORDER BY rank LIMIT $5";

#[async_trait]
impl Search for SqlStore {
    async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>> {
        let Some(query) = match_expression(query) else { return Ok(Vec::new()) };
        let workspace = workspace.clone();
        self.read(move |db| find(db, &workspace, &query, limit)).await
    }

    async fn search_memory(
        &self,
        workspace: &Workspace,
        query: &MemoryQuery,
    ) -> StoreResult<MemoryHits> {
        let terms = memory_terms::terms(&query.text);
        if terms.is_empty() || query.limit == 0 {
            return Ok(MemoryHits::default());
        }
        let (workspace, query) = (workspace.clone(), query.clone());
        self.read(move |db| memory_search::search(db, &workspace, &query, &terms)).await
    }
}

fn find(
    db: &mut dyn Db,
    workspace: &Workspace,
    query: &str,
    limit: usize,
) -> StoreResult<Vec<SearchHit>> {
    let (open, close) = (OPEN.to_string(), CLOSE.to_string());
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    list(db, SEARCH, values![&open, &close, query, workspace, limit], |row| {
        let (snippet, marks) = unmark(row.text(1)?);
        // SQLite counts the better the lower.
        Ok(SearchHit { pair: id(row, 0)?, snippet, marks, score: -row.real(2)? })
    })
}

/// A query of ours as one of FTS5, in which every word is quoted, so that nothing that
/// people type is an operator. None without a word.
fn match_expression(query: &str) -> Option<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut ends_open = false;
    for (place, part) in query.split('"').enumerate() {
        let words: Vec<&str> =
            part.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
        let quoted = place % 2 == 1;
        if words.is_empty() {
            // A query that ends in a closing quote or a space still ends in its last word.
            continue;
        }
        if quoted {
            terms.push(format!("\"{}\"", words.join(" ")));
        } else {
            terms.extend(words.iter().map(|word| format!("\"{word}\"")));
        }
        ends_open = !quoted;
    }
    let last = terms.last_mut()?;
    if ends_open {
        last.push('*');
    }
    Some(terms.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_query_is_an_operator() {
        let cases = [
            ("ship", Some("\"ship\"*")),
            ("the ship", Some("\"the\" \"ship\"*")),
            ("\"the ship\"", Some("\"the ship\"")),
            ("\"the ship\" sails", Some("\"the ship\" \"sails\"*")),
            ("\"half open", Some("\"half open\"")),
            ("a AND NOT b*", Some("\"a\" \"AND\" \"NOT\" \"b\"*")),
            ("user_text:x ^y {z}", Some("\"user\" \"text\" \"x\" \"y\" \"z\"*")),
            ("it's", Some("\"it\" \"s\"*")),
            ("", None),
            ("  \"\" -- * ( ", None),
        ];
        for (query, expected) in cases {
            assert_eq!(match_expression(query).as_deref(), expected, "{query}");
        }
    }
}
