//! The memory of coding agents (MEM-9): searched, browsed, read, changed.
//!
//! What is kept goes through `plimsoll_memory`, so that it is checked and redacted as an
//! agent's is; what is read are the records themselves.

mod told;
mod upkeep;
mod writing;

pub(super) use upkeep::*;
pub(super) use writing::*;

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_memory::MemoryError;
use plimsoll_store::{MemoryFilter, MemoryFound, MemoryQuery, Order, Projects, Scope, Workspace};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use self::told::{NoteDto, WholeNote};
use super::{Asked, At, AtQuery};
use crate::{Web, problem::Problem};

/// No list is longer.
const MOST: u16 = 200;

/// A search gives no more than an agent's would.
const MOST_FOUND: u16 = 50;

/// How much of a text is shown around what was found, in characters.
const SNIPPET: usize = 200;

/// No more neighbours on one side.
const MOST_AROUND: u16 = 100;

impl From<MemoryError> for Problem {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::NoObservation(_) => Self::not_found("note"),
            MemoryError::NoRelation(_) => Self::not_found("relation"),
            MemoryError::NotWaiting(_) => Self::not_found("note"),
            MemoryError::NoRevision { .. } => Self::not_found("revision"),
            MemoryError::ChangedMeanwhile { revision, .. } => {
                let words =
                    format!("somebody changed it meanwhile: it has revision {revision} by now");
                Self::new(StatusCode::CONFLICT, "changed_meanwhile", words)
            }
            MemoryError::KeyTaken { .. } | MemoryError::ReplacedMeanwhile { .. } => {
                Self::new(StatusCode::CONFLICT, "key_taken", error.to_string())
            }
            MemoryError::Store(error) => Self::from(error),
            other => Self::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_note", other.to_string()),
        }
    }
}

/// Which notes are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NotesQuery {
    /// Words to search for; without any the notes changed last.
    query: Option<String>,
    /// Only this type.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Only this project.
    project: Option<String>,
    /// Only `project` or `personal` ones.
    scope: Option<String>,
    /// How many at most, 50 if not given; a search gives at most 50.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u16>,
}

/// A group of notes.
#[derive(Serialize, ToSchema)]
struct Group {
    name: String,
    count: u64,
}

/// Notes, and what there is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteList {
    /// The best first, or those changed last.
    notes: Vec<NoteDto>,
    /// How many there are, as far as they were counted.
    total: u64,
    /// Whether there are more than were counted, because very many hold the words.
    more: bool,
    /// Whether no note has all words, so that these have some.
    any_word: bool,
    /// How many wait for a person to look at them.
    pending: u64,
    /// How many were deleted and can be brought back.
    deleted: u64,
    /// The types there are, the most frequent first, at most 50.
    types: Vec<Group>,
    /// The projects there are, the most frequent first, at most 50.
    projects: Vec<Group>,
}

fn named(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

pub(super) fn scope_of(text: Option<&str>) -> Result<Option<Scope>, Problem> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| text.parse::<Scope>().map_err(|error| Problem::bad_request(error.to_string())))
        .transpose()
}

/// The notes of the memory: those that hold words, or those changed last
#[utoipa::path(get, path = "/api/memory", tag = "memory", params(AtQuery, NotesQuery),
    responses((status = 200, body = NoteList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    At(at): At,
    Asked(query): Asked<NotesQuery>,
) -> Result<Json<NoteList>, Problem> {
    let memory = writing::memory(&web, &at).await?;
    let projects = match named(query.project) {
        None => Projects::All,
        Some(name) => {
            // A name is the same in capitals and in small letters (MEM-11).
            let mut names = web.app.store().memory_projects(&at).await?;
            names.retain(|known| known.to_lowercase() == name.to_lowercase());
            Projects::Only(names)
        }
    };
    let filter = MemoryFilter {
        kind: named(query.kind),
        projects,
        scope: scope_of(query.scope.as_deref())?,
        ..MemoryFilter::default()
    };
    let (store, now) = (web.app.store(), web.app.clock().now());
    let limit = query.limit.unwrap_or(50);
    let counts = store.memory_counts(&at, &Projects::All).await?;
    let groups = |groups: Vec<(String, u64)>| -> Vec<Group> {
        let group = |(name, count)| Group { name, count };
        groups.into_iter().map(group).collect()
    };
    let (notes, total, more, any_word) = match named(query.query) {
        None => {
            let limit = usize::from(limit.clamp(1, MOST));
            let (notes, total) = store.observations(&at, &filter, Order::Newest, limit).await?;
            let marks = memory.marks(&notes).await;
            let told = notes.iter().map(|note| NoteDto::of(note, &marks, now));
            (told.collect(), total, false, false)
        }
        Some(text) => {
            let limit = usize::from(limit.clamp(1, MOST_FOUND));
            let query = MemoryQuery { text, filter, limit, snippet_chars: SNIPPET };
            let found = memory.find(&query).await?;
            let total = u64::try_from(found.matched).unwrap_or(u64::MAX);
            let notes = found.hits.iter().filter_map(|hit| match &hit.found {
                MemoryFound::Observation(note) => Some(note),
                MemoryFound::Prompt(_) => None,
            });
            let marks = memory.marks(notes).await;
            let notes = found.hits.iter().map(|hit| NoteDto::found(hit, &marks, now)).collect();
            (notes, total, found.more, found.any_word)
        }
    };
    let (types, projects) = (groups(counts.kinds), groups(counts.projects));
    let pending = store.pending_notes(&at, 0).await?.1;
    let deleted = store.deleted_observations(&at, 0).await?.1;
    Ok(Json(NoteList { notes, total, more, any_word, pending, deleted, types, projects }))
}

pub(super) fn number(text: &str, what: &str) -> Result<u64, Problem> {
    // What the store counts with has a sign.
    let number = text.parse::<u64>().ok().filter(|number| i64::try_from(*number).is_ok());
    number.ok_or_else(|| Problem::not_found(what))
}

/// A note with its earlier texts and its relations
#[utoipa::path(get, path = "/api/memory/{id}", tag = "memory", params(AtQuery, ("id" = u64, Path)),
    responses((status = 200, body = WholeNote)))]
pub(super) async fn get(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Json<WholeNote>, Problem> {
    Ok(Json(WholeNote::load(&web, &at, number(&id, "note")?).await?))
}

/// How much of a session is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AroundQuery {
    /// How many before the note, 5 if not given.
    #[param(maximum = 100)]
    before: Option<u16>,
    /// How many after it, 5 if not given.
    #[param(maximum = 100)]
    after: Option<u16>,
}

/// A note among those of its session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TimelineDto {
    /// The session.
    session: String,
    /// How many notes it has in all.
    in_session: u64,
    /// The notes in the order in which they were written.
    notes: Vec<NoteDto>,
}

/// A note among those of its session
#[utoipa::path(get, path = "/api/memory/{id}/timeline", tag = "memory",
    params(AtQuery, AroundQuery, ("id" = u64, Path)),
    responses((status = 200, body = TimelineDto)))]
pub(super) async fn timeline(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Asked(query): Asked<AroundQuery>,
) -> Result<Json<TimelineDto>, Problem> {
    let side = |wanted: Option<u16>| usize::from(wanted.unwrap_or(5).min(MOST_AROUND));
    let id = number(&id, "note")?;
    let (before, after) = (side(query.before), side(query.after));
    let around = web.app.store().around(&at, id, &Projects::All, before, after).await?;
    let now = web.app.clock().now();
    let memory = writing::memory(&web, &at).await?;
    let notes = around.before.iter().chain([&around.focus]).chain(&around.after);
    let marks = memory.marks(notes).await;
    let earlier = around.before.iter().rev();
    let all = earlier.chain(std::iter::once(&around.focus)).chain(&around.after);
    Ok(Json(TimelineDto {
        session: around.focus.session.clone(),
        in_session: around.in_session,
        notes: all.map(|note| NoteDto::of(note, &marks, now)).collect(),
    }))
}

/// A note as it is now, after it was changed.
async fn changed(web: &Arc<Web>, at: &Workspace, id: u64) -> Result<Json<WholeNote>, Problem> {
    web.app.memory_changed(at);
    Ok(Json(WholeNote::load(web, at, id).await?))
}
