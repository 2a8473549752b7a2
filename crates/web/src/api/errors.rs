//! Why a pair failed: in the words of whoever said so, and what was sent (FAU-7, REC-5).

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
};
use plimsoll_domain::PairId;
use plimsoll_send::{AttemptRecord, short_label};
use serde::Serialize;
use utoipa::ToSchema;

use super::pair_id;
use crate::{Web, problem::Problem};

/// Why a pair failed, and what was sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorDto {
    pub(crate) pair: String,
    /// The stable code, such as `rate` or `context_overflow_after_trimming`.
    pub(crate) code: String,
    /// The short label that stands in the pair.
    pub(crate) label: &'static str,
    /// What the pair says.
    pub(crate) message: String,
    /// The provider's own words, unchanged; none where it said nothing.
    pub(crate) words: Option<String>,
    /// The HTTP status, if there was an answer.
    pub(crate) status: Option<u16>,
    /// The body of the answer as it came, its first 64 KB.
    pub(crate) body: Option<String>,
    /// What happened to the connection, from cause to cause.
    pub(crate) transport: Option<String>,
    /// The pairs that were sent along.
    pub(crate) included_pair_ids: Vec<String>,
    /// The message.
    pub(crate) outgoing_user_text: Option<String>,
    /// The request; none once a pair that it quoted was deleted.
    pub(crate) request: Option<String>,
    /// The calls that were made.
    #[schema(value_type = Vec<Object>)]
    pub(crate) attempts: Vec<AttemptRecord>,
}

impl ErrorDto {
    /// None if the pair did not fail.
    pub(crate) async fn of(web: &Web, id: PairId) -> Result<Option<Self>, Problem> {
        let store = web.app.store();
        let pair = store.get(id).await?.pair;
        let Some(error) = pair.error else { return Ok(None) };
        let receipt = match pair.receipt_id {
            Some(receipt) => store.receipt(receipt).await.ok().and_then(|kept| kept.receipt()),
            None => None,
        };
        let attempts = receipt.map(|receipt| receipt.attempts).unwrap_or_default();
        let words = attempts.last().and_then(|last| last.last_error_message.clone());
        let snapshot = store.snapshot(id).await?;
        let answer = snapshot.as_ref().and_then(|kept| kept.answer.clone()).unwrap_or_default();
        Ok(Some(Self {
            pair: id.to_string(),
            label: short_label(&error.code),
            code: error.code,
            message: error.message,
            words,
            status: answer.status,
            body: answer.body,
            transport: answer.transport,
            included_pair_ids: snapshot
                .iter()
                .flat_map(|kept| &kept.included)
                .map(ToString::to_string)
                .collect(),
            outgoing_user_text: snapshot.as_ref().map(|kept| kept.outgoing_user_text.clone()),
            request: snapshot.and_then(|kept| kept.json_doc),
            attempts,
        }))
    }
}

/// Why a pair failed: the provider's own words, its raw answer, and what was sent
#[utoipa::path(get, path = "/api/pairs/{id}/error", tag = "pairs",
    params(("id" = String, Path)), responses((status = 200, body = ErrorDto)))]
pub(super) async fn get(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Json<ErrorDto>, Problem> {
    let error = ErrorDto::of(&web, pair_id(&id)?).await?;
    error.map(Json).ok_or_else(|| Problem::not_found("error of this pair"))
}
