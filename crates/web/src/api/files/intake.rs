//! Taking files in: from a body, from a path below the allowed roots, from another file.

use std::{path::PathBuf, sync::Arc};

use axum::{
    Json,
    body::Body as Stream,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::{AppError, Draft, LARGEST_FILE, Origin, Secrets, TakeIn, refuse_secret};
use plimsoll_blobs::{Blob, HEAD, Intake};
use plimsoll_domain::File;
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{FileDto, current_plan};
use crate::{
    Web,
    api::{Asked, Here, PlaceQuery, attached::file_id, body::pour},
    place::Place,
    problem::{Body, Problem},
};

/// How a file comes.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UploadQuery {
    /// Its name; blank for a paste.
    #[serde(default)]
    name: String,
    /// Whether it is a text that was pasted.
    #[serde(default)]
    paste: bool,
    /// `allow` takes in what looks like a secret.
    secret: Option<Allow>,
    /// The words that came with it, if there is no message.
    context: Option<String>,
    /// Whether models are told of it by itself; else only when a message is sent with it.
    #[serde(default)]
    listed: bool,
}

/// Consent.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Allow {
    Allow,
}

/// Take a file in; the body is its bytes
#[utoipa::path(post, path = "/api/files", tag = "files", params(PlaceQuery, UploadQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = FileDto)))]
pub(crate) async fn upload(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<UploadQuery>,
    body: Stream,
) -> Result<(StatusCode, Json<FileDto>), Problem> {
    let name = if query.paste { String::new() } else { query.name.clone() };
    let blob = receive(&web, &place.workspace, &name, query.secret.is_some(), body).await?;
    let words = query.context.as_deref();
    let shown = if query.paste { "pasted.txt" } else { query.name.as_str() };
    let origin = Origin { words, listed: query.listed, ..Origin::user(shown) };
    keep(&web, &place, &blob, origin).await
}

async fn keep(
    web: &Arc<Web>,
    place: &Place,
    blob: &Blob,
    origin: Origin<'_>,
) -> Result<(StatusCode, Json<FileDto>), Problem> {
    let file = web.app.keep_file(&place.workspace, blob, origin).await?;
    let said = blob.facts.mismatch.clone().or_else(|| blob.facts.broken_image.clone());
    told(web, place, &file, said).await
}

/// A file that came, with what was noticed about it.
async fn told(
    web: &Arc<Web>,
    place: &Place,
    file: &File,
    said: Option<String>,
) -> Result<(StatusCode, Json<FileDto>), Problem> {
    let plan = current_plan(web, place).await?;
    let file = &web.app.with_text(&place.workspace, file.clone()).await?;
    let mut told = FileDto::of(web, &place.workspace, file, &plan)?;
    told.said = said;
    Ok((StatusCode::CREATED, Json(told)))
}

/// Takes a body in. Nothing is left of one that breaks off.
async fn receive(
    web: &Arc<Web>,
    at: &Workspace,
    name: &str,
    allowed: bool,
    body: Stream,
) -> Result<Blob, Problem> {
    let intake = web.app.blobs(at)?.begin(name, Some(LARGEST_FILE)).map_err(AppError::from)?;
    let mut head: Vec<u8> = Vec::new();
    let write = |intake: &mut Intake, bytes: &[u8]| Ok(intake.write(bytes)?);
    let intake = pour(body, intake, write, |bytes| {
        let room = HEAD.saturating_sub(head.len());
        head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    })
    .await?;
    if !allowed {
        refuse_secret(name, &head)?;
    }
    let finish = tokio::task::spawn_blocking(move || intake.finish());
    Ok(finish.await.map_err(|_| AppError::Ended)?.map_err(AppError::from)?)
}

/// A file of this machine.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FromPath {
    /// Where it is, below one of the allowed roots.
    path: String,
    /// `allow` takes in what looks like a secret.
    secret: Option<Allow>,
}

/// Take in a file of this machine
#[utoipa::path(post, path = "/api/files/from-path", tag = "files", params(PlaceQuery),
    request_body = FromPath, responses((status = 201, body = FileDto)))]
pub(crate) async fn from_path(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Body(FromPath { path, secret }): Body<FromPath>,
) -> Result<(StatusCode, Json<FileDto>), Problem> {
    let roots = web.app.settings().allowed_roots();
    let path = super::paths::allowed(&roots, &PathBuf::from(path))?;
    let secrets = if secret.is_some() { Secrets::Allow } else { Secrets::Ask };
    let (file, said) =
        web.app.take_in_path(&place.workspace, &path, TakeIn::quietly(secrets)).await?;
    told(&web, &place, &file, said).await
}

/// No first part is longer: no window holds more.
const LONGEST_HEAD: u64 = 16 << 20;

/// How much of a file is wanted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeadOf {
    /// Bytes; it becomes less where that does not fit the model beside the rest.
    bytes: u64,
}

/// The first part of a file as a file of its own
#[utoipa::path(post, path = "/api/files/{id}/head", tag = "files",
    params(PlaceQuery, ("id" = String, Path)), request_body = HeadOf,
    responses((status = 201, body = FileDto)))]
pub(crate) async fn head(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Path(id): Path<String>,
    Body(HeadOf { bytes }): Body<HeadOf>,
) -> Result<(StatusCode, Json<FileDto>), Problem> {
    let id = file_id(&id)?;
    let whole = web.app.store().file(&place.workspace, id).await?;
    let session = web.sessions.session(&web.app, &place).await?;
    let bytes = {
        let mut session = session.lock().await;
        let draft = Draft {
            text: session.draft.text.clone(),
            attachments: session.draft.attachments.clone(),
            ..Draft::default()
        };
        let at_most = bytes.clamp(1, LONGEST_HEAD);
        session.workspace_view.head_that_fits(&web.app, &draft, &whole, at_most).await?
    };
    let file = web.app.head_of(&place.workspace, id, bytes).await?;
    told(&web, &place, &file, None).await
}
