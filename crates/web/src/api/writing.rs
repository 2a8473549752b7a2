//! The message that is being written: what it weighs, and where it is kept.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use plimsoll_app::Draft;
use plimsoll_domain::Attachment;
use plimsoll_store::Workspace;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    At, AtQuery, Here, PlaceQuery, attached,
    seen::{self, AskedFor, view_for},
    state::{CostDto, Weighed},
};
use crate::{
    Web,
    place::Place,
    problem::{Body, Problem},
    telling::tell_state,
};

/// A message as it would be sent: a new one, or for a pair that is asked again or answered anew.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NextMessage {
    /// Its text, context tokens in place.
    text: String,
    /// One entry for each token of the text, in order.
    #[serde(default)]
    attachments: Vec<Attachment>,
    /// The failed or stopped pair that it would ask again.
    reask: Option<String>,
    /// The newest complete pair, which would be answered anew with its own text.
    regenerate: Option<String>,
    /// The pair whose message would be sent again, and which would be left out then.
    send_again: Option<String>,
    /// The model, for this send alone; of several, the one whose request is shown.
    pub(crate) model: Option<String>,
    /// Two or three models that would answer it; it is weighed for the one that holds the least.
    #[serde(default)]
    #[schema(max_items = 3)]
    pub(crate) compare: Vec<String>,
}

impl NextMessage {
    pub(crate) async fn draft(&self, web: &Web, at: &Workspace) -> Result<Draft, Problem> {
        let asked = AskedFor {
            reask: self.reask.as_deref(),
            regenerate: self.regenerate.as_deref(),
            send_again: self.send_again.as_deref(),
        };
        seen::draft(web, at, asked, &self.text, &self.attachments).await
    }

    /// The model for this send alone, or those of a comparison.
    pub(crate) fn models(&self) -> (Option<&str>, &[String]) {
        (self.model.as_deref(), &self.compare)
    }
}

/// What a message would weigh; for a new one no history is touched
#[utoipa::path(post, path = "/api/weigh", tag = "writing", params(PlaceQuery), request_body = NextMessage,
    responses((status = 200, body = Weighed)))]
pub(super) async fn weigh(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Body(message): Body<NextMessage>,
) -> Result<Json<Weighed>, Problem> {
    let draft = message.draft(&web, &place.workspace).await?;
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    if !message.compare.is_empty() {
        session.workspace_view.boundary(&web.app).await?;
        let view = seen::as_shown(&session, None);
        let at = &place.workspace;
        let planned = web.app.plan_compared(at, &view, &message.compare, &draft).await?;
        let mut weighed = Weighed::of(&web, &planned.smallest, &session);
        // The window is that of the smallest; what it costs is the sum.
        weighed.window.cost = CostDto::of_all(&planned.sides);
        return Ok(Json(weighed));
    }
    let mut other = view_for(&web, &mut session, message.models(), &draft).await?;
    let workspace_view = other.as_mut().unwrap_or(&mut session.workspace_view);
    let plan = workspace_view.plan(&web.app, &draft).await?;
    Ok(Json(Weighed::of(&web, &plan, &session)))
}

/// The draft as it was left
#[utoipa::path(get, path = "/api/draft", tag = "writing", params(PlaceQuery),
    responses((status = 200, body = Draft)))]
pub(super) async fn draft(
    State(web): State<Arc<Web>>,
    Here(place): Here,
) -> Result<Json<Draft>, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let draft = session.lock().await.draft.clone();
    Ok(Json(draft))
}

/// Keep a draft
#[utoipa::path(put, path = "/api/draft", tag = "writing", params(PlaceQuery), request_body = Draft,
    responses((status = 204)))]
pub(super) async fn put_draft(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    headers: HeaderMap,
    Body(draft): Body<Draft>,
) -> Result<StatusCode, Problem> {
    attached::check(&draft.attachments)?;
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    web.app
        .store()
        .put_draft(&place.workspace, place.conversation, &draft, web.app.clock().now())
        .await?;
    if session.draft != draft {
        let other_files = session.draft.attachments != draft.attachments;
        session.draft.clone_from(&draft);
        drop(session);
        share_draft(&web, &place, &headers, &draft).await;
        if other_files {
            // What the message brings is listed with it, and so is what stands on the page.
            web.event_log.tell(&place.workspace, "files", &json!({}));
            tell_state(&web, &place).await;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Each conversation has one draft, whichever scope it is looked at with: all pages that have it open
/// hold the same.
pub(super) async fn share_draft(web: &Web, place: &Place, headers: &HeaderMap, draft: &Draft) {
    for other in web.sessions.places(Some(&place.workspace)) {
        if other.conversation == place.conversation {
            if let Some(session) = web.sessions.opened(&other) {
                let mut session = session.lock().await;
                session.draft.clone_from(draft);
                session.draft_from = tab(headers).map(str::to_owned);
            }
            tell_draft(web, &other, headers, draft);
        }
    }
}

/// The tab that a request came from, if it says so.
pub(super) fn tab(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-plimsoll-tab").and_then(|tab| tab.to_str().ok())
}

/// Tells all tabs of a place what the box holds now, and which of them said so (UI-12).
fn tell_draft(web: &Web, place: &Place, headers: &HeaderMap, draft: &Draft) {
    let tab = tab(headers);
    web.event_log.tell(
        place,
        "draft",
        &json!({ "text": draft.text, "attachments": draft.attachments, "from": tab }),
    );
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
