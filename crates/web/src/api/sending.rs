//! Sending and stopping.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use plimsoll_app::{
    AppError, Draft, Prepared, Purpose, QuotaChoice, SeenDigest, SendChoices, View,
};
use plimsoll_budget::{Model, ModelLimit, OverBudget, larger_models};
use plimsoll_domain::Attachment;
use plimsoll_send::{Hash, Plan};
use plimsoll_store::StoreError;
use plimsoll_tokens::commas;
use serde::{Deserialize, Serialize};
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

use super::{
    Asked, Here, PlaceQuery, pair_id,
    seen::{self, AskedFor, SeenDto, view_for_model},
    state::bind_text,
    undo::Before,
    writing::{share_draft, tab},
};
use crate::{
    Web,
    access::By,
    outlet::Outlet,
    place::Place,
    problem::{Body, Problem},
    sends,
    sessions::WorkspaceSession,
    telling::tell_rows_to,
};

/// What happens when the account's windows are full (VAL-4).
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Quota {
    Wait,
    Go,
}

/// A message to send, with what the session shows.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Message {
    /// Its text, context tokens in place.
    text: String,
    /// One entry for each token of the text, in order.
    #[serde(default)]
    attachments: Vec<Attachment>,
    /// What happens above the limit; else by the settings.
    over_budget: Option<OverBudget>,
    /// Whether to wait for the account's limits, however long, or to go; else to wait a
    /// minute at most.
    quota: Option<Quota>,
    /// The failed or stopped pair that this asks again.
    reask: Option<String>,
    /// The newest complete pair, to be answered anew with its own text.
    regenerate: Option<String>,
    /// The pair whose message this is, sent again in other words; it is left out from now on, which
    /// `/api/undo` takes back.
    send_again: Option<String>,
    /// The model, for this send alone.
    model: Option<String>,
    /// Two or three models that answer it, each with a pair of its own; the answer of the first is
    /// sent with later messages, those of the others are left out until somebody wants them.
    #[serde(default)]
    #[schema(max_items = 3)]
    compare: Vec<String>,
    /// What the page showed. Where something else would be sent, nothing is, and the answer
    /// is 409 `view_changed`. Without it nothing is compared.
    seen: Option<SeenDto>,
}

/// A send that was begun.
#[derive(Serialize, ToSchema)]
pub(super) struct Begun {
    /// Its pair; the answer comes by events.
    pair: String,
    /// The pairs of a comparison, one a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<String>,
}

/// Send a message; the answer comes by events
#[utoipa::path(post, path = "/api/send", tag = "sending", params(PlaceQuery), request_body = Message,
    responses((status = 202, body = Begun)))]
pub(super) async fn send(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    by: By,
    headers: HeaderMap,
    Body(message): Body<Message>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    by.within_limits(&web, place.workspace.project()).await?;
    // Whoever goes away right after pressing Enter has sent it: it is begun whole or not at all.
    let begun = tokio::spawn(begin(web, place, headers, message).in_current_span()).await;
    begun.unwrap_or_else(|error| {
        let detail = format!("the send could not be begun: {error}");
        Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected", detail))
    })
}

async fn begin(
    web: Arc<Web>,
    place: Place,
    headers: HeaderMap,
    message: Message,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let quota = match message.quota {
        None => QuotaChoice::default(),
        Some(Quota::Go) => QuotaChoice::Go,
        Some(Quota::Wait) => QuotaChoice::WaitUpTo(Duration::from_secs(24 * 60 * 60)),
    };
    let asked = AskedFor {
        reask: message.reask.as_deref(),
        regenerate: message.regenerate.as_deref(),
        send_again: message.send_again.as_deref(),
    };
    let draft =
        seen::draft(&web, &place.workspace, asked, &message.text, &message.attachments).await?;
    let session = web.sessions.session(&web.app, &place).await?;
    // The session is everybody's: it is not held while a model is being fetched.
    let models = match (&message.model, message.compare.is_empty()) {
        (_, false) => message.compare.clone(),
        (Some(model), true) => vec![model.clone()],
        (None, true) => vec![session.lock().await.workspace_view.model().id.clone()],
    };
    for model in &models {
        web.app.make_ready(model, place.payer().as_ref()).await?;
    }
    let mut session = session.lock().await;
    let (prepared, instructions) = prepare(&web, &mut session, &message, &draft).await?;
    let first = prepared.first().ok_or(AppError::NotToCompare)?;
    let (plan, shown) = (first.plan.clone(), first.seen.clone());
    let before = match draft.purpose {
        Purpose::SendAgain(old) => Some((old, web.app.store().get(old).await?.pair.pair_use)),
        _ => None,
    };
    let digest = message.seen.as_ref().map(|seen| SeenDigest(seen.digest.clone()));
    let choices = SendChoices { over_budget: message.over_budget, quota, seen: digest };
    let begun = match web.app.begin_all(prepared, choices).await {
        Ok(begun) => begun,
        Err(AppError::ViewChanged) => {
            let changes =
                message.seen.map(|seen| session.views.changes(seen.view, &shown, instructions));
            drop(session);
            tell_rows_to(&Outlet::to_all(&web), &place).await;
            return Err(Problem::from(AppError::ViewChanged).changed(changes.unwrap_or_default()));
        }
        Err(AppError::Store(busy @ StoreError::Busy { .. })) => {
            let words = busy.to_string();
            return Err(Problem::new(StatusCode::CONFLICT, "send_in_flight", words));
        }
        Err(error) => return Err(offer(&web, &place, error, &plan).await),
    };
    let pairs: Vec<String> = begun.iter().map(|begun| begun.pair.to_string()).collect();
    // Nothing that can fail stands between the two: a send that is begun is carried out.
    for begun in begun {
        sends::carry_out(&web, place.clone(), begun);
    }
    if let Some(before) = before {
        web.undo.keep(&place.workspace, web.app.clock().now(), Before::Uses(vec![before]));
    }
    if let [first, _, ..] = models.as_slice() {
        // Those who were only asked too are the newest; who was chosen stays chosen.
        let view = View { model: Some(first.clone()), ..session.workspace_view.view().clone() };
        session.choose(&web.app, view).await?;
    }
    session.frozen = None;
    // What this tab wrote last is in the message, though the end of it was never saved.
    let own = session.draft_from.is_some() && session.draft_from.as_deref() == tab(&headers);
    if draft.purpose == Purpose::New && (session.draft.text == draft.text || own) {
        session.draft = Draft::default();
        // A draft that stays by mistake does no harm: its text is in the pair.
        let _ = web
            .app
            .store()
            .put_draft(&place.workspace, place.conversation, &session.draft, web.app.clock().now())
            .await;
        let emptied = session.draft.clone();
        drop(session);
        share_draft(&web, &place, &headers, &emptied).await;
    } else {
        drop(session);
    }
    let pair = pairs.first().cloned().unwrap_or_default();
    let pairs = if pairs.len() > 1 { pairs } else { Vec::new() };
    Ok((StatusCode::ACCEPTED, Json(Begun { pair, pairs })))
}

/// A message ready to go, once for each model that answers it, and the instructions that are shown
/// with it.
async fn prepare(
    web: &Web,
    session: &mut WorkspaceSession,
    message: &Message,
    draft: &Draft,
) -> Result<(Vec<Prepared>, [Option<Hash>; 2]), Problem> {
    if !message.compare.is_empty() {
        session.workspace_view.boundary(&web.app).await?;
        let (at, view) = (session.place.workspace.clone(), seen::as_shown(session, None));
        let sides = web.app.prepare_compared(&at, &view, &message.compare, draft).await?;
        return Ok((sides, session.workspace_view.instructions(&web.app)));
    }
    // A model for this send alone is a view of its own: the session stays as it is.
    let mut other = view_for_model(web, session, message.model.as_deref()).await?;
    let workspace_view = other.as_mut().unwrap_or(&mut session.workspace_view);
    let prepared = workspace_view.prepare(&web.app, draft).await?;
    Ok((vec![prepared], workspace_view.instructions(&web.app)))
}

/// At most so many models are offered.
const OFFERED: usize = 3;

/// A refusal with its numbers, that offers models that can be asked and where it would fit.
async fn offer(web: &Web, place: &Place, error: AppError, plan: &Plan) -> Problem {
    let (weights, current) = (&plan.weights, &plan.model().id);
    let needed = weights.total();
    let numbers = matches!(error, AppError::OverBudget { .. } | AppError::PromptTooLarge { .. });
    let mut problem = Problem::from(error);
    if numbers {
        let told = plan.band_of(needed).plus_minus(needed);
        let (total, ml) = (commas(needed), commas(weights.limit));
        let doubt = match plan.limit().binds.is_stated() {
            true => String::new(),
            false => format!(" ({})", bind_text(plan.limit())),
        };
        problem.detail =
            format!("This would be {total}{told} tokens; {current} holds {ml}{doubt}.").into();
        problem = problem.hint(format!(
            "{} too many: history {} · message {} · instructions {}",
            commas(needed.saturating_sub(weights.limit)),
            commas(weights.history),
            commas(weights.message),
            commas(weights.prelude),
        ));
    }
    let learned = web.app.store().learned_limits().await.unwrap_or_default();
    let there = web
        .configurator
        .models(place.payer().as_ref())
        .await
        .into_iter()
        .filter(|found| found.lacks.is_none());
    let models: Vec<(Model, ModelLimit)> = there
        .map(|found| {
            let model = web.app.model(&found.id);
            let limit = found.limit(&model, &learned);
            (Model { id: found.id, ..model }, limit)
        })
        .collect();
    let known = models.iter().map(|(model, limit)| (model, *limit));
    let fitting = larger_models(known, needed, current).into_iter().take(OFFERED);
    problem.switch_to(fitting)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CancelQuery {
    /// Only the send of this pair, not one that began after it; else whatever is in flight.
    pair: Option<String>,
}

/// Stop the send in flight; what had arrived is kept
#[utoipa::path(post, path = "/api/cancel", tag = "sending", params(PlaceQuery, CancelQuery),
    responses((status = 204), (status = 409, body = Problem,
        content_type = "application/problem+json", description = "Nothing is being sent here")))]
pub(super) async fn cancel(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<CancelQuery>,
) -> Result<StatusCode, Problem> {
    let pair = query.pair.as_deref().map(pair_id).transpose()?;
    if web.sends.cancel(&place, pair)
        || web.app.stop(&place.workspace, place.within(), pair).await?
    {
        Ok(StatusCode::NO_CONTENT)
    } else {
        let detail = "nothing is being sent here";
        Err(Problem::new(StatusCode::CONFLICT, "nothing_in_flight", detail))
    }
}
