//! Full-text search by FTS5 (HIS-7). The index itself is kept by the triggers of the
//! schema.

use std::ops::Range;

use plimsoll_store::{SearchHit, StoreResult, Workspace};

use super::Sqlite;
use crate::db::{Db, id, list, values};

/// What FTS5 puts around a hit. Neither is a character that people type; one that stands
/// in a text all the same is taken for a mark, which costs nothing.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// Words of a snippet, about two lines.
const SEARCH: &str = "SELECT d.pair_id, snippet(search_index, -1, $1, $2, '…', 24), rank
    FROM search_index JOIN search_docs d ON d.doc = search_index.rowid
    WHERE search_index MATCH $3 AND d.workspace = $4
    ORDER BY rank LIMIT $5";

impl Sqlite {
    pub(crate) async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>> {
        let Some(query) = match_expression(query) else { return Ok(Vec::new()) };
        let workspace = workspace.clone();
        self.read(move |db| find(db, &workspace, &query, limit)).await
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

/// Combining marks stay with their letters; the tokenizer takes them away.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

/// Takes the marks out of a snippet and says where they stood.
fn unmark(marked: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(marked.len());
    let mut marks = Vec::new();
    let mut opened = None;
    for c in marked.chars() {
        match c {
            OPEN => opened = Some(text.len()),
            CLOSE => {
                if let Some(start) = opened.take()
                    && start < text.len()
                {
                    marks.push(start..text.len());
                }
            }
            _ => text.push(c),
        }
    }
    (text, marks)
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

    #[test]
    fn marks_become_ranges_whatever_the_text_holds() {
        let (text, marks) = unmark("a \u{1}ship\u{2} of \u{1}é\u{2}");
        assert_eq!(text, "a ship of é");
        assert_eq!(marks, [2..6, 10..12]);
        assert_eq!(unmark("\u{2}\u{1}\u{1}x"), ("x".to_owned(), Vec::new()));
    }
}
