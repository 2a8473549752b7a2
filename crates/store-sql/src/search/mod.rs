//! Full-text search: pairs here (HIS-7), the memory in `memory`. Which texts hold a word is said by a
//! `Finder` of the database.

mod memory;
mod snippet;

use plimsoll_store::{
    MemoryHits, MemoryQuery, SearchHit, StoreResult, Workspace,
    engine::{Db, Engine, first, id},
    sql::search::{Area, Finder, Wanted, find},
    values,
    words::question::Question,
};

use snippet::Marked;

/// Characters of a snippet, about two lines.
const SNIPPET: usize = 180;

const TEXTS: &str = "SELECT d.pair_id, t.user_text, COALESCE(t.assistant_text, '')
    FROM search_docs d JOIN pair_texts t ON t.pair_id = d.pair_id WHERE d.doc = $1";

/// The pairs that hold the words of a query.
pub(crate) async fn pairs(
    engine: &impl Engine,
    finder: impl Finder + Copy + Send + 'static,
    workspace: &Workspace,
    query: &str,
    limit: usize,
) -> StoreResult<Vec<SearchHit>> {
    let question = Question::parse(query);
    if question.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let workspace = workspace.clone();
    engine.read(move |db| search(db, &finder, &workspace, &question, limit)).await
}

/// The notes and prompts that hold the words of a query.
pub(crate) async fn memory(
    engine: &impl Engine,
    finder: impl Finder + Copy + Send + 'static,
    workspace: &Workspace,
    query: &MemoryQuery,
) -> StoreResult<MemoryHits> {
    let question = Question::parse(&query.text);
    if question.is_empty() || query.limit == 0 {
        return Ok(MemoryHits::default());
    }
    let (workspace, query) = (workspace.clone(), query.clone());
    engine.read(move |db| memory::search(db, &finder, &workspace, &query, &question)).await
}

fn search(
    db: &mut dyn Db,
    finder: &dyn Finder,
    workspace: &Workspace,
    question: &Question,
    limit: usize,
) -> StoreResult<Vec<SearchHit>> {
    let wanted = Wanted {
        area: Area::History,
        workspace,
        question,
        tags: Vec::new(),
        since: None,
        before: None,
    };
    let found = find(db, finder, &wanted)?;
    let mut hits = Vec::with_capacity(limit.min(found.texts.len()));
    for text in found.texts.iter().take(limit) {
        let hit = first(db, TEXTS, values![text.doc], |row| {
            // The question where it has as much of what was looked for as the answer.
            let asked = Marked::one_line(row.text(1)?, &found.words);
            let answered = Marked::one_line(row.text(2)?, &found.words);
            let more = answered.marks.len() > asked.marks.len();
            let Marked { text: snippet, marks } = if more { answered } else { asked }.cut(SNIPPET);
            Ok(SearchHit { pair: id(row, 0)?, snippet, marks, score: text.score })
        })?;
        hits.extend(hit);
    }
    Ok(hits)
}
