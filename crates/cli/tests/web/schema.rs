//! The API against its own description (API-1), by a stranger: schemathesis makes up
//! requests from the document and looks whether every answer is one of those it promises.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use plimsoll_testkit::{
    python::python,
    real::{skipped, times},
    scripted::{Reply, ScriptedServer},
};

use crate::served::Served;

const PACKAGE: &str = "schemathesis==4.32.5";

/// 503 and 507 are promised where a provider or the disk cannot; every other failure of
/// the server is one of ours.
const SETTINGS: &str =
    "[checks]\nnot_a_server_error.expected-statuses = [\"2xx\", \"3xx\", \"4xx\", 503, 507]\n";

#[test]
fn api_1_every_answer_is_one_that_the_document_promises() {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let python = match python(cache, "schemathesis", PACKAGE) {
        Ok(python) => python,
        Err(why) => return skipped(&format!("this test needs schemathesis: {why}")),
    };
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let served = Served::start(&server, 4096);
    served.send("hello");
    let settings = served.home().join("schemathesis.toml");
    std::fs::write(&settings, SETTINGS).unwrap();
    let told = Command::new(python.with_file_name("schemathesis"))
        .arg("--no-color")
        .arg("--config-file")
        .arg(settings)
        .args(["run", &format!("http://{}/api/openapi.json", served.address)])
        // A stream of events has no end, so there is no answer to look at.
        .args(["--exclude-path", "/api/events"])
        .args(["--checks", "not_a_server_error,status_code_conformance,content_type_conformance"])
        .args(["--phases", "coverage,fuzzing", "--generation-deterministic"])
        .args(["--max-examples", &times(4, 50).to_string()])
        .args(["--request-timeout", "30", "--suppress-health-check", "all"])
        // What it remembers of earlier runs would make this one differ.
        .current_dir(served.home())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&told.stdout);
    let short: Vec<String> =
        said.lines().map(|line| line.chars().take(300).collect::<String>()).collect();
    let error = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{}\n{error}", short.join("\n"));
    // A run that looked at nothing would be as content.
    let tested = short.iter().find_map(|line| line.trim().strip_prefix("Tested: ")?.parse().ok());
    assert!(tested.is_some_and(|tested: u32| tested > 30), "{}", short.join("\n"));
}
