//! The real Codex with a scripted model: what the model is given of an answer (MDC-4).

use std::path::Path;

use plimsoll_testkit::{
    npm::npm,
    real::skipped,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::{command, words};

const PACKAGE: &str = "@openai/codex@0.166.0";

/// One answer of the model, as the service that Codex speaks to streams it.
fn answer(item: &Value) -> Reply {
    let usage = json!({"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2});
    let events = [
        json!({"type": "response.created", "response": {"id": "r1"}}),
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.completed", "response": {"id": "r1", "usage": usage}}),
    ];
    let named = |reply: Reply, event: &Value| {
        reply.named_event(event["type"].as_str().unwrap(), event.to_string())
    };
    events.iter().fold(Reply::stream(), named).end()
}

/// The answers that a model was given so far, in its last request.
fn outputs(request: &Recorded) -> Vec<String> {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let input = body["input"].as_array().cloned().unwrap_or_default();
    let answers = input.iter().filter(|item| item["type"] == "function_call_output");
    answers.map(|item| item["output"].to_string()).collect()
}

/// A model that calls these tools of Plimsoll one after the other.
fn model(calls: Vec<(&'static str, Value)>) -> ScriptedServer {
    let script = move |request: &Recorded| {
        if request.method != "POST" {
            return Reply::model_missing("any");
        }
        let done = outputs(request).len();
        let item = match calls.get(done) {
            Some((name, arguments)) => json!({"type": "function_call", "id": format!("f{done}"),
                "call_id": format!("c{done}"), "namespace": "mcp__plimsoll", "name": name,
                "arguments": arguments.to_string()}),
            None => json!({"type": "message", "role": "assistant", "id": "m1",
                "content": [{"type": "output_text", "text": "done"}]}),
        };
        answer(&item)
    };
    ScriptedServer::answering(script).unwrap()
}

#[test]
fn mdc_4_the_model_in_codex_reads_the_words_of_notes() {
    let program = match npm(Path::new(env!("CARGO_TARGET_TMPDIR")), PACKAGE, "codex") {
        Ok(program) => program,
        Err(why) => return skipped(&format!("this test needs {PACKAGE}: {why}")),
    };
    let home = tempfile::tempdir().unwrap();
    let work = words::project(home.path());
    let server = model(words::calls());
    // What somebody has written about the server already stays.
    let config = format!(
        "model = \"test\" # mine\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         [mcp_servers.plimsoll]\nstartup_timeout_sec = 120\ntool_timeout_sec = 120\n",
        server.base_url()
    );
    let file = home.path().join("config.toml");
    std::fs::write(&file, &config).unwrap();
    let run = |program: &Path, args: &[&str]| {
        let mut run = command(program, home.path());
        run.env("HOME", home.path()).env("CODEX_HOME", home.path()).current_dir(&work);
        run.env_remove("OPENAI_API_KEY").env_remove("CODEX_API_KEY").args(args);
        let ran = run.stdin(std::process::Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        (said, String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let plimsoll = Path::new(env!("CARGO_BIN_EXE_plimsoll"));
    let data = home.path().join("data");
    let data = data.to_str().unwrap();
    let (told, errors) = run(plimsoll, &["mcp", "install", "codex", "--yes", "--data-dir", data]);
    assert!(told.contains("Codex uses it"), "{told}\n{errors}");
    let (listed, errors) = run(&program, &["mcp", "list"]);
    assert!(listed.contains("plimsoll") && listed.contains("--data-dir"), "{listed}\n{errors}");
    let args = ["exec", "--skip-git-repo-check", "--json", "Where does the anchor hold?"];
    let (said, errors) = run(&program, &args);
    let requests = server.requests();
    let given = requests.iter().map(outputs).max_by_key(Vec::len).unwrap_or_default();
    words::assert_given(&given, &format!("{said}\n{errors}"));
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(after.starts_with("model = \"test\" # mine\n"), "{after}");
}
