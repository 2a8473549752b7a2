//! The summary of a session: a note among its others, so that it is found by search, keeps its
//! earlier texts and leaves with an export like them (MEM-12).

use plimsoll_domain::Timestamp;

use super::{
    saving, tags,
    words::{fingerprint, short_hash},
};
use crate::{
    NewObservation, Observation, SESSION_SUMMARY, SHARED_SESSION, Scope, StoreResult, Workspace,
    engine::{Db, Numbers, list},
};

/// The longest topic key that the memory takes, in bytes.
const LONGEST_KEY: usize = 200;

/// The key of a session's summary. An id that is too long for one is known by its hash.
fn key(session: &str) -> String {
    let key = format!("session/{session}");
    if key.len() <= LONGEST_KEY { key } else { format!("session/{}", short_hash(session)) }
}

/// The summary of a session of a project.
pub(super) fn of(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &str,
    project: &str,
) -> StoreResult<Option<Observation>> {
    saving::under_key(db, workspace, &key(session), project, Scope::Project, None)
}

/// What is written into a summary.
#[derive(Clone, Copy)]
pub(super) enum Words<'t> {
    /// In the place of what it says; that stays as a revision.
    Instead(&'t str),
    /// Behind what it says, unless it ends so already.
    Behind(&'t str),
}

/// Writes the summary of a session; says which note it is.
pub(super) fn write(
    db: &mut dyn Db,
    workspace: &Workspace,
    session: &str,
    project: &str,
    words: Words<'_>,
    author: Option<&str>,
    at: Timestamp,
) -> StoreResult<Observation> {
    let known = of(db, workspace, session, project)?;
    let content = match (words, &known) {
        (Words::Behind(text), Some(known)) if known.content.ends_with(text) => {
            known.content.clone()
        }
        (Words::Behind(text), Some(known)) => format!("{}\n\n{text}", known.content),
        (Words::Instead(text) | Words::Behind(text), _) => text.to_owned(),
    };
    let id = match known {
        Some(known) if known.content == content => known.id,
        Some(known) => {
            let author = author.map(ToOwned::to_owned);
            let changed = Observation { content, author, ..known.clone() };
            saving::new_text(db, workspace, &changed, at)?;
            known.id
        }
        None => {
            let author = author.map(ToOwned::to_owned);
            let note = NewObservation { author, ..note(session, project, content) };
            saving::add(db, workspace, &note, at)?
        }
    };
    super::observations::get(db, workspace, id)
}

/// The note that is the summary of a session.
pub fn note(session: &str, project: &str, content: String) -> NewObservation {
    NewObservation {
        session: session.to_owned(),
        kind: SESSION_SUMMARY.to_owned(),
        title: title(session),
        content,
        project: project.to_owned(),
        topic_key: Some(key(session)),
        ..NewObservation::default()
    }
}

fn title(session: &str) -> String {
    format!("Summary of session {session}")
}

/// Whose session it is: the shared one is of whoever asks.
pub(super) fn owner<'p>(session: &str, of_session: &'p str, asking: &'p str) -> &'p str {
    if session == SHARED_SESSION { asking } else { of_session }
}

/// Makes notes of the summaries that sessions had in a column of their own. It runs once, when
/// a store of that time is brought up to date, so its statements are those of that schema and
/// stay as they are.
pub fn from_column(db: &mut dyn Db) -> StoreResult<()> {
    const FOUND: &str = "SELECT workspace, id, project, started_at, ended_at, summary
        FROM memory_sessions WHERE summary IS NOT NULL AND summary <> '' ORDER BY started_at, id";
    const INSERT: &str = "INSERT INTO memory_observations (id, workspace, session_id, kind,
        project, scope, namespace, topic_key, revision_count, duplicate_count, created_at,
        updated_at, fingerprint, tags, title, content)
        VALUES ($1, $2, $3, $4, $5, $6, '', $7, 1, 0, $8, $8, $9, $10, $11, $12)";
    let found = list(db, FOUND, values![], |row| {
        let at = row.opt_int(4)?.map_or_else(|| row.time(3), |at| Ok(Timestamp::from_millis(at)));
        Ok((row.string(0)?, row.string(1)?, row.string(2)?, at?, row.string(5)?))
    })?;
    for (workspace, session, project, at, content) in found {
        let Ok(workspace) = Workspace::parse(&workspace) else { continue };
        let note = note(&session, &project, content);
        let tags = tags(&workspace, &project, None, Some((&note.kind, note.scope)));
        let id = db.next_number(Numbers::Observations)?;
        db.run(
            INSERT,
            values![
                id,
                &workspace,
                &session,
                &note.kind,
                &project,
                note.scope.name(),
                note.topic_key.as_ref(),
                at,
                &fingerprint(&workspace, &note),
                &tags,
                &note.title,
                &note.content,
            ],
        )?;
    }
    Ok(())
}
