//! One receipt as a table.

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_app::Comparison;
use plimsoll_domain::ReceiptId;
use plimsoll_tokens::commas;
use serde_json::Value;

use crate::{
    Web,
    formats::{dollars, percent, when},
    problem::Problem,
};

pub(super) async fn one(web: &Arc<Web>, id: ReceiptId) -> Result<Markup, Problem> {
    let record = web.app.store().receipt(id).await?;
    let body: Value =
        record.body.as_deref().and_then(|b| serde_json::from_str(b).ok()).unwrap_or(Value::Null);
    let attempts = body["attempts"].as_array().cloned().unwrap_or_default();
    let last = attempts.last().cloned().unwrap_or(Value::Null);
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let (total, aut) = (number(&last["attemptTotalTokens"]), number(&last["AUT"]));
    let history = number(&last["attemptHistoryTokens"]);
    let calls = number(&body["toolCalls"]);
    let made = number(&last["attemptsUsed"]);
    let pairs = last["selection"].as_array().map_or(0, Vec::len);
    let off = record.error_percent().map(|error| format!(" ({})", percent(error)));
    let seconds = number(&body["timings"]["totalMs"]) as f64 / 1000.0;
    let written = record.usage.map_or(0, |usage| usage.completion);
    // EST-9: receipts of earlier versions have no band.
    let high = body["band"]["high"].as_u64().unwrap_or(0);
    let doubt = match high.saturating_sub(total) {
        0 => String::new(),
        wide => format!(" ± {}", commas(wide)),
    };
    let basis = body["basisText"].as_str().map(str::to_owned);
    Ok(html! {
        h2 { "Receipt" }
        p.muted { (record.model) " · " (when(record.at, web.app.clock().now(), &web.zone)) " · " (record.stage) }
        @if body.is_null() {
            p.muted { "Its pair was deleted; only the numbers are left." }
        }
        table.mono {
            tr { th { "part" } th.n { "estimate" } th.n { "used" } }
            tr { td { "prelude" } td.n { (commas(total.saturating_sub(history + aut))) } td.n {} }
            tr { td { (pairs) @if pairs == 1 { " pair of history" } @else { " pairs of history" } } td.n { (commas(history)) } td.n {} }
            tr { td { "message" } td.n { (commas(aut)) } td.n {} }
            @if calls > 0 {
                tr {
                    td { (calls) @if calls == 1 { " tool call" } @else { " tool calls" } }
                    td.n { (commas(number(&body["toolTokens"]))) } td.n {}
                }
            }
            tr {
                td { b { "prompt" } }
                td.n title=[basis.as_deref()] { b { (commas(record.estimate)) } (doubt) }
                td.n {
                    @if let Some(usage) = record.usage {
                        b { (commas(usage.prompt)) } (off.unwrap_or_default())
                    }
                }
            }
            @if let Some(usage) = record.usage {
                @if usage.cached > 0 {
                    tr { td { "from the provider's cache" } td.n {} td.n { (commas(usage.cached)) } }
                }
                tr {
                    td { "reply" } td.n {}
                    td.n {
                        (commas(usage.completion)) " · " (format!("{seconds:.1} s"))
                        @if seconds > 0.05 { " · " (format!("{:.0} tok/s", written as f64 / seconds)) }
                    }
                }
            }
        }
        p.muted {
            (body["counter"].as_str().unwrap_or_default()) " · "
            (made) @if made == 1 { " attempt" } @else { " attempts" }
            @if let Some(cost) = record.cost.filter(|cost| *cost > 0.0) { " · " (dollars(cost)) }
            @if let Some(estimator) = body["estimator"].as_str() { " · counted " (estimator) }
            @if let Some(basis) = &basis { ", " (basis) }
        }
        (seen(&body, &attempts))
        @if let Some(files) = body["detachedFiles"].as_array().filter(|files| !files.is_empty()) {
            p.say {
                (files.len()) @if files.len() == 1 { " file was" } @else { " files were" }
                " taken away during the send and left out of the calls that followed."
            }
        }
        @if let Some(deleted) = last["deleted"].as_array() {
            p.say {
                (deleted.len()) @if deleted.len() == 1 { " pair was" } @else { " pairs were" }
                " deleted during the send and left out of the calls that followed."
            }
        }
        @if attempts.len() > 1 { h3 { "Attempts" } (super::attempts::table(&attempts)) }
        @if let (Some(read), Some(sent)) = (body["truncation"]["read"].as_u64(), body["truncation"]["sent"].as_u64()) {
            p.say { "The server read about " (commas(read)) " of " (commas(sent)) " tokens." }
        }
        p {
            a.link href={ "/api/receipts/" (record.id) } target="_blank" rel="noopener" { "JSON" }
            @if let Some(pair) = record.pair {
                " · " button.link type="button" data-act="request" data-id=(pair) { "exact request" }
                " · " button.link type="button" data-act="goto" data-id=(pair) { "show the pair" }
            }
        }
    })
}

/// PAY-6: what is claimed of a request and the page is what was compared, and no more.
fn seen(body: &Value, attempts: &[Value]) -> Markup {
    let some = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
    let less =
        |attempt: &Value| attempt["trimmedCount"].as_u64() > Some(0) || some(&attempt["deleted"]);
    let left_out = attempts.iter().any(less) || some(&body["detachedFiles"]);
    let hash = body["historyHash"].as_str().unwrap_or_default();
    let words = match (Comparison::of_receipt(body), left_out) {
        // It was stopped while it waited for its turn.
        (Comparison::Same, _) if hash.is_empty() => "nothing was sent",
        (Comparison::Same, false) => "sent = seen ✓",
        (Comparison::Same, true) => "compared with the page, then sent with less than it showed",
        (Comparison::ChangedWhileWaiting, _) => {
            "changed while it waited: sent with what was visible when its turn came"
        }
        (Comparison::NotCompared, _) => "not compared with a page",
    };
    let short: String = hash.chars().take(12).collect();
    html! {
        p.muted.seen title=(hash) {
            (words) @if !short.is_empty() { " " span.mono { "b3:" (short) "…" } }
        }
    }
}
