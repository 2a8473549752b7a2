//! `cargo xtask`: the one way in for checks, tests, benchmarks and tools.
//!
//! It has no dependencies, so that it builds in a second, and it knows no rule of the
//! product: it runs cargo and what cargo built.

mod bench;
mod browser;
mod check;
mod conformance;
mod coverage;
mod fuzz;
mod packages;
mod page;
mod run;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  check              everything that must hold: format, lints, tests, docs, house rules
  test               all tests; sets up what they need, and says what it could not
  long               what takes an hour or more: the same tests, many times as much, no skips
  bench              the speed tables, printed and as JSON in target/bench
  bench core         the pure core alone
  bench store        starting, and the store
  bench serve        HTTP, events and the page, beside bare axum and in Chromium
  bench gateway      what the gateway adds to a call, beside a bare relay and LiteLLM's proxy
  bench team         what a team's server carries, on PostgreSQL and an object store
  bench memory       the memory, beside the reference server of MCP
  bench search       how well the memory finds what is meant [DIR] [--half tune|held] [--more DIR]
  bench embedded     the model inside, beside llama.cpp
  bench import       taking files in, beside plain copies
  conformance        the official suite of MCP against /mcp of the binary
  fit OUT DIR …      fit the fast estimator's table on half of the texts below DIR …
  sample N           print a made-up history of N pairs, one a line
  docs               write docs/{cli,settings,tool-reference,spec-coverage}.md from the code
  docs coverage      write docs/spec-coverage.md alone
  shots              write docs/shots/*.png from a workbench with a made-up history
  fuzz [TARGET|all] [N]  try N more inputs with a fuzz target, or until it has had 1,000,000
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["check"] => check::check(),
        ["test"] => check::test(),
        ["long"] => check::long(),
        ["bench", "core", rest @ ..] => bench::core(rest),
        ["bench", "store", rest @ ..] => bench::store(rest),
        ["bench", "serve", rest @ ..] => bench::serve(rest),
        ["bench", "gateway", rest @ ..] => bench::gateway(rest),
        ["bench", "team", rest @ ..] => bench::team(rest),
        ["bench", "memory", rest @ ..] => bench::memory(rest),
        ["bench", "search", rest @ ..] => bench::search(rest),
        ["bench", "embedded", rest @ ..] => bench::embedded(rest),
        ["bench", "import", rest @ ..] => bench::import(rest),
        ["bench", rest @ ..] if rest.iter().all(|arg| arg.starts_with("--")) => bench::all(rest),
        ["conformance"] => conformance::conformance(),
        ["fit", rest @ ..] if !rest.is_empty() => bench::example("fit", rest),
        ["sample", count] => bench::example("sample", &[count]),
        ["docs"] => check::docs(),
        ["docs", "coverage"] => coverage::write(&run::root()),
        ["shots"] => browser::shots(),
        ["fuzz", rest @ ..] => fuzz::fuzz(rest),
        ["help" | "--help" | "-h"] | [] => {
            print!("{HELP}");
            Ok(())
        }
        _ => {
            eprint!("There is no such command.\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            eprintln!("\nxtask: {failed}");
            ExitCode::FAILURE
        }
    }
}
