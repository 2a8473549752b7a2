//! A hit of a search in the memory, as it is told: the text around what was found, with marks.

use std::ops::Range;

use plimsoll_store::{
    MemoryFound, MemoryHit, StoreResult,
    engine::{Db, first, unreadable},
    sql::memory::{
        grams::{is_word, words},
        observations, prompts,
    },
    values,
};

use super::{
    memory_search::{Candidate, MemoryIndex, Probed},
    memory_terms::Term,
    snippet::{CLOSE, Marked, OPEN},
};

pub(super) fn read(
    db: &mut dyn Db,
    candidate: &Candidate,
    terms: &[Term],
    probed: &[Probed],
    snippet_chars: usize,
) -> StoreResult<MemoryHit> {
    let (memory_index, id) = (candidate.memory_index, candidate.id);
    let found = match memory_index {
        MemoryIndex::Observations => {
            let sql =
                format!("SELECT {} FROM memory_observations WHERE id = $1", observations::COLUMNS);
            first(db, &sql, values![id], observations::read)?.map(MemoryFound::Observation)
        }
        MemoryIndex::Prompts => {
            let sql = format!("SELECT {} FROM memory_prompts WHERE id = $1", prompts::COLUMNS);
            first(db, &sql, values![id], prompts::read)?.map(MemoryFound::Prompt)
        }
    };
    let found = found.ok_or_else(|| unreadable("a text of the index is missing"))?;
    let content = match &found {
        MemoryFound::Observation(note) => &note.content,
        MemoryFound::Prompt(prompt) => &prompt.content,
    };
    // To find its place in the list of a common word takes FTS5 longer than all the rest, so
    // these are found by their letters.
    let common = |place: usize| probed.get(place).is_some_and(Probed::is_common);
    let exact: Vec<String> = terms
        .iter()
        .enumerate()
        .filter(|(place, term)| !matches!(term, Term::Run(_)) && !common(*place))
        .map(|(_, term)| term.expression())
        .collect();
    let highlighted = match memory_index {
        _ if exact.is_empty() => None,
        MemoryIndex::Observations => highlighted(db, memory_index, 1, &exact.join(" OR "), id)?,
        MemoryIndex::Prompts => highlighted(db, memory_index, 0, &exact.join(" OR "), id)?,
    };
    let mut marked = Marked::one_line(highlighted.as_deref().unwrap_or(content));
    for (place, term) in terms.iter().enumerate() {
        let more = by_letters(&marked.text, term, common(place));
        marked.mark(more);
    }
    let Marked { text, marks } = marked.cut(snippet_chars);
    Ok(MemoryHit { found, snippet: text, marks, score: candidate.score })
}

/// The text with what FTS5 found in it; none if that is not in this text.
fn highlighted(
    db: &mut dyn Db,
    memory_index: MemoryIndex,
    column: usize,
    expression: &str,
    id: u64,
) -> StoreResult<Option<String>> {
    let index = memory_index.name();
    let sql = format!(
        "SELECT highlight({index}, {column}, $1, $2) FROM {index}
        WHERE {index} MATCH $3 AND rowid = $4"
    );
    let (open, close) = (OPEN.to_string(), CLOSE.to_string());
    first(db, &sql, values![&open, &close, expression, id], |row| row.string(0))
}

/// What FTS5 does not mark: characters within a run, words that only begin as typed, and
/// common words, which may have an ending more.
fn by_letters(text: &str, term: &Term, common: bool) -> Vec<Range<usize>> {
    /// Letters of an ending, and of the shortest word that has one.
    const ENDING_LETTERS: usize = 3;
    const SHORTEST_LETTERS: usize = 4;
    let endings = |word: &str| if word.len() < SHORTEST_LETTERS { 0 } else { ENDING_LETTERS };
    match term {
        Term::Run(run) => text.match_indices(run).map(|(at, hit)| at..at + hit.len()).collect(),
        Term::Open(word) => beginnings(text, word, usize::MAX),
        Term::Word(word) if common => beginnings(text, word, endings(word)),
        Term::Phrase(phrase) if common => {
            words(phrase).flat_map(|word| beginnings(text, word, endings(word))).collect()
        }
        Term::Word(_) | Term::Phrase(_) => Vec::new(),
    }
}

/// The words of a text that begin with this one and have at most so many letters more.
fn beginnings(text: &str, word: &str, more: usize) -> Vec<Range<usize>> {
    let lower = word.to_lowercase();
    let mut found = Vec::new();
    let mut start = None;
    let ends = text.char_indices().map(|(at, c)| (at, is_word(c)));
    for (at, inside) in ends.chain([(text.len(), false)]) {
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                start = None;
                let mut letters = text[from..at].chars().flat_map(char::to_lowercase);
                let begins = lower.chars().all(|c| letters.next() == Some(c));
                if begins && letters.count() <= more {
                    found.push(from..at);
                }
            }
            _ => {}
        }
    }
    found
}
