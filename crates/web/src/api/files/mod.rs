//! The files of a workspace: taken in, listed, looked at, let go.

pub(super) mod bytes;
pub(super) mod intake;
pub(super) mod paths;
mod told;

pub(super) use told::FileDto;
pub(crate) use told::{
    AttachedDto, LimitsDto, SectionDto, thumbnail as thumbnail_url, unseen_words,
};

use std::{collections::HashSet, sync::Arc};

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_domain::{Delivery, File, FileId, FileKind, FilesScope, words_alone};
use plimsoll_send::Plan;
use plimsoll_store::{ListedIn, Workspace};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Asked, At, AtQuery, Here, PlaceQuery,
    attached::file_id,
    pair_id,
    undo::{ForGoodQuery, Gone},
};
use crate::{
    Web,
    place::Place,
    problem::{Body, Problem},
};

/// A preview shows so many bytes of a text.
const PREVIEW: usize = 4000;

/// Which files are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// A part of a name or of the words that came with it.
    query: Option<String>,
    /// A kind, such as IMAGE.
    kind: Option<String>,
}

/// The files of a workspace.
#[derive(Serialize, ToSchema)]
pub(super) struct FileList {
    /// The newest first.
    files: Vec<FileDto>,
    /// What may be attached with the selected model.
    limits: LimitsDto,
    /// What models are told about files.
    section: SectionDto,
}

/// What the draft would be sent with, for the limits of files and what is said about them.
pub(super) async fn current_plan(web: &Arc<Web>, place: &Place) -> Result<Plan, Problem> {
    Ok(current_plan_and_scope(web, place).await?.0)
}

/// The same, and whose files the model is told of (FIL-6).
async fn current_plan_and_scope(
    web: &Arc<Web>,
    place: &Place,
) -> Result<(Plan, FilesScope, Option<ListedIn>), Problem> {
    let session = web.sessions.session(&web.app, place).await?;
    let mut session = session.lock().await;
    let plan = session.plan(&web.app).await?;
    let view = &session.workspace_view;
    Ok((plan, view.files_scope(&web.app), view.listed_in(&web.app)))
}

/// The files, newest first
#[utoipa::path(get, path = "/api/files", tag = "files", params(PlaceQuery, ListQuery),
    responses((status = 200, body = FileList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    super::Asked(query): super::Asked<ListQuery>,
) -> Result<Json<FileList>, Problem> {
    web.app.open_workspace(&place.workspace).await?;
    let kind = match query.kind.as_deref().filter(|kind| !kind.is_empty()) {
        None => None,
        Some(name) => Some(FileKind::parse(name).ok_or_else(|| {
            let known: Vec<&str> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
            Problem::bad_request(format!("a kind is one of {}", known.join(", ")))
        })?),
    };
    let wanted = query.query.unwrap_or_default().to_lowercase();
    let (plan, scope, of) = current_plan_and_scope(&web, &place).await?;
    let matches = |file: &File| {
        let words = file.upload_context.as_deref().unwrap_or_default();
        let found = |text: &str| text.to_lowercase().contains(&wanted);
        kind.is_none_or(|kind| file.kind == kind) && (found(&file.name) || found(words))
    };
    let files = web.app.store().files(&place.workspace).await?;
    let listed = match of {
        Some(of) => web.app.store().listed_files(&place.workspace, of).await?,
        None => Vec::new(),
    };
    let listed: HashSet<FileId> = listed.iter().map(|file| file.id).collect();
    let mut shown = Vec::new();
    for file in files.into_iter().filter(matches) {
        let file = web.app.with_known_text(&place.workspace, file).await?;
        let mut told = FileDto::of(&web, &place.workspace, &file, &plan)?;
        told.listed = listed.contains(&file.id);
        shown.push(told);
    }
    Ok(Json(FileList {
        files: shown,
        limits: LimitsDto::of(&plan),
        section: SectionDto::of(&web, &plan, scope),
    }))
}

/// Where a file is used.
#[derive(Serialize, ToSchema)]
struct Used {
    /// The pair.
    pair: String,
    /// Its first words.
    opening: String,
}

/// What a file looks like.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Preview {
    /// Its first lines.
    Text {
        /// The lines.
        text: String,
        /// Whether there is more.
        more: bool,
    },
    /// A picture.
    Image {
        /// Where it is.
        url: String,
    },
    /// Nothing to see.
    None {
        /// What there is to say.
        words: String,
    },
}

/// A file with all that is known about it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WholeFile {
    #[serde(flatten)]
    file: FileDto,
    /// The pairs whose messages hold it.
    used_by: Vec<Used>,
    /// What it looks like.
    preview: Preview,
}

/// A file, where it is used and what it looks like
#[utoipa::path(get, path = "/api/files/{id}", tag = "files", params(PlaceQuery, ("id" = String, Path)),
    responses((status = 200, body = WholeFile)))]
pub(super) async fn get(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Path(id): Path<String>,
) -> Result<Json<WholeFile>, Problem> {
    let file = web.app.store().file(&place.workspace, file_id(&id)?).await?;
    let file = web.app.with_text(&place.workspace, file).await?;
    let (plan, _, of) = current_plan_and_scope(&web, &place).await?;
    let pairs = web.app.store().used_by(file.id).await?;
    let stored = web.app.store().get_many(&pairs).await?;
    let listed = match of {
        Some(of) => web.app.store().listed_file(&place.workspace, of, file.id).await.is_ok(),
        None => false,
    };
    let used = |stored: &plimsoll_store::StoredPair| Used {
        pair: stored.pair.id.to_string(),
        opening: plimsoll_prose::plain_preview(&words_alone(&stored.pair.user_text), 60),
    };
    let mut told = FileDto::of(&web, &place.workspace, &file, &plan)?;
    told.listed = listed;
    Ok(Json(WholeFile {
        used_by: stored.iter().map(used).collect(),
        preview: content_preview(&web, &place.workspace, &file).await?,
        file: told,
    }))
}

async fn content_preview(web: &Arc<Web>, at: &Workspace, file: &File) -> Result<Preview, Problem> {
    if file.pixels.is_some() {
        return Ok(Preview::Image { url: told::url(at, file, "content") });
    }
    if !file.is_text {
        if let Some(facts) = file.extracted() {
            let text = web.app.document_text(at, file, PREVIEW as u64).await?.unwrap_or_default();
            return Ok(Preview::Text { more: facts.bytes > text.len() as u64, text });
        }
        let words = format!("{}, {}", file.mime, plimsoll_files::size_words(file.size));
        return Ok(Preview::None { words });
    }
    let start = bytes::start(web, at, file, PREVIEW).await?;
    let text = String::from_utf8_lossy(&start);
    let text = text.trim_end_matches('\u{fffd}').to_owned();
    Ok(Preview::Text { more: file.size > start.len() as u64, text })
}

/// Delete a file; it can be brought back for a while
#[utoipa::path(delete, path = "/api/files/{id}", tag = "files",
    params(AtQuery, ForGoodQuery, ("id" = String, Path)), responses((status = 200, body = Gone)))]
pub(super) async fn remove(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Asked(ForGoodQuery { for_good }): Asked<ForGoodQuery>,
) -> Result<Json<Gone>, Problem> {
    let id = file_id(&id)?;
    let deleted = match for_good {
        true => {
            web.app.forget_file(&at, id).await?;
            plimsoll_app::Deleted { count: 1, undo: None }
        }
        false => web.app.delete_file(&at, id).await?,
    };
    Ok(Gone::of(deleted, "the file is deleted".to_owned()))
}

/// Tell models of a file although no message holds it, or no longer
#[utoipa::path(put, path = "/api/files/{id}/listed", tag = "files",
    params(AtQuery, ("id" = String, Path)), request_body = Switch, responses((status = 204)))]
pub(super) async fn listed(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Body(Switch { on }): Body<Switch>,
) -> Result<StatusCode, Problem> {
    web.app.list_file(&at, file_id(&id)?, on).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A switch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    /// Whether it is on.
    on: bool,
}

/// Whether models are told about files
#[utoipa::path(put, path = "/api/files/section", tag = "files", params(AtQuery),
    request_body = Switch, responses((status = 204)))]
pub(super) async fn section(
    State(web): State<Arc<Web>>,
    At(_): At,
    Body(Switch { on }): Body<Switch>,
) -> Result<StatusCode, Problem> {
    let value = (!on).then_some("0");
    super::settings::configure(&web, "filesSectionTokens", value).await
}

/// How an attachment is delivered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delivered {
    /// The way.
    delivery: Delivery,
}

/// Deliver an attachment of a message in another way from now on
#[utoipa::path(put, path = "/api/pairs/{id}/attachments/{place}", tag = "files",
    params(AtQuery, ("id" = String, Path), ("place" = usize, Path)), request_body = Delivered,
    responses((status = 204)))]
pub(super) async fn deliver(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path((id, place)): Path<(String, String)>,
    Body(Delivered { delivery }): Body<Delivered>,
) -> Result<StatusCode, Problem> {
    let place: usize = place.parse().map_err(|_| Problem::not_found("attachment"))?;
    web.app.deliver_otherwise(&at, pair_id(&id)?, place, delivery).await?;
    Ok(StatusCode::NO_CONTENT)
}
