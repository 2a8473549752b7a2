//! Search in the memory by FTS5 (MEM-6). The index itself is kept by the triggers of the
//! schema.
//!
//! FTS5 ranks by walking all texts that hold a word, so that one word that half of the notes
//! have costs more than everything else. Words are therefore probed first: hits are ranked
//! by the rare ones, and the common ones only have to be there. Where all are common, the
//! newest that fit are taken: rank would hardly tell them apart.

use std::collections::HashSet;

use plimsoll_store::{
    MemoryFilter, MemoryHits, MemoryQuery, Projects, Scope, StoreResult, Workspace,
    engine::{Db, first, list},
    sql::memory::{Conditions, Narrow, tag},
    values,
};

use super::{memory_hit, memory_terms::Term};

/// A term that more texts have, notes and prompts together, is common.
const RARE_TEXTS: usize = 500;
/// So many of the newest are looked at where all terms are common.
const NEWEST_TEXTS: usize = 200;
/// The beginning of a word is put together from all words that begin so, if these are not
/// too many.
const GATHERED_TEXTS: usize = 5 * RARE_TEXTS;
/// Beginnings of up to this length have an index of their own.
const INDEXED_CHARS: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryIndex {
    Observations,
    Prompts,
}

impl MemoryIndex {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Observations => "memory_observation_index",
            Self::Prompts => "memory_prompt_index",
        }
    }

    fn table(self) -> &'static str {
        match self {
            Self::Observations => "memory_observations",
            Self::Prompts => "memory_prompts",
        }
    }

    /// A title weighs more than a text, and tags weigh nothing.
    fn rank(self) -> &'static str {
        match self {
            Self::Observations => "-bm25(memory_observation_index, 8.0, 1.0, 8.0, 1.0, 0.0)",
            Self::Prompts => "-bm25(memory_prompt_index, 1.0, 1.0, 0.0)",
        }
    }

    fn time(self) -> &'static str {
        match self {
            Self::Observations => "o.updated_at",
            Self::Prompts => "o.created_at",
        }
    }

    fn conditions<'v>(self, workspace: &'v Workspace, filter: &'v MemoryFilter) -> Conditions<'v> {
        let mut conditions = Conditions::of("o.", workspace);
        match self {
            Self::Observations => conditions.observations("o.", filter),
            Self::Prompts => conditions.prompts("o.", filter),
        }
        conditions
    }
}

/// A text that fits, before it is read.
pub(super) struct Candidate {
    pub(super) memory_index: MemoryIndex,
    pub(super) id: u64,
    pub(super) score: f64,
    time: i64,
}

/// A term with the number of texts that have it, counted up to just above [`RARE_TEXTS`]. It is the
/// same for both indexes: scores can be held against each other only where the same terms
/// were ranked by.
pub(super) struct Probed {
    expression: String,
    hits: usize,
}

impl Probed {
    /// Whether too many texts have it to rank by it.
    pub(super) fn is_common(&self) -> bool {
        self.hits > RARE_TEXTS
    }
}

pub(super) fn search(
    db: &mut dyn Db,
    workspace: &Workspace,
    query: &MemoryQuery,
    terms: &[Term],
) -> StoreResult<MemoryHits> {
    let filter = &query.filter;
    let indexes = if filter.kind.is_none() && filter.scope.is_none() {
        &[MemoryIndex::Observations, MemoryIndex::Prompts][..]
    } else {
        &[MemoryIndex::Observations][..]
    };
    let probed: StoreResult<Vec<Probed>> =
        terms.iter().map(|term| probe_term(db, indexes, term)).collect();
    let probed = probed?;
    let mut more = false;
    let mut any_word = false;
    let mut found = Vec::new();
    for memory_index in indexes {
        found.extend(all_words(db, *memory_index, &probed, workspace, filter, &mut more)?);
    }
    if found.is_empty() && terms.len() > 1 {
        for memory_index in indexes {
            found.extend(any_of(db, *memory_index, &probed, workspace, filter, &mut more)?);
        }
        any_word = !found.is_empty();
    }
    // Scores that differ by less than a hundredth of the best are as good as equal.
    let best = found.iter().map(|candidate| candidate.score).fold(f64::MIN_POSITIVE, f64::max);
    found.sort_by_key(|candidate| {
        let score = (candidate.score / best * 100.0).round() as i64;
        std::cmp::Reverse((score, candidate.time, candidate.id))
    });
    let matched = found.len();
    found.truncate(query.limit);
    let mut hits = Vec::with_capacity(found.len());
    for candidate in &found {
        hits.push(memory_hit::read(db, candidate, terms, &probed, query.snippet_chars)?);
    }
    Ok(MemoryHits { hits, any_word, matched, more })
}

/// How many texts fit an expression in all indexes together, counted up to just above a
/// number.
fn probe(
    db: &mut dyn Db,
    indexes: &[MemoryIndex],
    expression: &str,
    up_to: usize,
) -> StoreResult<usize> {
    let mut hits = 0;
    for memory_index in indexes {
        let index = memory_index.name();
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT rowid FROM {index} WHERE {index} MATCH $1 LIMIT $2)"
        );
        let limit = u64::try_from(up_to + 1 - hits).unwrap_or(u64::MAX);
        let here = first(db, &sql, values![expression, limit], |row| row.count(0))?.unwrap_or(0);
        hits += usize::try_from(here).unwrap_or(usize::MAX);
        if hits > up_to {
            break;
        }
    }
    Ok(hits)
}

fn probe_term(db: &mut dyn Db, indexes: &[MemoryIndex], term: &Term) -> StoreResult<Probed> {
    let expression = term.expression();
    let hits = probe(db, indexes, &expression, RARE_TEXTS)?;
    let exact = Probed { expression, hits };
    let Term::Open(word) = term else { return Ok(exact) };
    let length = word.chars().count();
    if hits > RARE_TEXTS || length < 2 {
        return Ok(exact);
    }
    if length > INDEXED_CHARS {
        let head: String = word.chars().take(INDEXED_CHARS).collect();
        let expression = format!("\"{head}\" *");
        if probe(db, indexes, &expression, GATHERED_TEXTS)? > GATHERED_TEXTS {
            // Where nothing is called so, the beginning that has an index must do.
            let beginning = Probed { expression, hits: RARE_TEXTS + 1 };
            return Ok(if hits > 0 { exact } else { beginning });
        }
    }
    let expression = format!("\"{word}\" *");
    let open = Probed { hits: probe(db, indexes, &expression, RARE_TEXTS)?, expression };
    // The whole word is what was meant where the beginning says too much.
    if open.hits > RARE_TEXTS && hits > 0 {
        return Ok(exact);
    }
    if open.hits > 0 {
        return Ok(open);
    }
    shortened(db, indexes, word).map(|found| found.unwrap_or(exact))
}

/// The stem of a whole word may be shorter than the beginning of it that was typed:
/// `configura` is no beginning of `configur`.
fn shortened(db: &mut dyn Db, indexes: &[MemoryIndex], word: &str) -> StoreResult<Option<Probed>> {
    let mut word = word;
    for _ in 0..4 {
        let Some((end, _)) = word.char_indices().next_back() else { break };
        word = &word[..end];
        if word.chars().count() <= INDEXED_CHARS {
            break;
        }
        for expression in [format!("\"{word}\""), format!("\"{word}\" *")] {
            let hits = probe(db, indexes, &expression, RARE_TEXTS)?;
            if hits > 0 {
                return Ok(Some(Probed { expression, hits }));
            }
        }
    }
    Ok(None)
}

fn all_words(
    db: &mut dyn Db,
    memory_index: MemoryIndex,
    terms: &[Probed],
    workspace: &Workspace,
    filter: &MemoryFilter,
    more: &mut bool,
) -> StoreResult<Vec<Candidate>> {
    if terms.iter().any(|term| term.hits == 0) {
        return Ok(Vec::new());
    }
    let join = |terms: &mut dyn Iterator<Item = &Probed>| {
        terms.map(|term| term.expression.as_str()).collect::<Vec<_>>().join(" AND ")
    };
    let all = join(&mut terms.iter());
    let rare = join(&mut terms.iter().filter(|term| term.hits <= RARE_TEXTS));
    if rare.is_empty() {
        return newest(db, memory_index, &all, workspace, filter, more);
    }
    let mut found = ranked(db, memory_index, &rare, workspace, filter)?;
    if rare != all {
        let index = memory_index.name();
        let sql = format!("SELECT rowid FROM {index} WHERE {index} MATCH $1");
        let fit: HashSet<u64> =
            list(db, &sql, values![&all], |row| row.count(0))?.into_iter().collect();
        found.retain(|candidate| fit.contains(&candidate.id));
    }
    Ok(found)
}

fn any_of(
    db: &mut dyn Db,
    memory_index: MemoryIndex,
    terms: &[Probed],
    workspace: &Workspace,
    filter: &MemoryFilter,
    more: &mut bool,
) -> StoreResult<Vec<Candidate>> {
    let mut there: Vec<&Probed> = terms.iter().filter(|term| term.hits > 0).collect();
    there.sort_by_key(|term| term.hits);
    let Some(rarest) = there.first() else { return Ok(Vec::new()) };
    let only_common = rarest.hits > RARE_TEXTS;
    let mut gathered = 0;
    let wanted: Vec<&str> = there
        .iter()
        .take_while(|term| {
            gathered += term.hits;
            only_common || (term.hits <= RARE_TEXTS && gathered <= 2 * RARE_TEXTS)
        })
        .map(|term| term.expression.as_str())
        .collect();
    let expression = wanted.join(" OR ");
    if only_common {
        return newest(db, memory_index, &format!("({expression})"), workspace, filter, more);
    }
    *more |= wanted.len() < there.len();
    ranked(db, memory_index, &expression, workspace, filter)
}

/// All that fit an expression of rare terms, with their rank.
fn ranked(
    db: &mut dyn Db,
    memory_index: MemoryIndex,
    expression: &str,
    workspace: &Workspace,
    filter: &MemoryFilter,
) -> StoreResult<Vec<Candidate>> {
    let mut conditions = memory_index.conditions(workspace, filter);
    let matched = conditions.value(expression);
    let (index, table) = (memory_index.name(), memory_index.table());
    let sql = format!(
        "SELECT {index}.rowid, {}, {} FROM {index} CROSS JOIN {table} o ON o.id = {index}.rowid
        WHERE {} AND {index} MATCH {matched}",
        memory_index.rank(),
        memory_index.time(),
        conditions.sql
    );
    list(db, &sql, &conditions.values, |row| {
        Ok(Candidate { memory_index, id: row.count(0)?, score: row.real(1)?, time: row.int(2)? })
    })
}

/// The tags of projects, any of which will do.
fn of_projects(projects: &Projects) -> String {
    let (names, everywhere) = match projects {
        Projects::All => return String::new(),
        Projects::Only(names) => (names, false),
        Projects::Seen(names) => (names, true),
    };
    let mut tags: Vec<String> = names.iter().map(|name| tag(Narrow::Project, name)).collect();
    if everywhere {
        tags.push(tag(Narrow::Project, ""));
        tags.push(tag(Narrow::Scope, Scope::Personal.name()));
    }
    let tags: Vec<String> = tags.iter().map(|tag| format!("\"{tag}\"")).collect();
    format!(" AND ({})", tags.join(" OR "))
}

/// The newest that fit an expression of common terms; those with all words in the title
/// come first. The tags let FTS5 skip what the filter does not want.
fn newest(
    db: &mut dyn Db,
    memory_index: MemoryIndex,
    expression: &str,
    workspace: &Workspace,
    filter: &MemoryFilter,
    more: &mut bool,
) -> StoreResult<Vec<Candidate>> {
    let mut narrow = vec![tag(Narrow::Workspace, workspace.as_str())];
    narrow.extend(filter.namespace.as_ref().map(|value| tag(Narrow::Namespace, value)));
    narrow.extend(filter.kind.as_ref().map(|value| tag(Narrow::Kind, value)));
    narrow.extend(filter.scope.map(|scope| tag(Narrow::Scope, scope.name())));
    let mut narrow: String = narrow.iter().map(|tag| format!(" AND \"{tag}\"")).collect();
    narrow.push_str(&of_projects(&filter.projects));
    let narrowed = format!("{expression}{narrow}");
    let mut conditions = memory_index.conditions(workspace, filter);
    let matched = conditions.value(narrowed.as_str());
    let limit = conditions.value(u64::try_from(NEWEST_TEXTS + 1).unwrap_or(u64::MAX));
    let (index, table) = (memory_index.name(), memory_index.table());
    let sql = format!(
        "SELECT {index}.rowid, {} FROM {index} CROSS JOIN {table} o ON o.id = {index}.rowid
        WHERE {} AND {index} MATCH {matched} ORDER BY {index}.rowid DESC LIMIT {limit}",
        memory_index.time(),
        conditions.sql
    );
    let mut found = list(db, &sql, &conditions.values, |row| {
        Ok(Candidate { memory_index, id: row.count(0)?, score: 0.0, time: row.int(1)? })
    })?;
    if found.len() > NEWEST_TEXTS {
        *more = true;
        found.truncate(NEWEST_TEXTS);
    }
    if let (MemoryIndex::Observations, Some(oldest)) =
        (memory_index, found.last().map(|last| last.id))
    {
        let titles = format!("{{title title_grams}} : ({expression})");
        let sql = format!("SELECT rowid FROM {index} WHERE {index} MATCH $1 AND rowid >= $2");
        let titled: HashSet<u64> =
            list(db, &sql, values![&titles, oldest], |row| row.count(0))?.into_iter().collect();
        for candidate in &mut found {
            candidate.score = f64::from(u8::from(titled.contains(&candidate.id)));
        }
    }
    Ok(found)
}
