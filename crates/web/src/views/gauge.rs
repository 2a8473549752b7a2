//! The window as one stacked bar: the first picture, which the page redraws as it changes.

use maud::{Markup, html};
use plimsoll_tokens::commas;

use crate::api::state::WindowDto;

/// The parts of the window in the order of the bar: class, name, tokens.
fn parts(window: &WindowDto) -> [(&'static str, &'static str, u64); 4] {
    [
        ("g1", "prelude", window.prelude),
        ("g2", "history", window.history),
        ("g4", "draft", window.aut),
        ("g5", "reply", window.reserve),
    ]
}

pub(super) fn gauge(window: &WindowDto, warn_at: u64) -> Markup {
    // What is over the limit is drawn too: the bar grows, and the marks move left.
    let whole = window.ml.max(window.total.saturating_add(window.reserve)).max(1);
    let share = |tokens: u64| tokens as f64 * 1000.0 / whole as f64;
    let mut at = 0.0;
    let limit = share(window.ml);
    html! {
        svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true" {
            @for (class, _, tokens) in parts(window) {
                @let width = share(tokens);
                rect class=(class) x=(format!("{at:.2}")) width=(format!("{width:.2}")) height="12" {}
                @let () = at += width;
            }
            path.tick d=(format!("M{:.2} 0V12", limit * warn_at as f64 / 100.0)) {}
            @if limit < 1000.0 { path.tick d=(format!("M{limit:.2} 0V12")) {} }
        }
    }
}

/// The same in words, for those who do not see it.
pub(super) fn label(window: &WindowDto) -> String {
    let parts: Vec<String> =
        parts(window).map(|(_, name, tokens)| format!("{name} {}", commas(tokens))).into();
    format!(
        "Window: {}, free {} of {} tokens",
        parts.join(", "),
        commas(window.free),
        commas(window.ml)
    )
}

pub(super) fn legend(window: &WindowDto) -> Markup {
    html! {
        @for (class, name, tokens) in parts(window) {
            @if tokens > 0 || name != "prelude" {
                span { i class=(class) {} (name) " " b { (commas(tokens)) } }
            }
        }
        span.r data-verdict=(window.verdict) title=(window.bind_text) {
            (window.percent) " % of " (window.model) " · " (window.load)
        }
    }
}
