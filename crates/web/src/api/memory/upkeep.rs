//! Notes that were deleted, and notes that wait for a person (MEM-12, MEM-16).

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_domain::Timestamp;
use plimsoll_files::age_words;
use plimsoll_store::{DeletedObservation, PendingNote, Proposal};
use serde::Serialize;
use utoipa::ToSchema;

use super::{MOST, changed, number, told::WholeNote, writing::memory};
use crate::{
    Web,
    api::{At, AtQuery},
    formats::rfc3339,
    problem::Problem,
};

/// A note that was deleted and can be brought back.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedNote {
    id: u64,
    #[serde(rename = "type")]
    kind: String,
    title: String,
    project: String,
    deleted_at: String,
    /// How long ago, in words.
    age: String,
}

/// Notes that were deleted, the last deleted first.
#[derive(Serialize, ToSchema)]
pub(in crate::api) struct DeletedNotes {
    notes: Vec<DeletedNote>,
    /// How many there are in all.
    total: u64,
}

impl DeletedNote {
    fn of(deleted: DeletedObservation, now: Timestamp) -> Self {
        let note = deleted.observation;
        Self {
            id: note.id,
            kind: note.kind,
            title: note.title,
            project: note.project,
            deleted_at: rfc3339(deleted.deleted_at),
            age: age_words(deleted.deleted_at, now),
        }
    }
}

/// The notes that were deleted and can be brought back
#[utoipa::path(get, path = "/api/memory/deleted", tag = "memory", params(AtQuery),
    responses((status = 200, body = DeletedNotes)))]
pub(in crate::api) async fn deleted(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<DeletedNotes>, Problem> {
    let now = web.app.clock().now();
    let (notes, total) = memory(&web, &at).await?.deleted(usize::from(MOST)).await?;
    let notes = notes.into_iter().map(|note| DeletedNote::of(note, now)).collect();
    Ok(Json(DeletedNotes { notes, total }))
}

/// Bring back a note that was deleted
#[utoipa::path(post, path = "/api/memory/{id}/undelete", tag = "memory",
    params(AtQuery, ("id" = u64, Path)), responses((status = 200, body = WholeNote)))]
pub(in crate::api) async fn undelete(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Json<WholeNote>, Problem> {
    let id = number(&id, "note")?;
    memory(&web, &at).await?.bring_back(id).await?;
    changed(&web, &at, id).await
}

/// What an agent saved and nobody has looked at yet. Of a change, what is null stays.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PendingDto {
    /// The number under which it waits.
    id: u64,
    /// The note that it changes; null for a new one.
    changes: Option<u64>,
    #[serde(rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    /// The text, escaped and rendered.
    html: Option<String>,
    project: Option<String>,
    /// Who saved it.
    author: Option<String>,
    topic_key: Option<String>,
    /// What it names.
    anchors: Vec<String>,
    /// Notes whose place it takes.
    supersedes: Vec<u64>,
    saved_at: String,
    /// How long ago, in words.
    age: String,
}

impl PendingDto {
    fn of(waiting: PendingNote, now: Timestamp) -> Self {
        let PendingNote { id, saved_at, proposal } = waiting;
        let names = |anchors: Vec<plimsoll_store::Anchor>| {
            anchors.into_iter().map(|anchor| anchor.target).collect()
        };
        let (saved, age) = (rfc3339(saved_at), age_words(saved_at, now));
        match proposal {
            Proposal::New(note) => Self {
                id,
                changes: None,
                kind: Some(note.kind),
                title: Some(note.title),
                html: Some(plimsoll_prose::render(&note.content)),
                project: Some(note.project),
                author: note.author,
                topic_key: note.topic_key,
                anchors: names(note.anchors),
                supersedes: note.supersedes,
                saved_at: saved,
                age,
            },
            Proposal::Change { of, change } => Self {
                id,
                changes: Some(of),
                kind: change.kind,
                title: change.title,
                html: change.content.as_deref().map(plimsoll_prose::render),
                project: change.project,
                author: change.author,
                topic_key: change.topic_key,
                anchors: names(change.anchors.unwrap_or_default()),
                supersedes: change.supersedes,
                saved_at: saved,
                age,
            },
        }
    }
}

/// What waits for a person, the first first.
#[derive(Serialize, ToSchema)]
pub(in crate::api) struct PendingNotes {
    pending: Vec<PendingDto>,
    /// How many there are in all.
    total: u64,
}

/// What agents saved and nobody has looked at yet
#[utoipa::path(get, path = "/api/memory/pending", tag = "memory", params(AtQuery),
    responses((status = 200, body = PendingNotes)))]
pub(in crate::api) async fn pending(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<PendingNotes>, Problem> {
    let now = web.app.clock().now();
    let (waiting, total) = memory(&web, &at).await?.pending().await?;
    let waiting = waiting.into_iter().take(usize::from(MOST));
    let pending = waiting.map(|waiting| PendingDto::of(waiting, now)).collect();
    Ok(Json(PendingNotes { pending, total }))
}

/// Let what waits for review count; answers with the note
#[utoipa::path(post, path = "/api/memory/pending/{id}/approve", tag = "memory",
    params(AtQuery, ("id" = u64, Path)), responses((status = 200, body = WholeNote)))]
pub(in crate::api) async fn approve(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Json<WholeNote>, Problem> {
    let id = number(&id, "note")?;
    let notes = memory(&web, &at).await?.approve(&[id]).await?;
    let note = notes.first().copied().ok_or_else(|| Problem::not_found("note"))?;
    changed(&web, &at, note).await
}

/// Delete what waits for review; a note to be can be brought back like any other
#[utoipa::path(delete, path = "/api/memory/pending/{id}", tag = "memory",
    params(AtQuery, ("id" = u64, Path)), responses((status = 204)))]
pub(in crate::api) async fn reject(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let hard = web.app.settings().keep_deleted().is_none();
    memory(&web, &at).await?.reject(number(&id, "note")?, hard).await?;
    web.app.memory_changed(&at);
    Ok(StatusCode::NO_CONTENT)
}
