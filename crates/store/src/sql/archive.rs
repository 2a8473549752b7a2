//! Whole pairs, out and in (HIS-8).

use plimsoll_domain::{Lifecycle, MessagePair, PairId, Timestamp, Topic};

use super::{answer, files, outbox, pairs, read_pairs, summaries, topics, workspaces};
use crate::{
    ArchivedPair, BroughtIn, Revision, StoreError, StoreResult, WhatChanged, Workspace,
    engine::{Db, first, list},
};

const REVISIONS: &str = "SELECT user_text, assistant_text, edited_at FROM revisions
    WHERE pair_id = $1 ORDER BY revision";
const MARK: &str = "UPDATE pairs SET cut = $1, edited_at = $2, revision = $3 WHERE id = $4";
const WORKSPACE_OF: &str = "SELECT workspace FROM pairs WHERE id = $1";

pub(crate) fn archived(db: &mut dyn Db, ids: &[PairId]) -> StoreResult<Vec<ArchivedPair>> {
    let mut found = Vec::with_capacity(ids.len());
    for stored in read_pairs::get_many(db, ids)? {
        let id = stored.pair.id;
        let revisions = list(db, REVISIONS, values![id], |row| {
            Ok(Revision {
                user_text: row.string(0)?,
                assistant_text: row.opt_string(1)?,
                edited_at: Timestamp::from_millis(row.int(2)?),
            })
        })?;
        let summarised = !summaries::about(db, &[id])?.is_empty();
        let revision = if summarised { stored.revision } else { 0 };
        found.push(ArchivedPair {
            pair: stored.pair,
            cut: stored.cut,
            revision,
            edited_at: stored.edited_at,
            revisions,
            previous: answer::previous(db, id)?,
        });
    }
    Ok(found)
}

pub(crate) fn whereabouts(
    db: &mut dyn Db,
    ids: &[PairId],
) -> StoreResult<Vec<(PairId, Workspace)>> {
    let mut taken = Vec::new();
    for id in ids {
        let workspace = first(db, WORKSPACE_OF, values![*id], |row| workspaces::read(row, 0))?;
        taken.extend(workspace.map(|workspace| (*id, workspace)));
    }
    Ok(taken)
}

pub(crate) fn bring_in(
    db: &mut dyn Db,
    workspace: &Workspace,
    new_topics: &[Topic],
    new_pairs: &[ArchivedPair],
) -> StoreResult<BroughtIn> {
    workspaces::must_exist(db, workspace)?;
    let topics = topics::add_missing(db, workspace, new_topics)?;
    let mut brought = BroughtIn { topics, ..BroughtIn::default() };
    for archived in new_pairs {
        if !read_pairs::exists(db, archived.pair.id)? {
            put(db, workspace, archived)?;
            brought.pairs += 1;
        } else if mend(db, workspace, &archived.pair)? {
            brought.mended += 1;
        }
    }
    if brought != BroughtIn::default() {
        outbox::put(db, workspace, &WhatChanged::Imported)?;
    }
    if brought.topics > 0 {
        outbox::put(db, workspace, &WhatChanged::Topics)?;
    }
    Ok(brought)
}

/// Lets tokens that stand for no file stand for those that are brought; says whether one
/// did. Files that were left out of one import may come with the next.
fn mend(db: &mut dyn Db, workspace: &Workspace, brought: &MessagePair) -> StoreResult<bool> {
    if brought.attachments.iter().all(|one| one.file.is_none())
        || whereabouts(db, &[brought.id])? != [(brought.id, workspace.clone())]
    {
        return Ok(false);
    }
    let kept = read_pairs::get(db, brought.id)?.pair;
    if kept.user_text != brought.user_text || kept.lifecycle == Lifecycle::Sending {
        return Ok(false);
    }
    let mut attachments = kept.attachments.clone();
    for (one, brought) in attachments.iter_mut().zip(&brought.attachments) {
        one.file = one.file.or(brought.file);
    }
    if attachments == kept.attachments {
        return Ok(false);
    }
    files::attach(db, kept.id, &attachments)?;
    pairs::texts_changed(db, kept.id)?;
    Ok(true)
}

fn put(db: &mut dyn Db, workspace: &Workspace, archived: &ArchivedPair) -> StoreResult<()> {
    let id = archived.pair.id;
    let sending = |lifecycle: Lifecycle| lifecycle == Lifecycle::Sending;
    if archived.previous.as_ref().is_some_and(|previous| sending(previous.lifecycle)) {
        return Err(StoreError::Unclaimed);
    }
    pairs::insert_one(db, workspace, &archived.pair)?;
    if let Some(previous) = &archived.previous {
        answer::put_previous(db, id, previous)?;
    }
    let mut number = 1u64;
    for revision in &archived.revisions {
        let (user, assistant) = (&revision.user_text, revision.assistant_text.as_ref());
        db.run(pairs::KEEP_REVISION, values![id, number, user, assistant, revision.edited_at])?;
        number += 1;
    }
    let number = number.max(archived.revision);
    db.run(MARK, values![archived.cut, archived.edited_at, number, id]).map(drop)
}
