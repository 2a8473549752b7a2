//! Receipts (REC-2): listed, read, summed up, taken along.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};
use plimsoll_domain::{ReceiptId, Usage};
use plimsoll_store::{GroupBy, ReceiptFilter, ReceiptRecord, ReceiptTotals, TotalsKey};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Asked, At, AtQuery};
use crate::{Web, formats, problem::Problem};

/// A receipt without its attempts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReceiptDto {
    id: String,
    /// The pair; none once that was deleted.
    pair: Option<String>,
    model: String,
    at: String,
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
    /// How far the estimate was off, in percent.
    error_percent: Option<f64>,
    /// In US dollars, where the price is known.
    cost: Option<f64>,
    /// How many pairs were left out.
    trimmed: u64,
}

impl ReceiptDto {
    pub(crate) fn of(record: &ReceiptRecord) -> Self {
        Self {
            id: record.id.to_string(),
            pair: record.pair.map(|pair| pair.to_string()),
            model: record.model.clone(),
            at: formats::rfc3339(record.at),
            stage: record.stage.clone(),
            estimate: record.estimate,
            prompt: record.usage.map(|usage| usage.prompt),
            cached: record.usage.map(|usage| usage.cached),
            completion: record.usage.map(|usage| usage.completion),
            error_percent: record.error_percent(),
            cost: record.cost,
            trimmed: record.trimmed,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// At most so many.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u16>,
}

/// Receipts, the newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct ReceiptList {
    receipts: Vec<ReceiptDto>,
}

/// Receipts, the newest first
#[utoipa::path(get, path = "/api/receipts", tag = "receipts", params(AtQuery, ListQuery),
    responses((status = 200, body = ReceiptList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    At(at): At,
    Asked(query): Asked<ListQuery>,
) -> Result<Json<ReceiptList>, Problem> {
    let limit = query.limit.unwrap_or(100).clamp(1, 1000);
    let receipts = all(&web, &at, Some(u64::from(limit))).await?;
    Ok(Json(ReceiptList { receipts: receipts.iter().map(ReceiptDto::of).collect() }))
}

async fn all(
    web: &Web,
    at: &plimsoll_store::Workspace,
    limit: Option<u64>,
) -> Result<Vec<ReceiptRecord>, Problem> {
    web.app.open_workspace(at).await?;
    let filter = ReceiptFilter { limit, ..ReceiptFilter::default() };
    Ok(web.app.store().receipts(at, &filter).await?)
}

/// One receipt, whole: attempts, messages, hashes, timings
#[utoipa::path(get, path = "/api/receipts/{id}", tag = "receipts",
    params(("id" = String, Path)), responses((status = 200, body = Object)))]
pub(super) async fn get(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
) -> Result<Json<serde_json::Value>, Problem> {
    let id = ReceiptId::parse(&id).ok_or_else(|| Problem::not_found("receipt"))?;
    if let Some(call) = web.gateway.receipt(id).await? {
        return Ok(Json(serde_json::json!(call)));
    }
    let record = web.app.store().receipt(id).await?;
    let body = record.body.as_deref().and_then(|body| serde_json::from_str(body).ok());
    // The body went with its pair; the numbers stay.
    Ok(Json(body.unwrap_or_else(|| serde_json::json!(ReceiptDto::of(&record)))))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum By {
    Day,
    Model,
    Topic,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TotalsQuery {
    /// What is summed up together.
    #[param(inline)]
    by: By,
}

/// A sum over receipts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Total {
    /// The day, the model, or the id of the topic.
    key: String,
    sends: u64,
    prompt: u64,
    cached: u64,
    completion: u64,
    estimate: u64,
    cost: f64,
    /// How far the estimates were off, where a provider said what it read.
    errors: Option<Errors>,
}

/// How far estimates were off, in percent of what was read; too low is below zero.
#[derive(Serialize, ToSchema)]
struct Errors {
    /// How many sends could be compared.
    sends: u64,
    mean: f64,
    lowest: f64,
    highest: f64,
}

#[derive(Serialize, ToSchema)]
pub(super) struct Totals {
    totals: Vec<Total>,
}

/// Sums by day, model or topic
#[utoipa::path(get, path = "/api/totals", tag = "receipts", params(AtQuery, TotalsQuery),
    responses((status = 200, body = Totals)))]
pub(super) async fn totals(
    State(web): State<Arc<Web>>,
    At(at): At,
    Asked(query): Asked<TotalsQuery>,
) -> Result<Json<Totals>, Problem> {
    web.app.open_workspace(&at).await?;
    let utc_offset_minutes = formats::offset_minutes(web.app.clock().now(), &web.zone);
    let by = match query.by {
        By::Day => GroupBy::Day { utc_offset_minutes },
        By::Model => GroupBy::Model,
        By::Topic => GroupBy::Topic,
    };
    let sums = web.app.store().totals(&at, &ReceiptFilter::default(), by).await?;
    let total = |sum: ReceiptTotals| Total {
        key: match sum.key {
            TotalsKey::Day(day) => formats::rfc3339(day).chars().take(10).collect(),
            TotalsKey::Model(model) => model,
            TotalsKey::Topic(topic) => topic.to_string(),
        },
        sends: sum.sends,
        prompt: sum.usage.prompt,
        cached: sum.usage.cached,
        completion: sum.usage.completion,
        estimate: sum.estimate,
        cost: sum.cost,
        errors: sum.errors.map(|errors| Errors {
            sends: errors.sends,
            mean: errors.mean,
            lowest: errors.lowest,
            highest: errors.highest,
        }),
    };
    Ok(Json(Totals { totals: sums.into_iter().map(total).collect() }))
}

fn download(kind: &'static str, name: &'static str, text: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], text)
        .into_response()
}

/// All receipts, one JSON object a line
#[utoipa::path(get, path = "/api/receipts.jsonl", tag = "receipts", params(AtQuery),
    responses((status = 200, content_type = "application/x-ndjson", body = String)))]
pub(super) async fn jsonl(State(web): State<Arc<Web>>, At(at): At) -> Result<Response, Problem> {
    let receipts = all(&web, &at, None).await?;
    let lines = receipts.iter().map(|record| serde_json::json!(ReceiptDto::of(record)));
    let text = lines.map(|line| line.to_string() + "\n").collect();
    Ok(download("application/x-ndjson", "receipts.jsonl", text))
}

/// All receipts as a table
#[utoipa::path(get, path = "/api/receipts.csv", tag = "receipts", params(AtQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub(super) async fn csv(State(web): State<Arc<Web>>, At(at): At) -> Result<Response, Problem> {
    let receipts = all(&web, &at, None).await?;
    let mut text = String::from(
        "id,pair,model,at,stage,estimate,prompt,cached,completion,errorPercent,cost,trimmed\n",
    );
    for record in &receipts {
        text.push_str(&csv_line(record));
    }
    Ok(download("text/csv; charset=utf-8", "receipts.csv", text))
}

fn csv_line(record: &ReceiptRecord) -> String {
    let usage = |part: fn(Usage) -> u64| record.usage.map(|u| part(u).to_string());
    let fields = [
        record.id.to_string(),
        record.pair.map(|pair| pair.to_string()).unwrap_or_default(),
        record.model.clone(),
        formats::rfc3339(record.at),
        record.stage.clone(),
        record.estimate.to_string(),
        usage(|usage| usage.prompt).unwrap_or_default(),
        usage(|usage| usage.cached).unwrap_or_default(),
        usage(|usage| usage.completion).unwrap_or_default(),
        record.error_percent().map(|percent| format!("{percent:.1}")).unwrap_or_default(),
        record.cost.map(|cost| cost.to_string()).unwrap_or_default(),
        record.trimmed.to_string(),
    ];
    fields.map(|field| csv_field(&field)).join(",") + "\n"
}

/// A field that no spreadsheet takes for a formula or for several.
fn csv_field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '@', '\t', '\r'])
        || (text.starts_with('-') && text.parse::<f64>().is_err());
    let safe = if formula { format!("'{text}") } else { text.to_owned() };
    if safe.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", safe.replace('"', "\"\""))
    } else {
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_table_stay_fields() {
        for (text, field) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=1+2", "'=1+2"),
            ("-3.5", "-3.5"),
            ("-cmd", "'-cmd"),
        ] {
            assert_eq!(csv_field(text), field);
        }
    }
}
