//! What the memory holds.

use super::Conditions;
use crate::{
    MemoryCounts, Projects, StoreResult, Workspace,
    engine::{Db, first, list},
};

pub(crate) fn counts(
    db: &mut dyn Db,
    workspace: &Workspace,
    projects: &Projects,
) -> StoreResult<MemoryCounts> {
    let mut plain = Conditions::of("", workspace);
    plain.projects("", projects);
    let mut relations = Conditions::of("r.", workspace);
    relations.projects("a.", projects);
    let there = format!("{} AND deleted_at IS NULL", plain.sql);
    let mut count = |from: String, conditions: &Conditions<'_>| {
        let sql = format!("SELECT COUNT(*) FROM {from}");
        first(db, &sql, &conditions.values, |row| row.count(0)).map(Option::unwrap_or_default)
    };
    let sessions = count(format!("memory_sessions WHERE {}", plain.sql), &plain)?;
    let prompts = count(format!("memory_prompts WHERE {}", plain.sql), &plain)?;
    let observations = count(format!("memory_observations WHERE {there}"), &plain)?;
    let relations = count(
        format!(
            "memory_relations r
            JOIN memory_observations a ON a.id = r.from_id AND a.deleted_at IS NULL
            JOIN memory_observations b ON b.id = r.to_id AND b.deleted_at IS NULL WHERE {}",
            relations.sql
        ),
        &relations,
    )?;
    let mut groups = |column: &str| {
        let sql = format!(
            "SELECT {column}, COUNT(*) FROM memory_observations WHERE {there}
            GROUP BY {column} ORDER BY COUNT(*) DESC, {column} LIMIT {}",
            MemoryCounts::MOST_GROUPS
        );
        let found = list(db, &sql, &plain.values, |row| Ok((row.string(0)?, row.count(1)?)))?;
        let sql = format!("SELECT COUNT(DISTINCT {column}) FROM memory_observations WHERE {there}");
        let all = first(db, &sql, &plain.values, |row| row.count(0))?;
        StoreResult::Ok((found, all.unwrap_or_default()))
    };
    let (kinds, kind_count) = groups("kind")?;
    let (projects, project_count) = groups("project")?;
    Ok(MemoryCounts {
        sessions,
        prompts,
        observations,
        relations,
        kinds,
        kind_count,
        projects,
        project_count,
    })
}

/// The names of projects, in order. Each is looked up behind the one before it: there are few
/// projects and many rows.
pub(crate) fn projects(db: &mut dyn Db, workspace: &Workspace) -> StoreResult<Vec<String>> {
    let mut all = std::collections::BTreeSet::new();
    for table in ["memory_observations", "memory_prompts", "memory_sessions", "memory_progress"] {
        let sql = format!(
            "WITH RECURSIVE names (name) AS (
                SELECT MIN(project) FROM {table} WHERE workspace = $1
                UNION ALL
                SELECT (SELECT MIN(project) FROM {table} WHERE workspace = $1 AND project > name)
                FROM names WHERE name IS NOT NULL
            ) SELECT name FROM names WHERE name IS NOT NULL AND name <> ''"
        );
        all.extend(list(db, &sql, values![workspace], |row| row.string(0))?);
    }
    Ok(all.into_iter().collect())
}
