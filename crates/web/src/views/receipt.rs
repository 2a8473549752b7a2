//! One receipt as a table.

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_domain::ReceiptId;
use plimsoll_send::{AttemptRecord, Comparison, Receipt, TruncationSeen};
use plimsoll_tokens::{commas, dollars};

use crate::{
    Web,
    formats::{percent, when},
    problem::Problem,
};

pub(super) async fn one(web: &Arc<Web>, id: ReceiptId) -> Result<Markup, Problem> {
    if let Some(call) = web.gateway.receipt(id).await? {
        return Ok(super::calls::one(&call));
    }
    let record = web.app.store().receipt(id).await?;
    let receipt = record.receipt();
    let receipt = receipt.as_ref();
    let last = receipt.and_then(Receipt::last).cloned().unwrap_or_default();
    let (total, message) = (last.attempt_total_tokens, last.message_tokens);
    let (history, pairs) = (last.attempt_history_tokens, last.selection.len());
    let calls = receipt.map_or(0, |receipt| receipt.tool_calls);
    let off = record.error_percent().map(|error| format!(" ({})", percent(error)));
    let seconds = receipt.map_or(0, |receipt| receipt.timings.total_ms) as f64 / 1000.0;
    let written = record.usage.map_or(0, |usage| usage.completion);
    // EST-9: receipts of earlier versions have no band and no basis.
    let doubt = match receipt.map_or(0, |receipt| receipt.band.high).saturating_sub(total) {
        0 => String::new(),
        wide => format!(" ± {}", commas(wide)),
    };
    let basis = receipt.map(|receipt| receipt.basis_text.as_str()).filter(|text| !text.is_empty());
    Ok(html! {
        h2 { "Receipt" }
        p.muted { (record.model) " · " (when(record.at, web.app.clock().now(), &web.zone)) " · " (record.stage) }
        @if record.body.is_none() {
            p.muted { "Its pair was deleted; only the numbers are left." }
        } @else if receipt.is_none() {
            p.muted { "Another version wrote it; only the numbers can be shown, the rest is in its JSON." }
        }
        table.mono {
            tr { th { "part" } th.n { "estimate" } th.n { "used" } }
            tr { td { "instructions" } td.n { (commas(total.saturating_sub(history + message))) } td.n {} }
            tr { td { (pairs) @if pairs == 1 { " pair of history" } @else { " pairs of history" } } td.n { (commas(history)) } td.n {} }
            tr { td { "message" } td.n { (commas(message)) } td.n {} }
            @if calls > 0 {
                tr {
                    td { (calls) @if calls == 1 { " tool call" } @else { " tool calls" } }
                    td.n { (commas(last.tool_tokens)) } td.n {}
                }
            }
            tr {
                td { b { "prompt" } }
                td.n title=[basis] { b { (commas(record.estimate)) } (doubt) }
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
            (receipt.map(|receipt| receipt.counter.to_string()).unwrap_or_default()) " · " (last.attempts_used)
            @if last.attempts_used == 1 { " attempt" } @else { " attempts" }
            @if let Some(cost) = record.cost.filter(|cost| *cost > 0.0) { " · " (dollars(cost)) }
            @if let Some(receipt) = receipt { " · counted " (receipt.estimator) }
            @if let Some(basis) = basis { ", " (basis) }
        }
        @if let Some(receipt) = receipt { (more(receipt)) }
        p {
            a.link href={ "/api/receipts/" (record.id) } target="_blank" rel="noopener" { "JSON" }
            @if let Some(pair) = record.pair {
                " · " button.link type="button" data-act="request" data-id=(pair) { "exact request" }
                " · " button.link type="button" data-act="goto" data-id=(pair) { "show the pair" }
            }
        }
    })
}

/// What only a whole receipt tells.
fn more(receipt: &Receipt) -> Markup {
    let files = receipt.detached_files.len();
    let deleted = receipt.last().map_or(0, |last| last.deleted.len());
    html! {
        (seen(receipt))
        @if files > 0 {
            p.say {
                (files) @if files == 1 { " file was" } @else { " files were" }
                " taken away during the send and left out of the calls that followed."
            }
        }
        @if deleted > 0 {
            p.say {
                (deleted) @if deleted == 1 { " pair was" } @else { " pairs were" }
                " deleted during the send and left out of the calls that followed."
            }
        }
        @if receipt.attempts.len() > 1 {
            h3 { "Attempts" } (super::attempts::table(&receipt.attempts))
        }
        @if let Some(TruncationSeen { read, sent }) = receipt.truncation {
            p.say { "The server read about " (commas(read)) " of " (commas(sent)) " tokens." }
        }
    }
}

/// PAY-6: what is claimed of a request and the page is what was compared, and no more.
fn seen(receipt: &Receipt) -> Markup {
    let less = |attempt: &AttemptRecord| attempt.trimmed_count > 0 || !attempt.deleted.is_empty();
    let left_out = receipt.attempts.iter().any(less) || !receipt.detached_files.is_empty();
    let hash = &receipt.history_hash;
    let words = match (receipt.seen, left_out) {
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
