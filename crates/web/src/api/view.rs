//! The view: filter, selectors, completion, saved filters, search.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::{ContextFrom, HistoryChoice, View};
use plimsoll_domain::FilesScope;
use plimsoll_store::SearchHit;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Asked, At, AtQuery, Here, PlaceQuery,
    state::StateDto,
    undo::{Before, Gone},
};
use crate::{
    Web,
    access::{Action, By},
    formats::{marked_plain, rfc3339},
    problem::{Body, Problem},
};

/// View, counter, boundary and window
#[utoipa::path(get, path = "/api/state", tag = "view", params(PlaceQuery),
    responses((status = 200, body = StateDto)))]
pub(super) async fn state(
    State(web): State<Arc<Web>>,
    Here(place): Here,
) -> Result<Json<StateDto>, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    Ok(Json(StateDto::of(&web, &mut session).await?))
}

/// What to look at; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    /// A filter; the empty one shows everything.
    #[schema(max_length = 65536)]
    filter: Option<String>,
    /// The id or the path of a topic; blank for none. In the scope of a conversation that is the topic.
    topic: Option<String>,
    /// A model; blank for none.
    model: Option<String>,
    /// Whose files the model is told of and may read (FIL-6).
    #[serde(rename = "filesScope")]
    files: Option<FilesScope>,
    /// Where the context begins (UI-17): the id of its first pair, `after:` and the id of the
    /// last one before it, `end` for behind the newest pair; blank for the prediction.
    #[serde(rename = "contextFrom")]
    context_from: Option<String>,
}

/// Apply a filter, or choose a topic, a model or whose files are listed
#[utoipa::path(put, path = "/api/view", tag = "view", params(PlaceQuery), request_body = Choice,
    responses((status = 200, body = StateDto), (status = 422, body = Problem,
        content_type = "application/problem+json", description = "The filter, topic or model is not right")))]
pub(super) async fn choose(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    by: By,
    Body(choice): Body<Choice>,
) -> Result<Json<StateDto>, Problem> {
    // What somebody looks at is theirs; where the context begins is everybody's.
    let project = Some(place.workspace.project());
    let may_write = by.0.as_ref().map_or(Ok(()), |signed| signed.may(project, Action::Write));
    if choice.context_from.is_some() {
        may_write.clone()?;
    }
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    let within = place.within();
    let mut view: View = session.workspace_view.view().clone();
    if let Some(filter) = &choice.filter {
        view.history = HistoryChoice::Filter(filter.clone());
    }
    // A blank one is none: what the topic, the history or the settings say counts again.
    let chosen = |new: Option<String>, old: Option<String>| match new {
        Some(name) if name.trim().is_empty() => None,
        Some(name) => Some(name),
        None => old,
    };
    // In the scope of a conversation the topic is that conversation.
    if within.is_none() {
        view.topic = chosen(choice.topic, view.topic);
    }
    view.model = chosen(choice.model, view.model);
    view.files = choice.files.or(view.files);
    if view != *session.workspace_view.view() || choice.context_from.is_none() {
        session.choose(&web.app, view).await?;
    }
    if let Some(text) = &choice.context_from {
        let wrong = || Problem::bad_request("contextFrom is a pair's id, after:ID, end, or blank");
        let from = ContextFrom::parse(text).ok_or_else(wrong)?;
        let before = web.app.context_mark(&place.workspace, within).await?;
        if web.app.set_context_from(&place.workspace, within, from).await? != before {
            web.undo.keep(
                &place.workspace,
                web.app.clock().now(),
                Before::ContextFrom(within, before),
            );
        }
        session.frozen = None;
    }
    let filter = choice.filter.filter(|filter| !filter.trim().is_empty());
    if let Some(filter) = filter.filter(|_| may_write.is_ok()) {
        web.app.store().push_query(&place.workspace, &filter, web.app.clock().now()).await?;
    }
    let state = StateDto::of(&web, &mut session).await?;
    web.event_log.tell(&place, "rows", &serde_json::json!({}));
    web.event_log.tell(&place, "state", &serde_json::json!(state));
    Ok(Json(state))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CompleteQuery {
    /// What stands in the box.
    #[param(max_length = 65536)]
    text: String,
    /// The cursor, in UTF-16 units as browsers count; else the end.
    cursor: Option<usize>,
}

/// What could stand at the cursor.
#[derive(Serialize, ToSchema)]
pub(super) struct Completed {
    /// Where what is replaced starts, in UTF-16 units.
    from: usize,
    /// Where it ends.
    to: usize,
    /// The best ones first.
    items: Vec<Offer>,
}

#[derive(Serialize, ToSchema)]
struct Offer {
    /// What takes the place.
    insert: String,
    /// One line that says what it is.
    label: String,
}

/// Complete the filter at the cursor
#[utoipa::path(get, path = "/api/complete", tag = "view", params(PlaceQuery, CompleteQuery),
    responses((status = 200, body = Completed)))]
pub(super) async fn complete(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<CompleteQuery>,
) -> Result<Json<Completed>, Problem> {
    let session = web.sessions.session(&web.app, &place).await?;
    let session = session.lock().await;
    let text = &query.text;
    let cursor = query.cursor.map_or(text.len(), |units| byte_at(text, units));
    let found = session.workspace_view.complete(text, cursor);
    let units = |bytes: usize| text[..bytes].encode_utf16().count();
    Ok(Json(Completed {
        from: units(found.replace.start),
        to: units(found.replace.end),
        items: found
            .candidates
            .into_iter()
            .map(|candidate| Offer { insert: candidate.insert, label: candidate.label })
            .collect(),
    }))
}

/// The byte at a number of UTF-16 units; one within a character is moved back.
fn byte_at(text: &str, units: usize) -> usize {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left < c.len_utf16() {
            return at;
        }
        left -= c.len_utf16();
    }
    text.len()
}

/// Filters that worked, oldest first.
#[derive(Serialize, ToSchema)]
pub(super) struct Queries {
    queries: Vec<String>,
}

/// The filters that were applied before
#[utoipa::path(get, path = "/api/queries", tag = "view", params(AtQuery),
    responses((status = 200, body = Queries)))]
pub(super) async fn queries(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<Queries>, Problem> {
    web.app.open_workspace(&at).await?;
    Ok(Json(Queries { queries: web.app.store().queries(&at).await? }))
}

/// A saved filter.
#[derive(Serialize, ToSchema)]
struct Saved {
    /// Its name, without `@`.
    name: String,
    /// Its text.
    text: String,
}

/// The saved filters.
#[derive(Serialize, ToSchema)]
pub(super) struct Filters {
    filters: Vec<Saved>,
}

/// The saved filters, by name
#[utoipa::path(get, path = "/api/filters", tag = "view", params(AtQuery),
    responses((status = 200, body = Filters)))]
pub(super) async fn filters(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<Filters>, Problem> {
    web.app.open_workspace(&at).await?;
    let saved = web.app.store().saved_filters(&at).await?;
    let saved = saved.into_iter().map(|filter| Saved { name: filter.name, text: filter.text });
    Ok(Json(Filters { filters: saved.collect() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FilterText {
    /// The filter.
    #[schema(max_length = 65536)]
    text: String,
}

/// Save a filter under a name
#[utoipa::path(put, path = "/api/filters/{name}", tag = "view", request_body = FilterText,
    params(AtQuery, ("name" = String, Path, description = "Letters, digits, - and _")),
    responses((status = 204)))]
pub(super) async fn save_filter(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(name): Path<String>,
    Body(filter): Body<FilterText>,
) -> Result<StatusCode, Problem> {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > 200 || !name.chars().all(good) {
        return Err(Problem::bad_request("a name has letters, digits, - and _"));
    }
    web.app.open_workspace(&at).await?;
    web.app.save_filter(&at, &name, Some(&filter.text)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Drop a saved filter; it can be brought back for a while
#[utoipa::path(delete, path = "/api/filters/{name}", tag = "view",
    params(AtQuery, ("name" = String, Path)), responses((status = 200, body = Gone)))]
pub(super) async fn drop_filter(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(name): Path<String>,
) -> Result<Json<Gone>, Problem> {
    web.app.open_workspace(&at).await?;
    let deleted = web.app.delete_filter(&at, &name).await?;
    Ok(Gone::of(deleted, format!("@{name} deleted")))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    /// Words; the last one may be the beginning of one.
    #[param(max_length = 1000)]
    q: String,
    /// At most so many.
    #[param(minimum = 1, maximum = 500, default = 20)]
    limit: Option<u16>,
}

/// A pair that holds the words.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Hit {
    /// The pair.
    pair: String,
    /// Where it stands among the visible ones, if it is visible.
    at: Option<usize>,
    /// The conversation that it stands in.
    conversation: Option<String>,
    /// The title of that.
    title: Option<String>,
    /// The words around, with what was found in `<mark>`.
    snippet_html: String,
    /// When it was written.
    created_at: String,
}

/// Pairs, the best first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hits {
    hits: Vec<Hit>,
    /// Whether the words are a filter as well, as `age` is: attached, grey and in error.
    also_filter: bool,
}

/// Search all pairs of the workspace
#[utoipa::path(get, path = "/api/search", tag = "view", params(PlaceQuery, SearchQuery),
    responses((status = 200, body = Hits)))]
pub(super) async fn search(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<SearchQuery>,
) -> Result<Json<Hits>, Problem> {
    let limit = usize::from(query.limit.unwrap_or(20).clamp(1, 500));
    let session = web.sessions.session(&web.app, &place).await?;
    let found = web.app.store().search(&place.workspace, &query.q, limit).await?;
    let ids: Vec<_> = found.iter().map(|hit| hit.pair).collect();
    let stored = web.app.store().get_many(&ids).await?;
    let session = session.lock().await;
    let topics = session.workspace_view.topics().iter();
    let topics: HashMap<_, _> = topics.map(|topic| (topic.id, topic)).collect();
    let hit = |hit: &SearchHit| {
        let stored = stored.iter().find(|stored| stored.pair.id == hit.pair);
        let topic = stored.and_then(|stored| topics.get(&stored.pair.topic_id));
        Hit {
            pair: hit.pair.to_string(),
            at: session.workspace_view.position(hit.pair),
            conversation: topic.map(|topic| topic.id.to_string()),
            title: topic.map(|topic| topic.name.clone()),
            snippet_html: marked_plain(&hit.snippet, &hit.marks),
            created_at: stored.map(|s| rfc3339(s.pair.created_at)).unwrap_or_default(),
        }
    };
    let also_filter = plimsoll_filter::parse(&query.q).is_ok();
    Ok(Json(Hits { hits: found.iter().map(hit).collect(), also_filter }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_counted_as_browsers_do() {
        assert_eq!(byte_at("aé😀b", 0), 0);
        assert_eq!(byte_at("aé😀b", 2), 3);
        assert_eq!(byte_at("aé😀b", 3), 3, "within the pair of units");
        assert_eq!(byte_at("aé😀b", 4), 7);
        assert_eq!(byte_at("aé😀b", 99), 8);
    }

    #[test]
    fn what_was_found_is_marked_and_the_rest_is_text() {
        let hit = SearchHit {
            pair: plimsoll_domain::PairId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap(),
            snippet: "a <b> ship & sea".into(),
            marks: [(6, 10)].map(|(from, to)| from..to).to_vec(),
            score: 1.0,
        };
        assert_eq!(
            marked_plain(&hit.snippet, &hit.marks),
            "a &lt;b&gt; <mark>ship</mark> &amp; sea"
        );
    }
}
