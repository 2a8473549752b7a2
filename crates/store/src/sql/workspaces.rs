//! Workspaces (HIS-6).

use plimsoll_domain::Timestamp;

use crate::{
    Noun, StoreError, StoreResult, Workspace,
    engine::{Cells, Db, first, list, unreadable},
};

const LIST: &str = "SELECT scope FROM workspaces ORDER BY scope";
const CREATE: &str = "INSERT INTO workspaces (scope, created_at) VALUES ($1, $2)
    ON CONFLICT (scope) DO NOTHING";
const FIND: &str = "SELECT 1 FROM workspaces WHERE scope = $1";

pub(crate) fn all(db: &mut dyn Db) -> StoreResult<Vec<Workspace>> {
    list(db, LIST, values![], |row| read(row, 0))
}

pub(crate) fn is_there(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<bool> {
    Ok(first(db, FIND, values![workspace], |_| Ok(()))?.is_some())
}

pub fn create(db: &mut dyn Db, workspace: &Workspace, at: Timestamp) -> StoreResult<()> {
    db.run(CREATE, values![workspace, at]).map(drop)
}

/// Refuses a workspace that nobody made, so that a slip of the pen does not hide pairs.
pub(crate) fn must_exist(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<()> {
    if is_there(db, workspace)? { Ok(()) } else { Err(StoreError::NotFound(Noun::Workspace)) }
}

/// The workspace that a cell names.
pub fn read(row: &dyn Cells, place: usize) -> StoreResult<Workspace> {
    Workspace::parse(row.text(place)?).map_err(|_| unreadable("a workspace has no name"))
}
