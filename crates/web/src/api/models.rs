//! Models: listed with their limits, edited, and what was learned forgotten.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::Lack;
use plimsoll_budget::Binds;
use plimsoll_tokens::compact_size;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Here, PlaceQuery, state::bind_text};
use crate::{
    ListedModel, Web,
    place::Place,
    problem::{Body, Problem},
};

/// A model.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelDto {
    pub(crate) id: String,
    pub(crate) provider: String,
    /// Its limit in tokens.
    pub(crate) ml: u64,
    /// The limit as it is shown.
    pub(crate) size: String,
    /// Which limit binds: `window`, `tpm`, `learned`, `assumed` …
    pub(crate) binds: &'static str,
    /// The same in words.
    pub(crate) bind_text: String,
    /// Whether a message could be sent to it now.
    pub(crate) available: bool,
    /// What it lacks, if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lacks: Option<LackDto>,
    /// Whether it is offered.
    pub(crate) enabled: bool,
    /// Whether its limit is only assumed, because nobody has told it (CAT-4).
    pub(crate) assumed: bool,
    /// Whether it would answer now.
    pub(crate) current: bool,
}

/// What a model lacks before it can be asked.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LackDto {
    /// `key`, `answer` (of its server), `entry` (in the list of its server), `server` (any that
    /// has it), `weights` or `program`.
    pub(crate) kind: &'static str,
    /// What it needs, for people.
    pub(crate) words: String,
    /// Whose key it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    /// The server that the key would be for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<String>,
}

impl LackDto {
    pub(crate) fn of(lack: &Lack) -> Self {
        let (provider, server) = match lack {
            Lack::Key { provider, server, .. } => (Some(provider.clone()), Some(server.clone())),
            _ => (None, None),
        };
        Self { kind: lack.kind(), words: lack.words(), provider, server }
    }
}

/// All models, those that can be asked first.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelList {
    pub(crate) models: Vec<ModelDto>,
}

impl ModelList {
    pub(crate) async fn of(web: &Web, place: &Place, current: &str) -> Self {
        let learned = web.app.store().learned_limits().await.unwrap_or_default();
        let row = |found: &ListedModel| {
            let model = web.app.model(&found.id);
            let limit = found.limit(&model, &learned);
            ModelDto {
                current: model.id == current,
                id: model.id,
                provider: model.provider,
                ml: limit.tokens,
                size: compact_size(limit.tokens),
                binds: limit.binds.name(),
                bind_text: bind_text(&limit),
                assumed: limit.binds == Binds::Assumed,
                available: found.lacks.is_none(),
                lacks: found.lacks.as_ref().map(LackDto::of),
                enabled: model.enabled,
            }
        };
        let found = web.configurator.models(place.payer().as_ref()).await;
        let mut models: Vec<ModelDto> = found.iter().map(row).collect();
        models.sort_by_key(|model| !model.available);
        Self { models }
    }
}

/// All models, those that can be asked first
#[utoipa::path(get, path = "/api/models", tag = "models", params(PlaceQuery),
    responses((status = 200, body = ModelList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    Here(place): Here,
) -> Result<Json<ModelList>, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let current = session.lock().await.workspace_view.model().id.clone();
    Ok(Json(ModelList::of(&web, &place, &current).await))
}

/// Look for servers again, so that models of one that runs by now can be asked
#[utoipa::path(post, path = "/api/models/look", tag = "models", responses((status = 204)))]
pub(super) async fn look(State(web): State<Arc<Web>>) -> StatusCode {
    web.configurator.look_again().await;
    web.app.reconsider();
    StatusCode::NO_CONTENT
}

/// Set fields of a model in your models.toml; a field that is null goes
#[utoipa::path(put, path = "/api/models/{id}", tag = "models",
    request_body(content = Object, description = "Fields as in models.toml, such as contextWindow"),
    params(("id" = String, Path)), responses((status = 204)))]
pub(super) async fn put(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
    Body(fields): Body<serde_json::Map<String, serde_json::Value>>,
) -> Result<StatusCode, Problem> {
    let _turn = web.configuring.lock().await;
    let set = web.configurator.put_model(&id, &fields).await;
    let (settings, catalog) =
        set.map_err(|why| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_model", why))?;
    web.app.configure(settings, catalog);
    Ok(StatusCode::NO_CONTENT)
}

/// Forget what overflows and usage taught about a model
#[utoipa::path(delete, path = "/api/models/{id}/learned", tag = "models",
    params(("id" = String, Path)), responses((status = 204)))]
pub(super) async fn forget(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    web.app.forget_learned(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
