//! The message that is being written: what it weighs, and where it is kept.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use plimsoll_store::{KeptDraft, Workspace};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    At, AtQuery,
    attached::{self, Writing},
    state::Weighed,
};
use crate::{
    Web,
    problem::{Body, Problem},
    relay::tell_state,
};

/// What a message would weigh, with no history touched
#[utoipa::path(post, path = "/api/weigh", tag = "writing", params(AtQuery), request_body = Writing,
    responses((status = 200, body = Weighed)))]
pub(super) async fn weigh(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(writing): Body<Writing>,
) -> Result<Json<Weighed>, Problem> {
    let draft = attached::draft_of(&writing.kept()?);
    let desk = web.boards.desk(&web.app, &at).await?;
    let mut desk = desk.lock().await;
    let outlook = desk.board.outlook(&web.app, &draft).await?;
    Ok(Json(Weighed::of(&web, &outlook, &desk)))
}

/// The draft as it was left
#[utoipa::path(get, path = "/api/draft", tag = "writing", params(AtQuery),
    responses((status = 200, body = Writing)))]
pub(super) async fn draft(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<Writing>, Problem> {
    let desk = web.boards.desk(&web.app, &at).await?;
    let writing = Writing::of(&desk.lock().await.draft);
    Ok(Json(writing))
}

/// Keep a draft
#[utoipa::path(put, path = "/api/draft", tag = "writing", params(AtQuery), request_body = Writing,
    responses((status = 204)))]
pub(super) async fn put_draft(
    State(web): State<Arc<Web>>,
    At(at): At,
    headers: HeaderMap,
    Body(writing): Body<Writing>,
) -> Result<StatusCode, Problem> {
    let draft = writing.kept()?;
    let desk = web.boards.desk(&web.app, &at).await?;
    let mut desk = desk.lock().await;
    web.app.store().put_draft(&at, &draft, web.app.clock().now()).await?;
    if desk.draft != draft {
        let other_files = desk.draft.attachments != draft.attachments;
        desk.draft.clone_from(&draft);
        tell_draft(&web, &at, &headers, &draft);
        drop(desk);
        if other_files {
            // What the message brings is listed with it, and so is what stands on the page.
            web.hub.tell(Some(&at), "files", &json!({}));
            tell_state(&web, &at).await;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Tells all tabs what the box holds now, and which of them said so (UI-12).
pub(super) fn tell_draft(web: &Web, at: &Workspace, headers: &HeaderMap, draft: &KeptDraft) {
    let tab = headers.get("x-plimsoll-tab").and_then(|tab| tab.to_str().ok());
    web.hub.tell(Some(at), "draft", &json!({ "text": draft.text, "attachments": attached::told(&draft.attachments), "from": tab }));
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
