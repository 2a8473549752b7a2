//! Full-text search: pairs here (HIS-7), the memory in `memory_search`.

use async_trait::async_trait;
use plimsoll_store::{
    MemoryHits, MemoryQuery, Search, SearchHit, StoreResult, Workspace,
    engine::{Db, Engine, first, id},
    sql::search::{Area, Wanted, find},
    values,
    words::question::Question,
};

use super::{SqlStore, finder::Fts5, memory_search, snippet::Marked};

/// Characters of a snippet, about two lines.
const SNIPPET: usize = 180;

const TEXTS: &str = "SELECT d.pair_id, t.user_text, COALESCE(t.assistant_text, '')
    FROM search_docs d JOIN pair_texts t ON t.pair_id = d.pair_id WHERE d.doc = $1";

#[async_trait]
impl Search for SqlStore {
    async fn search(
        &self,
        workspace: &Workspace,
        query: &str,
        limit: usize,
    ) -> StoreResult<Vec<SearchHit>> {
        let question = Question::parse(query);
        if question.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let workspace = workspace.clone();
        self.read(move |db| search(db, &workspace, &question, limit)).await
    }

    async fn search_memory(
        &self,
        workspace: &Workspace,
        query: &MemoryQuery,
    ) -> StoreResult<MemoryHits> {
        let question = Question::parse(&query.text);
        if question.is_empty() || query.limit == 0 {
            return Ok(MemoryHits::default());
        }
        let (workspace, query) = (workspace.clone(), query.clone());
        self.read(move |db| memory_search::search(db, &workspace, &query, &question)).await
    }
}

fn search(
    db: &mut dyn Db,
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
    let found = find(db, &Fts5, &wanted)?;
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
