//! Calls of other programs in the panel of receipts (GWY-9): listed, and each by its parts.

use maud::{Markup, html};
use plimsoll_gateway::{CallReceipt, PartRecord};
use plimsoll_store::GatewayCall;
use plimsoll_tokens::{commas, dollars};

use crate::{
    Web,
    formats::{percent, thousands, when},
};

/// So many parts are listed one by one, the heaviest first.
const HEAVIEST: usize = 20;

/// The newest calls.
pub(super) fn table(web: &Web, calls: &[GatewayCall]) -> Markup {
    let now = web.app.clock().now();
    html! {
        table.mono.receipts data-of="calls" {
            tr { th { "when" } th { "model" } th { "client" } th.n { "estimate" } th.n { "used" } }
            @for call in calls {
                tr data-stage=(call.stage) {
                    td {
                        button.link type="button" data-act="receipt" data-receipt=(call.id) {
                            (when(call.at, now, &web.zone))
                        }
                    }
                    td title=(call.model) { (call.model) }
                    td title=(call.protocol) { (call.client.as_deref().unwrap_or("this account")) }
                    td.n { (thousands(call.estimate)) }
                    td.n { (call.usage.map_or_else(|| call.stage.clone(), |used| thousands(used.prompt))) }
                }
            }
        }
    }
}

/// Parts of one kind.
struct Group {
    name: &'static str,
    count: usize,
    tokens: u64,
}

fn groups(parts: &[PartRecord]) -> Vec<Group> {
    let kinds = [
        ("instructions", "instructions"),
        ("tool", "tools offered"),
        ("user", "messages of the user"),
        ("assistant", "messages of the model"),
        ("reasoning", "reasoning"),
        ("result", "results of tools"),
    ];
    let group = |(kind, name): (&str, &'static str)| {
        let of_kind = parts.iter().filter(|part| part.kind == kind && !part.left_out);
        let (count, tokens) = of_kind.fold((0, 0), |(n, sum), part| (n + 1, sum + part.tokens));
        (count > 0).then_some(Group { name, count, tokens })
    };
    kinds.into_iter().filter_map(group).collect()
}

/// One call.
pub(super) fn one(call: &CallReceipt) -> Markup {
    let mut heaviest: Vec<(usize, &PartRecord)> = call.parts.iter().enumerate().collect();
    heaviest.sort_by_key(|(_, part)| std::cmp::Reverse(part.tokens));
    heaviest.truncate(HEAVIEST);
    let doubt = match call.band.high.saturating_sub(call.estimate) {
        0 => String::new(),
        wide => format!(" ± {}", commas(wide)),
    };
    let seconds = call.timings.total_ms as f64 / 1000.0;
    let left_out = call.left_out;
    html! {
        h2 { "Call of another program" }
        p.muted {
            (call.client.as_deref().unwrap_or("this account")) " · " (call.protocol) " · "
            (call.asked_model)
            @if call.asked_model != call.model { " → " (call.model) }
            " · " (call.stage)
        }
        table.mono {
            tr { th { "part" } th.n { "estimate" } th.n { "used" } }
            @for group in groups(&call.parts) {
                tr { td { (group.count) " " (group.name) } td.n { (commas(group.tokens)) } td.n {} }
            }
            tr {
                td { b { "prompt" } }
                td.n { b { (commas(call.estimate)) } (doubt) }
                td.n {
                    @if let Some(usage) = call.usage {
                        b { (commas(usage.prompt)) }
                        @if let Some(off) = call.estimate_error_percent { " (" (percent(off)) ")" }
                    }
                }
            }
            @if let Some(usage) = call.usage {
                @if usage.cached > 0 {
                    tr { td { "from the provider's cache" } td.n {} td.n { (commas(usage.cached)) } }
                }
                tr { td { "reply" } td.n {} td.n { (commas(usage.completion)) " · " (format!("{seconds:.1} s")) } }
            }
        }
        p.muted {
            "Window " (commas(call.window)) " · " (call.basis) " · "
            (call.attempts) @if call.attempts == 1 { " attempt" } @else { " attempts" }
            @if let Some(cost) = call.cost.filter(|cost| *cost > 0.0) { " · " (dollars(cost)) }
            " · " (thousands(call.request_bytes as u64)) " bytes"
            @if call.same_protocol { " · sent as it came" } @else { " · translated" }
        }
        @if call.partial { p.muted { "Earlier turns are known to the provider alone; they are not weighed here." } }
        @if left_out.exchanges + left_out.rounds > 0 {
            p { "Left out so that it fits: " (left_out.exchanges) " exchanges and " (left_out.rounds)
                " rounds, " (commas(left_out.tokens)) " tokens." }
        }
        @if let Some(seen) = &call.truncation { p.warn { (seen.to_string()) } }
        @if let Some(error) = &call.error { p.warn { (error) } }
        @for failure in &call.failures { p.muted { "An attempt failed: " (failure) } }
        @if !call.passed_over.is_empty() {
            p.muted { "Passed over, since the provider has no counterpart: " (call.passed_over.join(", ")) }
        }
        @if !heaviest.is_empty() {
            h3 { "The heaviest parts" }
            table.mono data-of="parts" {
                tr { th { "part" } th.n { "tokens" } }
                @for (at, part) in heaviest {
                    tr {
                        td title=(part.hash) {
                            (at + 1) " " (part.kind)
                            @if let Some(name) = &part.name { " " (name) }
                            @if part.left_out { " (left out)" }
                        }
                        td.n { (commas(part.tokens)) }
                    }
                }
            }
            p.muted { "Texts of other programs are not kept: only their weights, and hashes to know them again." }
        }
    }
}
