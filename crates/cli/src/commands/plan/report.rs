//! A plan as JSON, and as a picture of the load line.

use plimsoll_budget::{Binds, ExcludedBecause, IncludedTokens, Verdict, suggestions};
use plimsoll_send::Counter;
use plimsoll_tokens::{commas, compact_load};
use serde::Serialize;

use super::{History, Plan, Timings};
use crate::{context::Context, output::printable, words};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report<'a> {
    ml: u64,
    x: usize,
    y: usize,
    included: Vec<&'a str>,
    excluded: Vec<&'a str>,
    predicted_history_tokens: u64,
    predicted_total_tokens: u64,
    aut: u64,
    total: u64,
    percent: f64,
    verdict: &'static str,
    counter: String,
    timings: TimingsReport,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TimingsReport {
    filter_us: f64,
    weigh_us: f64,
    boundary_us: f64,
}

impl From<Timings> for TimingsReport {
    fn from(timings: Timings) -> Self {
        let micros = |time: std::time::Duration| (time.as_nanos() as f64 / 100.0).round() / 10.0;
        Self {
            filter_us: micros(timings.filter),
            weigh_us: micros(timings.weigh),
            boundary_us: micros(timings.boundary),
        }
    }
}

pub(super) fn json<'a>(plan: &Plan, history: &'a History) -> Report<'a> {
    let (included, excluded) = sides(plan, history);
    let ids = |rows: Vec<u32>| -> Vec<&'a str> {
        rows.into_iter().map(|row| &*history.entries[row as usize].id).collect()
    };
    Report {
        ml: plan.limit.tokens,
        x: plan.boundary.x,
        y: plan.boundary.y,
        included: ids(included),
        excluded: ids(excluded),
        predicted_history_tokens: plan.boundary.predicted_history_tokens,
        predicted_total_tokens: plan.boundary.predicted_total_tokens,
        aut: plan.weights.aut,
        total: plan.validation.total,
        percent: plan.weights.permille() as f64 / 10.0,
        verdict: plan.validation.verdict.name(),
        counter: counter(plan).to_string(),
        timings: plan.timings.into(),
    }
}

fn counter(plan: &Plan) -> Counter {
    Counter { predicted: plan.boundary.x, trimmed: 0, visible: plan.boundary.y }
}

/// The visible rows that are aboard, and those that stay ashore, oldest first.
fn sides(plan: &Plan, history: &History) -> (Vec<u32>, Vec<u32>) {
    let aboard = |(position, row): &(usize, u32)| {
        plan.boundary.includes(*position, history.load(*row).sendable)
    };
    let rows = plan.visible.iter().copied().enumerate();
    let (aboard, ashore): (Vec<_>, Vec<_>) = rows.partition(aboard);
    let rows = |side: Vec<(usize, u32)>| side.into_iter().map(|(_, row)| row).collect();
    (rows(aboard), rows(ashore))
}

impl Plan {
    /// A number of tokens with its mark: `~` where it is an estimate (EST-4).
    fn shown(&self, tokens: u64) -> String {
        let mark = if self.estimator.is_exact() { "" } else { "~" };
        format!("{mark}{}", commas(tokens))
    }
}

/// How wide the gauge is, in characters.
const GAUGE: u64 = 40;

pub(super) fn text(plan: &Plan, history: &History, context: &Context) -> String {
    let (aboard, ashore) = sides(plan, history);
    let mut out = String::new();
    out.push_str(&format!(
        "── {} ashore · {} aboard · {} tokens ──\n\n",
        commas(ashore.len() as u64),
        commas(aboard.len() as u64),
        plan.shown(plan.boundary.predicted_history_tokens),
    ));
    for (name, value) in rows(plan) {
        out.push_str(&format!("{name:<10} {value}\n"));
    }
    let reasons = reasons(&ashore, history);
    if !reasons.is_empty() {
        out.push_str(&format!("{:<10} {reasons}\n", "ashore"));
    }
    let gauge = gauge(plan);
    let percent = plan.weights.permille() as f64 / 10.0;
    out.push_str(&format!("\n[{gauge}] {percent} %  {}\n", verdict(plan)));
    for suggestion in advice(plan, history, &aboard, context) {
        out.push_str(&format!("  · {suggestion}\n"));
    }
    out
}

fn rows(plan: &Plan) -> Vec<(&'static str, String)> {
    let weights = &plan.weights;
    let bind = match plan.limit.binds {
        Binds::Assumed => "assumed: its window is not known",
        Binds::Given => "given by --limit",
        Binds::Tpm => "its tokens a minute",
        Binds::Learned(_) => "learned from the provider",
        Binds::Window(_) => "its context window",
    };
    let mut rows = vec![
        ("model", printable(&plan.model.id)),
        ("limit", format!("{} tokens ({bind})", commas(plan.limit.tokens))),
        ("counted", plan.estimator.method().name().to_owned()),
        ("counter", counter(plan).to_string()),
        ("history", plan.shown(weights.history)),
        ("prelude", commas(weights.prelude)),
        ("message", plan.shown(weights.aut)),
        ("total", compact_load(plan.validation.total, weights.ml, plan.estimator.is_exact())),
        (
            "kept free",
            format!(
                "{} for your message, {} for the answer",
                commas(plan.input.ura),
                commas(plan.input.reply_reserve)
            ),
        ),
    ];
    if weights.prelude == 0 {
        rows.retain(|(name, _)| *name != "prelude");
    }
    rows
}

/// Why pairs stay ashore, as `20 budget, 2 error`.
fn reasons(ashore: &[u32], history: &History) -> String {
    use ExcludedBecause::{Budget, Cancelled, Error, InFlight};
    let of = |row: &u32| history.entries[*row as usize].not_sendable.unwrap_or(Budget);
    let count = |why| ashore.iter().filter(|row| of(row) == why).count();
    let told: Vec<String> = [Budget, Error, InFlight, Cancelled]
        .into_iter()
        .map(|why| (count(why), why))
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {}", commas(count as u64), why.name()))
        .collect();
    told.join(", ")
}

/// History, message and what is free, each by its share of the window.
fn gauge(plan: &Plan) -> String {
    let weights = &plan.weights;
    let cells = |tokens: u64| {
        // Rounded up, so that what weighs little is still seen.
        let share = (u128::from(tokens) * u128::from(GAUGE)).div_ceil(weights.ml.max(1).into());
        share.min(u128::from(GAUGE)) as usize
    };
    let prelude = cells(weights.prelude);
    let history = cells(weights.prelude.saturating_add(weights.history));
    let all = cells(plan.validation.total);
    let free = GAUGE as usize - all;
    [
        "▒".repeat(prelude),
        "█".repeat(history - prelude),
        "▓".repeat(all - history),
        "·".repeat(free),
    ]
    .concat()
}

fn verdict(plan: &Plan) -> String {
    let validation = &plan.validation;
    match validation.verdict {
        Verdict::Ok => "it fits".to_owned(),
        Verdict::Warn => "it fits, and is close to the limit".to_owned(),
        Verdict::Over => format!("over the limit by {} tokens", commas(validation.excess)),
        Verdict::TooLarge => "the message alone is larger than the limit".to_owned(),
    }
}

fn advice(plan: &Plan, history: &History, aboard: &[u32], context: &Context) -> Vec<String> {
    let raw: Vec<u64> = aboard.iter().map(|row| history.load(*row).tokens).collect();
    let included = IncludedTokens { raw: &raw, factor: plan.input.factor };
    let (weights, validation) = (&plan.weights, &plan.validation);
    suggestions(weights, validation, &[], &included, &context.catalog, &plan.model.id)
        .iter()
        .map(words::suggestion)
        .collect()
}
