//! Fuzzing every parser with cargo-fuzz. Runs add up: the corpus stays in `fuzz/corpus`, and how
//! many inputs each target has had stands in `docs/fuzzing.md`.

mod record;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use crate::{
    fuzz::record::Record,
    run::{has, root, skip},
};

/// One target for each text that comes from outside.
pub const TARGETS: [&str; 16] = [
    "filter",
    "segments",
    "classify",
    "import",
    "prose",
    "sse",
    "answer",
    "codex",
    "config",
    "sniff",
    "arguments",
    "sdd",
    "pdf",
    "gguf",
    "pairs",
    "requests",
];

/// Targets that are built on their own, because they need what takes minutes to build.
const APART: [&str; 5] = ["arguments", "gguf", "pairs", "pdf", "sniff"];

/// The inputs that every target should have had.
const GOAL: u64 = 1_000_000;

/// The longest input of a target: a model file is nothing without its tokens.
fn longest(target: &str) -> u32 {
    if target == "gguf" { 32 << 10 } else { 4096 }
}

/// Runs one target for a number of inputs, or each until it has had a million in all.
pub fn fuzz(args: &[&str]) -> Result<(), String> {
    let (targets, runs) = match args {
        [] | ["all"] => (TARGETS.to_vec(), None),
        [target] => (vec![*target], None),
        [target, runs, ..] => {
            let runs = runs.parse().map_err(|_| format!("'{runs}' is no number of inputs"))?;
            let targets = if *target == "all" { TARGETS.to_vec() } else { vec![*target] };
            (targets, Some(runs))
        }
    };
    if let Some(unknown) = targets.iter().find(|target| !TARGETS.contains(target)) {
        return Err(format!("no fuzz target '{unknown}'; there are {}", TARGETS.join(", ")));
    }
    if !has("cargo", &["fuzz", "--version"]) {
        skip("fuzzing", "cargo-fuzz is not installed (cargo install cargo-fuzz)");
        return Ok(());
    }
    let path = root().join("docs/fuzzing.md");
    let mut failed = Vec::new();
    for target in targets {
        // Read each time: another run may have ended meanwhile.
        let had = Record::read(&path)?.inputs(target);
        let inputs = runs.unwrap_or(GOAL.saturating_sub(had));
        if inputs == 0 {
            eprintln!("\n── fuzz {target}: it has had {had} inputs already");
            continue;
        }
        eprintln!("\n── fuzz {target}: {inputs} inputs");
        let (done, outcome) = run(target, inputs)?;
        let mut record = Record::read(&path)?;
        record.add(target, done, today()?, outcome.is_ok());
        record.write(&path)?;
        failed.extend(outcome.err());
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// How many inputs were tried, and whether all of them went well.
fn run(target: &str, inputs: u64) -> Result<(u64, Result<(), String>), String> {
    let seeds = format!("seeds/{target}");
    let corpus = format!("corpus/{target}");
    std::fs::create_dir_all(root().join("fuzz").join(&corpus))
        .map_err(|error| format!("cannot make the corpus directory: {error}"))?;
    let mut command = Command::new("cargo");
    command.current_dir(root().join("fuzz")).args(["fuzz", "run", "--fuzz-dir", "."]);
    // There is no unsafe code for a memory sanitizer to watch, and without it the same time tries
    // several times as many inputs, on a stable toolchain too.
    command.args(["--sanitizer", "none"]);
    if APART.contains(&target) {
        command.args(["--features", target]);
    }
    command.args([target, &corpus, &seeds, "--"]);
    command.args([
        &format!("-runs={inputs}"),
        &format!("-max_len={}", longest(target)),
        "-timeout=10",
        "-rss_limit_mb=2048",
    ]);
    let started = command.stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| format!("fuzz {target} could not start: {error}"))?;
    let mut done = 0;
    let mut own = std::io::stderr();
    for line in child.stderr.take().into_iter().flat_map(|out| BufReader::new(out).split(b'\n')) {
        let line = line.map_err(|error| format!("fuzz {target} could not be heard: {error}"))?;
        done = tried(&String::from_utf8_lossy(&line)).unwrap_or(done);
        // Who listens no more does not end the run.
        let _ = own.write_all(&line).and_then(|()| own.write_all(b"\n"));
    }
    let status = child.wait().map_err(|error| format!("fuzz {target} did not end: {error}"))?;
    let outcome =
        if status.success() { Ok(()) } else { Err(format!("fuzz {target} failed ({status})")) };
    Ok((done, outcome))
}

/// The number that libFuzzer begins its lines with, or ends with.
fn tried(line: &str) -> Option<u64> {
    let number = match line.strip_prefix('#') {
        Some(rest) => rest,
        None => line.strip_prefix("Done ")?,
    };
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// In UTC. There is no crate here that knows calendars.
fn today() -> Result<String, String> {
    let date = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    let date = date.map_err(|error| format!("the date is not known: {error}"))?;
    Ok(String::from_utf8_lossy(&date.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_says_is_counted() {
        assert_eq!(tried("#262144\tpulse  cov: 1134 ft: 4060 corp: 711/54Kb"), Some(262_144));
        assert_eq!(tried("Done 1000000 runs in 35 second(s)"), Some(1_000_000));
        assert_eq!(tried("INFO: Seed: 1234"), None);
    }
}
