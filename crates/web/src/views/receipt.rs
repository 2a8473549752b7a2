//! Receipts: one as a table, all as a list with charts (UI-14).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_app::topic_path;
use plimsoll_domain::ReceiptId;
use plimsoll_store::{GroupBy, ReceiptFilter, ReceiptTotals, TotalsKey, Workspace};
use plimsoll_tokens::commas;
use serde_json::Value;

use crate::{
    Web,
    api::error_percent,
    formats::{day, offset_minutes, thousands, when},
    problem::Problem,
};

/// So many receipts are listed, and so many bars drawn.
const LISTED: u64 = 50;
const BARS: usize = 14;

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
    let percent = error_percent(&record).map(|percent| format!(" ({percent:+.1} %)"));
    let seconds = number(&body["timings"]["totalMs"]) as f64 / 1000.0;
    let written = record.usage.map_or(0, |usage| usage.completion);
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
                td.n { b { (commas(record.estimate)) } }
                td.n {
                    @if let Some(usage) = record.usage {
                        b { (commas(usage.prompt)) } (percent.unwrap_or_default())
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
            @if let Some(cost) = record.cost.filter(|cost| *cost > 0.0) { " · " (format!("${cost:.4}")) }
            @if let Some(estimator) = body["estimator"].as_str() { " · counted " (estimator) }
        }
        @if let Some(hash) = body["historyHash"].as_str() {
            p.muted title=(hash) {
                "sent = seen ✓ " span.mono { "b3:" (hash.chars().take(12).collect::<String>()) "…" }
            }
        }
        @if attempts.len() > 1 { (attempts_table(&attempts)) }
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

fn attempts_table(attempts: &[Value]) -> Markup {
    html! {
        h3 { "Attempts" }
        table.mono {
            tr { th { "stage" } th.n { "tokens" } th.n { "left out" } }
            @for attempt in attempts {
                tr {
                    td { (attempt["stage"].as_str().unwrap_or_default()) }
                    td.n { (commas(attempt["attemptTotalTokens"].as_u64().unwrap_or(0))) }
                    td.n { (attempt["trimmedCount"].as_u64().unwrap_or(0)) }
                }
                @if let Some(message) = attempt["lastErrorMessage"].as_str() {
                    tr { td.err colspan="3" { (message) } }
                }
            }
        }
    }
}

pub(super) async fn overview(web: &Arc<Web>, at: &Workspace) -> Result<Markup, Problem> {
    let store = web.app.store();
    let now = web.app.clock().now();
    let all = ReceiptFilter::default();
    let by_day = GroupBy::Day { utc_offset_minutes: offset_minutes(now, &web.zone) };
    let days = store.totals(at, &all, by_day).await?;
    let models = store.totals(at, &all, GroupBy::Model).await?;
    let by_topic = store.totals(at, &all, GroupBy::Topic).await?;
    let topics = store.topics(at).await?;
    let list = ReceiptFilter { limit: Some(LISTED), ..ReceiptFilter::default() };
    let receipts = store.receipts(at, &list).await?;
    let name = |key: &TotalsKey| match key {
        TotalsKey::Day(at) => day(*at, &web.zone),
        TotalsKey::Model(model) => model.clone(),
        TotalsKey::Topic(topic) => {
            let path = topic_path(&topics, *topic);
            if path.is_empty() { "a topic that is gone".to_owned() } else { path }
        }
    };
    let newest_days = &days[days.len().saturating_sub(BARS)..];
    Ok(html! {
        h2 { "Receipts" }
        @if receipts.is_empty() {
            p.muted { "Nothing was sent yet. Every send leaves a receipt here: what was estimated, "
                      "what the provider says it used, and how far the two are apart." }
        } @else {
            h3 { "Tokens by day" } (bars(newest_days, &name))
            h3 { "By model" } (bars(&models, &name))
            h3 { "By topic" } (bars(&by_topic, &name))
            h3 { "Sends" }
            table.mono.receipts {
                tr { th { "when" } th { "model" } th.n { "estimate" } th.n { "used" } th.n { "off" } }
                @for record in &receipts {
                    tr data-stage=(record.stage) {
                        td {
                            button.link type="button" data-act="receipt" data-receipt=(record.id) {
                                (when(record.at, now, &web.zone))
                            }
                        }
                        td title=(record.model) { (record.model) }
                        td.n { (thousands(record.estimate)) }
                        td.n { (record.usage.map_or_else(|| record.stage.clone(), |u| thousands(u.prompt))) }
                        td.n { (error_percent(record).map(|e| format!("{e:+.1} %")).unwrap_or_default()) }
                    }
                }
            }
            p {
                a.link href="/api/receipts.csv" download { "CSV" } " · "
                a.link href="/api/receipts.jsonl" download { "JSONL" }
            }
        }
    })
}

fn bars(totals: &[ReceiptTotals], name: &dyn Fn(&TotalsKey) -> String) -> Markup {
    let tokens = |sum: &ReceiptTotals| sum.usage.prompt.saturating_add(sum.usage.completion);
    let most = totals.iter().map(tokens).max().unwrap_or(0).max(1);
    html! {
        table.bars.mono {
            @for sum in totals {
                @let width = (tokens(sum) as f64 * 160.0 / most as f64).max(1.0);
                tr title=(format!("{} sends, {} in, {} out", sum.sends, commas(sum.usage.prompt), commas(sum.usage.completion))) {
                    th scope="row" { (name(&sum.key)) }
                    td {
                        svg.bar2 width="160" height="9" aria-hidden="true" {
                            rect width=(format!("{width:.1}")) height="9" rx="2" {}
                        }
                    }
                    td.n { (thousands(tokens(sum))) @if sum.cost > 0.0 { " · " (format!("${:.2}", sum.cost)) } }
                }
            }
        }
    }
}
