//! What is asked: sizes, connections, streams, and all ways in turns.

use std::io::Write;

use tokio::runtime::Runtime;

use crate::{
    Outcome, bodies,
    load::{self, Asked},
    samples::Samples,
    ways::{Kind, Ways},
};

/// How much is measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    rounds: usize,
    /// Calls through one way until memory is looked at for the last time.
    pub(crate) memory_calls: usize,
}

impl Effort {
    pub(crate) const QUICK: Self = Self { rounds: 4, memory_calls: 10_000 };
    pub(crate) const FULL: Self = Self { rounds: 20, memory_calls: 100_000 };
}

/// LiteLLM takes part in every so manieth round: it is slow, and would take most of the time.
const LITELLM_EVERY: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) kilobytes: usize,
    pub(crate) stream: bool,
    pub(crate) connections: usize,
}

impl Scenario {
    pub(crate) fn size(self) -> String {
        let Self { kilobytes, connections, .. } = self;
        let stream = if self.stream { ", stream" } else { "" };
        let s = if connections == 1 { "" } else { "s" };
        format!("{kilobytes} KB, {connections} connection{s}{stream}")
    }

    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for kilobytes in [1, 400] {
            for stream in [false, true] {
                let with = |connections| Self { kilobytes, stream, connections };
                all.extend([1, 16, 64].map(with));
            }
        }
        all
    }

    /// About 200 calls a round, or 50 large ones, and at least some for each connection.
    pub(crate) fn asked(self) -> Asked {
        let (calls, least) = if self.kilobytes == 1 { (200, 8) } else { (50, 2) };
        Asked {
            body: bodies::chat(self.kilobytes * 1024, self.stream),
            stream: self.stream,
            connections: self.connections,
            calls: (calls / self.connections).max(least),
        }
    }
}

/// What was found for one scenario.
pub(crate) struct Found {
    pub(crate) scenario: Scenario,
    pub(crate) ways: Vec<(Kind, Samples)>,
}

impl Found {
    /// What all others are held against; it is always there.
    pub(crate) fn direct(&self) -> &Samples {
        &self.ways[0].1
    }

    pub(crate) fn of(&self, kind: Kind) -> Option<&Samples> {
        let found = self.ways.iter().find(|(way, _)| *way == kind);
        found.map(|(_, samples)| samples).filter(|samples| samples.any())
    }
}

pub(crate) fn run(runtime: &Runtime, effort: Effort, ways: &Ways) -> Outcome<Vec<Found>> {
    let mut found = Vec::new();
    for scenario in Scenario::all() {
        writeln!(std::io::stderr(), "measuring: {}", scenario.size())?;
        found.push(Found { scenario, ways: in_turns(runtime, effort, ways, scenario) });
    }
    Ok(found)
}

fn in_turns(
    runtime: &Runtime,
    effort: Effort,
    ways: &Ways,
    scenario: Scenario,
) -> Vec<(Kind, Samples)> {
    let asked = scenario.asked();
    let mut found: Vec<(Kind, Samples)> =
        ways.all.iter().map(|way| (way.kind, Samples::default())).collect();
    for round in 0..effort.rounds {
        // Another one begins each time, so that nobody always follows the same one.
        for turn in 0..ways.all.len() {
            let at = (round + turn) % ways.all.len();
            let way = &ways.all[at];
            if way.kind == Kind::LiteLlm && round % LITELLM_EVERY != 0 {
                continue;
            }
            found[at].1.add(runtime.block_on(load::round(&way.door, &asked)));
            way.until_quiet();
        }
    }
    found
}
