//! One list of what was found by words and what was found by meaning (MEM-10).

use std::collections::HashMap;

use plimsoll_store::{
    HowFound, MemoryFound, MemoryHit, MemoryHits, MemoryQuery, Store, StoreError, StoreResult,
    Workspace,
};

use super::{Meaning, speaks, speaks::is_english_sentence};
use crate::lines::snippet;

/// So many of each list are joined.
const JOINED: usize = 50;
/// What is less alike than this is not told.
const LEAST_ALIKE: f32 = 0.2;
/// What being wholly alike counts for, beside the best by words where that has all of them.
const MEANING: f64 = 3.0;
/// What the best by words counts for where it has only some, or such as look like them.
const SOME_WORDS: f64 = 0.3;

/// What fits a query: by its words, and by meaning where there is a model that knows the language
/// of the query. A model that fails takes nothing away from what the words found.
pub async fn find_joined(
    store: &dyn Store,
    workspace: &Workspace,
    meaning: Option<&Meaning>,
    query: &MemoryQuery,
) -> StoreResult<MemoryHits> {
    let meaning = meaning.filter(|_| speaks(&query.text) && !query.text.contains('"'));
    let Some(meaning) = meaning else { return store.search_memory(workspace, query).await };
    let wide = MemoryQuery { limit: query.limit.max(JOINED), ..query.clone() };
    let mut found = store.search_memory(workspace, &wide).await?;
    let nearest = meaning.nearest_passing(workspace, &query.text, &query.filter, JOINED).await;
    let nearest = nearest.unwrap_or_default();
    let mut scores: HashMap<(bool, u64), f64> = HashMap::new();
    let best = found.hits.first();
    let best_score = best.map_or(1.0, |hit| hit.score.max(f64::MIN_POSITIVE));
    let exact = best.is_some_and(|hit| hit.how.all_words && !hit.how.similar);
    let words_lead = exact || !is_english_sentence(&query.text);
    let by_words = if words_lead { 1.0 } else { SOME_WORDS };
    for hit in &found.hits {
        scores.insert(key(hit), by_words * hit.score / best_score);
    }
    let alike = nearest.partition_point(|(_, alike)| *alike >= LEAST_ALIKE);
    // As many as were asked for: there may be more.
    found.more |= alike == JOINED;
    for (id, alike) in nearest.into_iter().take(alike) {
        let known = found.hits.iter_mut().find(|hit| key(hit) == (false, id));
        match known {
            Some(hit) => hit.how.by_meaning = true,
            None => match read(store, workspace, id, query.snippet_chars).await? {
                Some(hit) => found.hits.push(hit),
                None => continue,
            },
        }
        *scores.entry((false, id)).or_default() += f64::from(alike) * MEANING;
    }
    for hit in &mut found.hits {
        hit.score = scores.get(&key(hit)).copied().unwrap_or_default();
    }
    found.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.matched = found.matched.max(found.hits.len());
    found.any_word = !found.hits.iter().any(|hit| hit.how.all_words);
    found.hits.truncate(query.limit);
    Ok(found)
}

/// Notes and prompts are numbered apart.
fn key(hit: &MemoryHit) -> (bool, u64) {
    match &hit.found {
        MemoryFound::Observation(note) => (false, note.id),
        MemoryFound::Prompt(prompt) => (true, prompt.id),
    }
}

/// A note that was found by meaning alone; none if it went meanwhile.
async fn read(
    store: &dyn Store,
    workspace: &Workspace,
    id: u64,
    snippet_chars: usize,
) -> StoreResult<Option<MemoryHit>> {
    let note = match store.observation(workspace, id).await {
        Ok(note) => note,
        Err(StoreError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let how = HowFound { by_meaning: true, ..HowFound::default() };
    let snippet = snippet(&note.content, snippet_chars);
    let found = MemoryFound::Observation(note);
    Ok(Some(MemoryHit { found, snippet, marks: Vec::new(), score: 0.0, how }))
}
