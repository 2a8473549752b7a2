//! Benchmarks and tools that need the product's crates; they live in `testkit`.

use std::process::Command;

use crate::run::{cargo, has, root, skip, step};

/// The speed table of the core. Peers are measured in the same run where they can be
/// set up.
pub fn core(args: &[&str]) -> Result<(), String> {
    let peer = langchain();
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-testkit", "--bench", "core", "--"]);
    bench.args(args);
    if let Some(python) = peer {
        bench.env("PLIMSOLL_BENCH_PYTHON", python);
    }
    step("benchmark of the core", &mut bench)
}

/// Starting and the store; it measures the binary itself.
pub fn store(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-cli", "--bench", "store", "--"]);
    step("benchmark of starting and the store", bench.args(args))
}

/// The model inside, beside llama.cpp where that can be set up.
pub fn embedded(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-embedded", "--bench", "embedded", "--"]);
    step("benchmark of the model inside", bench.args(args))
}

/// Taking files in, beside plain copies.
pub fn import(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-blobs", "--bench", "import", "--"]);
    step("benchmark of imports", bench.args(args))
}

/// All of them; those that fail do not keep the others back.
pub fn all(args: &[&str]) -> Result<(), String> {
    let done = [core(args), store(args), embedded(args), import(args)];
    let failed: Vec<String> = done.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// A tool of `testkit`, built for speed.
pub fn example(name: &str, args: &[&str]) -> Result<(), String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "plimsoll-testkit"]);
    command.args(["--example", name, "--"]).args(args);
    step(name, &mut command)
}

/// A Python with LangChain in it: what people use for trimming today.
fn langchain() -> Option<std::path::PathBuf> {
    const NAME: &str = "LangChain as a peer";
    let venv = root().join("target/bench-peers");
    let python = venv.join("bin/python");
    let works = || has(&python.to_string_lossy(), &["-c", "import langchain_core.messages"]);
    if works() {
        return Some(python);
    }
    if !has("python3", &["--version"]) {
        skip(NAME, "there is no python3");
        return None;
    }
    let made = step(NAME, Command::new("python3").args(["-m", "venv"]).arg(&venv)).and_then(|()| {
        let mut pip = Command::new(&python);
        step("pip", pip.args(["-m", "pip", "install", "--quiet", "langchain-core"]))
    });
    if made.is_err() || !works() {
        skip(NAME, "pip could not install langchain-core");
        return None;
    }
    Some(python)
}
