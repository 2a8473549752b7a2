//! The calls that every client makes, and what its model has to be given each time: the words of
//! the note, not numbers about them (MDC-4).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Words that stand in a note and nowhere else.
const WORDS: &str = "The anchor holds in clay west of the pier";

/// A budget that is larger than the answer and smaller than that of nobody who asks.
const MAX_TOKENS: u64 = 400;

pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("mem_save", json!({"title": "Anchor ground", "content": WORDS})),
        ("mem_search", json!({"query": "anchor", "max_tokens": MAX_TOKENS})),
        ("mem_context", json!({})),
        ("mem_get_observation", json!({"id": 1})),
        ("sdd_context_check", json!({"change_description": "anchor"})),
    ]
}

/// A project to work in.
pub(crate) fn project(home: &Path) -> PathBuf {
    let work = home.join("work");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    std::fs::write(work.join("AGENTS.md"), "Anchor lights burn at night.").unwrap();
    work
}

/// What a model was given, an answer each, in the order of the calls.
#[track_caller]
pub(crate) fn assert_given(given: &[String], said: &str) {
    assert_eq!(given.len(), calls().len(), "{given:?}\n{said}");
    assert!(given[0].contains("Saved #1"), "{given:?}");
    for answer in &given[1..4] {
        // A search marks what it found, so the words are looked for without marks.
        assert!(answer.replace("**", "").contains(WORDS), "{given:?}");
    }
    assert!(given[1].len() as u64 / 4 <= 2 * MAX_TOKENS, "{}", given[1]);
    assert!(given[4].contains("lights burn at night"), "{given:?}");
    assert!(!given.iter().any(|answer| answer.contains("estimated_tokens")), "{given:?}");
}
