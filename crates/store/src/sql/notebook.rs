//! Saved filters, snippets (UI-23), queries (FLT-6), drafts, single values.

use plimsoll_domain::{Delivery, Draft, Snippet, Timestamp, TopicId};

use super::{files, outbox, workspaces};
use crate::{
    QUERIES_KEPT, SavedFilter, StoreResult, WhatChanged, Workspace,
    engine::{Db, first, list},
};

const FILTERS: &str = "SELECT name, text FROM saved_filters WHERE workspace = $1 ORDER BY name";
const SAVE_FILTER: &str = "INSERT INTO saved_filters (workspace, name, text)
    VALUES ($1, $2, $3) ON CONFLICT (workspace, name) DO UPDATE SET text = excluded.text";
const DROP_FILTER: &str = "DELETE FROM saved_filters WHERE workspace = $1 AND name = $2";
const SNIPPETS: &str = "SELECT name, text FROM snippets WHERE workspace = $1 ORDER BY name";
const PUT_SNIPPET: &str = "INSERT INTO snippets (workspace, name, text)
    VALUES ($1, $2, $3) ON CONFLICT (workspace, name) DO UPDATE SET text = excluded.text";
const DROP_SNIPPET: &str = "DELETE FROM snippets WHERE workspace = $1 AND name = $2";
const QUERIES: &str = "SELECT text FROM queries WHERE workspace = $1 ORDER BY place";
const NEWEST_QUERY: &str =
    "SELECT place, text FROM queries WHERE workspace = $1 ORDER BY place DESC LIMIT 1";
const PUSH_QUERY: &str = "INSERT INTO queries (workspace, place, text, at) VALUES ($1, $2, $3, $4)";
const FORGET_QUERIES: &str = "DELETE FROM queries WHERE workspace = $1 AND place <= $2";
const DRAFT: &str = "SELECT text FROM drafts WHERE workspace = $1 AND conversation = $2";
const DRAFT_TEXTS: &str = "SELECT text FROM drafts WHERE workspace = $1";
const DRAFT_NAMES: &str =
    "SELECT conversation FROM drafts WHERE workspace = $1 ORDER BY conversation";
const PUT_DRAFT: &str = "INSERT INTO drafts (workspace, conversation, text, at)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (workspace, conversation) DO UPDATE SET text = excluded.text, at = excluded.at";
const DRAFT_ATTACHMENTS: &str =
    "SELECT file_id, delivery FROM draft_attachments WHERE workspace = $1 AND conversation = $2
    ORDER BY place";
const ATTACH_TO_DRAFT: &str = "INSERT INTO draft_attachments
    (workspace, conversation, place, file_id, delivery) VALUES ($1, $2, $3, $4, $5)";
const DROP_DRAFT_ATTACHMENTS: &str = "DELETE FROM draft_attachments
    WHERE workspace = $1 AND conversation = $2";
const DROP_DRAFT: &str = "DELETE FROM drafts WHERE workspace = $1 AND conversation = $2";
const VALUE: &str = "SELECT text FROM single_values WHERE name = $1";
const PUT_VALUE: &str = "INSERT INTO single_values (name, text) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text";
const DROP_VALUE: &str = "DELETE FROM single_values WHERE name = $1";

pub(crate) fn filters(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<SavedFilter>> {
    list(db, FILTERS, values![workspace], |row| {
        Ok(SavedFilter { name: row.string(0)?, text: row.string(1)? })
    })
}

pub(crate) fn save_filter(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &SavedFilter,
) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    outbox::put(db, workspace, &WhatChanged::Topics)?;
    db.run(SAVE_FILTER, values![workspace, &filter.name, &filter.text]).map(drop)
}

pub(crate) fn drop_filter(db: &mut dyn Db, workspace: &Workspace, name: &str) -> StoreResult<bool> {
    outbox::put(db, workspace, &WhatChanged::Topics)?;
    Ok(db.run(DROP_FILTER, values![workspace, name])? > 0)
}

pub(crate) fn snippets(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<Snippet>> {
    list(db, SNIPPETS, values![workspace], |row| {
        Ok(Snippet { name: row.string(0)?, text: row.string(1)? })
    })
}

pub(crate) fn put_snippet(
    db: &mut dyn Db,
    workspace: &Workspace,
    snippet: &Snippet,
) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    outbox::put(db, workspace, &WhatChanged::Topics)?;
    db.run(PUT_SNIPPET, values![workspace, &snippet.name, &snippet.text]).map(drop)
}

/// Says whether there was one.
pub(crate) fn drop_snippet(
    db: &mut dyn Db,
    workspace: &Workspace,
    name: &str,
) -> StoreResult<bool> {
    outbox::put(db, workspace, &WhatChanged::Topics)?;
    Ok(db.run(DROP_SNIPPET, values![workspace, name])? > 0)
}

pub(crate) fn queries(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<String>> {
    list(db, QUERIES, values![workspace], |row| row.string(0))
}

pub(crate) fn push_query(
    db: &mut dyn Db,
    workspace: &Workspace,
    query: &str,
    at: Timestamp,
) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    let newest =
        first(db, NEWEST_QUERY, values![workspace], |row| Ok((row.int(0)?, row.string(1)?)))?;
    let place = match newest {
        Some((_, text)) if text == query => return Ok(()),
        Some((place, _)) => place + 1,
        None => 1,
    };
    db.run(PUSH_QUERY, values![workspace, place, query, at])?;
    let last_to_go = place - i64::try_from(QUERIES_KEPT).unwrap_or(i64::MAX);
    db.run(FORGET_QUERIES, values![workspace, last_to_go]).map(drop)
}

/// The name of a draft: that of a page which shows everything is blank.
fn named(conversation: Option<TopicId>) -> String {
    conversation.map(|topic| topic.to_string()).unwrap_or_default()
}

pub(crate) fn draft(
    db: &mut dyn Db,
    workspace: &Workspace,
    conversation: Option<TopicId>,
) -> StoreResult<Option<Draft>> {
    let name = named(conversation);
    let text = first(db, DRAFT, values![workspace, &name], |row| row.string(0))?;
    let attachments = list(db, DRAFT_ATTACHMENTS, values![workspace, &name], files::attachment)?;
    Ok(text.map(|text| Draft { text, attachments, ..Draft::default() }))
}

pub(crate) fn drafts(
    db: &mut dyn Db,
    workspace: &Workspace,
) -> StoreResult<Vec<(Option<TopicId>, Draft)>> {
    let mut found = Vec::new();
    for name in list(db, DRAFT_NAMES, values![workspace], |row| row.string(0))? {
        let conversation = TopicId::parse(&name);
        if let Some(draft) = draft(db, workspace, conversation)? {
            found.push((conversation, draft));
        }
    }
    Ok(found)
}

pub(crate) fn draft_texts(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<String>> {
    list(db, DRAFT_TEXTS, values![workspace], |row| row.string(0))
}

pub(crate) fn put_draft(
    db: &mut dyn Db,
    workspace: &Workspace,
    conversation: Option<TopicId>,
    draft: &Draft,
    at: Timestamp,
) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    outbox::put(db, workspace, &WhatChanged::Draft(conversation))?;
    let name = &named(conversation);
    db.run(DROP_DRAFT_ATTACHMENTS, values![workspace, name])?;
    if draft.text.trim().is_empty() {
        return db.run(DROP_DRAFT, values![workspace, name]).map(drop);
    }
    db.run(PUT_DRAFT, values![workspace, name, &draft.text, at])?;
    for (place, one) in draft.attachments.iter().enumerate() {
        let delivery = one.delivery.map(Delivery::name);
        db.run(ATTACH_TO_DRAFT, values![workspace, name, place as u64, one.file, delivery])?;
    }
    Ok(())
}

pub(crate) fn value(db: &mut dyn Db, key: &str) -> StoreResult<Option<String>> {
    first(db, VALUE, values![key], |row| row.string(0))
}

pub(crate) fn put_value(db: &mut dyn Db, key: &str, value: Option<&str>) -> StoreResult<()> {
    match value {
        Some(text) => db.run(PUT_VALUE, values![key, text]).map(drop),
        None => db.run(DROP_VALUE, values![key]).map(drop),
    }
}

pub(super) fn has_draft(
    db: &mut dyn Db,
    workspace: &Workspace,
    conversation: &str,
) -> StoreResult<bool> {
    Ok(first(db, DRAFT, values![workspace, conversation], |_| Ok(()))?.is_some())
}

pub(super) fn drop_draft(
    db: &mut dyn Db,
    workspace: &Workspace,
    conversation: &str,
) -> StoreResult<()> {
    for statement in [DROP_DRAFT_ATTACHMENTS, DROP_DRAFT] {
        db.run(statement, values![workspace, conversation])?;
    }
    Ok(())
}
