//! Calls of other programs through the gateway (GWY-9): listed; `/api/receipts/{id}` has each whole.

use std::sync::Arc;

use axum::{Json, extract::State};
use plimsoll_store::GatewayCall;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Asked;
use crate::{
    Web,
    access::{Action, By},
    formats,
    problem::Problem,
};

/// A call without its parts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CallDto {
    id: String,
    at: String,
    /// The name of the client's key; none for the account that the server runs as.
    client: Option<String>,
    /// `chat`, `responses` or `messages`, or what was passed on.
    protocol: String,
    model: String,
    /// How it ended, in the words of REC-1.
    stage: String,
    /// What was estimated, in tokens.
    estimate: u64,
    /// What the provider says it read.
    prompt: Option<u64>,
    /// The part of that from its cache.
    cached: Option<u64>,
    /// What it wrote.
    completion: Option<u64>,
    /// In US dollars, where the price is known.
    cost: Option<f64>,
    /// How many exchanges and rounds were left out.
    left_out: u64,
}

impl CallDto {
    fn of(call: &GatewayCall) -> Self {
        Self {
            id: call.id.to_string(),
            at: formats::rfc3339(call.at),
            client: call.client.clone(),
            protocol: call.protocol.clone(),
            model: call.model.clone(),
            stage: call.stage.clone(),
            estimate: call.estimate,
            prompt: call.usage.map(|usage| usage.prompt),
            cached: call.usage.map(|usage| usage.cached),
            completion: call.usage.map(|usage| usage.completion),
            cost: call.cost,
            left_out: call.left_out,
        }
    }
}

/// The newest calls; of those who signed in each sees their own, and who looks after the team all.
pub(crate) async fn calls_seen_by(
    web: &Web,
    by: &By,
    limit: u64,
) -> Result<Vec<GatewayCall>, Problem> {
    web.gateway.settle().await;
    let own = by.0.as_ref().filter(|signed| signed.may(None, Action::ManageTeam).is_err());
    Ok(match own {
        Some(signed) => web.app.store().gateway_calls_of(signed.name(), limit).await?,
        None => web.app.store().gateway_calls(limit).await?,
    })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CallsQuery {
    /// At most so many.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// Calls, the newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct CallList {
    calls: Vec<CallDto>,
}

/// Calls of other programs, the newest first
#[utoipa::path(get, path = "/api/gateway/calls", tag = "gateway", params(CallsQuery),
    responses((status = 200, body = CallList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    by: By,
    Asked(query): Asked<CallsQuery>,
) -> Result<Json<CallList>, Problem> {
    let limit = query.limit.unwrap_or(100).clamp(1, 1000);
    let calls = calls_seen_by(&web, &by, u64::from(limit)).await?;
    Ok(Json(CallList { calls: calls.iter().map(CallDto::of).collect() }))
}
