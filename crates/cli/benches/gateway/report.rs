//! The rows: first what GWY-17 asks, then everything that was measured.

use plimsoll_testkit::report::Table;

use crate::{
    samples::{AFTER_FIRST, FIRST, Part, Samples, WHOLE},
    scenarios::{Found, Scenario},
    ways::Kind,
};

/// Those who work on one call: who asks, who relays, who answers.
const PROCESSES: usize = 3;

/// A goal that is a ratio says nothing where noise is larger than what is compared.
const UNJUDGED: &str = "NOT JUDGED, the machine is too busy: added p99";

/// The goals of the spec, for us.
pub(crate) fn goals(results: &[Found], cores: usize, table: &mut Table) {
    for found in results {
        let Some(ours) = found.of(Kind::Plimsoll) else { continue };
        let Scenario { kilobytes, stream, connections } = found.scenario;
        // Sixteen at once on fewer cores than processes mostly wait for a core; the bare relay
        // beside them says how long.
        let judged = connections == 1 || cores >= PROCESSES;
        match (kilobytes, stream, connections) {
            (1, false, 16) => small(found, ours, cores, table),
            (400, false, 1 | 16) => {
                let added = goal(found, ours, "added p50", WHOLE, table);
                if judged {
                    table.goal("≤ 3 ms", added <= 3.0);
                }
            }
            (1, true, 1 | 16) => {
                let added = goal(found, ours, "added to the first byte, p50", FIRST, table);
                if judged {
                    table.goal("≤ 1 ms", added <= 1.0);
                }
                goal(found, ours, "added after the first byte, p50", AFTER_FIRST, table);
            }
            _ => {}
        }
    }
    // Also where no call came through at all.
    let all = results.iter().flat_map(|found| &found.ways);
    let ours = all.filter(|(kind, _)| *kind == Kind::Plimsoll).map(|(_, samples)| samples);
    let (calls, failed) = ours.fold((0, 0), |(calls, failed), samples| {
        (calls + samples.count(), failed + samples.failed.len())
    });
    if calls + failed > 0 {
        let size = format!("{calls} calls");
        table.row("goal: connections with a failed call", &size, failed as f64, "");
        table.goal("none", failed == 0);
    }
}

/// A row with what is added in the middle, beside the bare relay.
fn goal(found: &Found, ours: &Samples, what: &str, part: Part, table: &mut Table) -> f64 {
    let added = ours.added(found.direct(), part, 50);
    table.row(&format!("goal: {what}"), &found.scenario.size(), added, "ms");
    table.ratio(beside_relay(found, added, part, 50));
    added
}

fn small(found: &Found, ours: &Samples, cores: usize, table: &mut Table) {
    const WHAT: &str = "goal: added p99";
    let (size, direct) = (found.scenario.size(), found.direct());
    let added = ours.added(direct, WHOLE, 99);
    if let Some(relay) = found.of(Kind::Relay) {
        table.row(WHAT, &size, added, "ms");
        let by_rounds =
            [ours, relay].map(|way| format!("{:.3}", way.added_by_rounds(direct, WHOLE, 99)));
        let beside = beside_relay(found, added, WHOLE, 99);
        table.ratio(format!("{beside}; by rounds {} and {} ms", by_rounds[0], by_rounds[1]));
        let theirs = relay.added(direct, WHOLE, 99);
        if theirs > 0.0 {
            table.goal("≤ 2 × bare relay", added <= 2.0 * theirs);
        } else {
            table.row(UNJUDGED, &size, theirs, "ms by the bare relay");
        }
    }
    if let Some(litellm) = found.of(Kind::LiteLlm) {
        let theirs = litellm.added(direct, WHOLE, 99);
        table.row(WHAT, &size, added, "ms");
        table.ratio(format!("LiteLLM adds {theirs:.1} ms: {}", times(theirs, added)));
        if added > 0.0 {
            table.goal("LiteLLM ≥ 50 ×", theirs >= 50.0 * added);
        } else {
            table.row(UNJUDGED, &size, added, "ms by Plimsoll");
        }
    }
    if cores >= PROCESSES {
        table.row(WHAT, &size, added, "ms");
        table.goal("≤ 0.33 ms", added <= 0.33);
    }
}

fn beside_relay(found: &Found, added: f64, part: Part, percent: usize) -> String {
    let Some(relay) = found.of(Kind::Relay) else { return String::new() };
    let theirs = relay.added(found.direct(), part, percent);
    format!("bare relay adds {theirs:.3} ms: {}", times(added, theirs))
}

/// How many times as much; noise can make what is added nothing or less.
fn times(more: f64, less: f64) -> String {
    if less > 0.0 { format!("{:.1} ×", more / less) } else { "no ratio".to_owned() }
}

/// What each process took before and after all of it.
pub(crate) fn memory(before: &[(Kind, f64)], after: &[(Kind, f64)], table: &mut Table) {
    for ((kind, before), (_, after)) in before.iter().zip(after) {
        let what = match kind {
            Kind::Direct => "the upstream: memory after all scenarios".to_owned(),
            kind => format!("{}: memory after all scenarios", kind.name()),
        };
        table.row(&what, "", *after, "MB");
        table.ratio(format!("{before:.1} MB before"));
    }
}

/// Every scenario, every way.
pub(crate) fn details(results: &[Found], table: &mut Table) {
    for found in results {
        let direct = found.direct();
        let parts: &[(&str, Part)] = match found.scenario.stream {
            true => &[("first byte", FIRST), ("whole stream", WHOLE)],
            false => &[("answer", WHOLE)],
        };
        let size = found.scenario.size();
        for (name, part) in parts {
            let what = format!("direct: {name}, p50");
            table.row(&what, &size, direct.percentile(*part, 50), "ms");
            let p99 = direct.percentile(*part, 99);
            table.ratio(format!("p99 {p99:.3} ms; {}", told(direct)));
            for (kind, samples) in &found.ways {
                if *kind == Kind::Direct {
                    continue;
                }
                if samples.any() {
                    way(found, *kind, samples, name, *part, table);
                }
                if let Some(why) = samples.failed.first() {
                    let what = format!("{}: connections with a failed call", kind.name());
                    table.row(&what, &size, samples.failed.len() as f64, "");
                    table.ratio(why.replace(['|', '\n'], " "));
                }
            }
        }
    }
}

fn way(found: &Found, kind: Kind, samples: &Samples, name: &str, part: Part, table: &mut Table) {
    let (size, direct) = (found.scenario.size(), found.direct());
    // LiteLLM is held against us, and we against the bare relay.
    let others: &[Kind] = match kind {
        Kind::LiteLlm => &[Kind::Plimsoll, Kind::Relay],
        Kind::Plimsoll => &[Kind::Relay],
        Kind::Direct | Kind::Relay => &[],
    };
    let other = others.iter().find_map(|other| Some((other.name(), found.of(*other)?)));
    for percent in [50, 99] {
        let added = samples.added(direct, part, percent);
        let what = format!("{}: added to {name}, p{percent}", kind.name());
        table.row(&what, &size, added, "ms");
        let mut beside = Vec::new();
        if let Some((name, other)) = other {
            let theirs = other.added(direct, part, percent);
            beside.push(format!("{name} adds {theirs:.3} ms: {}", times(added, theirs)));
        }
        if percent == 50 {
            beside.push(told(samples));
        }
        if let (50, Some((name, other))) = (percent, other) {
            beside.push(format!("requests/s {:.3} × {name}", samples.rate() / other.rate()));
        }
        table.ratio(beside.join("; "));
    }
}

fn told(samples: &Samples) -> String {
    format!("{:.0} requests/s, {} calls", samples.rate(), samples.count())
}
