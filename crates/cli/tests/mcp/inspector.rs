//! The official inspector: strict about schemas, and one call, each way and in each era.

use std::path::{Path, PathBuf};

use plimsoll_testkit::{npm::node_programs, real::skipped};
use serde_json::Value;

use crate::{command, serve};

const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const NODE: &str = "node@22.23.3";

/// A Node that is new enough, and the inspector.
struct Inspector {
    node: PathBuf,
    program: PathBuf,
}

fn inspector() -> Option<Inspector> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match node_programs(cache, "inspector", &[NODE, INSPECTOR], &["node", "mcp-inspector"]) {
        Ok(mut programs) => {
            let program = programs.pop().unwrap();
            Some(Inspector { node: programs.pop().unwrap(), program })
        }
        Err(why) => {
            skipped(&format!("this test needs the inspector of MCP: {why}"));
            None
        }
    }
}

impl Inspector {
    /// Asks for one thing; standard output is one JSON document.
    #[track_caller]
    fn ask(&self, home: &Path, era: &str, target: &[&str], method: &[&str]) -> (Value, String) {
        let mut run = command(&self.node, home);
        // What it remembers of servers stays below the home of this test.
        run.env("HOME", home).env("MCP_CATALOG_PATH", home.join("catalog.json"));
        run.arg(&self.program).args(["--cli", "--protocol-era", era, "--format", "json"]);
        run.args(method).args(target);
        let ran = run.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let more = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{era} {method:?}: {:?}\n{said}\n{more}", ran.status.code());
        let json = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}\n{more}"));
        (json, more)
    }

    /// All that this test wants of a server.
    fn looks_at(&self, home: &Path, target: &[&str]) {
        for era in ["legacy", "modern"] {
            let (list, said) = self.ask(home, era, target, &["--method", "tools/list", "--strict"]);
            let tools = find(&list, "tools").and_then(Value::as_array).map_or(0, Vec::len);
            assert_eq!(tools, plimsoll_mcp::all_tools().count(), "{era}: {list}");
            assert!(!said.contains("error"), "{era}: {said}");
            let arguments = format!(r#"{{"title":"From the {era} inspector","content":"Seen."}}"#);
            let call = ["--method", "tools/call", "--tool-name", "mem_save", "--tool-args-json"];
            let call: Vec<&str> = call.into_iter().chain([arguments.as_str()]).collect();
            let (saved, _) = self.ask(home, era, target, &call);
            assert!(saved.to_string().contains("Saved"), "{era}: {saved}");
        }
    }
}

/// A field, wherever the envelope has it.
fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let inside = |value: &'a Value| find(value, name);
    match value {
        Value::Object(fields) => fields.get(name).or_else(|| fields.values().find_map(inside)),
        _ => None,
    }
}

#[test]
fn mdc_3_the_inspector_is_content_over_stdio() {
    let Some(inspector) = inspector() else { return };
    let home = tempfile::tempdir().unwrap();
    inspector.looks_at(home.path(), &[env!("CARGO_BIN_EXE_plimsoll"), "mcp"]);
}

#[test]
fn mdc_3_the_inspector_is_content_over_http() {
    let Some(inspector) = inspector() else { return };
    let (_server, served) = serve();
    let url = format!("http://{}/mcp", served.address);
    inspector.looks_at(served.home(), &[&url]);
}
