//! What waits for a person to look at it (MEM-16). It is in a table of its own: whatever reads
//! notes knows nothing of it.

use plimsoll_domain::Timestamp;

use super::{anchors, changes, count, observations, saving, sessions};
use crate::{
    Change, NewObservation, Noun, PendingNote, Proposal, Saved, SavedObservation, StoreError,
    StoreResult, Workspace,
    engine::{Cells, Db, Numbers, first, list, unreadable},
    sql::{outbox, workspaces},
};

const COLUMNS: &str = "id, of_id, saved_at, author, session_id, kind, project, scope, namespace,
    topic_key, tool_name, expires_at, anchors, relate_to, supersedes, title, content";
const INSERT: &str = "INSERT INTO memory_pending (id, workspace, of_id, saved_at, author,
    session_id, kind, project, scope, namespace, topic_key, tool_name, expires_at, anchors,
    relate_to, supersedes, title, content)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
const REMOVE: &str = "DELETE FROM memory_pending WHERE id = $1";

pub(crate) fn propose(
    db: &mut dyn Db,
    workspace: &Workspace,
    proposals: &[Proposal],
    at: Timestamp,
) -> StoreResult<Vec<u64>> {
    outbox::memory(db, workspace)?;
    workspaces::must_exist(db, workspace)?;
    let waiting = listed(db, workspace, usize::MAX)?.0;
    let mut kept = Vec::with_capacity(proposals.len());
    for proposal in proposals {
        let same = waiting.iter().find(|waiting| waiting.proposal == *proposal);
        kept.push(match same {
            Some(same) => same.id,
            None => keep(db, workspace, proposal, at)?,
        });
    }
    Ok(kept)
}

fn keep(
    db: &mut dyn Db,
    workspace: &Workspace,
    proposal: &Proposal,
    at: Timestamp,
) -> StoreResult<u64> {
    let row = match proposal {
        Proposal::New(note) => {
            // A session of another project refuses it now, while there is somebody to tell.
            sessions::join(db, workspace, &note.session, &note.project, at)?;
            Row::of_note(note)
        }
        Proposal::Change { of, change } => {
            observations::get(db, workspace, *of)?;
            Row::of_change(*of, change)
        }
    };
    let id = db.next_number(Numbers::Observations)?;
    db.run(
        INSERT,
        values![
            id,
            workspace,
            row.of,
            at,
            row.author,
            row.session,
            row.kind,
            row.project,
            row.scope,
            row.namespace,
            row.topic_key,
            row.tool_name,
            row.expires_at,
            row.anchors.as_ref(),
            &numbers(row.relate_to),
            &numbers(row.supersedes),
            row.title,
            row.content,
        ],
    )?;
    Ok(id)
}

/// A row of the table, as it is written.
#[derive(Default)]
struct Row<'p> {
    of: Option<u64>,
    author: Option<&'p str>,
    session: Option<&'p str>,
    kind: Option<&'p str>,
    project: Option<&'p str>,
    scope: Option<&'p str>,
    namespace: Option<&'p str>,
    topic_key: Option<&'p str>,
    tool_name: Option<&'p str>,
    expires_at: Option<Timestamp>,
    anchors: Option<String>,
    relate_to: &'p [u64],
    supersedes: &'p [u64],
    title: Option<&'p str>,
    content: Option<&'p str>,
}

impl<'p> Row<'p> {
    fn of_note(note: &'p NewObservation) -> Self {
        Self {
            of: None,
            author: note.author.as_deref(),
            session: Some(&note.session),
            kind: Some(&note.kind),
            project: Some(&note.project),
            scope: Some(note.scope.name()),
            namespace: note.namespace.as_deref(),
            topic_key: note.topic_key.as_deref(),
            tool_name: note.tool_name.as_deref(),
            expires_at: note.expires_at,
            anchors: anchors::written(&note.anchors),
            relate_to: &note.relate_to,
            supersedes: &note.supersedes,
            title: Some(&note.title),
            content: Some(&note.content),
        }
    }

    fn of_change(of: u64, change: &'p Change) -> Self {
        Self {
            of: Some(of),
            author: change.author.as_deref(),
            kind: change.kind.as_deref(),
            project: change.project.as_deref(),
            scope: change.scope.map(|scope| scope.name()),
            topic_key: change.topic_key.as_deref(),
            expires_at: change.expires_at,
            // An empty list takes all anchors away, which is not the same as none given.
            anchors: change
                .anchors
                .as_ref()
                .map(|anchors| anchors::written(anchors).unwrap_or_default()),
            supersedes: &change.supersedes,
            title: change.title.as_deref(),
            content: change.content.as_deref(),
            ..Self::default()
        }
    }
}

fn numbers(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

fn read_numbers(text: &str) -> Vec<u64> {
    text.split(',').filter_map(|id| id.parse().ok()).collect()
}

pub(crate) fn listed(
    db: &mut dyn Db,
    workspace: &Workspace,
    limit: usize,
) -> StoreResult<(Vec<PendingNote>, u64)> {
    let counted = "SELECT COUNT(*) FROM memory_pending WHERE workspace = $1";
    let total = first(db, counted, values![workspace], |row| row.count(0))?;
    let sql =
        format!("SELECT {COLUMNS} FROM memory_pending WHERE workspace = $1 ORDER BY id LIMIT $2");
    Ok((list(db, &sql, values![workspace, count(limit)], read)?, total.unwrap_or(0)))
}

pub(crate) fn get(db: &mut dyn Db, workspace: &Workspace, id: u64) -> StoreResult<PendingNote> {
    let sql = format!("SELECT {COLUMNS} FROM memory_pending WHERE id = $1 AND workspace = $2");
    first(db, &sql, values![id, workspace], read)?.ok_or(StoreError::NotFound(Noun::Pending))
}

fn read(row: &dyn Cells) -> StoreResult<PendingNote> {
    let scope = row.opt_text(7)?.map(|scope| scope.parse().map_err(|_| unreadable("a scope")));
    let scope = scope.transpose()?;
    let expires_at = row.opt_int(11)?.map(Timestamp::from_millis);
    let anchors = row.opt_text(12)?;
    let supersedes = read_numbers(row.text(14)?);
    let proposal = match row.opt_count(1)? {
        Some(of) => Proposal::Change {
            of,
            change: Change {
                seen: None,
                restore: None,
                title: row.opt_string(15)?,
                content: row.opt_string(16)?,
                kind: row.opt_string(5)?,
                project: row.opt_string(6)?,
                scope,
                topic_key: row.opt_string(9)?,
                author: row.opt_string(3)?,
                expires_at,
                anchors: anchors.map(|anchors| anchors::read(Some(anchors))),
                supersedes,
            },
        },
        None => Proposal::New(NewObservation {
            session: row.string(4)?,
            kind: row.string(5)?,
            title: row.string(15)?,
            content: row.string(16)?,
            tool_name: row.opt_string(10)?,
            project: row.string(6)?,
            scope: scope.unwrap_or_default(),
            topic_key: row.opt_string(9)?,
            namespace: row.opt_string(8)?,
            relate_to: read_numbers(row.text(13)?),
            seen: None,
            author: row.opt_string(3)?,
            expires_at,
            anchors: anchors::read(anchors),
            supersedes,
        }),
    };
    Ok(PendingNote { id: row.count(0)?, saved_at: row.time(2)?, proposal })
}

pub(crate) fn approve(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    at: Timestamp,
) -> StoreResult<SavedObservation> {
    outbox::memory(db, workspace)?;
    let waiting = get(db, workspace, id)?;
    db.run(REMOVE, values![id])?;
    match waiting.proposal {
        Proposal::New(mut note) => {
            // Some of what it names may have been deleted while it waited.
            note.relate_to.retain(|id| is_there(db, workspace, *id));
            note.supersedes.retain(|id| is_there(db, workspace, *id));
            let ever = Timestamp::from_millis(i64::MIN);
            saving::save(db, workspace, &note, Some(id), waiting.saved_at, ever)
        }
        Proposal::Change { of, mut change } => {
            change.supersedes.retain(|id| is_there(db, workspace, *id));
            let revision = changes::change(db, workspace, of, &change, at)?.revision_count;
            let saved = Saved::Revised { revision };
            Ok(SavedObservation { id: of, saved, relations: Vec::new() })
        }
    }
}

fn is_there(db: &mut dyn Db, workspace: &Workspace, id: u64) -> bool {
    observations::get(db, workspace, id).is_ok()
}

pub(crate) fn reject(
    db: &mut dyn Db,
    workspace: &Workspace,
    id: u64,
    hard: bool,
    at: Timestamp,
) -> StoreResult<()> {
    outbox::memory(db, workspace)?;
    let waiting = get(db, workspace, id)?;
    db.run(REMOVE, values![id])?;
    match waiting.proposal {
        Proposal::New(note) if !hard => {
            let id = saving::add_as(db, workspace, &note, Some(id), waiting.saved_at)?;
            changes::put_aside(db, workspace, &[id], at)
        }
        _ => Ok(()),
    }
}
