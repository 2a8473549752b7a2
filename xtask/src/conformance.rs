//! The official conformance suite of the Model Context Protocol against `/mcp` (MDC-3).

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::run::{cargo, has, root, step};

/// The suite needs a Node that is newer than many machines have, so it brings its own.
const PACKAGES: [&str; 2] = ["node@22.23.3", "@modelcontextprotocol/conformance@0.2.0-alpha.12"];

/// What the suite holds for a required part of the protocol: its last release of the older
/// kind, and the newest.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Fewer scenarios than this were never right.
const LEAST: usize = 30;

/// Scenarios that do not apply here, by how their names begin, and why. `docs/mcp.md` says
/// the same.
const NOT_APPLICABLE: [(&str, &str); 1] = [(
    "tasks-",
    "an extension that Plimsoll does not offer: no call of its tools outlasts a request",
)];

/// Runs both sets of requirements against the binary, as it is served, and prints a table.
/// Fails when a scenario does that applies, required or not.
pub fn conformance() -> Result<(), String> {
    let home = target().join("conformance");
    let (node, suite) = install(&home)?;
    let mut build = cargo();
    build.args(["build", "--locked", "--package", "plimsoll-conformance"]);
    step("the binary with the suite's fixtures", &mut build)?;
    let place = home.join("served");
    // What an earlier run remembered would be in this one's way.
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let server = Server::start(&place)?;
    let mut bad = Vec::new();
    for revision in REVISIONS {
        eprintln!("\n── MCP {revision}");
        let run = Command::new(&node)
            .arg(&suite)
            .args(["server", "--url", &server.url, "--requirements", revision, "--output-dir"])
            .arg(place.join(revision))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("the suite could not start: {error}"))?;
        let said = String::from_utf8_lossy(&run.stdout);
        let scenarios = scenarios(&said);
        if scenarios.len() < LEAST {
            let more = String::from_utf8_lossy(&run.stderr);
            return Err(format!(
                "{revision}: only {} scenarios ran\n{said}\n{more}",
                scenarios.len()
            ));
        }
        for scenario in &scenarios {
            println!("{}", scenario.line());
        }
        let failed = scenarios.iter().filter(|one| one.counts() && one.failed > 0);
        bad.extend(failed.map(|one| format!("{revision} {}", one.name)));
        if !run.status.success() {
            bad.push(format!("{revision}: the suite itself says so ({})", run.status));
        }
    }
    match bad.is_empty() {
        true => Ok(()),
        false => Err(format!("the conformance suite found:\n  {}", bad.join("\n  "))),
    }
}

fn target() -> PathBuf {
    let told = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    told.unwrap_or_else(|| root().join("target"))
}

/// Node and the suite, fetched once.
fn install(home: &Path) -> Result<(PathBuf, PathBuf), String> {
    let modules = home.join("node_modules");
    let node = modules.join("node/bin/node");
    let suite = modules.join("@modelcontextprotocol/conformance/dist/index.js");
    let mark = home.join("installed");
    let wanted = PACKAGES.join("\n");
    if fs::read_to_string(&mark).is_ok_and(|there| there == wanted) {
        return Ok((node, suite));
    }
    if !has("npm", &["--version"]) {
        return Err("the suite comes by npm, and npm is not installed".to_owned());
    }
    fs::create_dir_all(home).map_err(|error| format!("{}: {error}", home.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(home);
    step("Node and the conformance suite", npm.args(PACKAGES).current_dir(home))?;
    fs::write(&mark, wanted).map_err(|error| format!("{}: {error}", mark.display()))?;
    Ok((node, suite))
}

/// A served workbench with the suite's fixtures, in a place of its own; it ends with this.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(place: &Path) -> Result<Self, String> {
        let mut command = Command::new(target().join("debug/plimsoll-conformance"));
        command.args(["serve", "--addr", "127.0.0.1:0"]);
        command.env("PLIMSOLL_CONFIG_DIR", place).env("PLIMSOLL_DATA_DIR", place.join("data"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).current_dir(place);
        let failed = |error| format!("the server could not start: {error}");
        let mut child = command.spawn().map_err(failed)?;
        let mut said = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut said).map_err(failed)?;
        }
        let address = said.split_once("http://").and_then(|(_, rest)| rest.split('/').next());
        let url = address.map(|address| format!("http://{address}/mcp"));
        let server = Self { child, url: url.clone().unwrap_or_default() };
        url.map(|_| server).ok_or_else(|| format!("the server says no address: {said:?}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What became of a scenario.
#[derive(Debug, PartialEq, Eq)]
struct Scenario {
    name: String,
    passed: u32,
    failed: u32,
}

impl Scenario {
    /// Why it does not apply, if it does not.
    fn reason(&self) -> Option<&'static str> {
        let known = NOT_APPLICABLE.iter().find(|(start, _)| self.name.starts_with(start));
        known.map(|(_, reason)| *reason)
    }

    fn counts(&self) -> bool {
        self.reason().is_none()
    }

    fn line(&self) -> String {
        let Self { name, passed, failed } = self;
        match self.reason() {
            Some(reason) => format!("  –  {name:<48} {reason}"),
            None => {
                let mark = if *failed == 0 { "ok" } else { "NO" };
                format!("  {mark} {name:<48} {passed:>3} passed {failed:>3} failed")
            }
        }
    }
}

/// The lines of the suite's summary: `✓ ping: 2 passed, 0 failed`.
fn scenarios(said: &str) -> Vec<Scenario> {
    let summary = said.split_once("=== SUMMARY ===").map_or("", |(_, summary)| summary);
    summary.lines().filter_map(scenario).collect()
}

fn scenario(line: &str) -> Option<Scenario> {
    let line = line.strip_prefix(['✓', '✗'])?.trim_start();
    let (name, counts) = line.rsplit_once(": ")?;
    let (passed, failed) = counts.split_once(" passed, ")?;
    let failed = failed.strip_suffix(" failed")?;
    Some(Scenario {
        name: name.to_owned(),
        passed: passed.parse().ok()?,
        failed: failed.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "✓ not: 1 passed, 0 failed\n=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n\
        ✗ tasks-lifecycle: 1 passed, 8 failed\n✗ tools-list: 1 passed, 1 failed\n\n\
        Total: 4 passed, 9 failed\n\nNot scored: 1\n  ✗ tasks-lifecycle (extension)\n";

    #[test]
    fn the_summary_is_read_and_what_applies_counts() {
        let found = scenarios(SAID);
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["ping", "tasks-lifecycle", "tools-list"]);
        assert_eq!((found[2].passed, found[2].failed), (1, 1));
        let bad: Vec<&Scenario> =
            found.iter().filter(|one| one.counts() && one.failed > 0).collect();
        assert_eq!(bad, [&found[2]]);
        assert!(found[2].line().contains("NO tools-list"), "{}", found[2].line());
        assert!(found[1].line().contains("extension"), "{}", found[1].line());
        assert_eq!(scenarios("it broke"), []);
    }

    #[test]
    fn the_documentation_says_what_does_not_apply_and_why() {
        let page = fs::read_to_string(root().join("docs/mcp.md")).unwrap_or_default();
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for (name, reason) in NOT_APPLICABLE {
            assert!(page.contains(&format!("`{name}*`")), "{name}");
            assert!(page.contains(reason), "{reason}");
        }
        for words in PACKAGES.iter().skip(1).chain(&REVISIONS) {
            assert!(page.contains(words), "{words}");
        }
    }
}
