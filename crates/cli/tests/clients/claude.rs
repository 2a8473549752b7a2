//! The real `claude -p`, which speaks Anthropic's Messages.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
};

use plimsoll_testkit::npm::node_programs;
use serde_json::{Value, json};

use crate::{
    asked::Protocol,
    gateway::{Behind, Gateway},
    model::{LAST, NOTE, Task},
    program::{Place, Ran, cache, events_of, fetched, run, run_until},
    upstream::{INPUT, Turn, Upstream},
};

const PACKAGE: &str = "@anthropic-ai/claude-code@2.1.326";
pub(crate) const MODEL: &str = "claude-test";

pub(crate) fn claude() -> Option<PathBuf> {
    let programs = node_programs(cache(), "claude", &[PACKAGE], &["claude"]);
    fetched(PACKAGE, programs)?.pop()
}

fn task(work: &Path) -> Task {
    let note = work.join("note.txt");
    Task::new(vec![
        vec![("Write", json!({"file_path": note, "content": NOTE}))],
        vec![
            ("Read", json!({"file_path": note})),
            ("Bash", json!({"command": "wc -c < note.txt", "description": "Count the bytes"})),
        ],
    ])
}

/// Claude Code with nothing but its base URL set.
fn command(program: &Path, place: &Place, gateway: &Gateway) -> Command {
    let mut claude = place.command(program);
    claude.env("CLAUDE_CONFIG_DIR", place.home().join(".claude"));
    claude.env("ANTHROPIC_BASE_URL", gateway.root()).env("ANTHROPIC_AUTH_TOKEN", "any");
    claude.env("ANTHROPIC_MODEL", MODEL).env("ANTHROPIC_SMALL_FAST_MODEL", MODEL);
    for name in
        ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"]
    {
        claude.env(name, "1");
    }
    claude
}

/// Lets Claude Code work.
pub(crate) fn works(program: &Path, place: &Place, gateway: &Gateway) -> Ran {
    // The list of tools takes all words that follow, so the prompt stands before it.
    let mut claude = command(program, place, gateway);
    claude.args(["-p", "Write a note and read it.", "--output-format", "json"]);
    run(claude.args(["--allowedTools", "Bash,Read,Write"]))
}

/// Asks Claude Code for one short answer, and tells what of it arrived. A small model may call a
/// tool that is not there or talk without end, so that nobody waits for the end of the program.
pub(crate) fn hears(
    program: &Path,
    place: &Place,
    gateway: &Gateway,
    longest: u32,
) -> (Ran, String) {
    let mut claude = command(program, place, gateway);
    claude.env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", longest.to_string());
    claude.args(["-p", "Say hello.", "--max-turns", "1"]);
    claude.args(["--output-format", "stream-json", "--verbose"]);
    let ran = run_until(&mut claude, |printed| !said(&events_of(printed)).is_empty());
    let said = said(&ran.events());
    (ran, said)
}

/// What the model said, of the events that were printed.
fn said(events: &[Value]) -> String {
    let parts = events.iter().filter(|event| event["type"] == "assistant");
    let parts = parts.filter_map(|event| event["message"]["content"].as_array()).flatten();
    parts.map(|part| part.to_string()).collect()
}

pub(crate) fn outcome(ran: &Ran) -> Value {
    ran.events().pop().unwrap_or_else(|| panic!("no outcome: {ran:?}"))
}

#[track_caller]
fn does_the_task(behind: Behind) {
    let Some(program) = claude() else { return };
    let place = Place::new();
    let task = task(&place.work());
    let results = task.results();
    let upstream = Upstream::saying(move |asked| task.turn(asked));
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let ran = works(&program, &place, &gateway);

    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.work().join("note.txt")).unwrap(), NOTE);
    let outcome = outcome(&ran);
    assert_eq!(outcome["is_error"], false, "{outcome}");
    assert_eq!(outcome["result"], LAST, "{outcome}");
    if !behind.translated(Protocol::Messages) {
        assert_eq!(outcome["usage"]["input_tokens"], 3 * INPUT, "three calls: {outcome}");
    } else {
        // It reads them from the first event, where a translation has an estimate only.
        assert!(outcome["usage"]["input_tokens"].as_u64().unwrap() > 0, "{outcome}");
    }

    gateway.passed(&upstream, Protocol::Messages, behind);
    let asked = upstream.asked();
    assert_eq!(asked.len(), 3);
    let seen = asked[2].results();
    assert_eq!(seen.len(), results, "{seen:?}");
    assert!(seen[1].contains(NOTE) && seen[2].contains('9'), "{seen:?}");
    if !behind.translated(Protocol::Messages) {
        for member in ["context_management", "thinking", "output_config", "metadata"] {
            assert!(!asked[0].body[member].is_null(), "{member} is passed on");
        }
    }
}

#[track_caller]
fn is_told_of_a_full_window(behind: Behind) {
    let Some(program) = claude() else { return };
    let upstream = Upstream::saying(|_| Turn::Overflow);
    let gateway = Gateway::before(&upstream, &[(MODEL, behind)]);
    let place = Place::new();
    let ran = works(&program, &place, &gateway);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let outcome = outcome(&ran);
    assert_eq!(outcome["terminal_reason"], "prompt_too_long", "{outcome}");
    // It reads both figures from the message.
    let said = outcome["result"].as_str().unwrap();
    assert!(said.contains("~250000 tokens (limit 200000)"), "{said}");
}

#[track_caller]
fn compacts_and_goes_on(behind: Behind) {
    let Some(program) = claude() else { return };
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
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(outcome(&ran)["result"], LAST, "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.work().join("note.txt")).unwrap(), NOTE);
    let asked = upstream.asked();
    let summaries = asked.iter().filter(|asked| asked.last().to_string().contains("TEXT ONLY"));
    assert!(summaries.count() > 0, "it asked for a summary");
}

#[test]
fn gwy_18_claude_code_does_a_task_with_tools() {
    does_the_task(Behind::Anthropic);
}

#[test]
fn gwy_18_claude_code_does_a_task_on_a_provider_of_chats() {
    does_the_task(Behind::ChatOnly);
}

#[test]
fn gwy_18_claude_code_is_told_in_its_own_words_that_the_window_is_full() {
    is_told_of_a_full_window(Behind::Anthropic);
}

#[test]
fn gwy_18_claude_code_is_told_the_same_by_a_provider_of_chats() {
    is_told_of_a_full_window(Behind::ChatOnly);
}

#[test]
fn gwy_18_claude_code_compacts_itself_and_goes_on() {
    compacts_and_goes_on(Behind::Anthropic);
}

#[test]
fn gwy_18_claude_code_compacts_itself_on_a_provider_of_chats() {
    compacts_and_goes_on(Behind::ChatOnly);
}
