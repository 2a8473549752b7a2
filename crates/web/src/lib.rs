//! The workbench: the page that people live in, and the JSON API behind it.
//!
//! It translates between HTTP and the app: requests in, HTML, JSON and events out. It
//! decides nothing about what is visible, what it weighs or what is sent, opens no store
//! and knows no provider.

mod access;
mod answer_streams;
mod api;
mod assets;
mod catching_up;
mod configurator;
mod connections;
mod event_id;
mod event_log;
mod formats;
mod gateway;
mod health;
mod imports;
#[cfg(test)]
#[path = "../build/join.rs"]
mod join;
mod keys;
mod news;
mod outlet;
mod place;
mod problem;
mod relay;
mod request_log;
mod security;
mod sends;
mod sessions;
mod state;
mod telling;
mod views;
mod watcher;

pub use access::Team;
pub use api::named_workspace;
pub use configurator::{
    Configurator, KeptKey, ListedModel, ListedProvider, NewKey, NewModels, NewServer, Refusal,
    TriedServer,
};
pub use connections::{Patience, accounts_are_told};
pub use security::{Access, Token};
pub use state::{Web, WebParts};

use std::sync::Arc;

use axum::Router;

/// Every address that needs the server behind it.
fn routes(team: bool) -> Router<Arc<Web>> {
    let (api, openapi) = api::router().split_for_parts();
    let openapi = Arc::new(api::finished(openapi));
    let routes = Router::new()
        .merge(views::router())
        .merge(api)
        .merge(health::router())
        .merge(gateway::router())
        .route("/api/openapi.json", axum::routing::get(move || api::document(openapi.clone())));
    if team { routes.merge(access::router()) } else { routes }
}

/// Everything that is served.
pub fn router(web: &Arc<Web>) -> Router {
    routes(web.team.is_some())
        .with_state(Arc::clone(web))
        .merge(assets::router())
        .merge(web.mounted.clone().layer(axum::middleware::map_request(bounded)))
        .fallback(problem::not_found)
        .layer(axum::extract::DefaultBodyLimit::max(BODY_LIMIT))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(web), nothing_new))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(web), security::guard))
        .layer(axum::middleware::from_fn(request_log::log))
}

/// REL-11: connections outlive the listener, and whoever keeps one could begin a send while the
/// process ends. Looking is still allowed.
async fn nothing_new(
    axum::extract::State(web): axum::extract::State<Arc<Web>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    use axum::{http::header, response::IntoResponse};
    if !web.is_ending() || request.method().is_safe() {
        return next.run(request).await;
    }
    let headers = [(header::CONNECTION, "close"), (header::RETRY_AFTER, "1")];
    (headers, draining()).into_response()
}

/// What who ends answers to all that is new.
pub(crate) fn draining() -> problem::Problem {
    let detail = "draining: this server is ending and takes nothing new";
    problem::Problem::new(axum::http::StatusCode::SERVICE_UNAVAILABLE, "ending", detail)
        .hint("send it again, to another node or when the server runs again")
}

/// A request whose body ends at the limit and takes no more memory than that when it is read
/// (REL-7), whoever reads it.
async fn bounded(
    request: axum::extract::Request,
) -> Result<axum::extract::Request, problem::Problem> {
    use axum::http::StatusCode;
    let (head, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, BODY_LIMIT).await else {
        let detail = format!("the body is larger than {} MB", BODY_LIMIT >> 20);
        return Err(problem::Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail));
    };
    if !plimsoll_domain::json_is_bounded(&bytes) {
        return Err(problem::Problem::too_many_values());
    }
    Ok(axum::extract::Request::from_parts(head, bytes.into()))
}

/// No request is larger (SEC-5): the longest message that any model takes, and room.
const BODY_LIMIT: usize = 8 << 20;

/// So long a server goes on telling what came to its end.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(250);

/// Serves until `until` says for how long yet: so long it goes on while something is being sent,
/// nothing new is begun, and who asks is told so. What is stopped then was interrupted (TEA-8);
/// without such a time it was stopped by a person. Streams of events never end by themselves, so
/// nobody is waited for; what is being sent then is for the caller to [rest](Web::rest). `descriptors` is how
/// many this process may have, as far as that is known.
pub async fn serve(
    listener: tokio::net::TcpListener,
    web: &Arc<Web>,
    descriptors: Option<u64>,
    until: impl Future<Output = std::time::Duration>,
) {
    let relay = relay::start(Arc::clone(web));
    let gateway = Arc::clone(&web.gateway);
    // It goes on while the last calls end.
    tokio::spawn(async move { gateway.keep_books().await });
    tokio::select! {
        () = connections::serve(listener, router(web), descriptors, Patience::default()) => {}
        () = async {
            let grace = until.await;
            web.take_nothing_new();
            if !grace.is_zero() {
                let _ = tokio::time::timeout(grace, web.sends.ended()).await;
                // The end is told right behind it, and who watches hears it.
                tokio::time::sleep(LAST_WORDS).await;
                web.app.hand_sends_back();
            }
        } => {}
    }
    web.take_nothing_new();
    relay.abort();
}
