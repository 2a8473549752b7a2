//! Sessions and progress.

use plimsoll_domain::Timestamp;

use super::{
    Conditions, count, namespace,
    summaries::{self, Words, owner},
};
use crate::{
    MemoryFilter, NewSession, Noun, ProgressDocument, SHARED_SESSION, Session, StoreError,
    StoreResult, Summarised, Workspace,
    engine::{Cells, Db, first, list},
    sql::{outbox, workspaces},
};

const COLUMNS: &str = "id, project, directory, started_at, ended_at";
const MAKE: &str = "INSERT INTO memory_sessions (workspace, id, project, directory, started_at)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace, id) DO NOTHING";
const PROJECT: &str = "SELECT project FROM memory_sessions WHERE workspace = $1 AND id = $2";
const GO_ON: &str = "UPDATE memory_sessions SET directory = COALESCE($1, directory),
    ended_at = NULL WHERE workspace = $2 AND id = $3";
const END: &str = "UPDATE memory_sessions SET ended_at = $1 WHERE workspace = $2 AND id = $3";
const PROGRESS: &str = "SELECT project, namespace, content, updated_at FROM memory_progress
    WHERE workspace = $1 AND project = $2 AND namespace = $3";
const PUT_PROGRESS: &str =
    "INSERT INTO memory_progress (workspace, project, namespace, content, updated_at)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace, project, namespace) DO UPDATE SET
    content = excluded.content, updated_at = excluded.updated_at";

/// Makes a session that is not there; says whether it did.
pub(super) fn make(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    at: Timestamp,
) -> StoreResult<bool> {
    let (id, project, directory) = (&session.id, &session.project, session.directory.as_ref());
    Ok(db.run(MAKE, values![workspace, id, project, directory, at])? > 0)
}

/// The same for whoever works in it: one that is there must belong to their project, or what
/// one project wrote would be told and replaced by another (MEM-12). Gives the project that
/// it belongs to, and whether it was made.
fn enter(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    at: Timestamp,
) -> StoreResult<(String, bool)> {
    if make(db, workspace, session, at)? {
        return Ok((session.project.clone(), true));
    }
    let owner = first(db, PROJECT, values![workspace, &session.id], |row| row.string(0))?;
    let project = owner.ok_or(StoreError::NotFound(Noun::Session))?;
    let same = project.to_lowercase() == session.project.to_lowercase();
    if same || project.is_empty() || session.id == SHARED_SESSION {
        return Ok((project, false));
    }
    Err(StoreError::OfAnotherProject { session: session.id.clone(), project })
}

/// The same, for a session that is named in passing.
pub(super) fn join(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: &str,
    project: &str,
    at: Timestamp,
) -> StoreResult<()> {
    let session = NewSession {
        id: id.to_owned(),
        project: project.to_owned(),
        directory: None,
        author: None,
    };
    enter(db, workspace, &session, at).map(drop)
}

/// Makes a session that is named by something that was kept elsewhere: it comes in as it is,
/// whatever project its session has here.
pub(super) fn make_named(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: &str,
    project: &str,
    at: Timestamp,
) -> StoreResult<()> {
    db.run(MAKE, values![workspace, id, project, None::<&str>, at]).map(drop)
}

pub(crate) fn start(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    at: Timestamp,
) -> StoreResult<bool> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    let (_, made) = enter(db, workspace, session, at)?;
    if !made {
        db.run(GO_ON, values![session.directory.as_ref(), workspace, &session.id])?;
    }
    Ok(made)
}

pub(crate) fn end(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    summary: Option<&str>,
    at: Timestamp,
) -> StoreResult<Summarised> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    let (project, made) = enter(db, workspace, session, at)?;
    db.run(END, values![at, workspace, &session.id])?;
    match summary {
        None => Ok(Summarised { known: !made, ..Summarised::default() }),
        Some(text) => write(db, workspace, session, &project, Words::Behind(text), made, at),
    }
}

pub(crate) fn summarise(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    summary: &str,
    at: Timestamp,
) -> StoreResult<Summarised> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    let (project, made) = enter(db, workspace, session, at)?;
    write(db, workspace, session, &project, Words::Instead(summary), made, at)
}

fn write(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    project: &str,
    words: Words<'_>,
    made: bool,
    at: Timestamp,
) -> StoreResult<Summarised> {
    let project = owner(&session.id, project, &session.project);
    let author = session.author.as_deref();
    let note = summaries::write(db, workspace, &session.id, project, words, author, at)?;
    Ok(Summarised { known: !made, note: Some(note.id), revision: note.revision_count })
}

pub(crate) fn get(db: &mut dyn Db, workspace: &Workspace, id: &str) -> StoreResult<Session> {
    let sql = format!("SELECT {COLUMNS} FROM memory_sessions WHERE workspace = $1 AND id = $2");
    let mut found = first(db, &sql, values![workspace, id], read)?
        .ok_or(StoreError::NotFound(Noun::Session))?;
    add_summary(db, workspace, &mut found)?;
    Ok(found)
}

fn add_summary(db: &mut dyn Db, workspace: &Workspace, session: &mut Session) -> StoreResult<()> {
    if let Some(note) = summaries::of(db, workspace, &session.id, &session.project)? {
        (session.summary, session.summary_id) = (Some(note.content), Some(note.id));
    }
    Ok(())
}

pub(crate) fn newest(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    limit: usize,
) -> StoreResult<Vec<Session>> {
    let mut conditions = Conditions::of("", workspace);
    conditions.projects("", &filter.projects);
    let limit = conditions.value(count(limit));
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_sessions WHERE {}
        ORDER BY started_at DESC, id DESC LIMIT {limit}",
        conditions.sql
    );
    let mut found = list(db, &sql, &conditions.values, read)?;
    for session in &mut found {
        add_summary(db, workspace, session)?;
    }
    Ok(found)
}

/// Those after an id, by id. Their summaries are notes, and come among these.
pub(super) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: &str,
    limit: usize,
) -> StoreResult<Vec<Session>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_sessions WHERE workspace = $1 AND id > $2
        ORDER BY id LIMIT $3"
    );
    list(db, &sql, values![workspace, id, count(limit)], read)
}

/// Brings a session in; says whether it is new.
pub(super) fn bring(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &Session,
) -> StoreResult<bool> {
    let new = NewSession {
        id: session.id.clone(),
        project: session.project.clone(),
        directory: session.directory.clone(),
        author: None,
    };
    let made = make(db, workspace, &new, session.started_at)?;
    if made {
        db.run(END, values![session.ended_at, workspace, &session.id])?;
    }
    // Earlier exports had the summary here.
    let Some(summary) = &session.summary else { return Ok(made) };
    let (id, project) = (&session.id, &session.project);
    if summaries::of(db, workspace, id, project)?.is_some() {
        return Ok(made);
    }
    let at = session.ended_at.unwrap_or(session.started_at);
    summaries::write(db, workspace, id, project, Words::Instead(summary), None, at)?;
    Ok(true)
}

pub(crate) fn progress(
    db: &mut dyn Db,
    workspace: &Workspace,
    project: &str,
    namespace: Option<&str>,
) -> StoreResult<Option<ProgressDocument>> {
    let place = values![workspace, project, namespace.unwrap_or_default()];
    first(db, PROGRESS, place, read_progress)
}

pub(super) fn progress_after(
    db: &mut dyn Db,
    workspace: &Workspace,
    project: &str,
    namespace: &str,
    limit: usize,
) -> StoreResult<Vec<ProgressDocument>> {
    let sql = "SELECT project, namespace, content, updated_at FROM memory_progress
        WHERE workspace = $1 AND (project, namespace) > ($2, $3)
        ORDER BY project, namespace LIMIT $4";
    list(db, sql, values![workspace, project, namespace, count(limit)], read_progress)
}

pub(crate) fn put_progress(
    db: &mut dyn Db,
    workspace: &Workspace,
    document: &ProgressDocument,
) -> StoreResult<()> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    let namespace = document.namespace.as_deref().unwrap_or_default();
    let (project, content) = (&document.project, &document.content);
    db.run(PUT_PROGRESS, values![workspace, project, namespace, content, document.updated_at])
        .map(drop)
}

fn read_progress(row: &dyn Cells) -> StoreResult<ProgressDocument> {
    Ok(ProgressDocument {
        project: row.string(0)?,
        namespace: namespace(row.text(1)?),
        content: row.string(2)?,
        updated_at: row.time(3)?,
    })
}

fn read(row: &dyn Cells) -> StoreResult<Session> {
    Ok(Session {
        id: row.string(0)?,
        project: row.string(1)?,
        directory: row.opt_string(2)?,
        started_at: row.time(3)?,
        ended_at: row.opt_int(4)?.map(Timestamp::from_millis),
        summary: None,
        summary_id: None,
    })
}
