//! The real `opencode run`, set up to speak chat completions.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use plimsoll_testkit::npm::node_programs;
use serde_json::{Value, json};

use crate::{
    asked::Protocol,
    gateway::{Behind, Gateway},
    model::{LAST, NOTE, Task},
    program::{Place, Ran, cache, fetched, run},
    upstream::{Turn, Upstream},
};

const PACKAGE: &str = "opencode-ai@1.18.33";
pub(crate) const MODEL: &str = "test";

pub(crate) fn opencode() -> Option<PathBuf> {
    let programs = node_programs(cache(), "opencode", &[PACKAGE], &["opencode"]);
    fetched(PACKAGE, programs)?.pop()
}

fn task(work: &Path) -> Task {
    let note = work.join("note.txt");
    Task::new(vec![
        vec![("write", json!({"filePath": note, "content": NOTE}))],
        vec![
            ("read", json!({"filePath": note})),
            ("bash", json!({"command": "wc -c < note.txt", "description": "Count the bytes"})),
        ],
    ])
}

/// Lets opencode work: its own provider for servers like OpenAI's, and the base URL.
pub(crate) fn works(program: &Path, place: &Place, gateway: &Gateway) -> Ran {
    answers_up_to(8192, program, place, gateway)
}

/// The same, with answers of so many tokens.
pub(crate) fn answers_up_to(longest: u32, program: &Path, place: &Place, gateway: &Gateway) -> Ran {
    let named = format!("gateway/{MODEL}");
    let settings = json!({
        "autoupdate": false, "share": "disabled", "snapshot": false, "permission": "allow",
        "model": named, "small_model": named, "enabled_providers": ["gateway"],
        "provider": {"gateway": {
            "npm": "@ai-sdk/openai-compatible", "name": "Gateway",
            "options": {"baseURL": gateway.v1(), "apiKey": "any"},
            "models": {MODEL: {"name": MODEL, "tool_call": true,
                "limit": {"context": 200_000, "output": longest}}},
        }},
    });
    let home = place.home();
    std::fs::write(home.join("opencode.json"), settings.to_string()).unwrap();
    std::fs::write(home.join("models.json"), "{}").unwrap();
    let mut opencode = place.command(program);
    for (name, directory) in [
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_STATE_HOME", ".local/state"),
        ("OPENCODE_CONFIG", "opencode.json"),
        ("OPENCODE_MODELS_PATH", "models.json"),
    ] {
        opencode.env(name, home.join(directory));
    }
    for off in ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"] {
        opencode.env(format!("OPENCODE_DISABLE_{off}"), "1");
    }
    run(opencode.args(["run", "--format", "json", "Write a note and read it."]))
}

/// The parts of the events of a kind.
pub(crate) fn parts(ran: &Ran, kind: &str) -> Vec<Value> {
    let events = ran.events().into_iter().filter(|event| event["type"] == kind);
    events.map(|event| event["part"].clone()).collect()
}

#[track_caller]
fn does_the_task(behind: Behind) {
    let Some(program) = opencode() else { return };
    let place = Place::new();
    let task = task(&place.work());
    let results = task.results();
    let upstream = Upstream::saying(move |asked| task.turn(asked));
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let ran = works(&program, &place, &gateway);

    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.work().join("note.txt")).unwrap(), NOTE);
    let used = parts(&ran, "tool_use");
    let finished = used.iter().filter(|part| part["state"]["status"] == "completed");
    assert_eq!(finished.count(), results, "{ran:?}");
    assert_eq!(parts(&ran, "text").last().unwrap()["text"], LAST, "{ran:?}");
    let steps = parts(&ran, "step_finish");
    assert_eq!(steps.len(), 3, "{ran:?}");
    assert!(steps.iter().all(|step| step["tokens"]["input"].as_u64() > Some(0)), "{steps:?}");

    gateway.passed(&upstream, Protocol::Chat, behind);
    // It asks for a title at the same time, without tools.
    let asked: Vec<_> =
        upstream.asked().into_iter().filter(|asked| !asked.tools().is_empty()).collect();
    assert_eq!(asked.len(), 3);
    let seen = asked[2].results();
    assert_eq!(seen.len(), results, "{seen:?}");
    assert!(seen[1].contains(NOTE) && seen[2].contains('9'), "{seen:?}");
}

#[track_caller]
fn is_told_of_a_full_window(behind: Behind) {
    let Some(program) = opencode() else { return };
    let upstream = Upstream::saying(|_| Turn::Overflow);
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let place = Place::new();
    let ran = works(&program, &place, &gateway);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let events = ran.events();
    let error = events.iter().find(|event| event["type"] == "error").unwrap();
    assert_eq!(error["error"]["name"], "ContextOverflowError", "{error}");
}

#[track_caller]
fn compacts_and_goes_on(behind: Behind) {
    let Some(program) = opencode() else { return };
    let place = Place::new();
    let task = task(&place.work());
    let overflowed = AtomicBool::new(false);
    let upstream = Upstream::saying(move |asked| {
        if !asked.results().is_empty() && !overflowed.swap(true, Ordering::Relaxed) {
            return Turn::Overflow;
        }
        task.turn(asked)
    });
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let ran = works(&program, &place, &gateway);
    // Its exit code is 1 here: it remembers that there was an error, though it got over it.
    let said = parts(&ran, "text");
    assert_eq!(said.last().unwrap()["text"], LAST, "{ran:?}");
    let continued = |part: &Value| part["metadata"]["compaction_continue"] == true;
    assert!(said.iter().any(continued), "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.work().join("note.txt")).unwrap(), NOTE);
}

#[test]
fn gwy_18_opencode_does_a_task_with_tools() {
    does_the_task(Behind::ChatOnly);
}

#[test]
fn gwy_18_opencode_does_a_task_on_anthropics_protocol() {
    does_the_task(Behind::Anthropic);
}

#[test]
fn gwy_18_opencode_is_told_in_its_own_words_that_the_window_is_full() {
    is_told_of_a_full_window(Behind::ChatOnly);
}

#[test]
fn gwy_18_opencode_is_told_the_same_by_anthropics_protocol() {
    is_told_of_a_full_window(Behind::Anthropic);
}

#[test]
fn gwy_18_opencode_compacts_itself_and_goes_on() {
    compacts_and_goes_on(Behind::ChatOnly);
}

#[test]
fn gwy_18_opencode_compacts_itself_on_anthropics_protocol() {
    compacts_and_goes_on(Behind::Anthropic);
}
