//! A plan as JSON, and as a picture of the load line.

use plimsoll_budget::{
    Binds, Boundary, ExcludedBecause, ModelLimit, Suggestion, Validation, Verdict, Weights,
};
use plimsoll_send::Counter;
use plimsoll_tokens::{commas, compact_load};
use serde::Serialize;

use super::Timings;
use crate::{output::printable, words};

/// Everything that is told of a plan, wherever its history came from.
pub(super) struct Facts {
    pub(super) model: String,
    pub(super) limit: ModelLimit,
    /// How texts were counted, and whether that is exact.
    pub(super) estimator: (&'static str, bool),
    pub(super) ura: u64,
    pub(super) reply_reserve: u64,
    pub(super) boundary: Boundary,
    pub(super) weights: Weights,
    pub(super) validation: Validation,
    pub(super) included: Vec<String>,
    /// Those that stay ashore, and why.
    pub(super) excluded: Vec<(String, ExcludedBecause)>,
    pub(super) suggestions: Vec<Suggestion>,
    pub(super) timings: Timings,
}

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

pub(super) fn json(facts: &Facts) -> Report<'_> {
    Report {
        ml: facts.limit.tokens,
        x: facts.boundary.x,
        y: facts.boundary.y,
        included: facts.included.iter().map(String::as_str).collect(),
        excluded: facts.excluded.iter().map(|(id, _)| id.as_str()).collect(),
        predicted_history_tokens: facts.boundary.predicted_history_tokens,
        predicted_total_tokens: facts.boundary.predicted_total_tokens,
        aut: facts.weights.aut,
        total: facts.validation.total,
        percent: facts.weights.permille() as f64 / 10.0,
        verdict: facts.validation.verdict.name(),
        counter: counter(facts).to_string(),
        timings: facts.timings.into(),
    }
}

fn counter(facts: &Facts) -> Counter {
    Counter { predicted: facts.boundary.x, trimmed: 0, visible: facts.boundary.y }
}

impl Facts {
    /// A number of tokens with its mark: `~` where it is an estimate (EST-4).
    fn shown(&self, tokens: u64) -> String {
        let mark = if self.estimator.1 { "" } else { "~" };
        format!("{mark}{}", commas(tokens))
    }
}

/// How wide the gauge is, in characters.
const GAUGE: u64 = 40;

pub(super) fn text(facts: &Facts) -> String {
    let mut out = String::new();
    out.push_str(&format!(
        "── {} ashore · {} aboard · {} tokens ──\n\n",
        commas(facts.excluded.len() as u64),
        commas(facts.included.len() as u64),
        facts.shown(facts.boundary.predicted_history_tokens),
    ));
    for (name, value) in rows(facts) {
        out.push_str(&format!("{name:<10} {value}\n"));
    }
    let reasons = reasons(&facts.excluded);
    if !reasons.is_empty() {
        out.push_str(&format!("{:<10} {reasons}\n", "ashore"));
    }
    let gauge = gauge(facts);
    let percent = facts.weights.permille() as f64 / 10.0;
    out.push_str(&format!("\n[{gauge}] {percent} %  {}\n", verdict(facts)));
    for suggestion in facts.suggestions.iter().map(words::suggestion) {
        out.push_str(&format!("  · {suggestion}\n"));
    }
    out
}

fn rows(facts: &Facts) -> Vec<(&'static str, String)> {
    let weights = &facts.weights;
    let bind = match facts.limit.binds {
        Binds::Assumed => "assumed: its window is not known",
        Binds::Given => "given by --limit",
        Binds::Tpm => "its tokens a minute",
        Binds::Learned(_) => "learned from the provider",
        Binds::Window(_) => "its context window",
    };
    let mut rows = vec![
        ("model", printable(&facts.model)),
        ("limit", format!("{} tokens ({bind})", commas(facts.limit.tokens))),
        ("counted", facts.estimator.0.to_owned()),
        ("counter", counter(facts).to_string()),
        ("history", facts.shown(weights.history)),
        ("prelude", commas(weights.prelude)),
        ("message", facts.shown(weights.aut)),
        ("total", compact_load(facts.validation.total, weights.ml, facts.estimator.1)),
        (
            "kept free",
            format!(
                "{} for your message, {} for the answer",
                commas(facts.ura),
                commas(facts.reply_reserve)
            ),
        ),
    ];
    if weights.prelude == 0 {
        rows.retain(|(name, _)| *name != "prelude");
    }
    rows
}

/// Why pairs stay ashore, as `20 budget, 2 error`.
fn reasons(ashore: &[(String, ExcludedBecause)]) -> String {
    use ExcludedBecause::{BeforeTheLine, Budget, Cancelled, Error, InFlight};
    let count = |why| ashore.iter().filter(|(_, of)| *of == why).count();
    let told: Vec<String> = [Budget, Error, InFlight, Cancelled, BeforeTheLine]
        .into_iter()
        .map(|why| (count(why), why))
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {}", commas(count as u64), why.name()))
        .collect();
    told.join(", ")
}

/// History, message and what is free, each by its share of the window.
fn gauge(facts: &Facts) -> String {
    let weights = &facts.weights;
    let cells = |tokens: u64| {
        // Rounded up, so that what weighs little is still seen.
        let share = (u128::from(tokens) * u128::from(GAUGE)).div_ceil(weights.ml.max(1).into());
        share.min(u128::from(GAUGE)) as usize
    };
    let prelude = cells(weights.prelude);
    let history = cells(weights.prelude.saturating_add(weights.history));
    let all = cells(facts.validation.total);
    let free = GAUGE as usize - all;
    [
        "▒".repeat(prelude),
        "█".repeat(history - prelude),
        "▓".repeat(all - history),
        "·".repeat(free),
    ]
    .concat()
}

fn verdict(facts: &Facts) -> String {
    let validation = &facts.validation;
    match validation.verdict {
        Verdict::Ok => "it fits".to_owned(),
        Verdict::Warn => "it fits, and is close to the limit".to_owned(),
        Verdict::Over => format!("over the limit by {} tokens", commas(validation.excess)),
        Verdict::TooLarge => "the message alone is larger than the limit".to_owned(),
    }
}
