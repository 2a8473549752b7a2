//! How long the binary takes until it has done the least that it can do.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use plimsoll_testkit::report::Table;

use crate::filled::{Effort, Outcome, milliseconds};

fn run(command: &mut Command) -> Outcome {
    let status =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// A program of the peers' environment, where that could be made.
fn beside_python(name: &str) -> Option<PathBuf> {
    let python = PathBuf::from(std::env::var_os("PLIMSOLL_BENCH_PYTHON")?);
    Some(python.with_file_name(name)).filter(|program| program.exists())
}

/// `--version`, beside the smallest program that there is.
pub(crate) fn version(effort: Effort, table: &mut Table) -> Outcome {
    let binary = env!("CARGO_BIN_EXE_plimsoll");
    let ours = effort.shortest(|| run(Command::new(binary).arg("--version")))?;
    let ours = milliseconds(ours);
    table.row("start: --version", "", ours, "ms");
    if let Ok(least) = effort.shortest(|| run(&mut Command::new("true"))) {
        table.ratio(format!("{:.1} × the start of `true`", ours / milliseconds(least)));
    }
    table.goal("≤ 10 ms", ours <= 10.0);
    if let Some(llm) = beside_python("llm") {
        let once = Effort { runs: effort.runs.min(3) };
        let theirs = milliseconds(once.shortest(|| run(Command::new(&llm).arg("--version")))?);
        table.row("start: llm --version (peer)", "", theirs, "ms");
        table.ratio(format!("we are {:.0} × faster", theirs / ours));
    }
    Ok(())
}

/// Opening a store and answering a small question from it.
pub(crate) fn topics(effort: Effort, config: &Path, data: &Path) -> Outcome<Duration> {
    effort.shortest(|| {
        let mut topics = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        topics.args(["topics", "--json"]);
        run(topics.env("PLIMSOLL_CONFIG_DIR", config).env("PLIMSOLL_DATA_DIR", data))
    })
}
