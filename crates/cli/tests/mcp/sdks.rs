//! The official SDKs and FastMCP: what a program that uses them is given of an answer (MDC-4).

use std::{path::Path, process::Command};

use plimsoll_testkit::{npm::node_modules, python::python, real::skipped};
use serde_json::json;

use crate::{command, words};

const PYTHON: &str = "mcp==2.3.0";
const FASTMCP: &str = "fastmcp==4.1.0";
const TYPESCRIPT: &str = "@modelcontextprotocol/sdk@1.32.0";

fn cache() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a script that calls the tools, and looks at what it was given.
#[track_caller]
fn is_given_the_words(mut script: Command, work: &Path) {
    let calls = json!(words::calls()).to_string();
    script.arg(env!("CARGO_BIN_EXE_plimsoll")).arg(calls).current_dir(work);
    let ran = script.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}\n{errors}");
    let given: Vec<String> = serde_json::from_str(said.lines().last().unwrap_or_default()).unwrap();
    words::assert_given(&given, &errors);
}

#[track_caller]
fn of_python(name: &str, package: &str, kind: &str) {
    let python = match python(cache(), name, package) {
        Ok(python) => python,
        Err(why) => return skipped(&format!("this test needs {package}: {why}")),
    };
    let home = tempfile::tempdir().unwrap();
    let work = words::project(home.path());
    let mut script = command(&python, home.path());
    script.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/words.py")).arg(kind);
    is_given_the_words(script, &work);
}

#[test]
fn mdc_4_the_python_sdk_is_given_the_words_of_notes() {
    of_python("mcp-sdk", PYTHON, "sdk");
}

#[test]
fn mdc_4_fastmcp_is_given_the_words_of_notes() {
    of_python("fastmcp", FASTMCP, "fastmcp");
}

#[cfg(unix)]
#[test]
fn mdc_4_the_typescript_sdk_is_given_the_words_of_notes() {
    let modules = match node_modules(cache(), "mcp-sdk", &[TYPESCRIPT]) {
        Ok(modules) => modules,
        Err(why) => return skipped(&format!("this test needs {TYPESCRIPT}: {why}")),
    };
    let home = tempfile::tempdir().unwrap();
    let work = words::project(home.path());
    // A module finds its imports beside itself.
    std::fs::write(home.path().join("words.mjs"), include_str!("words.mjs")).unwrap();
    let link = home.path().join("node_modules");
    std::os::unix::fs::symlink(modules.join("node_modules"), link).unwrap();
    let mut script = command(Path::new("node"), home.path());
    script.arg(home.path().join("words.mjs"));
    is_given_the_words(script, &work);
}
