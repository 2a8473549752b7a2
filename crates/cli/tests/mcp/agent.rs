//! An agent with the Python SDK; what it does and expects stands in `agent.py`.

use std::path::{Path, PathBuf};

use plimsoll_testkit::{python::python, real::skipped};
use serde_json::Value;

use crate::{command, serve};

const PACKAGE: &str = "mcp==2.3.0";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/agent.py");

fn sdk() -> Option<PathBuf> {
    match python(Path::new(env!("CARGO_TARGET_TMPDIR")), "mcp-sdk", PACKAGE) {
        Ok(python) => Some(python),
        Err(why) => {
            skipped(&format!("this test needs the Python SDK of MCP: {why}"));
            None
        }
    }
}

/// Lets the agent work, and gives what it saw.
fn works(python: &Path, home: &Path, era: &str, target: &[&str]) -> Value {
    let tools = plimsoll_mcp::all_tools().count().to_string();
    let root = tempfile::tempdir().unwrap();
    let mut agent = command(python, home);
    agent.arg(SCRIPT).arg(tools).arg(era).arg(root.path()).args(target);
    let ran = agent.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{era}: {said}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(root.path().join("sdd/sdd.json").is_file(), "{era}: in the agent's own root");
    assert!(!home.join("sdd").exists(), "{era}: and nowhere else");
    let line = said.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {said}"))
}

fn over_stdio(era: &str) -> Option<Value> {
    let python = sdk()?;
    let home = tempfile::tempdir().unwrap();
    Some(works(&python, home.path(), era, &[env!("CARGO_BIN_EXE_plimsoll"), "mcp"]))
}

fn over_http(era: &str) -> Option<Value> {
    let python = sdk()?;
    let (_server, served) = serve();
    let url = format!("http://{}/mcp", served.address);
    Some(works(&python, served.home(), era, &[&url]))
}

#[test]
fn mdc_3_the_python_sdk_works_over_stdio_in_the_older_era() {
    let Some(saw) = over_stdio("legacy") else { return };
    assert_eq!(saw["protocol"], "2025-11-25");
}

#[test]
fn mdc_3_the_python_sdk_works_over_stdio_in_the_newest_era() {
    let Some(saw) = over_stdio("auto") else { return };
    assert_eq!(saw["protocol"], "2026-07-28");
}

#[test]
fn mdc_3_the_python_sdk_works_over_http_in_the_older_era() {
    let Some(saw) = over_http("legacy") else { return };
    assert_eq!(saw["protocol"], "2025-11-25");
}

#[test]
fn mdc_3_the_python_sdk_works_over_http_in_the_newest_era() {
    let Some(saw) = over_http("auto") else { return };
    assert_eq!(saw["protocol"], "2026-07-28");
}
