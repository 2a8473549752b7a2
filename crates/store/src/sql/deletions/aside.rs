//! Deleting: rows leave their tables and are put aside.

use plimsoll_domain::{FileId, PairId, TopicId};
use serde_json::Value as Json;

use super::{
    DROP, FORGET_OWN, FORGET_QUOTES, SET_COUNT, begin, errors,
    rows::{Keeper, fetch, text},
};
use crate::{
    Deletable, DeletedKind, NewDeletion, Noun, PutAside, StoreError, StoreResult, WhatChanged,
    Workspace,
    engine::{Db, first},
    sql::{files, notebook, outbox, owners, pairs, read_pairs, topics, workspaces},
};

/// The tables that hold something of a pair, and the column that names it. What can be made
/// again, such as estimates, is not kept. A test compares this with the schema.
pub const TABLES_OF_A_PAIR: &[(&str, &str)] = &[
    ("pairs", "id"),
    ("pair_texts", "pair_id"),
    ("previous_answers", "pair_id"),
    ("revisions", "pair_id"),
    ("pair_attachments", "pair_id"),
    ("tool_calls", "pair_id"),
    ("snapshots", "pair_id"),
    ("summary_pairs", "summary_id"),
    ("snapshot_pairs", "pair_id"),
];

const WORKSPACE_OF: &str = "SELECT workspace FROM pairs WHERE id = $1";
const QUOTES: &str = "SELECT q.pair_id, q.place, q.included_id, s.at FROM snapshot_pairs q
    JOIN snapshots s ON s.pair_id = q.pair_id WHERE q.included_id = $1";
const REQUESTS: &str = "SELECT pair_id, at, json_doc, answer_body FROM snapshots
    WHERE (json_doc IS NOT NULL OR answer_body IS NOT NULL)
    AND (pair_id = $1 OR pair_id IN (SELECT pair_id FROM snapshot_pairs WHERE included_id = $1))";
const RECEIPTS: &str = "SELECT id FROM receipts WHERE pair_id = $1";
const BODIES: &str = "SELECT * FROM receipt_bodies WHERE receipt_id IN
    (SELECT id FROM receipts WHERE pair_id = $1)";
const FILE: &str = "SELECT * FROM files WHERE workspace = $1 AND id = $2";
const COPIES: &str = "SELECT * FROM provider_files WHERE file_id = $1";
const LINKS: &str = "SELECT a.pair_id, a.place, a.file_id, p.edited_at FROM pair_attachments a
    JOIN pairs p ON p.id = a.pair_id WHERE a.file_id = $1";
const TOPIC: &str = "SELECT * FROM topics WHERE workspace = $1 AND id = $2";
/// Their names end with the conversation, or with its scope after it.
const OWN_VALUES: &str = "SELECT * FROM single_values
    WHERE name LIKE '%:' || $1 OR name LIKE '%:' || $1 || ':%'";
const DROP_OWN_VALUES: &str = "DELETE FROM single_values
    WHERE name LIKE '%:' || $1 OR name LIKE '%:' || $1 || ':%'";
const FILTER: &str = "SELECT * FROM saved_filters WHERE workspace = $1 AND name = $2";
const SNIPPET: &str = "SELECT * FROM snippets WHERE workspace = $1 AND name = $2";

pub(crate) fn put_aside(
    db: &mut dyn Db,
    new: &NewDeletion,
    what: &Deletable,
) -> StoreResult<PutAside> {
    workspaces::must_exist(db, &new.workspace)?;
    let kind = match what {
        Deletable::Pairs(_) => DeletedKind::Pairs,
        Deletable::File(_) => DeletedKind::File,
        Deletable::Topic(_) => DeletedKind::Topic,
        Deletable::Conversation(_) => DeletedKind::Conversation,
        Deletable::Filter(_) => DeletedKind::Filter,
        Deletable::Snippet(_) => DeletedKind::Snippet,
    };
    begin(db, new, kind, 0)?;
    let mut keeper = Keeper::of(db, new.id)?;
    let at = &new.workspace;
    let done = match what {
        Deletable::Pairs(ids) => {
            let mut count = 0;
            outbox::put(db, at, &WhatChanged::Removed(ids.clone()))?;
            for id in ids {
                count += pair(db, &mut keeper, at, *id)?;
            }
            PutAside { count, changed: Vec::new() }
        }
        Deletable::File(id) => PutAside { count: 1, changed: file(db, &mut keeper, at, *id)? },
        Deletable::Topic(id) => {
            topic(db, &mut keeper, at, *id)?;
            PutAside { count: 1, changed: Vec::new() }
        }
        Deletable::Conversation(id) => {
            let mut count = 0;
            outbox::put(db, at, &WhatChanged::Removed(Vec::new()))?;
            for row in read_pairs::rows_of(db, at, *id)? {
                count += pair(db, &mut keeper, at, row.id)?;
            }
            topic(db, &mut keeper, at, *id)?;
            PutAside { count: count + 1, changed: Vec::new() }
        }
        Deletable::Filter(name) => {
            filter(db, &mut keeper, at, name)?;
            PutAside { count: 1, changed: Vec::new() }
        }
        Deletable::Snippet(name) => {
            snippet(db, &mut keeper, at, name)?;
            PutAside { count: 1, changed: Vec::new() }
        }
    };
    if done.count == 0 {
        db.run(DROP, values![new.id])?;
    } else {
        db.run(SET_COUNT, values![done.count, new.id])?;
    }
    Ok(done)
}

/// Says how many pairs it took: none where there is no such pair here.
fn pair(
    db: &mut dyn Db,
    keeper: &mut Keeper,
    workspace: &Workspace,
    id: PairId,
) -> StoreResult<u64> {
    let here = first(db, WORKSPACE_OF, values![id], |row| workspaces::read(row, 0))?;
    if here.as_ref() != Some(workspace) {
        return Ok(0);
    }
    owners::must_be_at_rest(db, id)?;
    errors::forget(db, Some(keeper), id)?;
    requests(db, keeper, id)?;
    let owner = id.to_string();
    for row in fetch(db, QUOTES, values![id])? {
        let quoting = text(&row, "pair_id").unwrap_or_default().to_owned();
        keeper.keep(db, "quotes", &quoting, Some(&owner), row)?;
    }
    for (table, column) in TABLES_OF_A_PAIR {
        let sql = format!("SELECT * FROM {table} WHERE {column} = $1");
        for row in fetch(db, &sql, values![id])? {
            let mentions = text(&row, "included_id").map(ToOwned::to_owned);
            keeper.keep(db, table, &owner, mentions.as_deref(), row)?;
        }
    }
    for row in fetch(db, RECEIPTS, values![id])? {
        keeper.keep(db, "receipts", &owner, None, row)?;
    }
    for row in fetch(db, BODIES, values![id])? {
        keeper.keep(db, "receipt_bodies", &owner, None, row)?;
    }
    pairs::take_out(db, id)
}

/// Requests of failed sends that hold the words of a pair, and answers that repeat them, stand
/// apart, so that they can be purged as soon as one of the pairs that they quote is (REC-5).
fn requests(db: &mut dyn Db, keeper: &mut Keeper, pair: PairId) -> StoreResult<()> {
    for row in fetch(db, REQUESTS, values![pair])? {
        let owner = text(&row, "pair_id").unwrap_or_default().to_owned();
        keeper.keep(db, "requests", &owner, None, row)?;
    }
    for statement in [FORGET_OWN, FORGET_QUOTES] {
        db.run(statement, values![pair])?;
    }
    Ok(())
}

/// Gives the pairs whose tokens are broken by it.
fn file(
    db: &mut dyn Db,
    keeper: &mut Keeper,
    workspace: &Workspace,
    id: FileId,
) -> StoreResult<Vec<PairId>> {
    let owner = id.to_string();
    for row in fetch(db, FILE, values![workspace, id])? {
        let hash = text(&row, "hash").map(ToOwned::to_owned);
        keeper.keep(db, "files", &owner, hash.as_deref(), row)?;
    }
    for row in fetch(db, COPIES, values![id])? {
        keeper.keep(db, "provider_files", &owner, None, row)?;
    }
    for row in fetch(db, LINKS, values![id])? {
        let pair = text(&row, "pair_id").unwrap_or_default().to_owned();
        keeper.keep(db, "links", &pair, Some(&owner), row)?;
    }
    for pair in files::used_by(db, id)? {
        owners::must_be_at_rest(db, pair)?;
        requests(db, keeper, pair)?;
    }
    files::take_out(db, workspace, id)
}

fn topic(
    db: &mut dyn Db,
    keeper: &mut Keeper,
    workspace: &Workspace,
    id: TopicId,
) -> StoreResult<()> {
    let owner = id.to_string();
    for row in fetch(db, TOPIC, values![workspace, id])? {
        keeper.keep(db, "topics", &owner, None, row)?;
    }
    topics::remove(db, workspace, id)?;
    // What was being written in it, its view, its mark and its line go with it.
    for table in ["drafts", "draft_attachments"] {
        let of = format!("FROM {table} WHERE workspace = $1 AND conversation = $2");
        for row in fetch(db, &format!("SELECT * {of}"), values![workspace, &owner])? {
            keeper.keep(db, table, &owner, None, row)?;
        }
    }
    notebook::drop_draft(db, workspace, &owner)?;
    for row in fetch(db, OWN_VALUES, values![&owner])? {
        keeper.keep(db, "single_values", &owner, None, row)?;
    }
    db.run(DROP_OWN_VALUES, values![&owner]).map(drop)
}

fn filter(
    db: &mut dyn Db,
    keeper: &mut Keeper,
    workspace: &Workspace,
    name: &str,
) -> StoreResult<()> {
    for row in fetch(db, FILTER, values![workspace, name])? {
        debug_assert!(row.values().all(Json::is_string));
        keeper.keep(db, "saved_filters", name, None, row)?;
    }
    if notebook::drop_filter(db, workspace, name)? {
        return Ok(());
    }
    Err(StoreError::NotFound(Noun::Filter))
}

fn snippet(
    db: &mut dyn Db,
    keeper: &mut Keeper,
    workspace: &Workspace,
    name: &str,
) -> StoreResult<()> {
    for row in fetch(db, SNIPPET, values![workspace, name])? {
        keeper.keep(db, "snippets", name, None, row)?;
    }
    match notebook::drop_snippet(db, workspace, name)? {
        true => Ok(()),
        false => Err(StoreError::NotFound(Noun::Snippet)),
    }
}
