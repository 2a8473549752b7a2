//! Reading observations.

use plimsoll_domain::Timestamp;

use super::{Conditions, anchors, count, namespace};
use crate::{
    Around, MemoryFilter, Noun, Observation, ObservationRevision, Order, Projects, StoreError,
    StoreResult, Workspace,
    engine::{Cells, Db, first, list, unreadable},
};

/// The columns of an observation, of the table by its own name. Which note supersedes it is said
/// by the relations (MEM-15), so that there is one truth about it.
pub const COLUMNS: &str = "id, session_id, kind, project, scope, namespace, topic_key,
    tool_name, revision_count, duplicate_count, last_seen_at, created_at, updated_at, title,
    content, author, expires_at, anchors,
    (SELECT MAX(r.from_id) FROM memory_relations r
        JOIN memory_observations newer ON newer.id = r.from_id AND newer.deleted_at IS NULL
        WHERE r.to_id = memory_observations.id AND r.kind = 'supersedes')";
/// How many these are.
pub(super) const COLUMN_COUNT: usize = 19;
const REVISIONS: &str = "SELECT revision, kind, title, content, replaced_at, author
    FROM memory_revisions WHERE observation_id = $1 ORDER BY revision";

/// An observation that is not deleted.
pub(crate) fn get(db: &mut dyn Db, workspace: &Workspace, id: u64) -> StoreResult<Observation> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_observations
        WHERE id = $1 AND workspace = $2 AND deleted_at IS NULL"
    );
    first(db, &sql, values![id, workspace], read)?.ok_or(StoreError::NotFound(Noun::Observation))
}

/// Whether a number is that of a note, deleted or not.
pub(super) fn is_taken(db: &mut dyn Db, id: u64) -> StoreResult<bool> {
    let sql = "SELECT 1 FROM memory_observations WHERE id = $1";
    Ok(first(db, sql, values![id], |_| Ok(()))?.is_some())
}

pub(crate) fn by_id(
    db: &mut dyn Db,
    workspace: &Workspace,
    ids: &[u64],
) -> StoreResult<Vec<Observation>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        match get(db, workspace, *id) {
            Ok(observation) => found.push(observation),
            Err(StoreError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

pub(crate) fn revisions(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
) -> StoreResult<Vec<ObservationRevision>> {
    get(db, workspace, id)?;
    revisions_of(db, id)
}

pub(super) fn revisions_of(db: &mut dyn Db, id: u64) -> StoreResult<Vec<ObservationRevision>> {
    list(db, REVISIONS, values![id], |row| {
        Ok(ObservationRevision {
            revision: row.count(0)?,
            kind: row.string(1)?,
            title: row.string(2)?,
            content: row.string(3)?,
            replaced_at: row.time(4)?,
            author: row.opt_string(5)?,
        })
    })
}

pub(crate) fn listed(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    order: Order,
    limit: usize,
) -> StoreResult<(Vec<Observation>, u64)> {
    let mut conditions = Conditions::of("", workspace);
    conditions.observations("", filter);
    let counted = format!("SELECT COUNT(*) FROM memory_observations WHERE {}", conditions.sql);
    let total = first(db, &counted, &conditions.values, |row| row.count(0))?.unwrap_or(0);
    let limit = conditions.value(count(limit));
    let order = match order {
        Order::Newest => "updated_at DESC, id DESC",
        Order::Oldest => "updated_at, id",
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_observations WHERE {} ORDER BY {order} LIMIT {limit}",
        conditions.sql
    );
    Ok((list(db, &sql, &conditions.values, read)?, total))
}

/// The ones that were not changed for longest, uncounted: whoever compacts a large memory asks
/// again and again, and counting each time would go through all that is left.
pub(crate) fn oldest(
    db: &mut dyn Db,
    workspace: &Workspace,
    filter: &MemoryFilter,
    limit: usize,
) -> StoreResult<Vec<Observation>> {
    let mut conditions = Conditions::of("", workspace);
    conditions.observations("", filter);
    let limit = conditions.value(count(limit));
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_observations WHERE {} ORDER BY updated_at, id LIMIT {limit}",
        conditions.sql
    );
    list(db, &sql, &conditions.values, read)
}

/// Those after an id, by id. The workspace is compared in a way that no index serves: one that
/// begins with it holds them in another order, so that each page would sort all notes (MEM-17).
pub(super) fn after(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    limit: usize,
) -> StoreResult<Vec<Observation>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memory_observations
        WHERE id > $1 AND COALESCE(workspace, '') = $2 AND deleted_at IS NULL
        ORDER BY id LIMIT $3"
    );
    list(db, &sql, values![id, workspace, count(limit)], read)
}

pub(crate) fn around(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    projects: &Projects,
    before: usize,
    after: usize,
) -> StoreResult<Around> {
    let focus = get(db, workspace, id)?;
    let session = &focus.session;
    let of_session = || {
        let mut conditions = Conditions::of("", workspace);
        conditions.and("session_id = ", session);
        conditions.sql.push_str(" AND deleted_at IS NULL");
        conditions.noted_projects("", projects);
        conditions
    };
    let all = of_session();
    let counted = format!("SELECT COUNT(*) FROM memory_observations WHERE {}", all.sql);
    let in_session = first(db, &counted, &all.values, |row| row.count(0))?;
    let mut side = |compare: &str, order: &str, limit: usize| {
        let mut wanted = of_session();
        wanted.and(&format!("id {compare} "), id);
        let limit = wanted.value(count(limit));
        let sql = format!(
            "SELECT {COLUMNS} FROM memory_observations WHERE {} ORDER BY id {order} LIMIT {limit}",
            wanted.sql
        );
        list(db, &sql, &wanted.values, read)
    };
    Ok(Around {
        before: side("<", "DESC", before)?,
        after: side(">", "ASC", after)?,
        in_session: in_session.unwrap_or(0),
        focus,
    })
}

pub fn read(row: &dyn Cells) -> StoreResult<Observation> {
    Ok(Observation {
        id: row.count(0)?,
        session: row.string(1)?,
        kind: row.string(2)?,
        project: row.string(3)?,
        scope: row.text(4)?.parse().map_err(|_| unreadable("a scope is none"))?,
        namespace: namespace(row.text(5)?),
        topic_key: row.opt_string(6)?,
        tool_name: row.opt_string(7)?,
        revision_count: row.count(8)?,
        duplicate_count: row.count(9)?,
        last_seen_at: row.opt_int(10)?.map(Timestamp::from_millis),
        created_at: row.time(11)?,
        updated_at: row.time(12)?,
        title: row.string(13)?,
        content: row.string(14)?,
        author: row.opt_string(15)?,
        expires_at: row.opt_int(16)?.map(Timestamp::from_millis),
        anchors: anchors::read(row.opt_text(17)?),
        superseded_by: row.opt_count(18)?,
    })
}
