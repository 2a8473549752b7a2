//! Sessions and progress.

use plimsoll_domain::Timestamp;
use plimsoll_store::{
    MemoryFilter, NewSession, Noun, ProgressDocument, Session, StoreError, StoreResult, Workspace,
};

use super::{Conditions, count, namespace};
use crate::{
    db::{Cells, Db, first, list, values},
    shared::workspaces,
};

const COLUMNS: &str = "id, project, directory, started_at, ended_at, summary";
const MAKE: &str = "INSERT INTO memory_sessions (workspace, id, project, directory, started_at)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace, id) DO NOTHING";
const GO_ON: &str = "UPDATE memory_sessions SET project = $1, directory = COALESCE($2, directory),
    ended_at = NULL WHERE workspace = $3 AND id = $4";
const END: &str = "UPDATE memory_sessions SET ended_at = $1, summary = COALESCE($2, summary)
    WHERE workspace = $3 AND id = $4";
const SUMMARISE: &str = "UPDATE memory_sessions SET summary = $1 WHERE workspace = $2 AND id = $3";
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

/// The same, named in passing.
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
    workspaces::must_exist(db, workspace)?;
    if make(db, workspace, session, at)? {
        return Ok(true);
    }
    let directory = session.directory.as_ref();
    db.run(GO_ON, values![&session.project, directory, workspace, &session.id])?;
    Ok(false)
}

pub(crate) fn end(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    summary: Option<&str>,
    at: Timestamp,
) -> StoreResult<bool> {
    workspaces::must_exist(db, workspace)?;
    let made = make(db, workspace, session, at)?;
    db.run(END, values![at, summary, workspace, &session.id])?;
    Ok(!made)
}

pub(crate) fn summarise(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &NewSession,
    summary: &str,
    at: Timestamp,
) -> StoreResult<bool> {
    workspaces::must_exist(db, workspace)?;
    let made = make(db, workspace, session, at)?;
    db.run(SUMMARISE, values![summary, workspace, &session.id])?;
    Ok(!made)
}

pub(crate) fn get(db: &mut dyn Db, workspace: &Workspace, id: &str) -> StoreResult<Session> {
    let sql = format!("SELECT {COLUMNS} FROM memory_sessions WHERE workspace = $1 AND id = $2");
    first(db, &sql, values![workspace, id], read)?.ok_or(StoreError::NotFound(Noun::Session))
}

pub(crate) fn newest(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    limit: usize,
) -> StoreResult<Vec<Session>> {
    let mut conditions = Conditions::of("", workspace);
    if let Some(project) = &filter.project {
        conditions.and("project = ", project);
    }
    let limit = conditions.value(count(limit));
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_sessions WHERE {}
        ORDER BY started_at DESC, id DESC LIMIT {limit}",
        conditions.sql
    );
    list(db, &sql, &conditions.values, read)
}

/// Those after an id, by id.
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
    };
    if !make(db, workspace, &new, session.started_at)? {
        return Ok(false);
    }
    let summary = session.summary.as_ref();
    db.run(END, values![session.ended_at, summary, workspace, &session.id])?;
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
        WHERE workspace = $1 AND (project > $2 OR (project = $2 AND namespace > $3))
        ORDER BY project, namespace LIMIT $4";
    list(db, sql, values![workspace, project, namespace, count(limit)], read_progress)
}

pub(crate) fn put_progress(
    db: &mut dyn Db,
    workspace: &Workspace,
    document: &ProgressDocument,
) -> StoreResult<()> {
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
        summary: row.opt_string(5)?,
    })
}
