//! The message that is being written: what it weighs, and where it is kept.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use plimsoll_app::Draft;
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{At, AtQuery, state::Weighed};
use crate::{
    Web,
    problem::{Body, Problem},
};

/// A text.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    /// The message.
    pub(crate) text: String,
}

/// What a message would weigh, with no history touched
#[utoipa::path(post, path = "/api/weigh", tag = "writing", params(AtQuery), request_body = Text,
    responses((status = 200, body = Weighed)))]
pub(super) async fn weigh(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(Text { text }): Body<Text>,
) -> Result<Json<Weighed>, Problem> {
    let desk = web.boards.desk(&web.app, &at).await?;
    let mut desk = desk.lock().await;
    let draft = Draft { text, ..Draft::default() };
    let outlook = desk.board.outlook(&web.app, &draft).await?;
    Ok(Json(Weighed::of(&outlook, &desk)))
}

/// The draft as it was left
#[utoipa::path(get, path = "/api/draft", tag = "writing", params(AtQuery),
    responses((status = 200, body = Text)))]
pub(super) async fn draft(State(web): State<Arc<Web>>, At(at): At) -> Result<Json<Text>, Problem> {
    let desk = web.boards.desk(&web.app, &at).await?;
    let text = desk.lock().await.draft.clone();
    Ok(Json(Text { text }))
}

/// Keep a draft
#[utoipa::path(put, path = "/api/draft", tag = "writing", params(AtQuery), request_body = Text,
    responses((status = 204)))]
pub(super) async fn put_draft(
    State(web): State<Arc<Web>>,
    At(at): At,
    headers: HeaderMap,
    Body(Text { text }): Body<Text>,
) -> Result<StatusCode, Problem> {
    let desk = web.boards.desk(&web.app, &at).await?;
    let mut desk = desk.lock().await;
    web.app.store().put_draft(&at, &text, web.app.clock().now()).await?;
    if desk.draft != text {
        desk.draft.clone_from(&text);
        tell_draft(&web, &at, &headers, &text);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Tells all tabs what the box holds now, and which of them said so (UI-12).
pub(super) fn tell_draft(web: &Web, at: &Workspace, headers: &HeaderMap, text: &str) {
    let tab = headers.get("x-plimsoll-tab").and_then(|tab| tab.to_str().ok());
    web.hub.tell(Some(at), "draft", &json!({ "text": text, "from": tab }));
}

/// What was sent before.
#[derive(Serialize, ToSchema)]
pub(super) struct Prompts {
    /// The newest first.
    prompts: Vec<String>,
}

/// So many earlier messages can be walked through.
const PROMPTS: usize = 100;

/// Earlier messages, the newest first
#[utoipa::path(get, path = "/api/prompts", tag = "writing", params(AtQuery),
    responses((status = 200, body = Prompts)))]
pub(super) async fn prompts(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<Prompts>, Problem> {
    web.app.open_workspace(&at).await?;
    let rows = web.app.store().rows(&at).await?;
    let newest: Vec<_> = rows.iter().rev().take(PROMPTS).map(|row| row.id).collect();
    let stored = web.app.store().get_many(&newest).await?;
    let mut prompts: Vec<String> =
        stored.into_iter().rev().map(|stored| stored.pair.user_text).collect();
    prompts.retain(|prompt| !prompt.trim().is_empty());
    prompts.dedup();
    Ok(Json(Prompts { prompts }))
}
