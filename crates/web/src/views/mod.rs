//! HTML: the page, its rows, its panels. What is drawn here is escaped by maud or comes
//! out of `prose`; there is no other way for a text into the page.

mod attempts;
mod calls;
mod chips;
mod deleted;
mod errors;
mod failure;
mod hud;
mod icons;
mod models;
mod page;
mod pair;
mod panels;
mod receipt;
mod receipts;
mod request;
mod rows;
mod settings;
mod snippets;
mod toolcalls;

pub(crate) use icons::mark;
pub(crate) use rows::one as article;
pub(crate) use toolcalls::CallView;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::HeaderMap,
    response::{Redirect, Sse, sse::Event},
    routing::get,
};
use futures_util::Stream;
use maud::Markup;
use plimsoll_app::{HistoryChoice, View};
use plimsoll_domain::{HistoryScope, ReceiptId, TopicId};
use plimsoll_store::Workspace;
use serde::Deserialize;

use crate::{
    Web,
    access::By,
    api::{Asked, At, Here, NextMessage, follow, pair_id, percent, seen::view_for, summaries},
    place::{Place, workspace_of},
    problem::{Body, Problem},
};

pub(crate) fn router() -> Router<Arc<Web>> {
    Router::new()
        .route("/", get(index))
        .route("/c/new", get(new_chat))
        .route("/c/{id}", get(conversation))
        .route("/ui/rows", get(window))
        .route("/ui/pair/{id}", get(one_pair))
        .route("/ui/panel/{name}", get(panel))
        .route("/ui/hud", get(show_hud).post(show_hud_of))
        .route("/ui/receipt/{id}", get(one_receipt))
        .route("/ui/attempts/{id}", get(pair_attempts))
        .route("/ui/error/{id}", get(pair_error))
        .route("/ui/request", axum::routing::post(next_request))
        .route("/ui/summary-request", axum::routing::post(summary_request))
        .route("/ui/request/{id}", get(past_request))
        .route("/ui/events", get(events))
}

/// What an address says besides its path.
#[derive(Deserialize)]
struct Address {
    workspace: Option<String>,
    scope: Option<HistoryScope>,
    filter: Option<String>,
}

/// The page as it was left: in the conversation that was opened last, or with everything in sight.
async fn index(
    State(web): State<Arc<Web>>,
    by: By,
    Asked(address): Asked<Address>,
) -> Result<Markup, Problem> {
    let workspace = workspace_of(address.workspace.as_deref())?;
    web.app.open_workspace(&workspace).await?;
    let conversation = match opens_with_everything(&web, &address).await? {
        true => None,
        false => {
            let sessions = &web.sessions;
            let last = sessions.last_conversation(&web.app, &workspace, by.name()).await?;
            Some(last.unwrap_or_else(|| web.app.new_conversation()))
        }
    };
    open_page(&web, Place::at(workspace, conversation, address.scope).seen_by(&by), &by, &address)
        .await
}

/// A conversation at its own address (HIS-9b).
async fn conversation(
    State(web): State<Arc<Web>>,
    by: By,
    Path(id): Path<String>,
    Asked(address): Asked<Address>,
) -> Result<Markup, Problem> {
    let id = TopicId::parse(&id).ok_or_else(|| Problem::not_found("conversation"))?;
    let workspace = workspace_of(address.workspace.as_deref())?;
    open_page(&web, Place::at(workspace, Some(id), address.scope).seen_by(&by), &by, &address).await
}

/// Under this name it is kept that a store is older than conversations are (REL-3): it opens with
/// everything until somebody wants conversations.
const BEFORE_CONVERSATIONS: &str = "beforeConversations";

async fn opens_with_everything(web: &Web, address: &Address) -> Result<bool, Problem> {
    if let Some(scope) = address.scope {
        return Ok(scope == HistoryScope::Everything);
    }
    let everything = web.app.settings().opens_with_everything();
    Ok(everything || is_older_than_conversations(web).await?)
}

/// Whether the store is older than conversations, and nobody said yet what a page opens with.
async fn is_older_than_conversations(web: &Web) -> Result<bool, Problem> {
    let unsaid = web.app.settings().is_default("scope");
    Ok(unsaid && web.app.store().value(BEFORE_CONVERSATIONS).await?.is_some())
}

/// A conversation that begins, at an address of its own.
async fn new_chat(State(web): State<Arc<Web>>, At(at): At) -> Redirect {
    let query = match at == Workspace::default() {
        true => String::new(),
        false => format!("?workspace={}", percent(at.as_str())),
    };
    Redirect::to(&format!("/c/{}{query}", web.app.new_conversation()))
}

async fn open_page(
    web: &Arc<Web>,
    place: Place,
    by: &By,
    address: &Address,
) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    web.sessions.note_opened(&web.app, &place).await?;
    if let Some(filter) = address.filter.as_ref().filter(|filter| *filter != session.filter()) {
        let history = HistoryChoice::Filter(filter.clone());
        let view = View { history, ..session.workspace_view.view().clone() };
        // An address with a filter that is wrong shows what was shown before (FLT-4).
        if session.choose(&web.app, view).await.is_ok() {
            web.event_log.tell(&place, "rows", &serde_json::json!({}));
        }
    }
    page::page(web, &mut session, by).await
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
    Here(place): Here,
    Asked(Window { from, to }): Asked<Window>,
) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    let to = to.min(from.saturating_add(MOST_ROWS));
    rows::chunk(&web, &mut session, from..to).await
}

async fn one_pair(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Path(id): Path<String>,
) -> Result<Markup, Problem> {
    let id = pair_id(&id)?;
    let session = web.sessions.session(&web.app, &place).await?;
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
    by: By,
    Here(place): Here,
    Path(name): Path<String>,
    Asked(Find { find }): Asked<Find>,
) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    match name.as_str() {
        "conversation" => Ok(panels::conversation(&*session.lock().await)),
        "topics" => panels::topics(&web, &*session.lock().await, find.as_deref()).await,
        "models" => {
            let current = session.lock().await.workspace_view.model().id.clone();
            models::panel(&web, &by, &place, &current).await
        }
        "settings" => Ok(settings::panel(&web)),
        "snippets" => snippets::panel(&web, &place.workspace).await,
        "help" => Ok(panels::help()),
        "deleted" => deleted::list(&web, &place.workspace).await,
        "receipts" => receipts::overview(&web, &place.workspace, &by).await,
        _ => Err(Problem::not_found("panel")),
    }
}

async fn show_hud(State(web): State<Arc<Web>>, Here(place): Here) -> Result<Markup, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    let draft = session.draft.clone();
    hud::hud(&web, &mut session, None, &draft).await
}

/// The HUD with what is being written, which is not kept with every key, or with what is asked
/// again.
async fn show_hud_of(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Body(message): Body<NextMessage>,
) -> Result<Markup, Problem> {
    let draft = message.draft(&web, &place.workspace).await?;
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    let other = view_for(&web, &mut session, message.models(), &draft).await?;
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
    Here(place): Here,
    Body(message): Body<NextMessage>,
) -> Result<Markup, Problem> {
    let draft = message.draft(&web, &place.workspace).await?;
    let session = web.sessions.session(&web.app, &place).await?;
    let models = match message.models() {
        (_, several @ [_, ..]) => several.to_vec(),
        (Some(model), _) => vec![model.to_owned()],
        (None, _) => vec![session.lock().await.workspace_view.model().id.clone()],
    };
    for model in &models {
        web.app.make_ready(model, place.payer().as_ref()).await?;
    }
    let mut session = session.lock().await;
    if let (chosen, several @ [_, ..]) = message.models() {
        return request::compared(&web, &mut session, several, chosen, &draft).await;
    }
    let mut other = view_for(&web, &mut session, message.models(), &draft).await?;
    request::next(&web, other.as_mut().unwrap_or(&mut session.workspace_view), &draft).await
}

/// The request for a summary before it goes; where there are several, the first.
async fn summary_request(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Body(ask): Body<summaries::SummaryAsk>,
) -> Result<Markup, Problem> {
    let (view, pairs) = summaries::meant(&web, &place, &ask).await?;
    let parts = web.app.plan_summary(&place.workspace, &view, &pairs).await?;
    let first = parts.first().map_or(&[][..], |part| &part.pairs);
    let model = view.model.clone().unwrap_or_default();
    web.app.make_ready(&model, place.payer().as_ref()).await?;
    let (mut view, draft) = web.app.summary_request(&place.workspace, &view, first).await?;
    request::next(&web, &mut view, &draft).await
}

async fn events(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<crate::api::AfterQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, std::convert::Infallible>>>, Problem> {
    follow(&web, place, &query, &headers, true).await
}
