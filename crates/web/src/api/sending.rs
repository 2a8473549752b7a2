//! Sending and stopping.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use plimsoll_app::{AppError, Draft, Purpose, QuotaChoice, SeenDigest, SendChoices};
use plimsoll_budget::{Model, ModelLimit, OverBudget, larger_models};
use plimsoll_domain::Attachment;
use plimsoll_send::Plan;
use plimsoll_store::StoreError;
use plimsoll_tokens::commas;
use serde::{Deserialize, Serialize};
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

use super::{
    Asked, Here, PlaceQuery, pair_id,
    seen::{self, SeenDto, view_for_model},
    state::bind_text,
    writing::share_draft,
};
use crate::{
    Web,
    place::Place,
    problem::{Body, Problem},
    relay, sends,
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
    /// The model, for this send alone.
    model: Option<String>,
    /// What the page showed. Where something else would be sent, nothing is, and the answer
    /// is 409 `view_changed`. Without it nothing is compared.
    seen: Option<SeenDto>,
}

/// A send that was begun.
#[derive(Serialize, ToSchema)]
pub(super) struct Begun {
    /// Its pair; the answer comes by events.
    pair: String,
}

/// Send a message; the answer comes by events
#[utoipa::path(post, path = "/api/send", tag = "sending", params(PlaceQuery), request_body = Message,
    responses((status = 202, body = Begun)))]
pub(super) async fn send(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    headers: HeaderMap,
    Body(message): Body<Message>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
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
    let asked = (message.reask.as_deref(), message.regenerate.as_deref());
    let draft = seen::draft(&web, asked, &message.text, &message.attachments).await?;
    let session = web.sessions.session(&web.app, &place).await?;
    // The session is everybody's: it is not held while a model is being fetched.
    let model = match &message.model {
        Some(model) => model.clone(),
        None => session.lock().await.workspace_view.model().id.clone(),
    };
    web.app.make_ready(&model).await?;
    let mut session = session.lock().await;
    // A model for this send alone is a view of its own: the session stays as it is.
    let mut other = view_for_model(&web, &mut session, message.model.as_deref()).await?;
    let workspace_view = other.as_mut().unwrap_or(&mut session.workspace_view);
    let prepared = workspace_view.prepare(&web.app, &draft).await?;
    let instructions = workspace_view.instructions(&web.app);
    let (plan, shown) = (prepared.plan.clone(), prepared.seen.clone());
    let digest = message.seen.as_ref().map(|seen| SeenDigest(seen.digest.clone()));
    let choices = SendChoices { over_budget: message.over_budget, quota, seen: digest };
    let begun = match web.app.begin(prepared, choices).await {
        Ok(begun) => begun,
        Err(AppError::ViewChanged) => {
            let changes =
                message.seen.map(|seen| session.views.changes(seen.view, &shown, instructions));
            drop(session);
            relay::tell_rows(&web, &place).await;
            return Err(Problem::from(AppError::ViewChanged).changed(changes.unwrap_or_default()));
        }
        Err(AppError::Store(busy @ StoreError::Busy { .. })) => {
            let words = busy.to_string();
            return Err(Problem::new(StatusCode::CONFLICT, "send_in_flight", words));
        }
        Err(error) => return Err(offer(&web, error, &plan).await),
    };
    let pair = begun.pair.to_string();
    // Nothing that can fail stands between the two: a send that is begun is carried out.
    sends::carry_out(&web, place.clone(), begun);
    session.frozen = None;
    if draft.purpose == Purpose::New && session.draft.text == draft.text {
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
    Ok((StatusCode::ACCEPTED, Json(Begun { pair })))
}

/// At most so many models are offered.
const OFFERED: usize = 3;

/// A refusal with its numbers, that offers models that can be asked and where it would fit.
async fn offer(web: &Web, error: AppError, plan: &Plan) -> Problem {
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
            "{} too many: history {} · message {} · prelude {}",
            commas(needed.saturating_sub(weights.limit)),
            commas(weights.history),
            commas(weights.message),
            commas(weights.prelude),
        ));
    }
    let learned = web.app.store().learned_limits().await.unwrap_or_default();
    let there = web.configurator.models().await.into_iter().filter(|found| found.available);
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
