//! Events by SSE (API-2), with ids, so that a client can resume at any node (TEA-6).

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Asked, Here, PlaceQuery};
use crate::{
    Web,
    catching_up::{catch_up, follow_texts},
    event_id::EventId,
    place::Place,
    problem::Problem,
    watcher::{Told, Watcher},
};

/// Proxies and browsers hear something at least this often.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AfterQuery {
    /// The id of the last event that was seen; the header Last-Event-ID wins.
    after: Option<String>,
}

/// What happens, as server-sent events
///
/// `started`, `attempt`, `delta`, `status`, `receipt`, `ended`, `pair`, `removed`, `rows`,
/// `state`, `topics`, `settings`, `draft`, `files`, `memory`, `tool`, `import`; `reset` to a client
/// that was away too long. Ids are `number.offset`, the number of the workspace's last change that
/// was told and the bytes of the growing answer, with what makes them exact behind; any node takes
/// them. The data of each is JSON. `attempt` comes when a call goes out (its
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
    follow(&web, place, &query, &headers, false).await
}

/// The events of a place: pages get text as HTML, programs as it is.
pub(crate) async fn follow(
    web: &Arc<Web>,
    place: Place,
    query: &AfterQuery,
    headers: &HeaderMap,
    html: bool,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>, Problem> {
    // Whoever follows a place looks at it: its session is kept up to date, and stays open.
    let was_open = web.sessions.opened(&place).is_some();
    let session = web.sessions.session(&web.app, &place).await?;
    let header = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let asked = header.or(query.after.as_deref()).filter(|id| !id.is_empty());
    // Where nobody knows what was missed, everything is read anew; so it is before the log is.
    let mut last = web.event_log.newest();
    let number = match web.event_log.number(&place.workspace) {
        Some(number) => number,
        None => web.app.store().newest_change(&place.workspace).await?,
    };
    let mut watcher = Watcher::new(place.clone(), html, number);
    let mut first = Vec::new();
    if let Some(asked) = asked {
        let id = EventId::parse(asked);
        if let Some(id) = &id {
            watcher = Watcher::at(place, html, id);
        }
        // Nobody told of changes while the place was closed: they are not in the log.
        let here = id.as_ref().and_then(|id| id.place.as_ref());
        match here.filter(|here| was_open && web.event_log.has(here)) {
            Some(here) => last = here.event,
            None => first = catch_up(web, &mut watcher, id.as_ref()).await,
        }
    } else {
        follow_texts(web, &mut watcher);
    }
    let (log, live) = (Arc::clone(web), web.event_log.follow(last));
    let live = live.scan(watcher, move |watcher, event| {
        let _followed = &session;
        let place = log.event_log.place(event.id);
        let told = watcher.hear(&event, place).map(|told| on_the_wire(&told));
        std::future::ready(Some(told))
    });
    let first: Vec<Event> = first.iter().map(on_the_wire).collect();
    let events = stream::iter(first).chain(live.filter_map(std::future::ready)).map(Ok);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

fn on_the_wire(told: &Told<'_>) -> Event {
    Event::default().id(&told.id).event(told.name).data(&told.data)
}
