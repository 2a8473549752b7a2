//! What becomes of somebody's own project and roles when they leave (TEA-10).

use plimsoll_domain::PairId;

use super::{persons, projects};
use crate::{
    Leaving, Noun, ProjectRole, Role, StoreError, StoreResult, Workspace,
    engine::{Db, first, id, list},
    own_project,
    sql::{parts, search, workspaces},
};

const WORKSPACES: &str = "SELECT scope FROM workspaces 
    WHERE substr(scope, 1, length(CAST($1 AS TEXT))) = CAST($1 AS TEXT) ORDER BY scope";
/// Those of a person where nobody else is an owner.
const LAST_OWNED: &str = "SELECT r.project FROM project_roles r
    WHERE r.person = $1 AND r.role = 'owner' AND NOT EXISTS (SELECT 1 FROM project_roles o
        WHERE o.project = r.project AND o.role = 'owner' AND o.person <> r.person)
    ORDER BY r.project";
const SENDING: &str = "SELECT pair_id, since FROM sends WHERE workspace = $1";
const COUNTS: [&str; 3] = [
    "SELECT COUNT(*) FROM pairs WHERE workspace = $1",
    "SELECT COUNT(*) FROM files WHERE workspace = $1",
    "SELECT COUNT(*) FROM memory_observations WHERE workspace = $1 AND deleted_at IS NULL",
];

/// Everything that a workspace holds, what refers to others first. What belongs to one of these
/// rows alone goes with it by its foreign key. A test compares this with the schema.
pub const TABLES_OF_A_WORKSPACE: &[&str] = &[
    "deletions",
    "sends",
    "draft_attachments",
    "drafts",
    "queries",
    "saved_filters",
    "snippets",
    "estimates",
    "receipts",
    "pairs",
    "files",
    "topics",
    "memory_pending",
    "memory_relations",
    "memory_progress",
    "memory_prompts",
    "memory_vectors",
    "memory_uids",
    "memory_synced",
    "memory_observations",
    "memory_sessions",
    "changes",
    "change_counters",
];
const SEARCHED: &str = "DELETE FROM search_places WHERE workspace = $1";
const WORKSPACE: &str = "DELETE FROM workspaces WHERE scope = $1";
/// What is remembered of a project's workspaces has their names in it, and what is remembered of
/// somebody ends with theirs.
const VALUES: &str = "DELETE FROM single_values WHERE replace(name, $1, '') <> name";
const VIEWS: &str = "DELETE FROM single_values
    WHERE substr(name, length(name) - length(CAST($1 AS TEXT)) + 1) = CAST($1 AS TEXT)";
const CALLS: &str = "DELETE FROM gateway_calls WHERE client = $1";

fn workspaces_of(db: &mut dyn Db, project: &str) -> StoreResult<Vec<Workspace>> {
    list(db, WORKSPACES, values![&format!("{project}/")], |row| workspaces::read(row, 0))
}

/// The projects where somebody is the only owner, their own aside.
fn last_owned(db: &mut dyn Db, name: &str) -> StoreResult<Vec<String>> {
    let mut projects = list(db, LAST_OWNED, values![name], |row| row.string(0))?;
    projects.retain(|project| *project != own_project(name));
    Ok(projects)
}

pub(crate) fn leaving(db: &mut dyn Db, name: &str) -> StoreResult<Option<Leaving>> {
    if persons::one(db, name)?.is_none() {
        return Ok(None);
    }
    let workspaces = workspaces_of(db, &own_project(name))?;
    let mut counts = [0; 3];
    for workspace in &workspaces {
        for (sum, sql) in counts.iter_mut().zip(COUNTS) {
            *sum += first(db, sql, values![workspace], |row| row.count(0))?.unwrap_or(0);
        }
    }
    let [pairs, files, notes] = counts;
    Ok(Some(Leaving { last_owner_of: last_owned(db, name)?, workspaces, pairs, files, notes }))
}

pub(crate) fn hand_over(db: &mut dyn Db, name: &str, to: &str) -> StoreResult<()> {
    if persons::one(db, name)?.is_none() {
        return Err(StoreError::NotFound(Noun::Person));
    }
    let mut projects = last_owned(db, name)?;
    projects.push(own_project(name));
    for project in projects {
        let role = ProjectRole { project, person: to.to_owned(), role: Role::Owner };
        projects::put_role(db, &role)?;
    }
    forget(db, name)
}

pub(crate) fn delete(db: &mut dyn Db, name: &str) -> StoreResult<Vec<String>> {
    if persons::one(db, name)?.is_none() {
        return Err(StoreError::NotFound(Noun::Person));
    }
    let left_alone = last_owned(db, name)?;
    if !left_alone.is_empty() {
        return Ok(left_alone);
    }
    let project = own_project(name);
    for workspace in workspaces_of(db, &project)? {
        empty(db, &workspace)?;
    }
    parts::RECEIPTS.sweep(db)?;
    parts::REQUESTS.sweep(db)?;
    db.run(VALUES, values![&format!(":{project}/")])?;
    db.run(CALLS, values![name])?;
    projects::remove(db, &project)?;
    forget(db, name)?;
    Ok(Vec::new())
}

/// Takes away a workspace with all that it holds.
fn empty(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<()> {
    let sending =
        first(db, SENDING, values![workspace], |row| Ok((id::<PairId>(row, 0)?, row.time(1)?)))?;
    if let Some((pair, since)) = sending {
        return Err(StoreError::Busy { since, pair });
    }
    for table in TABLES_OF_A_WORKSPACE {
        db.run(&format!("DELETE FROM {table} WHERE workspace = $1"), values![workspace])?;
    }
    // The words of what went are counted for the last time.
    search::settle(db)?;
    db.run(SEARCHED, values![workspace])?;
    db.run(WORKSPACE, values![workspace]).map(drop)
}

/// Takes away somebody with all that lets them in, and what was remembered of how they look at
/// projects.
fn forget(db: &mut dyn Db, name: &str) -> StoreResult<()> {
    db.run(VIEWS, values![&format!(" by {name}")])?;
    persons::remove(db, name).map(drop)
}
