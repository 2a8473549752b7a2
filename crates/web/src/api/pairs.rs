//! Pairs: read, labelled, edited, deleted.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_app::{Inclusion, Label, Shown, TopicPaths, find_topic};
use plimsoll_domain::{Attachment, ColorFlag, PairId, PairKind, PairUse, Star, file_label};
use plimsoll_store::{Edit, StoredPair, ToolCallRecord};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Asked, At, AtQuery, Here, PlaceQuery, pair_id,
    undo::{Before, ForGoodQuery, Gone},
};
use crate::{
    Web,
    formats::rfc3339,
    problem::{Body, Problem},
};

/// A pair (HIS-1).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PairDto {
    id: String,
    /// The path of its topic.
    topic: String,
    /// The id of its topic: conversations may have the same title.
    topic_id: String,
    model: String,
    user_text: String,
    /// What each token of the user's words stands for.
    attachments: Vec<Attachment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assistant_text: Option<String>,
    /// 0 to 3.
    star: u8,
    /// `blue` or `grey`.
    color_flag: &'static str,
    /// Whether it goes along with later messages: `auto` where there is room, `out` never,
    /// `pinned` always, and it is never left out to make room.
    #[serde(rename = "use")]
    pair_use: PairUse,
    /// `summary` for one that stands for earlier pairs; else `chat`.
    #[serde(skip_serializing_if = "is_chat")]
    kind: PairKind,
    /// The pairs that a summary stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    summarises: Vec<String>,
    /// Whether a pair that it stands for was edited or deleted since.
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_date: Option<bool>,
    /// The summary that is sent in its place, where it is left out for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    summarised_by: Option<String>,
    /// When a summary was made; `createdAt` is its place in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_at: Option<String>,
    /// The first pair of the comparison that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// `idle`, `sending`, `complete`, `error` or `cancelled`.
    lifecycle_state: &'static str,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_answer: Option<String>,
    /// Whether the answer was cut by its length.
    cut: bool,
    /// Counts the changes of its texts.
    revision: u64,
    /// When it was edited last.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<String>,
    /// What the model did with tools for this answer, where one pair is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCallDto>,
    /// What it weighs, where it stands in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Whether it would be sent, where it stands in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    included: Option<bool>,
}

fn is_chat(kind: &PairKind) -> bool {
    *kind == PairKind::Chat
}

/// A call of a tool, and what it gave (PRV-5).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolCallDto {
    name: String,
    /// What was asked, as the model wrote it: mostly JSON.
    arguments: String,
    /// What the tool said.
    result: String,
    /// Whether that was an error.
    failed: bool,
    /// What call and result weigh.
    tokens: u64,
    /// How long it took.
    millis: u64,
    /// The ids of the files that it made.
    made: Vec<String>,
}

impl From<ToolCallRecord> for ToolCallDto {
    fn from(call: ToolCallRecord) -> Self {
        Self {
            name: call.name,
            arguments: call.arguments,
            result: call.result,
            failed: call.failed,
            tokens: call.tokens,
            millis: call.millis,
            made: call.made.into_iter().map(file_label).collect(),
        }
    }
}

impl PairDto {
    fn of(stored: StoredPair, paths: &TopicPaths<'_>, shown: Option<&Shown>) -> Self {
        let pair = stored.pair;
        let summary = pair.kind == PairKind::Summary;
        let (error_code, error_message) = pair.error.map(|e| (e.code, e.message)).unzip();
        Self {
            id: pair.id.to_string(),
            topic: paths.path(pair.topic_id),
            topic_id: pair.topic_id.to_string(),
            model: pair.model,
            attachments: pair.attachments,
            user_text: pair.user_text,
            assistant_text: pair.assistant_text,
            star: pair.star.count(),
            color_flag: pair.color_flag.name(),
            pair_use: pair.pair_use,
            kind: pair.kind,
            summarises: pair.summarises.iter().map(|one| one.pair.to_string()).collect(),
            out_of_date: summary.then_some(stored.outdated),
            summarised_by: stored.summarised_by.map(|id| id.to_string()),
            made_at: summary.then(|| rfc3339(pair.id.made_at())),
            group: pair.group.map(|id| id.to_string()),
            lifecycle_state: pair.lifecycle.name(),
            created_at: rfc3339(pair.created_at),
            error_code,
            error_message,
            receipt_id: pair.receipt_id.map(|id| id.to_string()),
            previous_answer: pair.previous_answer,
            cut: stored.cut,
            revision: stored.revision,
            edited_at: stored.edited_at.map(rfc3339),
            tool_calls: Vec::new(),
            tokens: shown.and_then(|shown| shown.tokens),
            included: shown.map(|shown| shown.place == Inclusion::Included),
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// The position of the first one; else the last page.
    from: Option<usize>,
    /// At most so many.
    #[param(minimum = 1, maximum = 200, default = 40)]
    limit: Option<u8>,
}

/// A page of what is visible.
#[derive(Serialize, ToSchema)]
pub(super) struct Page {
    /// The position of the first one.
    from: usize,
    /// How many are visible.
    visible: usize,
    /// The pairs, oldest first.
    pairs: Vec<PairDto>,
}

/// A page of the visible pairs, oldest first
#[utoipa::path(get, path = "/api/pairs", tag = "pairs", params(PlaceQuery, ListQuery),
    responses((status = 200, body = Page)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<ListQuery>,
) -> Result<Json<Page>, Problem> {
    let limit = usize::from(query.limit.unwrap_or(40).clamp(1, 200));
    let session = web.sessions.session(&web.app, &place).await?;
    let mut session = session.lock().await;
    let visible = session.workspace_view.boundary(&web.app).await?.visible;
    let from = query.from.unwrap_or_else(|| visible.saturating_sub(limit)).min(visible);
    let shown = session.workspace_view.shown(&web.app, from..from.saturating_add(limit)).await?;
    let ids: Vec<_> = shown.iter().map(|shown| shown.id).collect();
    let stored = web.app.store().get_many(&ids).await?;
    let paths = TopicPaths::of(session.workspace_view.topics());
    let pair = |stored: StoredPair| {
        let shown = shown.iter().find(|shown| shown.id == stored.pair.id);
        PairDto::of(stored, &paths, shown)
    };
    Ok(Json(Page { from, visible, pairs: stored.into_iter().map(pair).collect() }))
}

/// One pair
#[utoipa::path(get, path = "/api/pairs/{id}", tag = "pairs",
    params(AtQuery, ("id" = String, Path)), responses((status = 200, body = PairDto)))]
pub(super) async fn get(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Json<PairDto>, Problem> {
    let id = pair_id(&id)?;
    let stored = web.app.store().get(id).await?;
    let topics = web.app.store().topics(&at).await?;
    let mut pair = PairDto::of(stored, &TopicPaths::of(&topics), None);
    let calls = web.app.store().tool_calls(id).await?;
    pair.tool_calls = calls.into_iter().map(ToolCallDto::from).collect();
    Ok(Json(pair))
}

/// The colour of a pair's flag.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Flag {
    Blue,
    Grey,
}

/// What to change; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Changes {
    /// 0 to 3.
    #[schema(minimum = 0, maximum = 3)]
    star: Option<u64>,
    flag: Option<Flag>,
    /// Whether it goes along with later messages. It can be taken back with `/api/undo`.
    #[serde(rename = "use")]
    pair_use: Option<PairUse>,
    /// The id or the path of a topic.
    topic: Option<String>,
    /// New words of the user; the old ones are kept.
    user_text: Option<String>,
    /// A new answer; the old one is kept.
    assistant_text: Option<String>,
    /// The revision whose texts were edited. If there is a newer one by now, nothing is changed,
    /// and the answer is 409 `changed_elsewhere`.
    revision: Option<u64>,
}

/// Label or edit a pair
#[utoipa::path(patch, path = "/api/pairs/{id}", tag = "pairs", request_body = Changes,
    params(AtQuery, ("id" = String, Path)), responses((status = 200, body = PairDto)))]
pub(super) async fn change(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Body(changes): Body<Changes>,
) -> Result<Json<PairDto>, Problem> {
    let id = pair_id(&id)?;
    let app = &web.app;
    let kept = app.store().get(id).await?;
    if kept.workspace != at {
        return Err(Problem::not_found("pair"));
    }
    let edits = changes.user_text.is_some() || changes.assistant_text.is_some();
    if edits && changes.revision.is_some_and(|revision| revision != kept.revision) {
        let detail = "this pair was changed elsewhere since you began to edit it; copy what you \
                      wrote, leave the edit, and edit it again";
        return Err(Problem::new(StatusCode::CONFLICT, "changed_elsewhere", detail));
    }
    let topics = app.store().topics(&at).await?;
    let mut labels = Vec::new();
    if let Some(star) = changes.star {
        let star = Star::new(star).map_err(|error| Problem::bad_request(error.to_string()))?;
        labels.push(Label::Star(star));
    }
    labels.extend(changes.flag.map(|flag| {
        Label::Flag(match flag {
            Flag::Blue => ColorFlag::Blue,
            Flag::Grey => ColorFlag::Grey,
        })
    }));
    if let Some(pair_use) = changes.pair_use {
        labels.push(Label::Use(pair_use));
    }
    if let Some(path) = &changes.topic {
        let topic = find_topic(&topics, path)
            .ok_or_else(|| plimsoll_app::AppError::UnknownTopic(path.clone()))?;
        labels.push(Label::Topic(topic.id));
    }
    for label in labels {
        match label {
            Label::Use(pair_use) => use_as(&web, &at, &[id], pair_use).await?,
            Label::Topic(topic) if topic != kept.pair.topic_id => {
                app.label(&at, &[id], label).await?;
                let before = Before::Topics(vec![(id, kept.pair.topic_id)]);
                web.undo.keep(&at, app.clock().now(), before);
            }
            label => drop(app.label(&at, &[id], label).await?),
        }
    }
    if edits {
        let edit = Edit { user_text: changes.user_text, assistant_text: changes.assistant_text };
        app.edit(&at, id, &edit).await?;
    }
    Ok(Json(PairDto::of(app.store().get(id).await?, &TopicPaths::of(&topics), None)))
}

/// Which pairs are used how from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Uses {
    /// The ids of the pairs.
    #[schema(max_items = 1000)]
    pairs: Vec<String>,
    /// Whether they go along with later messages.
    #[serde(rename = "use")]
    pair_use: PairUse,
}

/// Pin pairs, leave them out, or neither; one undo takes it back
#[utoipa::path(patch, path = "/api/pairs", tag = "pairs", request_body = Uses,
    params(AtQuery), responses((status = 204)))]
pub(super) async fn change_uses(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(uses): Body<Uses>,
) -> Result<StatusCode, Problem> {
    let ids = uses.pairs.iter().map(|id| pair_id(id)).collect::<Result<Vec<_>, _>>()?;
    use_as(&web, &at, &ids, uses.pair_use).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets the use of the pairs of a workspace in one step that can be undone (HIS-10). Where
/// nothing changes there is nothing to undo.
async fn use_as(
    web: &Web,
    at: &plimsoll_store::Workspace,
    ids: &[PairId],
    pair_use: PairUse,
) -> Result<(), Problem> {
    let stored = web.app.store().get_many(ids).await?;
    if stored.is_empty() || stored.iter().any(|stored| stored.workspace != *at) {
        return Err(Problem::not_found("pair"));
    }
    let other = stored.iter().filter(|stored| stored.pair.pair_use != pair_use);
    let before: Vec<_> = other.map(|stored| (stored.pair.id, stored.pair.pair_use)).collect();
    if before.is_empty() {
        return Ok(());
    }
    let ids: Vec<PairId> = before.iter().map(|(id, _)| *id).collect();
    web.app.label(at, &ids, Label::Use(pair_use)).await?;
    web.undo.keep(at, web.app.clock().now(), Before::Uses(before));
    Ok(())
}

/// Delete a pair; it can be brought back for a while
#[utoipa::path(delete, path = "/api/pairs/{id}", tag = "pairs",
    params(AtQuery, ForGoodQuery, ("id" = String, Path)), responses((status = 200, body = Gone)))]
pub(super) async fn delete(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
    Asked(ForGoodQuery { for_good }): Asked<ForGoodQuery>,
) -> Result<Json<Gone>, Problem> {
    let id = pair_id(&id)?;
    if web.app.store().get(id).await?.workspace != at {
        return Err(Problem::not_found("pair"));
    }
    let deleted = match for_good {
        true => web.app.delete_for_good(&at, &[id]).await?,
        false => web.app.delete(&at, &[id]).await?,
    };
    Ok(Gone::of(deleted, "1 pair deleted".to_owned()))
}

/// Go on with this answer of a comparison, and leave the others out; one undo takes it back
#[utoipa::path(post, path = "/api/pairs/{id}/prefer", tag = "pairs",
    params(AtQuery, ("id" = String, Path)), responses((status = 204)))]
pub(super) async fn prefer(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = pair_id(&id)?;
    let stored = web.app.store().get(id).await?;
    if stored.workspace != at {
        return Err(Problem::not_found("pair"));
    }
    if stored.pair.group.is_none() {
        let detail = "this answer was not compared with others";
        return Err(Problem::new(StatusCode::CONFLICT, "not_compared", detail));
    }
    let before = web.app.prefer(&at, id).await?;
    if !before.is_empty() {
        web.undo.keep(&at, web.app.clock().now(), Before::Uses(before));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Exchange the answer with the one before its last regeneration
#[utoipa::path(post, path = "/api/pairs/{id}/swap", tag = "pairs",
    params(AtQuery, ("id" = String, Path)), responses((status = 204)))]
pub(super) async fn swap(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = pair_id(&id)?;
    let stored = web.app.store().get(id).await?;
    if stored.pair.previous_answer.is_none() {
        let detail = "there is no earlier answer to swap with";
        return Err(Problem::new(StatusCode::CONFLICT, "nothing_to_swap", detail));
    }
    web.app.swap_answer(&at, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
