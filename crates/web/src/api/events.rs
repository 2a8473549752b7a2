//! Events by SSE (API-2), numbered, so that a client can resume.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, StreamExt};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Asked, Here, PlaceQuery};
use crate::{Web, event_log, place::Place, problem::Problem};

/// Proxies and browsers hear something at least this often.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AfterQuery {
    /// The number of the last event that was seen; the header Last-Event-ID wins.
    after: Option<u64>,
}

/// What happens, as server-sent events
///
/// `started`, `attempt`, `delta`, `status`, `receipt`, `ended`, `pair`, `removed`, `rows`,
/// `state`, `topics`, `settings`, `draft`, `files`, `memory`, `tool`, `import`; `reset` to a client
/// that was away too long. The data of each is JSON. `attempt` comes when a call goes out (its
/// `stage` is `sent`) and again when it is over; `call` numbers the calls of the send in
/// `pair`, `leftOut` names the pairs that it left out. `receipt` comes when the receipt can
/// be read.
#[utoipa::path(get, path = "/api/events", tag = "events", params(PlaceQuery, AfterQuery),
    responses((status = 200, content_type = "text/event-stream", body = String)))]
pub(super) async fn events(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<AfterQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, std::convert::Infallible>>>, Problem> {
    follow(&web, place, &query, &headers, &["text", "toolcall"]).await
}

/// The events of a place but those of these names: pages get text as HTML, programs as
/// it is.
pub(crate) async fn follow(
    web: &Arc<Web>,
    place: Place,
    query: &AfterQuery,
    headers: &HeaderMap,
    without: &'static [&'static str],
) -> Result<Sse<impl Stream<Item = Result<Event, std::convert::Infallible>> + use<>>, Problem> {
    // Whoever follows a place looks at it: its session is kept up to date, and stays open.
    let was_open = web.sessions.opened(&place).is_some();
    let session = web.sessions.session(&web.app, &place).await?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    // Nobody told of changes while the place was closed: who comes back to it starts over.
    let after = last.or(query.after).map(|number| if was_open { number } else { 0 });
    let events = web
        .event_log
        .follow(place, after)
        .filter(move |event| std::future::ready(!without.contains(&event.name)))
        .map(move |event| {
            let _followed = &session;
            event_log::on_the_wire(&event)
        });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}
