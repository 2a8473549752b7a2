use std::fs;

use super::*;
use crate::{Adr, AdrStatus};

const NOW: Timestamp = Timestamp::from_millis(1_763_200_000_000);

fn fresh() -> (tempfile::TempDir, Notebook) {
    let temp = tempfile::tempdir().unwrap();
    let notebook = Notebook::of(temp.path(), None).unwrap().unwrap();
    (temp, notebook)
}

fn start(notebook: &Notebook, description: &str) -> Result<Done, SpecsError> {
    let (kind, size) = (ChangeType::Fix, ChangeSize::Small);
    notebook.start_change(&StartChange { kind, size, description: description.into() }, NOW)
}

fn advance(notebook: &Notebook, content: &str) -> Result<Done, SpecsError> {
    notebook.advance_change(&AdvanceChange { content: content.into(), title: None }, NOW)
}

#[test]
fn sdd_3_one_change_at_a_time_stage_by_stage() {
    let (temp, notebook) = fresh();
    assert!(matches!(advance(&notebook, "x"), Err(SpecsError::NoActiveChange)));
    let started = start(&notebook, "Tides are late\nmore words").unwrap();
    assert!(started.text.contains("describe → context-check → tasks → verify"));
    let second = start(&notebook, "Another").unwrap_err().to_string();
    assert!(second.contains("tides-are-late") && second.contains("describe"), "{second}");
    assert!(matches!(advance(&notebook, " "), Err(SpecsError::Missing(_))));
    for stage in ["describe", "context-check", "tasks", "verify"] {
        let status = notebook.change_status(None).unwrap();
        assert!(status.contains(&format!("- {stage}: in_progress")), "{status}");
        let done = advance(&notebook, &format!("all about {stage}")).unwrap();
        let key = done.remember.unwrap().topic_key;
        assert!(key.ends_with(&format!("/changes/tides-are-late/{stage}")), "{key}");
        let file = temp.path().join(format!("sdd/changes/tides-are-late/{stage}.md"));
        assert!(fs::read_to_string(file).unwrap().contains(&format!("all about {stage}")));
    }
    assert!(matches!(advance(&notebook, "x"), Err(SpecsError::NoActiveChange)));
    start(&notebook, "Tides are late").unwrap();
    let status = notebook.change_status(None).unwrap();
    assert!(status.contains("Change tides-are-late-2") && status.contains("completed"), "{status}");
}

#[test]
fn no_change_id_leads_out() {
    let (temp, notebook) = fresh();
    fs::write(temp.path().join("change.json"), "{}").unwrap();
    for id in ["../..", "a/b", "", ".", "A", "nowhere", &"x".repeat(9_000)] {
        let said = notebook.change_status(Some(id)).unwrap_err();
        assert!(matches!(said, SpecsError::NoSuchChange(_)), "{id}: {said}");
        assert!(said.to_string().len() < 200);
    }
}

#[test]
fn a_hostile_change_json_is_an_error_and_writes_nothing_elsewhere() {
    let (temp, notebook) = fresh();
    start(&notebook, "honest").unwrap();
    let file = temp.path().join("sdd/changes/honest/change.json");
    let text = fs::read_to_string(&file).unwrap();
    for hostile in [
        text.replace("describe", "../../../escaped"),
        text.replace("\"stages\": [", "\"stages\": [7, "),
        "{".to_owned(),
    ] {
        fs::write(&file, &hostile).unwrap();
        let said = advance(&notebook, "x").unwrap_err();
        assert!(matches!(said, SpecsError::Broken { .. }), "{said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), hostile);
        assert!(start(&notebook, "other").is_err(), "it may be the active one");
    }
    assert!(!temp.path().join("escaped.md").exists());
    let renamed = text.replace("\"id\": \"honest\"", "\"id\": \"../../x\"");
    fs::write(&file, renamed).unwrap();
    advance(&notebook, "x").unwrap();
    assert!(temp.path().join("sdd/changes/honest/describe.md").is_file());
}

#[test]
fn sdd_1_decisions_are_numbered() {
    let (temp, notebook) = fresh();
    let adr = |title: &str, status| Adr {
        title: title.to_owned(),
        context: "c".to_owned(),
        decision: "d".to_owned(),
        rationale: "r".to_owned(),
        alternatives_rejected: None,
        status,
    };
    let done = notebook.adr(&adr("Use SQLite", AdrStatus::Accepted), NOW).unwrap();
    assert!(done.text.contains("sdd/adrs/001-use-sqlite.md"), "{}", done.text);
    let text = fs::read_to_string(temp.path().join("sdd/adrs/001-use-sqlite.md")).unwrap();
    assert_eq!(
        text,
        "# 001 Use SQLite\n\nStatus: accepted\nDate: 2025-11-15\n\n## Context\n\nc\n\n## \
         Decision\n\nd\n\n## Rationale\n\nr\n"
    );
    fs::write(temp.path().join("sdd/adrs/041-by-hand.md"), "x").unwrap();
    notebook.adr(&adr("../../etc/passwd\n#", AdrStatus::Proposed), NOW).unwrap();
    assert!(temp.path().join("sdd/adrs/042-etc-passwd.md").is_file());
    let empty = notebook.adr(&adr(" ", AdrStatus::Accepted), NOW).unwrap_err();
    assert!(matches!(empty, SpecsError::Missing(_)));
}

#[test]
fn decisions_made_at_once_get_numbers_of_their_own() {
    let (temp, notebook) = fresh();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let notebook = &notebook;
            scope.spawn(move || {
                for n in 0..5 {
                    let title = format!("Decision {writer} {n}");
                    let (context, decision, rationale) = ("c".into(), "d".into(), "r".into());
                    let adr = Adr { title, context, decision, rationale, ..Adr::default() };
                    notebook.adr(&adr, NOW).unwrap();
                }
            });
        }
    });
    let names = fs::read_dir(temp.path().join("sdd/adrs")).unwrap();
    let mut numbers: Vec<u32> = names
        .map(|name| name.unwrap().file_name().to_string_lossy()[..3].parse().unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<u32>>());
}
