//! The calls of a send: live while it is under way, from its receipt afterwards.

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_domain::PairId;
use plimsoll_send::AttemptRecord;
use plimsoll_tokens::commas;

use super::receipt;
use crate::{Web, problem::Problem};

/// The calls of a send that is under way; once it is over, its receipt.
pub(super) async fn panel(web: &Arc<Web>, pair: PairId) -> Result<Markup, Problem> {
    if let Some(attempts) = web.answers.attempts(pair) {
        return Ok(html! {
            h2 { "Attempts" }
            p.muted {
                @if attempts.is_empty() { "No call has been made yet." }
                @else { "This send is under way; the list follows it." }
            }
            (table(&attempts))
        });
    }
    match web.app.store().get(pair).await?.pair.receipt_id {
        Some(id) => receipt::one(web, id).await,
        None => Ok(html! { h2 { "Attempts" } p.muted { "Nothing of this pair was sent." } }),
    }
}

/// One line a call, and what the provider said where it failed.
pub(super) fn table(attempts: &[AttemptRecord]) -> Markup {
    html! {
        @if !attempts.is_empty() {
            table.mono.attempts {
                tr { th { "stage" } th.n { "pairs" } th.n { "tokens" } th.n { "left out" } }
                @for attempt in attempts {
                    tr {
                        td { (attempt.stage.name()) }
                        td.n { (commas(attempt.sent_count as u64)) }
                        td.n { (commas(attempt.attempt_total_tokens)) }
                        td.n { (attempt.trimmed_count) }
                    }
                    @if let Some(message) = &attempt.last_error_message {
                        tr { td.err colspan="4" { (message) } }
                    }
                }
            }
        }
    }
}
