//! Saving observations: new ones, new texts of known ones, repetitions.

use plimsoll_domain::Timestamp;

use super::{anchors, graph, observations, sessions, tags, words::fingerprint};
use crate::{
    Anchor, Change, NewObservation, NewRelation, Noun, Observation, SUPERSEDES, Saved,
    SavedObservation, Scope, StoreError, StoreResult, Workspace,
    engine::{Db, Numbers, first},
    sql::{outbox, workspaces},
};

const BY_KEY: &str = "SELECT id FROM memory_observations WHERE workspace = $1 AND topic_key = $2
    AND project = $3 AND scope = $4 AND namespace = $5 AND deleted_at IS NULL
    ORDER BY id DESC LIMIT 1";
/// A fingerprint tells the workspace too; asked for beside it, the index of the workspace would
/// be taken, which is long.
const BY_TEXT: &str = "SELECT id, duplicate_count FROM memory_observations
    WHERE fingerprint = $1 AND deleted_at IS NULL
    AND COALESCE(last_seen_at, updated_at) >= $2 ORDER BY id DESC LIMIT 1";
const SEEN: &str = "UPDATE memory_observations SET duplicate_count = duplicate_count + 1,
    last_seen_at = $1 WHERE id = $2";
const INSERT: &str = "INSERT INTO memory_observations (id, workspace, session_id, kind, project,
    scope, namespace, topic_key, tool_name, revision_count, duplicate_count, last_seen_at,
    created_at, updated_at, fingerprint, tags, title, content, author, expires_at, anchors)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
    $20, $21)";
const KEEP: &str = "INSERT INTO memory_revisions (observation_id, revision, kind, title, content,
    replaced_at, author) SELECT id, revision_count, kind, title, content, $1, author
    FROM memory_observations WHERE id = $2";
const REVISE: &str = "UPDATE memory_observations SET revision_count = revision_count + 1,
    kind = $1, title = $2, content = $3, fingerprint = $4, tags = $5, updated_at = $6, author = $7
    WHERE id = $8";
const ANCHOR: &str = "UPDATE memory_observations SET anchors = $1 WHERE id = $2";
const EXPIRE: &str = "UPDATE memory_observations SET expires_at = $1 WHERE id = $2";

/// What a relation that comes with a note means.
const RELATES_TO: &str = "relates_to";

pub(crate) fn save_all(
    db: &mut dyn Db,
    workspace: &Workspace,
    notes: &[NewObservation],
    at: Timestamp,
    same_since: Timestamp,
) -> StoreResult<Vec<SavedObservation>> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    notes.iter().map(|note| save(db, workspace, note, None, at, same_since)).collect()
}

/// Saves a note; one that is added gets this number, or the next.
pub(super) fn save(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &NewObservation,
    number: Option<u64>,
    at: Timestamp,
    same_since: Timestamp,
) -> StoreResult<SavedObservation> {
    sessions::join(db, workspace, &note.session, &note.project, at)?;
    let known = match &note.topic_key {
        Some(key) => {
            let namespace = note.namespace.as_deref();
            under_key(db, workspace, key, &note.project, note.scope, namespace)?
        }
        None => None,
    };
    let revision = known.as_ref().map_or(0, |known| known.revision_count);
    if note.seen.is_some_and(|seen| seen != revision) {
        return Err(StoreError::Revised { revision });
    }
    let (id, saved) = match known {
        Some(known) if same_text(&known, note) => (known.id, repeat(db, known.id, at)?),
        Some(known) => {
            revise(db, workspace, &known, note, at)?;
            (known.id, Saved::Revised { revision: known.revision_count + 1 })
        }
        None => match repeated(db, workspace, note, same_since)? {
            Some(id) => (id, repeat(db, id, at)?),
            None => (add_as(db, workspace, note, number, at)?, Saved::Added),
        },
    };
    if saved != Saved::Added {
        if !note.anchors.is_empty() {
            put_anchors(db, id, &note.anchors)?;
        }
        if note.expires_at.is_some() {
            put_expiry(db, id, note.expires_at)?;
        }
    }
    let to = |kind: &'static str| move |to: &u64| (*to, kind);
    let ends = note.relate_to.iter().map(to(RELATES_TO));
    let ends = ends.chain(note.supersedes.iter().map(to(SUPERSEDES)));
    let wanted: Vec<NewRelation> = ends
        .map(|(to, kind)| NewRelation { from: id, to, kind: kind.to_owned(), note: None })
        .collect();
    let related = graph::relate(db, workspace, &wanted, at)?;
    let relations = related.into_iter().map(|relation| relation.id).collect();
    Ok(SavedObservation { id, saved, relations })
}

/// The note that has a topic key (MEM-3).
pub(crate) fn under_key(
    db: &mut dyn Db,
    workspace: &Workspace,
    key: &str,
    project: &str,
    scope: Scope,
    namespace: Option<&str>,
) -> StoreResult<Option<Observation>> {
    let namespace = namespace.unwrap_or_default();
    let place = values![workspace, key, project, scope.name(), namespace];
    let id = first(db, BY_KEY, place, |row| row.count(0))?;
    id.map(|id| observations::get(db, workspace, id)).transpose()
}

fn same_text(known: &Observation, note: &NewObservation) -> bool {
    known.kind == note.kind && known.title == note.title && known.content == note.content
}

/// A note with a topic key is itself a new place, and repeats nothing (MEM-3, MEM-4).
fn repeated(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &NewObservation,
    same_since: Timestamp,
) -> StoreResult<Option<u64>> {
    if note.topic_key.is_some() {
        return Ok(None);
    }
    let text = fingerprint(workspace, note);
    first(db, BY_TEXT, values![&text, same_since], |row| row.count(0))
}

fn repeat(db: &mut dyn Db, id: u64, at: Timestamp) -> StoreResult<Saved> {
    db.run(SEEN, values![at, id])?;
    let sql = "SELECT duplicate_count FROM memory_observations WHERE id = $1";
    let duplicates = first(db, sql, values![id], |row| row.count(0))?.unwrap_or(0);
    Ok(Saved::Repeated { duplicates })
}

/// What a note names (MEM-15), anew.
pub(super) fn put_anchors(db: &mut dyn Db, id: u64, anchors: &[Anchor]) -> StoreResult<()> {
    db.run(ANCHOR, values![anchors::written(anchors).as_ref(), id]).map(drop)
}

/// When a note expires; none is never.
pub(super) fn put_expiry(db: &mut dyn Db, id: u64, at: Option<Timestamp>) -> StoreResult<()> {
    let at = at.filter(|at| *at != Change::NEVER);
    db.run(EXPIRE, values![at, id]).map(drop)
}

/// Adds a note without looking for its like.
pub(super) fn add(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &NewObservation,
    at: Timestamp,
) -> StoreResult<u64> {
    add_as(db, workspace, note, None, at)
}

/// The same under a number that was promised to it.
pub(super) fn add_as(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &NewObservation,
    number: Option<u64>,
    at: Timestamp,
) -> StoreResult<u64> {
    sessions::make_named(db, workspace, &note.session, &note.project, at)?;
    let id = match number {
        // Somebody may have brought in another note under it.
        Some(id) if !observations::is_taken(db, id)? => id,
        _ => db.next_number(Numbers::Observations)?,
    };
    let observation = Observation {
        id,
        session: note.session.clone(),
        kind: note.kind.clone(),
        title: note.title.clone(),
        content: note.content.clone(),
        tool_name: note.tool_name.clone(),
        project: note.project.clone(),
        scope: note.scope,
        topic_key: note.topic_key.clone(),
        namespace: note.namespace.clone(),
        revision_count: 1,
        duplicate_count: 0,
        last_seen_at: None,
        created_at: at,
        updated_at: at,
        author: note.author.clone(),
        expires_at: note.expires_at.filter(|at| *at != Change::NEVER),
        anchors: note.anchors.clone(),
        superseded_by: None,
    };
    insert(db, workspace, &observation)?;
    Ok(id)
}

/// Writes an observation down as it is.
pub(super) fn insert(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &Observation,
) -> StoreResult<()> {
    let made = Made::of(workspace, note);
    db.run(
        INSERT,
        values![
            note.id,
            workspace,
            &note.session,
            &note.kind,
            &note.project,
            note.scope.name(),
            note.namespace.as_deref().unwrap_or_default(),
            note.topic_key.as_ref(),
            note.tool_name.as_ref(),
            note.revision_count,
            note.duplicate_count,
            note.last_seen_at,
            note.created_at,
            note.updated_at,
            &made.fingerprint,
            &made.tags,
            &note.title,
            &note.content,
            note.author.as_ref(),
            note.expires_at,
            anchors::written(&note.anchors).as_ref(),
        ],
    )
    .map(drop)
}

/// Keeps the present text as a revision and puts another in its place.
fn revise(
    db: &mut dyn Db,
    workspace: &Workspace,
    known: &Observation,
    note: &NewObservation,
    at: Timestamp,
) -> StoreResult<()> {
    let changed = Observation {
        kind: note.kind.clone(),
        title: note.title.clone(),
        content: note.content.clone(),
        author: note.author.clone(),
        ..known.clone()
    };
    new_text(db, workspace, &changed, at)
}

/// The same for a text that is already part of the observation.
pub(super) fn new_text(
    db: &mut dyn Db,
    workspace: &Workspace,
    changed: &Observation,
    at: Timestamp,
) -> StoreResult<()> {
    db.run(KEEP, values![at, changed.id])?;
    let made = Made::of(workspace, changed);
    let touched = db.run(
        REVISE,
        values![
            &changed.kind,
            &changed.title,
            &changed.content,
            &made.fingerprint,
            &made.tags,
            at,
            changed.author.as_ref(),
            changed.id,
        ],
    )?;
    if touched == 0 { Err(StoreError::NotFound(Noun::Observation)) } else { Ok(()) }
}

/// What is made from an observation so that it is found.
pub(super) struct Made {
    pub(super) fingerprint: String,
    pub(super) tags: String,
}

impl Made {
    pub(super) fn of(workspace: &Workspace, note: &Observation) -> Self {
        let text = NewObservation {
            kind: note.kind.clone(),
            title: note.title.clone(),
            content: note.content.clone(),
            project: note.project.clone(),
            scope: note.scope,
            namespace: note.namespace.clone(),
            ..NewObservation::default()
        };
        let namespace = note.namespace.as_deref();
        Self {
            fingerprint: fingerprint(workspace, &text),
            tags: tags(workspace, &note.project, namespace, Some((&note.kind, note.scope))),
        }
    }
}
