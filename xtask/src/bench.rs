//! Benchmarks and tools that need the product's crates; they live in `testkit`.

use std::process::Command;

use crate::run::{cargo, has, root, skip, step};

/// The speed table of the core. Peers are measured in the same run where they can be
/// set up.
pub fn core(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-testkit", "--bench", "core", "--"]);
    step("benchmark of the core", beside_python(bench.args(args)))
}

/// Starting and the store; it measures the binary itself.
pub fn store(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-cli", "--bench", "store", "--"]);
    step("benchmark of starting and the store", beside_python(bench.args(args)))
}

/// What is served: HTTP, events and the page, beside bare axum and in Chromium.
pub fn serve(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-cli", "--bench", "serve", "--"]);
    step("benchmark of what is served", bench.args(args))
}

/// What the gateway adds to a call, beside a bare relay and LiteLLM's proxy.
pub fn gateway(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-cli", "--bench", "gateway", "--"]);
    step("benchmark of the gateway", bench.args(args))
}

/// What a team's server carries, on PostgreSQL and an object store.
pub fn team(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-cli", "--bench", "team", "--"]);
    step("benchmark of a team's server", bench.args(args))
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

/// The memory, beside the reference server of MCP where that can be set up.
pub fn memory(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-memory", "--bench", "memory", "--"]);
    bench.args(args);
    if let Some(script) = server_memory() {
        bench.env("PLIMSOLL_BENCH_SERVER_MEMORY", script);
    }
    step("benchmark of the memory", &mut bench)
}

/// How well the memory finds what is meant, over a directory of Markdown with questions.
pub fn search(args: &[&str]) -> Result<(), String> {
    let mut bench = cargo();
    bench.args(["bench", "--quiet", "--package", "plimsoll-memory", "--bench", "quality", "--"]);
    step("quality of search", bench.args(args))
}

/// All of them; those that fail do not keep the others back.
pub fn all(args: &[&str]) -> Result<(), String> {
    let done = [
        core(args),
        store(args),
        serve(args),
        gateway(args),
        team(args),
        memory(args),
        embedded(args),
        import(args),
    ];
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

/// The peers that are Python: what people use for trimming, counting and asking today.
const PEERS: [&str; 4] = ["langchain-core", "litellm", "tiktoken", "llm"];

/// Tells a benchmark where the Python of the peers is, if it could be made.
fn beside_python(bench: &mut Command) -> &mut Command {
    match python_peers() {
        Some(python) => bench.env("PLIMSOLL_BENCH_PYTHON", python),
        None => bench,
    }
}

fn python_peers() -> Option<std::path::PathBuf> {
    const NAME: &str = "LangChain, LiteLLM, tiktoken and llm as peers";
    let venv = root().join("target/bench-peers");
    let python = venv.join("bin/python");
    // Looking for them is quick; importing LiteLLM takes seconds.
    const THERE: &str = "from importlib.util import find_spec as f; \
                         assert all(map(f, ['langchain_core', 'litellm', 'tiktoken', 'llm']))";
    let works = || has(&python.to_string_lossy(), &["-c", THERE]);
    if works() {
        return Some(python);
    }
    if !has("python3", &["--version"]) {
        skip(NAME, "there is no python3");
        return None;
    }
    let made = step(NAME, Command::new("python3").args(["-m", "venv"]).arg(&venv)).and_then(|()| {
        let mut pip = Command::new(&python);
        step("pip", pip.args(["-m", "pip", "install", "--quiet"]).args(PEERS))
    });
    if made.is_err() || !works() {
        skip(NAME, "pip could not install them");
        return None;
    }
    Some(python)
}

/// The script of the memory server that people run today.
fn server_memory() -> Option<std::path::PathBuf> {
    const NAME: &str = "server-memory as a peer";
    let home = root().join("target/bench-npm");
    let script = home.join("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    if script.exists() {
        return Some(script);
    }
    if !has("npm", &["--version"]) {
        skip(NAME, "there is no npm");
        return None;
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&home);
    let made = step(NAME, npm.arg("@modelcontextprotocol/server-memory"));
    if made.is_err() || !script.exists() {
        skip(NAME, "npm could not install it");
        return None;
    }
    Some(script)
}
