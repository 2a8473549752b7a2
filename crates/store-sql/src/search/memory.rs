//! Search in the memory (MEM-6, MEM-10): the filter as tags, and hits as they are told.

use plimsoll_store::{
    HowFound, MemoryFilter, MemoryFound, MemoryHit, MemoryHits, MemoryQuery, Projects, Scope,
    StoreResult, Workspace,
    engine::{Db, first},
    sql::{
        memory::{Conditions, Narrow, observations, prompts, tag},
        search::{Area, Finder, FoundText, MemoryText, Wanted, find},
    },
    words::question::Question,
};

use super::snippet::Marked;

pub(super) fn search(
    db: &mut dyn Db,
    finder: &dyn Finder,
    workspace: &Workspace,
    query: &MemoryQuery,
    question: &Question,
) -> StoreResult<MemoryHits> {
    let filter = &query.filter;
    let tags = tags(filter);
    // A project that nobody has holds nothing.
    if tags.iter().any(Vec::is_empty) {
        return Ok(MemoryHits::default());
    }
    let wanted = Wanted {
        area: Area::Memory,
        workspace,
        question,
        tags,
        since: filter.since,
        before: filter.before,
    };
    let found = find(db, finder, &wanted)?;
    let any_word = !found.texts.is_empty() && !found.texts.iter().any(|text| text.all_words);
    let mut hits = Vec::with_capacity(query.limit.min(found.texts.len()));
    for text in &found.texts {
        if hits.len() == query.limit {
            break;
        }
        // A tag may stand for another value by chance, so the text itself is asked again.
        let Some(read) = read(db, workspace, filter, text)? else { continue };
        let content = match &read {
            MemoryFound::Observation(note) => &note.content,
            MemoryFound::Prompt(prompt) => &prompt.content,
        };
        let Marked { text: snippet, marks } =
            Marked::one_line(content, &found.words).cut(query.snippet_chars);
        let how = HowFound {
            by_words: true,
            all_words: text.all_words,
            similar: text.similar,
            by_meaning: false,
        };
        hits.push(MemoryHit { found: read, snippet, marks, score: text.score, how });
    }
    let matched = found.matched.max(hits.len());
    Ok(MemoryHits { hits, any_word, matched, more: found.more })
}

/// What a filter asks for, as tags.
fn tags(filter: &MemoryFilter) -> Vec<Vec<String>> {
    let mut tags: Vec<Vec<String>> = Vec::new();
    tags.extend(filter.namespace.as_ref().map(|value| vec![tag(Narrow::Namespace, value)]));
    tags.extend(filter.kind.as_ref().map(|value| vec![tag(Narrow::Kind, value)]));
    tags.extend(filter.scope.map(|scope| vec![tag(Narrow::Scope, scope.name())]));
    let project = |name: &String| tag(Narrow::Project, name);
    match &filter.projects {
        Projects::All => {}
        Projects::Only(names) => tags.push(names.iter().map(project).collect()),
        Projects::Seen(names) => {
            let mut seen: Vec<String> = names.iter().map(project).collect();
            seen.push(tag(Narrow::Project, ""));
            seen.push(tag(Narrow::Scope, Scope::Personal.name()));
            tags.push(seen);
        }
    }
    tags
}

fn read(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    text: &FoundText,
) -> StoreResult<Option<MemoryFound>> {
    let mut conditions = Conditions::of("", workspace);
    match MemoryText::of(text.doc) {
        MemoryText::Note(id) => {
            conditions.observations("", filter);
            conditions.and("id = ", id);
            let columns = observations::COLUMNS;
            let sql = format!("SELECT {columns} FROM memory_observations WHERE {}", conditions.sql);
            let found = first(db, &sql, &conditions.values, observations::read)?;
            Ok(found.map(MemoryFound::Observation))
        }
        MemoryText::Prompt(id) => {
            conditions.prompts("", filter);
            conditions.and("id = ", id);
            let columns = prompts::COLUMNS;
            let sql = format!("SELECT {columns} FROM memory_prompts WHERE {}", conditions.sql);
            let found = first(db, &sql, &conditions.values, prompts::read)?;
            Ok(found.map(MemoryFound::Prompt))
        }
    }
}
