//! The real `codex exec`, which speaks Responses.

use std::path::PathBuf;

use plimsoll_testkit::npm::npm;
use serde_json::{Value, json};

use crate::{
    asked::Protocol,
    gateway::{Behind, Gateway},
    model::{LAST, NOTE, Task},
    program::{Place, Ran, cache, fetched, run},
    upstream::{INPUT, Turn, Upstream},
};

const PACKAGE: &str = "@openai/codex@0.166.0";
pub(crate) const MODEL: &str = "test";

pub(crate) fn codex() -> Option<PathBuf> {
    fetched(PACKAGE, npm(cache(), PACKAGE, "codex"))
}

fn task() -> Task {
    let shell = |command: String| ("exec_command", json!({ "cmd": command }));
    Task::new(vec![
        vec![shell(format!("printf '{NOTE}' > note.txt && echo written"))],
        vec![shell("cat note.txt".to_owned()), shell("wc -c < note.txt".to_owned())],
    ])
}

/// Lets Codex work with nothing but its base URL set; where the provider speaks another
/// protocol, what has no counterpart there may be passed over.
pub(crate) fn works(program: &PathBuf, place: &Place, gateway: &Gateway) -> Ran {
    let config = format!(
        "model = \"{MODEL}\"\nmodel_provider = \"gateway\"\n\
         [model_providers.gateway]\nname = \"gateway\"\nbase_url = \"{}\"\n\
         wire_api = \"responses\"\nenv_key = \"GATEWAY_KEY\"\nsupports_websockets = false\n\
         request_max_retries = 0\nstream_max_retries = 0\n",
        gateway.v1()
    );
    std::fs::write(place.home().join("config.toml"), config).unwrap();
    let mut codex = place.command(program);
    codex.env("CODEX_HOME", place.home()).env("GATEWAY_KEY", "any");
    codex.args(["exec", "--json", "--skip-git-repo-check"]);
    codex.args(["--dangerously-bypass-approvals-and-sandbox", "Write a note and read it."]);
    run(&mut codex)
}

/// The items of a kind that Codex finished.
pub(crate) fn items(ran: &Ran, kind: &str) -> Vec<Value> {
    let events = ran.events().into_iter().filter(|event| event["type"] == "item.completed");
    events.map(|event| event["item"].clone()).filter(|item| item["type"] == kind).collect()
}

#[track_caller]
fn does_the_task(behind: Behind) {
    let Some(program) = codex() else { return };
    let task = task();
    let results = task.results();
    let upstream = Upstream::saying(move |asked| task.turn(asked));
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let place = Place::new();
    let ran = works(&program, &place, &gateway);

    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.work().join("note.txt")).unwrap(), NOTE);
    let commands = items(&ran, "command_execution");
    let outputs: Vec<_> = commands.iter().map(|item| item["aggregated_output"].as_str()).collect();
    assert_eq!(outputs.len(), results, "{ran:?}");
    assert!(outputs.contains(&Some(NOTE)), "{outputs:?}");
    let said = items(&ran, "agent_message");
    assert_eq!(said.last().unwrap()["text"], LAST, "{ran:?}");
    let events = ran.events();
    let ended = events.iter().find(|event| event["type"] == "turn.completed").unwrap();
    assert_eq!(ended["usage"]["input_tokens"], 3 * INPUT, "three calls of the model: {ended}");

    gateway.passed(&upstream, Protocol::Responses, behind);
    let asked = upstream.asked();
    assert_eq!(asked.len(), 3);
    let seen = asked[2].results();
    assert_eq!(seen.len(), results, "{seen:?}");
    assert!(seen[1].contains(NOTE) && seen[2].contains('9'), "{seen:?}");
    if !behind.translated(Protocol::Responses) {
        for member in ["client_metadata", "prompt_cache_key", "include"] {
            assert!(!asked[0].body[member].is_null(), "{member} is passed on");
        }
    }
}

#[track_caller]
fn is_told_of_a_full_window(behind: Behind) {
    let Some(program) = codex() else { return };
    let task = task();
    let upstream = Upstream::saying(move |asked| {
        if asked.results().is_empty() { task.turn(asked) } else { Turn::Overflow }
    });
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let place = Place::new();
    let ran = works(&program, &place, &gateway);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let events = ran.events();
    let failed = events.iter().find(|event| event["type"] == "turn.failed");
    let said = failed.map(|event| event["error"]["message"].to_string()).unwrap_or_default();
    // These are Codex's own words, which it has for `response.failed` with the right code only.
    assert!(said.contains("ran out of room in the model's context window"), "{ran:?}");
    assert_eq!(upstream.asked().len(), 2, "and it does not try again");
}

#[test]
fn gwy_18_codex_does_a_task_with_tools() {
    does_the_task(Behind::OpenAi);
}

#[test]
fn gwy_18_codex_does_a_task_on_a_provider_of_chats() {
    does_the_task(Behind::ChatOnly);
}

#[test]
fn gwy_18_codex_does_a_task_on_anthropics_protocol() {
    does_the_task(Behind::Anthropic);
}

#[test]
fn gwy_18_codex_is_told_in_its_own_words_that_the_window_is_full() {
    is_told_of_a_full_window(Behind::OpenAi);
}

#[test]
fn gwy_18_codex_is_told_the_same_by_a_provider_of_chats() {
    is_told_of_a_full_window(Behind::ChatOnly);
}
