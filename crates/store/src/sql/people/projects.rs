//! Projects, and who may do what in them.

use super::persons;
use crate::{
    MonthlyLimits, Noun, Project, ProjectRole, Role, StoreError, StoreResult,
    engine::{Cells, Db, first, list, unreadable},
};

const COLUMNS: &str = "name, created_at, tokens_per_month, cost_per_month";
const ADD: &str = "INSERT INTO projects (name, created_at, tokens_per_month, cost_per_month)
    VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING";
const PUT_LIMITS: &str =
    "UPDATE projects SET tokens_per_month = $1, cost_per_month = $2 WHERE name = $3";
const REMOVE_KEYS: &str = "DELETE FROM sealed_keys WHERE holder_kind = 'project' AND holder = $1";
const REMOVE: &str = "DELETE FROM projects WHERE name = $1";
const PUT_ROLE: &str = "INSERT INTO project_roles (project, person, role) VALUES ($1, $2, $3)
    ON CONFLICT (project, person) DO UPDATE SET role = excluded.role";
const REMOVE_ROLE: &str = "DELETE FROM project_roles WHERE project = $1 AND person = $2";
const ROLES_IN: &str = "SELECT project, person, role FROM project_roles WHERE project = $1
    ORDER BY person";
const ROLES_OF: &str = "SELECT project, person, role FROM project_roles WHERE person = $1
    ORDER BY project";

pub(crate) fn add(db: &mut dyn Db, project: &Project) -> StoreResult<bool> {
    let Project { name, created_at, limits } = project;
    Ok(db.run(ADD, values![name, *created_at, limits.tokens, limits.cost])? > 0)
}

pub(crate) fn one(db: &mut dyn Db, name: &str) -> StoreResult<Option<Project>> {
    first(db, &format!("SELECT {COLUMNS} FROM projects WHERE name = $1"), values![name], read)
}

pub(crate) fn all(db: &mut dyn Db) -> StoreResult<Vec<Project>> {
    list(db, &format!("SELECT {COLUMNS} FROM projects ORDER BY name"), values![], read)
}

pub(crate) fn put_limits(db: &mut dyn Db, name: &str, limits: &MonthlyLimits) -> StoreResult<bool> {
    Ok(db.run(PUT_LIMITS, values![limits.tokens, limits.cost, name])? > 0)
}

pub(crate) fn remove(db: &mut dyn Db, name: &str) -> StoreResult<bool> {
    db.run(REMOVE_KEYS, values![name])?;
    Ok(db.run(REMOVE, values![name])? > 0)
}

pub(crate) fn put_role(db: &mut dyn Db, role: &ProjectRole) -> StoreResult<()> {
    if one(db, &role.project)?.is_none() {
        return Err(StoreError::NotFound(Noun::Project));
    }
    if persons::one(db, &role.person)?.is_none() {
        return Err(StoreError::NotFound(Noun::Person));
    }
    db.run(PUT_ROLE, values![&role.project, &role.person, role.role.name()]).map(drop)
}

pub(crate) fn remove_role(db: &mut dyn Db, project: &str, person: &str) -> StoreResult<bool> {
    Ok(db.run(REMOVE_ROLE, values![project, person])? > 0)
}

pub(crate) fn roles_in(db: &mut dyn Db, project: &str) -> StoreResult<Vec<ProjectRole>> {
    list(db, ROLES_IN, values![project], read_role)
}

pub(crate) fn roles_of(db: &mut dyn Db, person: &str) -> StoreResult<Vec<ProjectRole>> {
    list(db, ROLES_OF, values![person], read_role)
}

fn read(row: &dyn Cells) -> StoreResult<Project> {
    Ok(Project {
        name: row.string(0)?,
        created_at: row.time(1)?,
        limits: MonthlyLimits { tokens: row.opt_count(2)?, cost: row.opt_real(3)? },
    })
}

fn read_role(row: &dyn Cells) -> StoreResult<ProjectRole> {
    let role = Role::parse(row.text(2)?).ok_or_else(|| unreadable("a role is no role"))?;
    Ok(ProjectRole { project: row.string(0)?, person: row.string(1)?, role })
}
