//! Pydantic AI with a scripted model: what the model is given of an answer (MDC-4).

use std::path::Path;

use plimsoll_testkit::{python::python, real::skipped};

use serde_json::json;

use crate::{command, words};

const PACKAGE: &str = "pydantic-ai-slim[mcp]==2.66.0";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/pydantic_agent.py");

#[test]
fn mdc_4_the_model_in_pydantic_ai_reads_the_words_of_notes() {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let python = match python(cache, "pydantic-ai", PACKAGE) {
        Ok(python) => python,
        Err(why) => return skipped(&format!("this test needs {PACKAGE}: {why}")),
    };
    let home = tempfile::tempdir().unwrap();
    let work = words::project(home.path());
    let mut agent = command(&python, home.path());
    agent.arg(SCRIPT).arg(env!("CARGO_BIN_EXE_plimsoll")).current_dir(work);
    agent.arg(json!(words::calls()).to_string());
    let ran = agent.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    let given: Vec<String> = serde_json::from_str(said.lines().last().unwrap_or_default()).unwrap();
    words::assert_given(&given, &said);
}
