//! A plan as JSON, and as a picture of the load line.

use plimsoll_budget::{Binds, ExcludedBecause, Verdict};
use plimsoll_domain::PairId;
use plimsoll_send::Plan;
use plimsoll_tokens::{commas, compact_load};
use serde::Serialize;

use super::{Planned, Timings};
use crate::{output::printable, words};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    ml: u64,
    x: usize,
    y: usize,
    included: Vec<String>,
    excluded: Vec<String>,
    predicted_history_tokens: u64,
    predicted_total_tokens: u64,
    aut: u64,
    total: u64,
    percent: f64,
    verdict: &'static str,
    counter: String,
    /// What the prompt costs at most, in US dollars; absent where no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    /// The same if the beginning of the last send is still cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_cached: Option<f64>,
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

pub(super) fn json(planned: &Planned) -> Report {
    let plan = &planned.plan;
    let (selection, boundary) = (&plan.snapshot.selection, plan.boundary());
    Report {
        ml: plan.limit().tokens,
        x: boundary.included,
        y: boundary.visible,
        included: selection.included.iter().map(|pair| planned.name(pair.id)).collect(),
        excluded: selection.excluded.iter().map(|(id, _)| planned.name(*id)).collect(),
        predicted_history_tokens: boundary.predicted_history_tokens,
        predicted_total_tokens: boundary.predicted_total_tokens,
        aut: plan.weights.message,
        total: plan.validation.total,
        percent: plan.weights.permille() as f64 / 10.0,
        verdict: plan.validation.verdict.name(),
        counter: plan.counter().to_string(),
        cost: plan.cost().map(|cost| cost.most),
        cost_cached: plan.cost().and_then(|cost| cost.cached),
        timings: planned.timings.into(),
    }
}

/// A number of tokens with its mark: `~` where it is an estimate (EST-4).
fn shown(plan: &Plan, tokens: u64) -> String {
    let mark = if plan.target().estimator.1 { "" } else { "~" };
    format!("{mark}{}", commas(tokens))
}

/// How wide the gauge is, in characters.
const GAUGE: u64 = 40;

pub(super) fn text(planned: &Planned) -> String {
    let plan = &planned.plan;
    let selection = &plan.snapshot.selection;
    let mut out = String::new();
    out.push_str(&format!(
        "── {} ashore · {} aboard · {} tokens ──\n\n",
        commas(selection.excluded.len() as u64),
        commas(selection.included.len() as u64),
        shown(plan, plan.boundary().predicted_history_tokens),
    ));
    for (name, value) in rows(plan) {
        out.push_str(&format!("{name:<10} {value}\n"));
    }
    let reasons = reasons(&selection.excluded);
    if !reasons.is_empty() {
        out.push_str(&format!("{:<10} {reasons}\n", "ashore"));
    }
    let gauge = gauge(plan);
    let percent = plan.weights.permille() as f64 / 10.0;
    out.push_str(&format!("\n[{gauge}] {percent} %  {}\n", verdict(plan)));
    for suggestion in plan.suggestions.iter().map(words::suggestion) {
        out.push_str(&format!("  · {suggestion}\n"));
    }
    out
}

fn rows(plan: &Plan) -> Vec<(&'static str, String)> {
    let weights = &plan.weights;
    let bind = match plan.limit().binds {
        Binds::Assumed => "assumed: its window is not known",
        Binds::Given => "given by --limit",
        Binds::Tpm => "its tokens a minute",
        Binds::Learned(_) => "learned from the provider",
        Binds::Window(_) => "its context window",
    };
    let mut rows = vec![
        ("model", printable(&plan.model().id)),
        ("limit", format!("{} tokens ({bind})", commas(plan.limit().tokens))),
        ("counted", plan.target().estimator.0.to_owned()),
        ("counter", plan.counter().to_string()),
        ("history", shown(plan, weights.history)),
        ("prelude", commas(weights.prelude)),
        ("message", shown(plan, weights.message)),
        ("total", compact_load(plan.validation.total, weights.limit, plan.target().estimator.1)),
        (
            "kept free",
            format!(
                "{} for your message, {} for the answer",
                commas(plan.snapshot.input.allowance),
                commas(plan.reply_reserve())
            ),
        ),
    ];
    rows.extend(words::cost(plan).map(|cost| ("cost", cost)));
    if weights.prelude == 0 {
        rows.retain(|(name, _)| *name != "prelude");
    }
    rows
}

/// Why pairs are left out, as `20 budget, 2 error`.
fn reasons(excluded: &[(PairId, ExcludedBecause)]) -> String {
    let count = |why| excluded.iter().filter(|(_, of)| *of == why).count();
    let told: Vec<String> = ExcludedBecause::ALL
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
        let share = (u128::from(tokens) * u128::from(GAUGE)).div_ceil(weights.limit.max(1).into());
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
