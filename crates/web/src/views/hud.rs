//! The details of the next send: parameters, boundary, trimming, usage, error. Plain words first,
//! the canonical names beside them (UI-21).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_app::{Draft, WorkspaceView};
use plimsoll_store::{ReceiptFilter, ReceiptRecord};
use plimsoll_tokens::commas;

use crate::{
    Web,
    api::{ErrorDto, state::Weighed},
    problem::Problem,
    sessions::WorkspaceSession,
};

/// So many sends back the curve of errors goes.
const SENDS: u64 = 30;

/// The details for a draft; `other` is the view of a model that is named for this send alone.
pub(super) async fn hud(
    web: &Arc<Web>,
    session: &mut WorkspaceSession,
    mut other: Option<WorkspaceView>,
    draft: &Draft,
) -> Result<Markup, Problem> {
    let workspace_view = other.as_mut().unwrap_or(&mut session.workspace_view);
    let plan = workspace_view.plan(&web.app, draft).await?;
    let correction = workspace_view.correction();
    let Weighed { counter, window, .. } = Weighed::of(web, &plan, session);
    let settings = web.app.settings();
    let filter = ReceiptFilter { limit: Some(SENDS), ..ReceiptFilter::default() };
    let receipts = web.app.store().receipts(session.workspace_view.workspace(), &filter).await?;
    let window = &window;
    let learned = web.app.learned(&window.model).await?;
    let correction = format!("+ {} · × {:.2}", correction.offset(), correction.slope());
    let step = if settings.smart_trim() { "smart" } else { "one" };
    let text = |key: &str| settings.get(key).map_or("", |(value, _)| value).to_owned();
    let ura = settings.user_request_allowance();
    let reserve = match window.ml.checked_sub(window.total) {
        Some(left) => commas(left),
        None => format!("−{}", commas(window.total.saturating_sub(window.ml))),
    };
    let last = receipts.first();
    let failed = match last.and_then(|last| last.pair) {
        Some(pair) => ErrorDto::of(web, pair).await.ok().flatten(),
        None => None,
    };
    let under_way = web.sends.current(&session.place);
    let calls = under_way.and_then(|pair| web.answers.attempts(pair));
    Ok(html! {
        h2 { "Parameters" }
        dl.mono {
            (row("model limit (ML)", commas(window.ml), &window.bind_text))
            @if matches!(window.binds, "learned" | "assumed") {
                (row("where it is from", window.bind_text.clone(), "it asks and never refuses"))
            }
            (row("kept for your message (URA)", commas(ura), "the load line leaves room for a message of this size"))
            (row("kept for the answer", commas(window.reserve), ""))
            (row("estimator", window.estimator.to_owned(), ""))
            (row("estimate", window.told.clone(), "what would be sent, how far that may be off, and what it rests on"))
            @if !window.exact {
                (row("offset · slope", correction, "learned from this model's reports: tokens that each request has once, and what texts are multiplied with"))
            }
            (row("chars per token", text("charsPerToken"), ""))
            (row("most trims (NTA) · step", format!("{} · {step}", settings.max_trim_attempts()), "how often a refused request may leave out more history, and how much at a time"))
        }
        h2 { "Boundary" }
        dl.mono {
            (row("sent / visible (X / Y)", format!("{} / {}", commas(plan.boundary().included as u64), commas(session.workspace_view.visible_count() as u64)), ""))
            (row("history (predictedHistory)", commas(window.history), ""))
            (row("with allowance (predictedTotal)", commas(window.history + ura), "the history, and what is kept for your message"))
            (row("instructions (prelude)", commas(window.prelude), &window.prelude_text))
            (row("this message (AUT)", commas(window.aut), "what it weighs, files included"))
            (row("left in the window", reserve, "the model limit less everything that would be sent"))
            (row("free after reply", commas(window.free), ""))
        }
        h2 { "Trimming" }
        dl.mono {
            (row("counter", counter.text.clone(), ""))
            @if let Some(calls) = &calls {
                (row("under way, call", calls.len().to_string(), "calls of the send in flight"))
            } @else if let Some(last) = last {
                (row("last send", last.stage.clone(), ""))
                (row("left out", commas(last.trimmed), ""))
            }
        }
        @if let Some(calls) = &calls { (super::attempts::table(calls)) }
        h2 { "Usage" }
        (errors(&receipts))
        h2 { "Error" }
        (error(last, failed.as_ref()))
        @if learned {
            button.btn type="button" data-call={ "DELETE /api/models/" (window.model) "/learned" }
                data-then="hud" data-confirm="Forget what was learned about this model?" {
                "Forget what was learned"
            }
        }
    })
}

fn row(name: &str, value: String, title: &str) -> Markup {
    html! { dt title=(title) { (name) } dd title=(title) { (value) } }
}

/// The errors of the estimates, oldest first, as a curve.
fn errors(receipts: &[ReceiptRecord]) -> Markup {
    let errors: Vec<f64> = receipts.iter().rev().filter_map(ReceiptRecord::error_percent).collect();
    if errors.is_empty() {
        return html! { p.muted { "No send has reported its usage yet." } };
    }
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let at = |share: f64| sizes[((sizes.len() - 1) as f64 * share).round() as usize];
    let tallest = at(1.0).max(1.0);
    let x = |n: usize| 288.0 * n as f64 / (errors.len().max(2) - 1) as f64;
    let point = |(n, error): (usize, &f64)| {
        let y = 22.0 - error / tallest * 20.0;
        format!("{}{:.1} {y:.1}", if n == 0 { "M" } else { "L" }, x(n))
    };
    let path: Vec<String> = errors.iter().enumerate().map(point).collect();
    html! {
        svg.spark viewBox="0 0 288 44" role="img"
            aria-label=(format!("Estimate error of the last {} sends", errors.len())) {
            path.axis d="M0 22H288" {}
            path.curve d=(path.join(" ")) {}
        }
        dl.mono {
            (row("estimate error, sends", errors.len().to_string(), ""))
            (row("median · p95", format!("{:.1} % · {:.1} %", at(0.5), at(0.95)), ""))
        }
    }
}

/// What the last send ended with, in the words of whoever said so.
fn error(last: Option<&ReceiptRecord>, failed: Option<&ErrorDto>) -> Markup {
    let Some(last) = last.filter(|last| last.stage != "success" && last.stage != "cancelled")
    else {
        return html! { p.muted { "none" } };
    };
    html! {
        @if let Some(failed) = failed {
            p.err { "[error: " (failed.label) "] " (failed.message) }
            p.muted {
                "stage " (last.stage)
                @if let Some(status) = failed.status { " · HTTP status " (status) }
                " · " button.link type="button" data-open={ "/ui/error/" (failed.pair) }
                    data-name="details" { "details" }
            }
        } @else {
            p.err { "the last send ended as " (last.stage) }
        }
    }
}
