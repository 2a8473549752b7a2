//! All receipts: tokens and cost as bars, the estimates' errors as a curve, the newest as a
//! table (UI-14).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_app::TopicPaths;
use plimsoll_domain::Usage;
use plimsoll_store::{GroupBy, ReceiptFilter, ReceiptRecord, ReceiptTotals, TotalsKey, Workspace};
use plimsoll_tokens::{commas, dollars};

use super::{calls, errors};
use crate::{
    Web,
    access::By,
    api::calls_seen_by,
    formats::{day, offset_minutes, percent, thousands, when},
    problem::Problem,
};

/// So many receipts are listed, and so many bars drawn.
const LISTED: u64 = 50;
const BARS: usize = 14;
/// The longest bar, in pixels.
const LENGTH: f64 = 160.0;

/// A bar: what it stands for, how long it is, and what is said about it.
struct Bar {
    name: String,
    value: f64,
    text: String,
    title: String,
}

pub(super) async fn overview(web: &Arc<Web>, at: &Workspace, by: &By) -> Result<Markup, Problem> {
    let store = web.app.store();
    let now = web.app.clock().now();
    let all = ReceiptFilter::default();
    let by_day = GroupBy::Day { utc_offset_minutes: offset_minutes(now, &web.zone) };
    let days = store.totals(at, &all, by_day).await?;
    let models = store.totals(at, &all, GroupBy::Model).await?;
    let by_topic = store.totals(at, &all, GroupBy::Topic).await?;
    let topics = store.topics(at).await?;
    let paths = TopicPaths::of(&topics);
    let list = ReceiptFilter { limit: Some(LISTED), ..ReceiptFilter::default() };
    let receipts = store.receipts(at, &list).await?;
    let calls = calls_seen_by(web, by, LISTED).await?;
    let name = |key: &TotalsKey| match key {
        TotalsKey::Day(at) => day(*at, &web.zone),
        TotalsKey::Model(model) => model.clone(),
        TotalsKey::Topic(topic) => {
            let path = paths.path(*topic);
            if path.is_empty() { "a topic that is gone".to_owned() } else { path }
        }
    };
    let tokens_bar = |sum: &ReceiptTotals| Bar {
        name: name(&sum.key),
        value: tokens(sum) as f64,
        text: thousands(tokens(sum)),
        title: format!(
            "{}, {} in, {} out",
            sends(sum.sends),
            commas(sum.usage.prompt),
            commas(sum.usage.completion)
        ),
    };
    let cost_bar = |sum: &ReceiptTotals| Bar {
        name: name(&sum.key),
        value: sum.cost,
        text: dollars(sum.cost),
        title: sends(sum.sends),
    };
    let newest = &days[days.len().saturating_sub(BARS)..];
    let largest = |sums: &[ReceiptTotals]| {
        let (most, rest) = largest(sums);
        let other =
            rest.map(|(count, sum)| Bar { name: format!("{count} others"), ..tokens_bar(&sum) });
        most.iter().map(tokens_bar).chain(other).collect::<Vec<_>>()
    };
    let cost: f64 = models.iter().map(|sum| sum.cost).sum();
    Ok(html! {
        h2 { "Receipts" }
        @if !calls.is_empty() {
            h3 { "Other programs" }
            (calls::table(web, &calls))
        }
        @if receipts.is_empty() {
            p.muted { "Nothing was sent yet. Every send leaves a receipt here: what was estimated, "
                      "what the provider says it used, and how far the two are apart." }
        } @else {
            h3 { "Tokens by day" }
            (bars("days", &newest.iter().map(tokens_bar).collect::<Vec<_>>()))
            h3 { "By model" } (bars("models", &largest(&models)))
            h3 { "By topic" } (bars("topics", &largest(&by_topic)))
            h3 { "Estimate error by day" }
            (errors::chart(&days, &web.zone))
            h3 { "Cost by day" }
            @if cost > 0.0 {
                (bars("costs", &newest.iter().map(cost_bar).collect::<Vec<_>>()))
                p.muted { (dollars(cost)) " in all, where a price is known." }
            } @else {
                p.muted { "Nothing, or no price is known." }
            }
            h3 { "Sends" }
            (table(web, &receipts))
            p {
                a.link href="/api/receipts.csv" download { "CSV" } " · "
                a.link href="/api/receipts.jsonl" download { "JSONL" }
            }
        }
    })
}

fn sends(count: u64) -> String {
    format!("{} {}", commas(count), if count == 1 { "send" } else { "sends" })
}

fn tokens(sum: &ReceiptTotals) -> u64 {
    sum.usage.prompt.saturating_add(sum.usage.completion)
}

/// The largest sums, and how many others there are with what they add up to.
fn largest(sums: &[ReceiptTotals]) -> (Vec<ReceiptTotals>, Option<(usize, ReceiptTotals)>) {
    let mut sums = sums.to_vec();
    sums.sort_by_key(|sum| std::cmp::Reverse(tokens(sum)));
    // One more is drawn itself: a line that says "1 other" takes the same room.
    let others = if sums.len() > BARS + 1 { sums.split_off(BARS) } else { Vec::new() };
    let count = others.len();
    let rest = others.into_iter().reduce(|sum, one| ReceiptTotals {
        key: sum.key,
        sends: sum.sends + one.sends,
        usage: Usage {
            prompt: sum.usage.prompt.saturating_add(one.usage.prompt),
            completion: sum.usage.completion.saturating_add(one.usage.completion),
            ..sum.usage
        },
        estimate: sum.estimate.saturating_add(one.estimate),
        cost: sum.cost + one.cost,
        errors: None,
    });
    (sums, rest.map(|rest| (count, rest)))
}

fn bars(of: &str, bars: &[Bar]) -> Markup {
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    html! {
        table.bars.mono data-of=(of) {
            @for bar in bars {
                // What is little is still seen; what is nothing is not.
                @let share = if most > 0.0 { bar.value / most } else { 0.0 };
                @let width = if share > 0.0 { (share * LENGTH).max(1.0) } else { 0.0 };
                tr title=(bar.title) {
                    th scope="row" { (bar.name) }
                    td {
                        svg.bar2 width=(LENGTH) height="9" aria-hidden="true" {
                            rect width=(format!("{width:.1}")) height="9" rx="2" {}
                        }
                    }
                    td.n { (bar.text) }
                }
            }
        }
    }
}

fn table(web: &Web, receipts: &[ReceiptRecord]) -> Markup {
    let now = web.app.clock().now();
    html! {
        table.mono.receipts {
            tr { th { "when" } th { "model" } th.n { "estimate" } th.n { "used" } th.n { "off" } }
            @for record in receipts {
                tr data-stage=(record.stage) {
                    td {
                        button.link type="button" data-act="receipt" data-receipt=(record.id) {
                            (when(record.at, now, &web.zone))
                        }
                    }
                    td title=(record.model) { (record.model) }
                    td.n { (thousands(record.estimate)) }
                    td.n { (record.usage.map_or_else(|| record.stage.clone(), |u| thousands(u.prompt))) }
                    td.n { (record.error_percent().map(percent).unwrap_or_default()) }
                }
            }
        }
    }
}
