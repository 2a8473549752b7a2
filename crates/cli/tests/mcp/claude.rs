//! The real Claude Code with a scripted model, set up by `plimsoll mcp install` (MDC-4).

use std::path::{Path, PathBuf};

use plimsoll_testkit::{
    npm::node_programs,
    real::skipped,
    scripted::{Recorded, Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::{command, words};

const PACKAGE: &str = "@anthropic-ai/claude-code@2.1.326";

fn claude() -> Option<PathBuf> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match node_programs(cache, "claude", &[PACKAGE], &["claude"]) {
        Ok(mut programs) => programs.pop(),
        Err(why) => {
            skipped(&format!("this test needs {PACKAGE}: {why}"));
            None
        }
    }
}

/// The answers that the model was given so far, in its last request.
fn outputs(request: &Recorded) -> Vec<String> {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let parts = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let answers = parts.filter(|part| part["type"] == "tool_result");
    let text = |part: &Value| match part["content"].as_array() {
        Some(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        None => part["content"].as_str().unwrap_or_default().to_owned(),
    };
    answers.map(text).collect()
}

fn stream(block: &Value, stop: &str) -> Reply {
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "test",
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1}});
    let call = block["type"] == "tool_use";
    let mut empty = block.clone();
    empty[if call { "input" } else { "text" }] = if call { json!({}) } else { json!("") };
    let delta = match call {
        true => json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}),
        false => json!({"type": "text_delta", "text": block["text"]}),
    };
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "usage": {"output_tokens": 1},
            "delta": {"stop_reason": stop, "stop_sequence": null}}),
        json!({"type": "message_stop"}),
    ];
    let named = |reply: Reply, event: &Value| {
        reply.named_event(event["type"].as_str().unwrap(), event.to_string())
    };
    events.iter().fold(Reply::stream(), named).end()
}

/// A model that calls the tools of Plimsoll one after the other.
fn model() -> ScriptedServer {
    let script = |request: &Recorded| {
        if request.method != "POST" {
            return Reply::model_missing("any");
        }
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let done = outputs(request).len();
        let tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        match words::calls().get(done).filter(|_| tools) {
            Some((name, arguments)) => {
                let name = format!("mcp__plimsoll__{name}");
                let id = format!("toolu_{done}");
                let call = json!({"type": "tool_use", "id": id, "name": name, "input": arguments});
                stream(&call, "tool_use")
            }
            None => stream(&json!({"type": "text", "text": "done"}), "end_turn"),
        }
    };
    ScriptedServer::answering(script).unwrap()
}

#[test]
fn mdc_4_the_model_in_claude_code_reads_the_words_of_notes() {
    let Some(program) = claude() else { return };
    let home = tempfile::tempdir().unwrap();
    let work = words::project(home.path());
    let settings = home.path().join(".claude");
    let server = model();
    let run = |program: &Path, args: &[&str]| {
        let mut run = command(program, home.path());
        run.env("HOME", home.path()).env("CLAUDE_CONFIG_DIR", &settings).current_dir(&work);
        let base = server.base_url();
        run.env("ANTHROPIC_BASE_URL", base.trim_end_matches("/v1"));
        run.env("ANTHROPIC_AUTH_TOKEN", "any").env_remove("ANTHROPIC_API_KEY");
        run.env("ANTHROPIC_MODEL", "claude-test").env("ANTHROPIC_SMALL_FAST_MODEL", "claude-test");
        for name in
            ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"]
        {
            run.env(name, "1");
        }
        run.env("MCP_TIMEOUT", "120000").args(args).stdin(std::process::Stdio::null());
        let ran = run.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        (said, String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let plimsoll = Path::new(env!("CARGO_BIN_EXE_plimsoll"));
    let data = home.path().join("data");
    let data = data.to_str().unwrap();
    let (told, errors) = run(plimsoll, &["mcp", "install", "claude", "--yes", "--data-dir", data]);
    assert!(told.contains("Claude Code uses it"), "{told}\n{errors}");
    let (listed, errors) = run(&program, &["mcp", "list"]);
    assert!(listed.contains("plimsoll") && listed.contains("Connected"), "{listed}\n{errors}");
    let prompt = "Where does the anchor hold?";
    let args = ["-p", prompt, "--output-format", "json", "--allowedTools", "mcp__plimsoll"];
    let (said, errors) = run(&program, &args);
    let given = server.requests().iter().map(outputs).max_by_key(Vec::len).unwrap_or_default();
    words::assert_given(&given, &format!("{said}\n{errors}"));
    let (told, errors) = run(plimsoll, &["mcp", "uninstall", "claude", "--yes"]);
    assert!(told.contains("does not use it any more"), "{told}\n{errors}");
    let (listed, errors) = run(&program, &["mcp", "list"]);
    assert!(!listed.contains("plimsoll"), "{listed}\n{errors}");
}
