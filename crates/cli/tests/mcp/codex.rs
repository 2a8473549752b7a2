//! The real Codex with a scripted model: what the model is given of an answer (MDC-4).

use std::path::Path;

use plimsoll_testkit::{
    npm::npm,
    real::skipped,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::command;

const PACKAGE: &str = "@openai/codex@0.166.0";

/// Words that stand in a note and nowhere else.
const WORDS: &str = "The anchor holds in clay west of the pier";

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
    let plimsoll = Path::new(env!("CARGO_BIN_EXE_plimsoll"));
    let server = model(vec![
        ("mem_save", json!({"title": "Anchor ground", "content": WORDS})),
        ("mem_search", json!({"query": "anchor"})),
        ("mem_context", json!({})),
        ("mem_get_observation", json!({"id": 1})),
        ("sdd_context_check", json!({"change_description": "anchor"})),
    ]);
    let data = home.path().join("data");
    let config = format!(
        "model = \"test\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         [mcp_servers.plimsoll]\ncommand = {plimsoll:?}\nargs = [\"mcp\", \"--data-dir\", {data:?}]\n\
         startup_timeout_sec = 120\ntool_timeout_sec = 120\n",
        server.base_url()
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let work = home.path().join("work");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    std::fs::write(work.join("AGENTS.md"), "Anchor lights burn at night.").unwrap();
    let mut codex = command(&program, home.path());
    codex.env("HOME", home.path()).env("CODEX_HOME", home.path()).current_dir(&work);
    codex.env_remove("OPENAI_API_KEY").env_remove("CODEX_API_KEY");
    codex.args(["exec", "--skip-git-repo-check", "--json", "Where does the anchor hold?"]);
    let ran = codex.stdin(std::process::Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let requests = server.requests();
    let given = requests.iter().map(outputs).max_by_key(Vec::len).unwrap_or_default();
    assert_eq!(given.len(), 5, "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(given[0].contains("Saved #1"), "{given:?}");
    for answer in &given[1..4] {
        // A search marks what it found, so the words are looked for without marks.
        assert!(answer.replace("**", "").contains(WORDS), "{given:?}");
    }
    assert!(given[4].contains("lights burn at night"), "{given:?}");
    assert!(!given.iter().any(|answer| answer.contains("estimated_tokens")), "{given:?}");
}
