//! The memory, taken out and brought in (MEM-9).

use std::collections::HashSet;

use super::{graph, observations, prompts, saving, sessions};
use crate::{
    ArchivedObservation, Brought, MemoryRecord, Observation, ObservationRevision, StoreResult,
    Workspace,
    engine::{Db, Numbers, first},
    sql::{outbox, workspaces},
};

/// Apart from [`SAME_TEXT`], because no database uses two indexes for an `OR` and keeps an order.
const BY_ID: &str = "SELECT workspace, created_at, deleted_at FROM memory_observations
    WHERE id = $1";
/// A fingerprint tells the workspace too.
const SAME_TEXT: &str = "SELECT id FROM memory_observations WHERE fingerprint = $1
    AND created_at = $2 AND deleted_at IS NULL ORDER BY id LIMIT 1";
const COUNT: &str = "UPDATE memory_observations SET revision_count = $1 WHERE id = $2";
const REVISION: &str = "INSERT INTO memory_revisions (observation_id, revision, kind, title,
    content, replaced_at, author) VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Where in the order of the archive to go on.
enum Place<'r> {
    Sessions(&'r str),
    Prompts(u64),
    Observations(u64),
    Relations(u64),
    Progress(&'r str, &'r str),
}

pub(crate) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    last: Option<&MemoryRecord>,
    limit: usize,
) -> StoreResult<Vec<MemoryRecord>> {
    let mut place = match last {
        None => Place::Sessions(""),
        Some(MemoryRecord::Session(session)) => Place::Sessions(&session.id),
        Some(MemoryRecord::Prompt(prompt)) => Place::Prompts(prompt.id),
        Some(MemoryRecord::Observation(note)) => Place::Observations(note.observation.id),
        Some(MemoryRecord::Relation(relation)) => Place::Relations(relation.id),
        Some(MemoryRecord::Progress(document)) => {
            Place::Progress(&document.project, document.namespace.as_deref().unwrap_or_default())
        }
    };
    loop {
        let (found, next) = page(db, workspace, &place, limit)?;
        match next {
            Some(next) if found.is_empty() => place = next,
            _ => return Ok(found),
        }
    }
}

/// A page of one kind, and where the next kind begins.
fn page(
    db: &mut dyn Db,
    workspace: &Workspace,
    place: &Place<'_>,
    limit: usize,
) -> StoreResult<(Vec<MemoryRecord>, Option<Place<'static>>)> {
    Ok(match place {
        Place::Sessions(id) => {
            let found = sessions::after(db, workspace, id, limit)?;
            (found.into_iter().map(MemoryRecord::Session).collect(), Some(Place::Prompts(0)))
        }
        Place::Prompts(id) => {
            let found = prompts::after(db, workspace, *id, limit)?;
            (found.into_iter().map(MemoryRecord::Prompt).collect(), Some(Place::Observations(0)))
        }
        Place::Observations(id) => {
            let mut found = Vec::new();
            for observation in observations::after(db, workspace, *id, limit)? {
                let revisions = observations::revisions_of(db, observation.id)?;
                let whole = ArchivedObservation { observation, revisions };
                found.push(MemoryRecord::Observation(Box::new(whole)));
            }
            (found, Some(Place::Relations(0)))
        }
        Place::Relations(id) => {
            let found = graph::after(db, workspace, *id, limit)?;
            (found.into_iter().map(MemoryRecord::Relation).collect(), Some(Place::Progress("", "")))
        }
        Place::Progress(project, namespace) => {
            let found = sessions::progress_after(db, workspace, project, namespace, limit)?;
            (found.into_iter().map(MemoryRecord::Progress).collect(), None)
        }
    })
}

pub(crate) fn bring(
    db: &mut dyn Db,
    workspace: &Workspace,
    records: &[MemoryRecord],
) -> StoreResult<Vec<Brought>> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    records.iter().map(|record| bring_one(db, workspace, record)).collect()
}

fn bring_one(
    db: &mut dyn Db,
    workspace: &Workspace,
    record: &MemoryRecord,
) -> StoreResult<Brought> {
    let (id, fresh) = match record {
        MemoryRecord::Session(session) => (0, sessions::bring(db, workspace, session)?),
        MemoryRecord::Prompt(prompt) => prompts::bring(db, workspace, prompt)?,
        MemoryRecord::Observation(note) => bring_note(db, workspace, note)?,
        MemoryRecord::Relation(relation) => graph::bring(db, workspace, relation)?,
        MemoryRecord::Progress(document) => {
            let namespace = document.namespace.as_deref();
            let known = sessions::progress(db, workspace, &document.project, namespace)?;
            // The newer document is the state of the project.
            let newer = known.is_none_or(|known| known.updated_at < document.updated_at);
            if newer {
                sessions::put_progress(db, workspace, document)?;
            }
            (0, newer)
        }
    };
    Ok(Brought { id, fresh })
}

fn bring_note(
    db: &mut dyn Db,
    workspace: &Workspace,
    whole: &ArchivedObservation,
) -> StoreResult<(u64, bool)> {
    let note = &whole.observation;
    let (taken, same_id) = under_id(db, workspace, note)?;
    let text = saving::Made::of(workspace, note).fingerprint;
    let same_text = first(db, SAME_TEXT, values![&text, note.created_at], |row| row.count(0))?;
    if let Some(id) = same_id.into_iter().chain(same_text).min() {
        return Ok((id, false));
    }
    if let Some(key) = &note.topic_key {
        let namespace = note.namespace.as_deref();
        let holder = saving::under_key(db, workspace, key, &note.project, note.scope, namespace)?;
        if let Some(holder) = holder {
            let fresh = join(db, workspace, &holder, whole)?;
            return Ok((holder.id, fresh));
        }
    }
    let id = if taken { db.next_number(Numbers::Observations)? } else { note.id };
    db.number_past(Numbers::Observations, id)?;
    sessions::make_named(db, workspace, &note.session, &note.project, note.created_at)?;
    saving::insert(db, workspace, &Observation { id, ..note.clone() })?;
    for earlier in &whole.revisions {
        put_revision(db, id, earlier)?;
    }
    Ok((id, true))
}

/// Whether the id of a note is taken here, and that id if it is the same note that has it.
fn under_id(
    db: &mut dyn Db,
    workspace: &Workspace,
    note: &Observation,
) -> StoreResult<(bool, Option<u64>)> {
    let holder = first(db, BY_ID, values![note.id], |row| {
        let alive = row.opt_int(2)?.is_none();
        Ok(alive && row.text(0)? == workspace.as_str() && row.time(1)? == note.created_at)
    })?;
    Ok((note.id == 0 || holder.is_some(), (holder == Some(true)).then_some(note.id)))
}

fn put_revision(db: &mut dyn Db, id: u64, earlier: &ObservationRevision) -> StoreResult<()> {
    let (kind, title, content) = (&earlier.kind, &earlier.title, &earlier.content);
    let (at, author) = (earlier.replaced_at, earlier.author.as_ref());
    let cells = values![id, earlier.revision, kind, title, content, at, author];
    db.run(REVISION, cells).map(drop)
}

/// Gives the texts of a note to the one that has its topic key here; says whether there was
/// any that it did not have. So the same may be brought twice.
pub(super) fn join(
    db: &mut dyn Db,
    workspace: &Workspace,
    holder: &Observation,
    whole: &ArchivedObservation,
) -> StoreResult<bool> {
    let note = &whole.observation;
    let present = ObservationRevision {
        revision: note.revision_count,
        kind: note.kind.clone(),
        title: note.title.clone(),
        content: note.content.clone(),
        replaced_at: note.updated_at,
        author: note.author.clone(),
    };
    let text =
        |one: &ObservationRevision| (one.kind.clone(), one.title.clone(), one.content.clone());
    let kept = observations::revisions_of(db, holder.id)?;
    let mut known: HashSet<(String, String, String)> = kept.iter().map(text).collect();
    known.insert((holder.kind.clone(), holder.title.clone(), holder.content.clone()));
    let newer = note.updated_at > holder.updated_at && !known.contains(&text(&present));
    let earlier = whole.revisions.iter().chain((!newer).then_some(&present));
    let mut next = holder.revision_count;
    for one in earlier {
        if known.insert(text(one)) {
            put_revision(db, holder.id, &ObservationRevision { revision: next, ..one.clone() })?;
            next += 1;
        }
    }
    db.run(COUNT, values![next, holder.id])?;
    if newer {
        let (kind, title, content) = text(&present);
        let author = note.author.clone();
        let changed = Observation { kind, title, content, author, ..holder.clone() };
        saving::new_text(db, workspace, &changed, note.updated_at)?;
    }
    Ok(newer || next > holder.revision_count)
}
