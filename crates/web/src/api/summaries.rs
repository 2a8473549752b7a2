//! Summaries that can be seen (HIS-11): what one would take, and making it.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use plimsoll_app::{AppError, SeenDigest, SendChoices, StartedSend, SummaryPart, View};
use plimsoll_domain::PairId;
use plimsoll_send::{Outcome, SendCost};
use plimsoll_store::StoreError;
use plimsoll_tokens::{commas, dollars_at_most};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing::Instrument;
use utoipa::ToSchema;

use super::{Here, PlaceQuery, pair_id, undo::Before};
use crate::{
    Web,
    access::By,
    place::Place,
    problem::{Body, Problem},
    sends,
};

/// What is to be summarised, and by whom.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SummaryAsk {
    /// The pairs; else the visible ones that are left out for want of room or stand before the line.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pairs: Vec<String>,
    /// All that is visible up to this pair, what was left out by hand and summaries aside.
    up_to: Option<String>,
    /// The model; else the one that is selected.
    model: Option<String>,
}

/// What a summary would take. Nothing is sent.
#[derive(Serialize, ToSchema)]
pub(super) struct SummaryPlan {
    model: String,
    /// One request each: as many as the pairs need to fit.
    parts: Vec<SummaryPartDto>,
    /// What all of them weigh.
    tokens: u64,
    /// What they cost at most, the answers not counted, where the price is known: `≤ $0.13`.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
}

/// One request for a summary.
#[derive(Serialize, ToSchema)]
struct SummaryPartDto {
    /// The pairs that it would stand for, oldest first.
    pairs: Vec<SummarisedPair>,
    /// What the request weighs.
    tokens: u64,
    /// What is agreed to with it; `POST /api/summaries` takes these back.
    digest: String,
}

#[derive(Serialize, ToSchema)]
struct SummarisedPair {
    id: String,
    /// How its message begins.
    opening: String,
}

/// What a summary would take; nothing is sent
#[utoipa::path(post, path = "/api/summaries/plan", tag = "sending", params(PlaceQuery),
    request_body = SummaryAsk, responses((status = 200, body = SummaryPlan)))]
pub(super) async fn plan(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Body(ask): Body<SummaryAsk>,
) -> Result<Json<SummaryPlan>, Problem> {
    let (view, pairs) = meant(&web, &place, &ask).await?;
    let planned = web.app.plan_summary(&place.workspace, &view, &pairs).await?;
    let model = planned.first().map_or_else(String::new, |part| part.plan.model().id.clone());
    let tokens = planned.iter().map(|part| part.plan.weights.total()).sum();
    let cost = SendCost::sum(planned.iter().map(|part| part.plan.cost()));
    let cost = cost.map(|cost| dollars_at_most(cost.most));
    let mut parts = Vec::with_capacity(planned.len());
    for SummaryPart { pairs, plan, seen } in planned {
        let stored = web.app.store().get_many(&pairs).await?;
        let told = |one: &plimsoll_store::StoredPair| SummarisedPair {
            id: one.pair.id.to_string(),
            opening: plimsoll_prose::plain_preview(&one.pair.user_text, 80),
        };
        parts.push(SummaryPartDto {
            pairs: stored.iter().map(told).collect(),
            tokens: plan.weights.total(),
            digest: seen.digest().to_string(),
        });
    }
    Ok(Json(SummaryPlan { model, parts, tokens, cost }))
}

/// A summary that somebody agreed to.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SummaryOrder {
    /// The pairs; else those that `/api/summaries/plan` chooses.
    #[serde(default)]
    #[schema(max_items = 10000)]
    pairs: Vec<String>,
    /// All that is visible up to this pair, what was left out by hand and summaries aside.
    up_to: Option<String>,
    /// The model; else the one that is selected.
    model: Option<String>,
    /// The digests of the parts that were agreed to. Where something else would be sent, nothing is,
    /// and the answer is 409 `view_changed`. Without them nothing is compared.
    #[schema(max_items = 10000)]
    seen: Option<Vec<String>>,
}

/// A summary that is being made.
#[derive(Serialize, ToSchema)]
pub(super) struct SummaryBegun {
    /// The pair of its first part; how it goes on comes by events.
    pair: String,
    /// How many requests there are.
    parts: usize,
}

/// Summarise pairs; the event `summarised` tells how it ended
#[utoipa::path(post, path = "/api/summaries", tag = "sending", params(PlaceQuery),
    request_body = SummaryOrder, responses((status = 202, body = SummaryBegun)))]
pub(super) async fn summarise(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    by: By,
    Body(order): Body<SummaryOrder>,
) -> Result<(StatusCode, Json<SummaryBegun>), Problem> {
    by.within_limits(&web, place.workspace.project()).await?;
    let SummaryOrder { pairs, up_to, model, seen } = order;
    let (view, pairs) = meant(&web, &place, &SummaryAsk { pairs, up_to, model }).await?;
    let planned = web.app.plan_summary(&place.workspace, &view, &pairs).await?;
    let digest = |part: &SummaryPart| part.seen.digest().to_string();
    if seen.is_some_and(|seen| seen != planned.iter().map(digest).collect::<Vec<_>>()) {
        return Err(AppError::ViewChanged.into());
    }
    let mut parts = planned.into_iter();
    let first = parts.next().ok_or(AppError::NothingToSummarise)?;
    web.app.make_ready(&first.plan.model().id, place.payer().as_ref()).await?;
    let started = match begin(&web, &place, &view, &first).await {
        Err(AppError::Store(busy @ StoreError::Busy { .. })) => {
            let words = busy.to_string();
            return Err(Problem::new(StatusCode::CONFLICT, "send_in_flight", words));
        }
        started => started?,
    };
    let begun = SummaryBegun { pair: started.pair.to_string(), parts: parts.len() + 1 };
    let rest: Vec<SummaryPart> = parts.collect();
    let work = make(Arc::clone(&web), place, view, started, rest);
    tokio::spawn(work.in_current_span());
    Ok((StatusCode::ACCEPTED, Json(begun)))
}

async fn begin(
    web: &Web,
    place: &Place,
    view: &View,
    part: &SummaryPart,
) -> Result<StartedSend, AppError> {
    let prepared = web.app.prepare_summary(&place.workspace, view, &part.pairs).await?;
    let seen = Some(SeenDigest(part.seen.digest().to_string()));
    web.app.begin(prepared, SendChoices { seen, ..SendChoices::default() }).await
}

/// Makes the parts one after the other, and tells how it ended. The parts that were made before one
/// failed stay: each stands for its own pairs.
async fn make(
    web: Arc<Web>,
    place: Place,
    view: View,
    started: StartedSend,
    rest: Vec<SummaryPart>,
) {
    let mut rest = rest.into_iter();
    let (mut made, mut tokens) = (Vec::new(), 0);
    let mut next = Ok(started);
    let failed = loop {
        let started = match next {
            Ok(started) => started,
            Err(error) => break Some(AppError::to_string(&error)),
        };
        match sends::carried(&web, place.clone(), started).await {
            Some(sent) => match (&sent.outcome, &sent.error) {
                (Outcome::Complete { .. }, _) => {
                    made.push(sent.pair);
                    tokens += sent.receipt.usage.map_or(0, |usage| usage.completion);
                }
                (Outcome::Cancelled, _) => break Some("it was stopped".to_owned()),
                (Outcome::Error(_), Some(error)) => break Some(error.message.clone()),
                (Outcome::Error(_), None) => break Some("the model did not answer".to_owned()),
            },
            None => break Some("its end could not be written down".to_owned()),
        }
        match rest.next() {
            Some(part) => next = begin(&web, &place, &view, &part).await,
            None => break None,
        }
    };
    tell(&web, &place, made, tokens, failed);
}

fn tell(web: &Web, place: &Place, made: Vec<PairId>, tokens: u64, failed: Option<String>) {
    let pairs: Vec<String> = made.iter().map(ToString::to_string).collect();
    let undo = (!made.is_empty())
        .then(|| web.undo.keep(&place.workspace, web.app.clock().now(), Before::Summaries(made)));
    let text = match (failed, pairs.len()) {
        (Some(why), 0) => format!("Not summarised: {why}. Nothing has changed."),
        (Some(why), made) => format!("Only {made} of the parts were summarised: {why}."),
        (None, 1) if tokens > 0 => format!("Summarised in {} tokens.", commas(tokens)),
        (None, 1) => "Summarised.".to_owned(),
        (None, made) => format!("Summarised in {made} parts."),
    };
    let data = json!({ "pairs": pairs, "text": text, "undo": undo });
    web.event_log.tell(place, "summarised", &data);
}

/// The view of a place for the model that summarises, and the pairs that are meant.
pub(crate) async fn meant(
    web: &Web,
    place: &Place,
    ask: &SummaryAsk,
) -> Result<(View, Vec<PairId>), Problem> {
    let session = web.sessions.session(&web.app, place).await?;
    let mut session = session.lock().await;
    let named = ask.pairs.iter().map(|id| pair_id(id)).collect::<Result<Vec<_>, _>>()?;
    let up_to = ask.up_to.as_deref().map(pair_id).transpose()?;
    let stored = web.app.store().get_many(&named).await?;
    if stored.iter().any(|stored| stored.workspace != place.workspace) {
        return Err(Problem::not_found("pair"));
    }
    let pairs = match up_to {
        Some(id) => session.workspace_view.up_to(&web.app, id).await?,
        None if named.is_empty() => session.workspace_view.without_room(&web.app).await?,
        None => named,
    };
    if pairs.is_empty() {
        return Err(AppError::NothingToSummarise.into());
    }
    let now = &session.workspace_view;
    let model = ask.model.clone().unwrap_or_else(|| now.model().id.clone());
    let topic = Some(now.topic().id.to_string());
    let view = View { topic, model: Some(model), ..now.view().clone() };
    Ok((view, pairs))
}
