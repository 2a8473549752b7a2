//! HTML: the page, its rows, its panels. What is drawn here is escaped by maud or comes
//! out of `prose`; there is no other way for a text into the page.

mod attempts;
mod chips;
mod deleted;
mod errors;
mod failure;
mod hud;
mod icons;
mod page;
mod pair;
mod panels;
mod receipt;
mod receipts;
mod request;
mod rows;
mod toolcalls;

pub(crate) use rows::one as article;
pub(crate) use toolcalls::CallView;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::HeaderMap,
    response::{Sse, sse::Event},
    routing::get,
};
use futures_util::Stream;
use maud::Markup;
use plimsoll_domain::ReceiptId;
use serde::Deserialize;

use crate::{
    Web,
    api::{Asked, At, NextMessage, follow, pair_id, seen::view_for_model},
    problem::{Body, Problem},
};

pub(crate) fn router() -> Router<Arc<Web>> {
    Router::new()
        .route("/", get(index))
        .route("/ui/rows", get(window))
        .route("/ui/pair/{id}", get(one_pair))
        .route("/ui/panel/{name}", get(panel))
        .route("/ui/hud", get(show_hud).post(show_hud_of))
        .route("/ui/receipt/{id}", get(one_receipt))
        .route("/ui/attempts/{id}", get(pair_attempts))
        .route("/ui/error/{id}", get(pair_error))
        .route("/ui/request", axum::routing::post(next_request))
        .route("/ui/request/{id}", get(past_request))
        .route("/ui/events", get(events))
}

async fn index(State(web): State<Arc<Web>>, At(at): At) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &at).await?;
    let mut session = session.lock().await;
    page::page(&web, &mut session).await
}

#[derive(Deserialize)]
struct Window {
    from: usize,
    to: usize,
}

/// No more rows at once.
const MOST_ROWS: usize = 200;

async fn window(
    State(web): State<Arc<Web>>,
    At(at): At,
    Asked(Window { from, to }): Asked<Window>,
) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &at).await?;
    let mut session = session.lock().await;
    let to = to.min(from.saturating_add(MOST_ROWS));
    rows::chunk(&web, &mut session, from..to).await
}

async fn one_pair(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Markup, Problem> {
    let id = pair_id(&id)?;
    let session = web.sessions.session(&web.app, &at).await?;
    let mut session = session.lock().await;
    rows::one(&web, &mut session, id).await
}

/// What is looked for in a panel.
#[derive(Deserialize)]
struct Find {
    find: Option<String>,
}

async fn panel(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(name): Path<String>,
    Asked(Find { find }): Asked<Find>,
) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &at).await?;
    match name.as_str() {
        "topics" => panels::topics(&web, &*session.lock().await, find.as_deref()).await,
        "models" => {
            let current = session.lock().await.workspace_view.model().id.clone();
            Ok(panels::models(&web, &current).await)
        }
        "settings" => Ok(panels::settings(&web)),
        "help" => Ok(panels::help()),
        "deleted" => deleted::list(&web, &at).await,
        "receipts" => receipts::overview(&web, &at).await,
        _ => Err(Problem::not_found("panel")),
    }
}

async fn show_hud(State(web): State<Arc<Web>>, At(at): At) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &at).await?;
    let mut session = session.lock().await;
    let draft = session.draft.clone();
    hud::hud(&web, &mut session, None, &draft).await
}

/// The HUD with what is being written, which is not kept with every key, or with what is asked
/// again.
async fn show_hud_of(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(message): Body<NextMessage>,
) -> Result<Markup, Problem> {
    let draft = message.draft(&web).await?;
    let session = web.sessions.session(&web.app, &at).await?;
    let mut session = session.lock().await;
    let other = view_for_model(&web, &mut session, message.model.as_deref()).await?;
    hud::hud(&web, &mut session, other, &draft).await
}

async fn one_receipt(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Markup, Problem> {
    let id = ReceiptId::parse(&id).ok_or_else(|| Problem::not_found("receipt"))?;
    receipt::one(&web, id).await
}

async fn pair_attempts(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Markup, Problem> {
    attempts::panel(&web, pair_id(&id)?).await
}

async fn pair_error(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Markup, Problem> {
    failure::details(&web, pair_id(&id)?).await
}

async fn past_request(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Markup, Problem> {
    request::past(&web, &at, pair_id(&id)?).await
}

async fn next_request(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(message): Body<NextMessage>,
) -> Result<Markup, Problem> {
    let draft = message.draft(&web).await?;
    let session = web.sessions.session(&web.app, &at).await?;
    let model = match &message.model {
        Some(model) => model.clone(),
        None => session.lock().await.workspace_view.model().id.clone(),
    };
    web.app.make_ready(&model).await?;
    let mut session = session.lock().await;
    let mut other = view_for_model(&web, &mut session, message.model.as_deref()).await?;
    request::next(&web, other.as_mut().unwrap_or(&mut session.workspace_view), &draft).await
}

async fn events(
    State(web): State<Arc<Web>>,
    At(at): At,
    Asked(query): Asked<crate::api::AfterQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, std::convert::Infallible>>>, Problem> {
    follow(&web, at, &query, &headers, &["delta", "tool"]).await
}
