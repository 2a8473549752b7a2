//! The calls of a send: live while it is under way, from its receipt afterwards.

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_domain::PairId;
use plimsoll_tokens::commas;
use serde_json::Value;

use super::receipt;
use crate::{Web, problem::Problem};

/// The calls of a send that is under way; once it is over, its receipt.
pub(super) async fn panel(web: &Arc<Web>, pair: PairId) -> Result<Markup, Problem> {
    if let Some(attempts) = web.relay.attempts(pair) {
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
pub(super) fn table(attempts: &[Value]) -> Markup {
    html! {
        @if !attempts.is_empty() {
            table.mono.attempts {
                tr { th { "stage" } th.n { "pairs" } th.n { "tokens" } th.n { "left out" } }
                @for attempt in attempts {
                    tr {
                        td { (attempt["stage"].as_str().unwrap_or_default()) }
                        td.n { (commas(number(attempt, "sentCount"))) }
                        td.n { (commas(number(attempt, "attemptTotalTokens"))) }
                        td.n { (number(attempt, "trimmedCount")) }
                    }
                    @if let Some(message) = attempt["lastErrorMessage"].as_str() {
                        tr { td.err colspan="4" { (message) } }
                    }
                }
            }
        }
    }
}

/// A number of a record. `sentCount` is not in receipts that were written before it was.
fn number(attempt: &Value, name: &str) -> u64 {
    let known = |name: &str| attempt[name].as_u64();
    let sent = || {
        let predicted = known("predictedMessageCount")?;
        Some(predicted.saturating_sub(known("trimmedCount")?))
    };
    known(name).or_else(|| (name == "sentCount").then(sent).flatten()).unwrap_or(0)
}
