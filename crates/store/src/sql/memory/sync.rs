//! Notes that also stand in files (MEM-17).

use std::collections::HashMap;

use plimsoll_domain::Timestamp;

use super::{
    anchors, archive, changes, observations,
    saving::{self, Made},
    sessions,
};
use crate::{
    Anchor, ArchivedObservation, Observation, SeenNote, StoreResult, SyncBase, SyncChange,
    SyncNote, SyncOutcome, Workspace,
    engine::{Db, Numbers, first, list},
    sql::{deletions, outbox, workspaces},
};

/// The workspace is compared as in [`observations::after`].
const UIDS: &str = "SELECT observation_id, uid FROM memory_uids
    WHERE observation_id > $1 AND observation_id <= $2 AND COALESCE(workspace, '') = $3";
const DELETED: &str = "SELECT u.uid, o.id, o.revision_count, o.updated_at FROM memory_uids u
    JOIN memory_observations o ON o.id = u.observation_id
    WHERE u.workspace = $1 AND o.deleted_at IS NOT NULL";
const BASES: &str = "SELECT uid, path, file_hash, note_hash FROM memory_synced
    WHERE workspace = $1 AND folder = $2";
/// Whoever had the uid or the note before gives it up.
const UNNAME: &str = "DELETE FROM memory_uids WHERE workspace = $1 AND uid = $2";
const UNNAME_NOTE: &str = "DELETE FROM memory_uids WHERE observation_id = $1";
const NAME: &str = "INSERT INTO memory_uids (observation_id, workspace, uid) VALUES ($1, $2, $3)";
const REMEMBER: &str = "INSERT INTO memory_synced (workspace, folder, uid, path, file_hash,
    note_hash) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace, folder, uid) DO UPDATE SET
    path = excluded.path, file_hash = excluded.file_hash, note_hash = excluded.note_hash";
const FORGET: &str = "DELETE FROM memory_synced WHERE workspace = $1 AND folder = $2 AND uid = $3";
const STATE: &str = "SELECT revision_count, updated_at, deleted_at FROM memory_observations
    WHERE id = $1 AND workspace = $2";
const BRING_BACK: &str = "UPDATE memory_observations SET deleted_at = NULL WHERE id = $1";
const PLACE: &str = "UPDATE memory_observations SET session_id = $1, project = $2, scope = $3,
    namespace = $4, topic_key = $5, tool_name = $6, created_at = $7, fingerprint = $8, tags = $9,
    updated_at = $10, author = $11, expires_at = $12, anchors = $13 WHERE id = $14";

pub(crate) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    limit: usize,
) -> StoreResult<Vec<SyncNote>> {
    let notes = observations::after(db, workspace, id, limit)?;
    let last = notes.last().map_or(id, |note| note.id);
    let named =
        list(db, UIDS, values![id, last, workspace], |row| Ok((row.count(0)?, row.string(1)?)))?;
    let mut uids: HashMap<u64, String> = named.into_iter().collect();
    let mut found = Vec::with_capacity(notes.len());
    for observation in notes {
        let uid = uids.remove(&observation.id);
        let revisions = match uid {
            None if observation.revision_count > 1 => {
                observations::revisions_of(db, observation.id)?
            }
            _ => Vec::new(),
        };
        found.push(SyncNote { note: ArchivedObservation { observation, revisions }, uid });
    }
    Ok(found)
}

pub(crate) fn deleted(
    db: &mut dyn Db,
    workspace: &Workspace,
) -> StoreResult<Vec<(String, SeenNote)>> {
    list(db, DELETED, values![workspace], |row| {
        let seen =
            SeenNote { id: row.count(1)?, revision: row.count(2)?, updated_at: row.time(3)? };
        Ok((row.string(0)?, seen))
    })
}

pub(crate) fn bases(
    db: &mut dyn Db,
    workspace: &Workspace,
    folder: &str,
) -> StoreResult<Vec<SyncBase>> {
    list(db, BASES, values![workspace, folder], |row| {
        Ok(SyncBase {
            uid: row.string(0)?,
            path: row.string(1)?,
            file_hash: row.string(2)?,
            note_hash: row.string(3)?,
        })
    })
}

pub(crate) fn apply(
    db: &mut dyn Db,
    workspace: &Workspace,
    folder: &str,
    changes: &[SyncChange],
    at: Timestamp,
) -> StoreResult<Vec<SyncOutcome>> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    changes.iter().map(|change| apply_one(db, workspace, folder, change, at)).collect()
}

fn apply_one(
    db: &mut dyn Db,
    workspace: &Workspace,
    folder: &str,
    change: &SyncChange,
    at: Timestamp,
) -> StoreResult<SyncOutcome> {
    match change {
        SyncChange::Name { id, uid } => name(db, workspace, *id, uid)?,
        SyncChange::Remember(base) => remember(db, workspace, folder, base)?,
        SyncChange::Forget(uid) => forget(db, workspace, folder, uid)?,
        SyncChange::Add { note, base } => {
            if let Some(by) = rival(db, workspace, note, None)? {
                return Ok(SyncOutcome::KeyTaken(by));
            }
            let id = db.next_number(Numbers::Observations)?;
            let (session, project) = (&note.session, &note.project);
            sessions::make_named(db, workspace, session, project, note.created_at)?;
            saving::insert(db, workspace, &Observation { id, ..Observation::clone(note) })?;
            name(db, workspace, id, &base.uid)?;
            remember(db, workspace, folder, base)?;
        }
        SyncChange::Change { seen, note, base, both_changed } => {
            let Some(dead) = as_seen(db, workspace, *seen)? else {
                return Ok(SyncOutcome::Meanwhile);
            };
            if let Some(by) = rival(db, workspace, note, Some(seen.id))? {
                return Ok(SyncOutcome::KeyTaken(by));
            }
            if dead {
                db.run(BRING_BACK, values![seen.id])?;
                deletions::forget_note(db, seen.id)?;
            }
            put(db, workspace, seen.id, note, *both_changed, at)?;
            name(db, workspace, seen.id, &base.uid)?;
            remember(db, workspace, folder, base)?;
        }
        SyncChange::Join { seen, note, file_wins, uid } => {
            if as_seen(db, workspace, *seen)? != Some(false) {
                return Ok(SyncOutcome::Meanwhile);
            }
            let holder = observations::get(db, workspace, seen.id)?;
            // The newer of two texts is the present one.
            let after = Timestamp::from_millis(holder.updated_at.millis().saturating_add(1));
            let updated_at = if *file_wins { at.max(after) } else { holder.updated_at };
            let observation = Observation { updated_at, ..Observation::clone(note) };
            let whole = ArchivedObservation { observation, revisions: Vec::new() };
            archive::join(db, workspace, &holder, &whole)?;
            let (first, second) = if *file_wins { (&**note, &holder) } else { (&holder, &**note) };
            saving::put_anchors(db, seen.id, &both_named(&second.anchors, &first.anchors))?;
            saving::put_expiry(db, seen.id, first.expires_at.or(second.expires_at))?;
            name(db, workspace, seen.id, uid)?;
        }
        SyncChange::Delete(notes) => {
            let mut there = Vec::with_capacity(notes.len());
            for (seen, uid) in notes {
                if as_seen(db, workspace, *seen)? == Some(false) {
                    there.push(seen.id);
                    forget(db, workspace, folder, uid)?;
                }
            }
            changes::put_aside(db, workspace, &there, at)?;
        }
    }
    Ok(SyncOutcome::Done)
}

fn name(db: &mut dyn Db, workspace: &Workspace, id: u64, uid: &str) -> StoreResult<()> {
    db.run(UNNAME, values![workspace, uid])?;
    db.run(UNNAME_NOTE, values![id])?;
    db.run(NAME, values![id, workspace, uid]).map(drop)
}

fn remember(
    db: &mut dyn Db,
    workspace: &Workspace,
    folder: &str,
    base: &SyncBase,
) -> StoreResult<()> {
    let SyncBase { uid, path, file_hash, note_hash } = base;
    db.run(REMEMBER, values![workspace, folder, uid, path, file_hash, note_hash]).map(drop)
}

fn forget(db: &mut dyn Db, workspace: &Workspace, folder: &str, uid: &str) -> StoreResult<()> {
    db.run(FORGET, values![workspace, folder, uid]).map(drop)
}

/// Whether a note is deleted; none if it is not as it was seen.
fn as_seen(db: &mut dyn Db, workspace: &Workspace, seen: SeenNote) -> StoreResult<Option<bool>> {
    let found = first(db, STATE, values![seen.id, workspace], |row| {
        let same = row.count(0)? == seen.revision && row.time(1)? == seen.updated_at;
        Ok(same.then_some(row.opt_int(2)?.is_some()))
    })?;
    Ok(found.flatten())
}

/// Another note that has the topic key (MEM-3).
fn rival(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &Observation,
    own: Option<u64>,
) -> StoreResult<Option<u64>> {
    let Some(key) = &note.topic_key else { return Ok(None) };
    let namespace = note.namespace.as_deref();
    let holder = saving::under_key(db, workspace, key, &note.project, note.scope, namespace)?;
    Ok(holder.map(|holder| holder.id).filter(|id| Some(*id) != own))
}

/// Puts text and place of a note into one that is there.
fn put(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    note: &Observation,
    both_changed: bool,
    at: Timestamp,
) -> StoreResult<()> {
    let known = observations::get(db, workspace, id)?;
    let text = |note: &Observation| (note.kind.clone(), note.title.clone(), note.content.clone());
    // A revision keeps texts, and not where a note belongs: where both sides changed, it stays where
    // it is here, and the next sync tells the file.
    let placed = if both_changed { &known } else { note };
    let changed = Observation {
        id,
        project: placed.project.clone(),
        scope: placed.scope,
        namespace: placed.namespace.clone(),
        topic_key: placed.topic_key.clone(),
        ..note.clone()
    };
    if text(&known) != text(note) {
        saving::new_text(db, workspace, &changed, at)?;
    }
    sessions::make_named(db, workspace, &note.session, &note.project, note.created_at)?;
    let made = Made::of(workspace, &changed);
    let (named, expires_at) = match both_changed {
        true => (both_named(&known.anchors, &note.anchors), note.expires_at.or(known.expires_at)),
        false => (as_looked_at(&known.anchors, &note.anchors), note.expires_at),
    };
    db.run(
        PLACE,
        values![
            &note.session,
            &changed.project,
            changed.scope.name(),
            changed.namespace.as_deref().unwrap_or_default(),
            changed.topic_key.as_ref(),
            note.tool_name.as_ref(),
            note.created_at,
            &made.fingerprint,
            &made.tags,
            at,
            note.author.as_ref(),
            expires_at,
            anchors::written(&named).as_ref(),
            id,
        ],
    )
    .map(drop)
}

/// What a file names. It says no size and no time; where it saw the same as the note, those that
/// the note has go on sparing a look.
fn as_looked_at(known: &[Anchor], named: &[Anchor]) -> Vec<Anchor> {
    let looked = |anchor: &Anchor| known.iter().find(|known| known.is_like(anchor)).cloned();
    named.iter().map(|anchor| looked(anchor).unwrap_or_else(|| anchor.clone())).collect()
}

/// What either of two names, in an order that is the same whichever is asked first.
fn both_named(known: &[Anchor], named: &[Anchor]) -> Vec<Anchor> {
    let mut all = as_looked_at(known, named);
    let more = known.iter().filter(|known| !named.iter().any(|one| one.target == known.target));
    all.extend(more.cloned());
    all.sort_by(|a, b| a.target.cmp(&b.target));
    all.truncate(Anchor::MOST);
    all
}
