//! Changing, deleting and compacting observations.

use plimsoll_domain::Timestamp;

use super::{
    count, graph, observations,
    saving::{self, Made},
};
use crate::{
    Change, DeletedObservation, NewObservation, NewRelation, Noun, Observation, SUPERSEDES,
    StoreError, StoreResult, Workspace,
    engine::{Db, first, list},
    sql::{deletions, outbox, workspaces},
};

const PLACE: &str = "UPDATE memory_observations SET project = $1, scope = $2, topic_key = $3,
    fingerprint = $4, tags = $5, updated_at = $6 WHERE id = $7";
const SOFT: &str = "UPDATE memory_observations SET deleted_at = $1
    WHERE id = $2 AND workspace = $3 AND deleted_at IS NULL";
const HARD: &str = "DELETE FROM memory_observations WHERE id = $1 AND workspace = $2";

pub(crate) fn change(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    change: &Change,
    at: Timestamp,
) -> StoreResult<Observation> {
    outbox::memory(db, workspace)?;
    let known = observations::get(db, workspace, id)?;
    let revision = known.revision_count;
    if change.seen.is_some_and(|seen| seen != revision) {
        return Err(StoreError::Revised { revision });
    }
    let mut changed = known.clone();
    if let Some(revision) = change.restore
        && revision != known.revision_count
    {
        let earlier = observations::revisions_of(db, id)?
            .into_iter()
            .find(|earlier| earlier.revision == revision)
            .ok_or(StoreError::NotFound(Noun::Revision))?;
        (changed.kind, changed.title, changed.content) =
            (earlier.kind, earlier.title, earlier.content);
    }
    let replace = |place: &mut String, with: &Option<String>| {
        if let Some(with) = with {
            place.clone_from(with);
        }
    };
    replace(&mut changed.title, &change.title);
    replace(&mut changed.content, &change.content);
    replace(&mut changed.kind, &change.kind);
    replace(&mut changed.project, &change.project);
    changed.scope = change.scope.unwrap_or(changed.scope);
    changed.topic_key = change.topic_key.clone().or(changed.topic_key);
    let same = changed == known;
    if let Some(anchors) = &change.anchors {
        saving::put_anchors(db, id, anchors)?;
    }
    if change.expires_at.is_some() {
        saving::put_expiry(db, id, change.expires_at)?;
    }
    supersede(db, workspace, id, &change.supersedes, at)?;
    if same {
        return observations::get(db, workspace, id);
    }
    let place = |note: &Observation| (note.topic_key.clone(), note.project.clone(), note.scope);
    if place(&changed) != place(&known)
        && let (Some(key), project, scope) = place(&changed)
        && let namespace = changed.namespace.as_deref()
        && let Some(other) = saving::under_key(db, workspace, &key, &project, scope, namespace)?
    {
        return Err(StoreError::KeyTaken { by: other.id });
    }
    if (&changed.kind, &changed.title, &changed.content)
        != (&known.kind, &known.title, &known.content)
    {
        changed.author.clone_from(&change.author);
        saving::new_text(db, workspace, &changed, at)?;
    }
    let made = Made::of(workspace, &changed);
    let (project, key) = (&changed.project, changed.topic_key.as_ref());
    let scope = changed.scope.name();
    db.run(PLACE, values![project, scope, key, &made.fingerprint, &made.tags, at, id])?;
    observations::get(db, workspace, id)
}

fn supersede(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    earlier: &[u64],
    at: Timestamp,
) -> StoreResult<()> {
    let over =
        |to: &u64| NewRelation { from: id, to: *to, kind: SUPERSEDES.to_owned(), note: None };
    let wanted: Vec<NewRelation> = earlier.iter().map(over).collect();
    graph::relate(db, workspace, &wanted, at).map(drop)
}

pub(crate) fn deleted(
    db: &mut dyn Db,
    workspace: &Workspace,
    limit: usize,
) -> StoreResult<(Vec<DeletedObservation>, u64)> {
    const FROM: &str = "FROM memory_observations WHERE workspace = $1 AND deleted_at IS NOT NULL";
    let counted = format!("SELECT COUNT(*) {FROM}");
    let total = first(db, &counted, values![workspace], |row| row.count(0))?;
    let sql = format!(
        "SELECT {}, deleted_at {FROM} ORDER BY deleted_at DESC, id DESC LIMIT $2",
        observations::COLUMNS
    );
    let found = list(db, &sql, values![workspace, count(limit)], |row| {
        let observation = observations::read(row)?;
        Ok(DeletedObservation { observation, deleted_at: row.time(observations::COLUMN_COUNT)? })
    })?;
    Ok((found, total.unwrap_or(0)))
}

pub(crate) fn bring_back(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
) -> StoreResult<Observation> {
    outbox::memory(db, workspace)?;
    deletions::bring_back_note(db, workspace, &id.to_string())?;
    let note = observations::get(db, workspace, id)?;
    // No deletion has it to give back any more.
    deletions::forget_note(db, id)?;
    Ok(note)
}

pub(crate) fn delete(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    hard: bool,
    at: Timestamp,
) -> StoreResult<()> {
    outbox::memory(db, workspace)?;
    if hard {
        if db.run(HARD, values![id, workspace])? == 0 {
            return Err(StoreError::NotFound(Noun::Observation));
        }
        return deletions::forget_note(db, id);
    }
    put_aside(db, workspace, &[id], at)
}

/// Deletes notes softly, as one step that can be undone (REC-5).
pub(super) fn put_aside(
    db: &mut dyn Db,
    workspace: &Workspace,
    ids: &[u64],
    at: Timestamp,
) -> StoreResult<()> {
    let Some(first) = ids.first() else { return Ok(()) };
    let words = observations::get(db, workspace, *first)?.title;
    for id in ids {
        if db.run(SOFT, values![at, *id, workspace])? == 0 {
            return Err(StoreError::NotFound(Noun::Observation));
        }
    }
    deletions::keep_notes(db, workspace, ids, &words, at)
}

pub(crate) fn compact(
    db: &mut dyn Db,
    workspace: &Workspace,
    replaced: &[u64],
    before: Timestamp,
    summary: &NewObservation,
    at: Timestamp,
) -> StoreResult<u64> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    for id in replaced {
        if observations::get(db, workspace, *id)?.updated_at >= before {
            return Err(StoreError::NotFound(Noun::Observation));
        }
    }
    put_aside(db, workspace, replaced, at)?;
    saving::add(db, workspace, summary, at)
}
