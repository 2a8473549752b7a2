//! Fuzzing every parser with cargo-fuzz on a nightly toolchain.

use std::process::Command;

use crate::run::{has, root, skip, step};

/// One target for each text that comes from outside.
const TARGETS: [&str; 17] = [
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
    "documents",
    "gguf",
    "pairs",
    "requests",
];

/// Targets that are built on their own, because they need what takes minutes to build.
const APART: [&str; 6] = ["arguments", "documents", "gguf", "pairs", "pdf", "sniff"];

/// The longest input of a target: a model file is nothing without its tokens.
fn longest(target: &str) -> u32 {
    if target == "gguf" { 32 << 10 } else { 4096 }
}

/// Runs one target, or all, for a number of inputs each.
pub fn fuzz(args: &[&str]) -> Result<(), String> {
    let (targets, runs): (Vec<&str>, &str) = match args {
        [] => (TARGETS.to_vec(), "1000000"),
        [target] => (vec![target], "1000000"),
        [target, runs, ..] => (vec![target], runs),
    };
    if let Some(unknown) = targets.iter().find(|target| !TARGETS.contains(target)) {
        return Err(format!("no fuzz target '{unknown}'; there are {}", TARGETS.join(", ")));
    }
    if !has("cargo", &["+nightly", "fuzz", "--version"]) {
        skip("fuzzing", "it needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz)");
        return Ok(());
    }
    for target in targets {
        let seeds = format!("seeds/{target}");
        let corpus = format!("corpus/{target}");
        std::fs::create_dir_all(root().join("fuzz").join(&corpus))
            .map_err(|error| format!("cannot make the corpus directory: {error}"))?;
        let mut command = Command::new("cargo");
        // An empty toolchain variable lets "+nightly" win over the pinned one.
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        command.current_dir(root().join("fuzz"));
        command.args(["+nightly", "fuzz", "run", "--fuzz-dir", "."]);
        // There is no unsafe code for a memory sanitizer to watch, and without it the
        // same time tries several times as many inputs.
        command.args(["--sanitizer", "none"]);
        if APART.contains(&target) {
            command.args(["--features", target]);
        }
        command.args([target, &corpus, &seeds, "--"]);
        command.args([
            &format!("-runs={runs}"),
            &format!("-max_len={}", longest(target)),
            "-timeout=10",
            "-rss_limit_mb=2048",
        ]);
        step(&format!("fuzz {target}"), &mut command)?;
    }
    Ok(())
}
