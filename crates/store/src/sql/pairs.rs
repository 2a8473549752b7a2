//! Writing pairs: insert, end of a send, edit, swap, delete.

use plimsoll_domain::{
    Lifecycle, LifecycleEvent, MessagePair, PairId, Timestamp, attachment_kinds, realigned,
};

use super::{
    answer::{self, Answer},
    deletions, files, outbox, owners, parts, quotes, read_pairs, summaries, tool_calls, topics,
    workspaces,
};
use crate::{
    Edit, HeldSend, Noun, Outcome, StoreError, StoreResult, StoredPair, WhatChanged, Workspace,
    engine::Db,
};

const INSERT: &str = "INSERT INTO pairs (id, workspace, created_at, topic_id, model, star, flag,
    lifecycle, has_image, has_attachment, cut, revision, prompt_tokens, cached_tokens,
    completion_tokens, reasoning_tokens, receipt_id, error_code, error_message, pair_use,
    text_bytes, kind, compared_with)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 1, $11, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21)";
const INSERT_TEXT: &str =
    "INSERT INTO pair_texts (pair_id, user_text, assistant_text) VALUES ($1, $2, $3)";
pub(super) const KEEP_REVISION: &str =
    "INSERT INTO revisions (pair_id, revision, user_text, assistant_text, edited_at)
    VALUES ($1, $2, $3, $4, $5)";
const EDIT_TEXT: &str =
    "UPDATE pair_texts SET user_text = $1, assistant_text = $2 WHERE pair_id = $3";
const MARK_EDITED: &str = "UPDATE pairs SET edited_at = $1, has_image = $2, has_attachment = $3
    WHERE id = $4";
const NEXT_REVISION: &str = "UPDATE pairs SET revision = revision + 1, text_bytes =
    (SELECT OCTET_LENGTH(user_text) + COALESCE(OCTET_LENGTH(assistant_text), 0) FROM pair_texts
    WHERE pair_id = $1) WHERE id = $1";
const DROP_ESTIMATES: &str = "DELETE FROM estimates WHERE pair_id = $1";

/// A request that quoted the pair holds its text, whoever's request it was (REC-5).
const PURGE_QUOTES: &str = "UPDATE snapshots SET json_doc = NULL, answer_body = NULL
    WHERE pair_id IN (SELECT pair_id FROM snapshot_pairs WHERE included_id = $1)";
const PURGE_BODIES: &str = "DELETE FROM receipt_bodies WHERE receipt_id IN
    (SELECT id FROM receipts WHERE pair_id = $1)";
const DELETE_TEXT: &str = "DELETE FROM pair_texts WHERE pair_id = $1";
const DELETE: &str = "DELETE FROM pairs WHERE id = $1";

pub(crate) fn insert(
    db: &mut dyn Db,
    workspace: &Workspace,
    pair: &MessagePair,
) -> StoreResult<()> {
    outbox::put(db, workspace, &WhatChanged::Imported)?;
    insert_one(db, workspace, pair)
}

/// Writes a pair down that is not being sent, and tells nobody.
pub(super) fn insert_one(
    db: &mut dyn Db,
    workspace: &Workspace,
    pair: &MessagePair,
) -> StoreResult<()> {
    if pair.lifecycle == Lifecycle::Sending {
        return Err(StoreError::Unclaimed);
    }
    put(db, workspace, pair)
}

pub(crate) fn insert_many(
    db: &mut dyn Db,
    workspace: &Workspace,
    pairs: &[MessagePair],
) -> StoreResult<()> {
    outbox::put(db, workspace, &WhatChanged::Imported)?;
    pairs.iter().try_for_each(|pair| insert_one(db, workspace, pair))
}

/// Writes a new pair in any state.
pub(super) fn put(db: &mut dyn Db, workspace: &Workspace, pair: &MessagePair) -> StoreResult<()> {
    workspaces::must_exist(db, workspace)?;
    if topics::workspace_of(db, pair.topic_id)?.as_ref() != Some(workspace) {
        return Err(StoreError::NotFound(Noun::Topic));
    }
    if read_pairs::exists(db, pair.id)? {
        return Err(StoreError::Exists(Noun::Pair));
    }
    let (has_image, has_attachment) = pair.attachment_kinds();
    let error = pair.error.as_ref();
    let answer_bytes = pair.assistant_text.as_ref().map_or(0, String::len);
    db.run(
        INSERT,
        values![
            pair.id,
            workspace,
            pair.created_at,
            pair.topic_id,
            &pair.model,
            u64::from(pair.star.count()),
            pair.color_flag.name(),
            pair.lifecycle.name(),
            has_image,
            has_attachment,
            pair.usage.map(|usage| usage.prompt),
            pair.usage.map(|usage| usage.cached),
            pair.usage.map(|usage| usage.completion),
            pair.usage.map(|usage| usage.reasoning),
            pair.receipt_id,
            error.map(|error| &error.code),
            error.map(|error| &error.message),
            pair.pair_use.name(),
            (pair.user_text.len() + answer_bytes) as u64,
            pair.kind.name(),
            pair.group,
        ],
    )?;
    db.run(INSERT_TEXT, values![pair.id, &pair.user_text, pair.assistant_text.as_ref()])?;
    files::attach(db, pair.id, &pair.attachments)?;
    summaries::put(db, pair.id, &pair.summarises)?;
    if let Some(text) = &pair.previous_answer {
        // Only a complete answer is ever put aside, so one that comes without its
        // circumstances was complete.
        let previous = Answer {
            model: pair.model.clone(),
            text: Some(text.clone()),
            lifecycle: Lifecycle::Complete,
            cut: false,
            usage: None,
            receipt_id: None,
            error: None,
        };
        answer::put_previous(db, pair.id, &previous)?;
    }
    Ok(())
}

pub(crate) fn set_state(
    db: &mut dyn Db,
    send: HeldSend,
    event: LifecycleEvent,
    outcome: &Outcome,
) -> StoreResult<()> {
    owners::must_not_be_anothers(db, send)?;
    end(db, send.pair, event, outcome)
}

/// Ends a send, whoever carried it out.
pub(super) fn end(
    db: &mut dyn Db,
    id: PairId,
    event: LifecycleEvent,
    outcome: &Outcome,
) -> StoreResult<()> {
    if matches!(event, LifecycleEvent::Start | LifecycleEvent::Regenerate) {
        return Err(StoreError::Unclaimed);
    }
    let before = answer::current(db, id)?.ok_or(StoreError::NotFound(Noun::Pair))?;
    let lifecycle = before
        .lifecycle
        .after(event)
        .map_err(|illegal| StoreError::Conflict { found: illegal.from })?;
    outbox::put_for(db, &[id], |_| WhatChanged::Ended(id))?;
    let saved = owners::release(db, id)?;
    // An answer is absent until text arrives, never empty.
    let text = outcome.assistant_text.clone().or(saved).filter(|text| !text.is_empty());
    let ended = Answer {
        model: before.model,
        text,
        lifecycle,
        cut: outcome.cut,
        usage: outcome.usage,
        receipt_id: outcome.receipt_id,
        error: outcome.error.clone(),
    };
    answer::put_current(db, id, &ended)?;
    if files::send_ended(db, id, event == LifecycleEvent::Cancel)? > 0 {
        outbox::put_for(db, &[id], |_| WhatChanged::Files)?;
    }
    if event == LifecycleEvent::Finish {
        summaries::begins_to_stand(db, id)?;
        let summarised: Vec<PairId> =
            summaries::of(db, id)?.iter().map(|summarised| summarised.pair).collect();
        outbox::put_for(db, &summarised, WhatChanged::Labels)?;
    }
    texts_changed(db, id)
}

pub(crate) fn edit(db: &mut dyn Db, id: PairId, edit: &Edit, at: Timestamp) -> StoreResult<()> {
    let before = at_rest(db, id)?;
    let pair = &before.pair;
    let user_text = edit.user_text.as_ref().unwrap_or(&pair.user_text);
    let assistant_text = edit.assistant_text.as_ref().or(pair.assistant_text.as_ref());
    if *user_text == pair.user_text && assistant_text == pair.assistant_text.as_ref() {
        return Ok(());
    }
    db.run(
        KEEP_REVISION,
        values![id, before.revision, &pair.user_text, pair.assistant_text.as_ref(), at],
    )?;
    db.run(EDIT_TEXT, values![user_text, assistant_text, id])?;
    if *user_text != pair.user_text {
        files::attach(db, id, &realigned(&pair.user_text, &pair.attachments, user_text))?;
    }
    let (has_image, has_attachment) = attachment_kinds(user_text);
    db.run(MARK_EDITED, values![at, has_image, has_attachment, id])?;
    tell_texts(db, id)?;
    texts_changed(db, id)
}

pub(crate) fn swap_answer(db: &mut dyn Db, id: PairId) -> StoreResult<()> {
    at_rest(db, id)?;
    let current = answer::current(db, id)?.ok_or(StoreError::NotFound(Noun::Pair))?;
    let previous = answer::previous(db, id)?.ok_or(StoreError::NotFound(Noun::PreviousAnswer))?;
    answer::put_current(db, id, &previous)?;
    answer::put_previous(db, id, &current)?;
    tool_calls::swap(db, id)?;
    tell_texts(db, id)?;
    texts_changed(db, id)
}

pub(crate) fn delete(db: &mut dyn Db, ids: &[PairId]) -> StoreResult<u64> {
    outbox::put_for(db, ids, WhatChanged::Removed)?;
    let mut deleted = 0;
    for id in ids {
        deletions::forget_what_was_said(db, *id)?;
        deletions::purge_quotes(db, *id)?;
        deleted += take_out(db, *id)?;
    }
    // The requests that held their words are forgotten by now; so are the words.
    parts::REQUESTS.sweep(db)?;
    Ok(deleted)
}

/// Takes a pair and all that refers to it out of the tables; says how many pairs that were.
pub(super) fn take_out(db: &mut dyn Db, id: PairId) -> StoreResult<u64> {
    owners::must_be_at_rest(db, id)?;
    for statement in [PURGE_QUOTES, PURGE_BODIES, DELETE_TEXT] {
        db.run(statement, values![id])?;
    }
    quotes::forget(db, id)?;
    summaries::give_back(db, id)?;
    // What else refers to the pair goes with it, by its foreign keys.
    db.run(DELETE, values![id])
}

/// The texts of a pair are others; summaries that stand for it are out of date by that (HIS-11).
fn tell_texts(db: &mut dyn Db, id: PairId) -> StoreResult<()> {
    let mut changed = summaries::about(db, &[id])?;
    changed.insert(0, id);
    outbox::put_for(db, &[id], |_| WhatChanged::Texts(changed.clone()))
}

/// Every change of a text makes its estimates stale (EST-7).
pub(super) fn texts_changed(db: &mut dyn Db, id: PairId) -> StoreResult<()> {
    db.run(NEXT_REVISION, values![id])?;
    db.run(DROP_ESTIMATES, values![id]).map(drop)
}

/// The pair, unless it is being sent.
fn at_rest(db: &mut dyn Db, id: PairId) -> StoreResult<StoredPair> {
    owners::must_be_at_rest(db, id)?;
    read_pairs::get(db, id)
}
