//! Prompts.

use plimsoll_domain::Timestamp;

use super::{Conditions, count, namespace, sessions, tags};
use crate::{
    MemoryFilter, NewPrompt, Prompt, StoreResult, Workspace,
    engine::{Cells, Db, Numbers, first, list},
    sql::{outbox, workspaces},
};

pub const COLUMNS: &str = "id, session_id, project, namespace, created_at, content";
const INSERT: &str = "INSERT INTO memory_prompts (id, workspace, session_id, project, namespace,
    created_at, tags, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

pub(crate) fn save(
    db: &mut dyn Db,
    workspace: &Workspace,
    prompt: &NewPrompt,
    at: Timestamp,
) -> StoreResult<u64> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    sessions::join(db, workspace, &prompt.session, &prompt.project, at)?;
    let prompt = Prompt {
        id: db.next_number(Numbers::Prompts)?,
        session: prompt.session.clone(),
        content: prompt.content.clone(),
        project: prompt.project.clone(),
        namespace: prompt.namespace.clone(),
        created_at: at,
    };
    insert(db, workspace, &prompt)?;
    Ok(prompt.id)
}

fn insert(db: &mut dyn Db, workspace: &Workspace, prompt: &Prompt) -> StoreResult<()> {
    let (session, project) = (&prompt.session, &prompt.project);
    sessions::make_named(db, workspace, session, project, prompt.created_at)?;
    let namespace = prompt.namespace.as_deref();
    let tags = tags(workspace, project, namespace, None);
    db.run(
        INSERT,
        values![
            prompt.id,
            workspace,
            session,
            project,
            namespace.unwrap_or_default(),
            prompt.created_at,
            &tags,
            &prompt.content,
        ],
    )
    .map(drop)
}

pub(crate) fn newest(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    limit: usize,
) -> StoreResult<Vec<Prompt>> {
    let mut conditions = Conditions::of("", workspace);
    conditions.prompts("", filter);
    let limit = conditions.value(count(limit));
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_prompts WHERE {}
        ORDER BY created_at DESC, id DESC LIMIT {limit}",
        conditions.sql
    );
    list(db, &sql, &conditions.values, read)
}

/// Those after an id, by id; the workspace is compared as in [`super::observations::after`].
pub(super) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    limit: usize,
) -> StoreResult<Vec<Prompt>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_prompts WHERE id > $1 AND COALESCE(workspace, '') = $2
        ORDER BY id LIMIT $3"
    );
    list(db, &sql, values![id, workspace, count(limit)], read)
}

/// Brings a prompt in; says its id and whether it is new. One of the same session, time and
/// words is the same.
pub(super) fn bring(
    db: &mut dyn Db,
    workspace: &Workspace,
    prompt: &Prompt,
) -> StoreResult<(u64, bool)> {
    let same = "SELECT id FROM memory_prompts WHERE workspace = $1 AND created_at = $2
        AND session_id = $3 AND content = $4";
    let known = values![workspace, prompt.created_at, &prompt.session, &prompt.content];
    if let Some(id) = first(db, same, known, |row| row.count(0))? {
        return Ok((id, false));
    }
    let taken = "SELECT 1 FROM memory_prompts WHERE id = $1";
    let taken = prompt.id == 0 || first(db, taken, values![prompt.id], |_| Ok(()))?.is_some();
    let id = if taken { db.next_number(Numbers::Prompts)? } else { prompt.id };
    db.number_past(Numbers::Prompts, id)?;
    insert(db, workspace, &Prompt { id, ..prompt.clone() })?;
    Ok((id, true))
}

pub fn read(row: &dyn Cells) -> StoreResult<Prompt> {
    Ok(Prompt {
        id: row.count(0)?,
        session: row.string(1)?,
        project: row.string(2)?,
        namespace: namespace(row.text(3)?),
        created_at: row.time(4)?,
        content: row.string(5)?,
    })
}
