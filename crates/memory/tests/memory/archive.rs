//! The memory out and in again (MEM-9).

use std::{io::Cursor, ops::ControlFlow};

use plimsoll_memory::{
    ArchiveError, GetObservation, ImportStep, Progress, Relate, Save, SavePrompt, StartSession,
    Stats,
};
use plimsoll_store::{Observation, Workspace};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{DAY, Desk, agent_in, desk, save};

const HEADER: &str = "{\"record\":\"plimsoll-memory\",\"version\":1}\n";

async fn filled() -> Desk {
    let desk = desk().await;
    let memory = &desk.memory;
    let start = StartSession { id: "s".into(), project: "p".into(), directory: Some("/d".into()) };
    memory.start_session(start).await.unwrap();
    for n in 0..450 {
        desk.pass(1);
        let keyed = Save {
            topic_key: Some(format!("k{}", n % 300)),
            ..save("t 語", &format!("c {n}\n🚢"))
        };
        memory.save(keyed).await.unwrap();
    }
    let prompt = SavePrompt {
        content: "why \u{1} \"so\"?".into(),
        namespace: Some("n".into()),
        ..SavePrompt::default()
    };
    memory.save_prompt(prompt).await.unwrap();
    for to in 2..=5 {
        let relate = Relate { from: 1, to, note: Some("because".into()), ..Relate::default() };
        memory.relate(relate).await.unwrap();
    }
    memory.delete(7, true).await.unwrap();
    memory.delete(8, false).await.unwrap();
    let progress =
        Progress { project: "p".into(), content: Some("[1]".into()), ..Progress::default() };
    memory.progress(progress).await.unwrap();
    desk
}

async fn exported(desk: &Desk) -> String {
    let mut out = Vec::new();
    desk.memory.export(&mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn mem_9_an_export_comes_back_the_same() {
    let from = filled().await;
    let text = exported(&from).await;
    let to = desk().await;
    let done = to.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap();
    assert_eq!((done.known, done.renumbered), (0, 0));
    assert_eq!(done.added, 2 + 1 + 298 + 4 + 1);
    assert_eq!(exported(&to).await, text);
    let again = to.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap();
    assert_eq!((again.added, again.known), (0, done.added), "twice is once");
    assert_eq!(exported(&to).await, text);
    assert_eq!(to.note("next", "one").await, 301, "ids go on behind those that came in");
    assert!(to.store.check().await.unwrap().is_empty());
}

/// Anchors, authors, expiry and what supersedes what (MEM-15, MEM-16).
#[tokio::test]
async fn mem_9_an_export_takes_all_that_is_known_of_a_note_along() {
    let from = desk().await;
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("a.rs"), "fn a() {}\n").unwrap();
    let agent = agent_in(&from, Some(project.path()), "codex", false);
    let keyed = Save { topic_key: Some("k".into()), ..save("a", "one") };
    agent.save(keyed.clone()).await.unwrap();
    let next = Save {
        content: "two".into(),
        anchors: vec!["a.rs".into(), "a.rs#a".into()],
        expires: Some("30d".into()),
        ..keyed
    };
    agent_in(&from, Some(project.path()), "ann", false).save(next).await.unwrap();
    let over = Save { supersedes: vec![1], ..save("b", "b") };
    agent.save(over).await.unwrap();
    let elsewhere = agent_in(&from, None, "web", false);
    elsewhere.save(Save { anchors: vec!["b.rs".into()], ..save("c", "c") }).await.unwrap();
    let text = exported(&from).await;
    let to = desk().await;
    to.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap();
    assert_eq!(exported(&to).await, text);
    let (was, is) = (from.memory.observation(1).await, to.memory.observation(1).await);
    assert_eq!((was.clone().unwrap().superseded_by, was), (Some(2), is));
    let earlier = to.store.observation_revisions(&Workspace::default(), 1).await.unwrap();
    assert_eq!(earlier[0].author.as_deref(), Some("codex"));
    // What a file says of anchors is not trusted: it is never looked at outside of the project.
    let hostile = text.replace("a.rs#a", "../../etc/passwd").replace("b.rs", "commit:--help");
    let third = desk().await;
    third.memory.import(&mut Cursor::new(hostile.as_bytes())).await.unwrap();
    let reader = agent_in(&third, Some(project.path()), "codex", false);
    let ask = GetObservation { id: 1, ..GetObservation::default() };
    let told = reader.get_observation(ask).await.unwrap().text;
    assert!(told.contains("a.rs (unchanged), ../../etc/passwd (gone)"), "{told}");
}

fn notes_in(text: &str) -> u64 {
    text.lines().filter(|line| line.contains("\"record\":\"observation\"")).count() as u64
}

/// MEM-17: a long import says how far it is, and stops between two records when it is told to.
#[tokio::test]
async fn mem_17_an_import_that_is_stopped_goes_on_where_it_was() {
    let many: String = (1..=2500)
        .map(|n| {
            let fields = [("id", json!(n)), ("content", json!(format!("c {n}")))];
            note_line(&fields).trim_start_matches(HEADER).to_owned()
        })
        .collect();
    let text = format!("{HEADER}{many}");
    let desk = desk().await;
    let mut steps = Vec::new();
    let mut watch = |step: ImportStep| {
        steps.push(step);
        if steps.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = desk.memory.import_watched(&mut Cursor::new(&text), &mut watch).await.unwrap();
    assert!(stopped.stopped && stopped.added < 2500, "{stopped:?}");
    assert_eq!(steps[1].records, stopped.added);
    assert!(steps[0].bytes < steps[1].bytes && steps[1].bytes < text.len() as u64, "{steps:?}");
    assert_eq!(notes_in(&exported(&desk).await), stopped.added);
    let rest = desk.memory.import(&mut Cursor::new(&text)).await.unwrap();
    assert_eq!((rest.known, rest.added), (stopped.added, 2500 - stopped.added));
    assert_eq!(notes_in(&exported(&desk).await), 2500);
    assert!(desk.store.check().await.unwrap().is_empty());
}

#[tokio::test]
async fn mem_9_ids_that_are_taken_are_replaced_with_their_relations() {
    let from = filled().await;
    let to = desk().await;
    to.note("here first", "mine").await;
    to.pass(DAY);
    let text = exported(&from).await;
    let done = to.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap();
    assert!(done.renumbered > 0, "#1 was taken");
    assert_eq!(done.added, 2 + 1 + 298 + 4 + 1 - 1, "one session was there");
    let first = to.memory.find_observations(None, None, "\"c 300\"", 1).await.unwrap();
    let walk = plimsoll_memory::BuildContext {
        id: first[0].id,
        depth: Some(1),
        ..plimsoll_memory::BuildContext::default()
    };
    let told = to.memory.build_context(walk).await.unwrap();
    assert_eq!(told.ids.len(), 5, "the note that was #1 has its relations");
    let again = to.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap();
    assert_eq!(again.added, 0);
}

#[tokio::test]
async fn mem_9_what_is_no_export_is_refused_by_its_line() {
    let desk = desk().await;
    let import = async |text: &str| desk.memory.import(&mut Cursor::new(text.as_bytes())).await;
    for text in ["", "{}", "hello", "{\"record\":\"plimsoll-memory\",\"version\":2}"] {
        assert!(import(text).await.is_err(), "{text}");
    }
    assert_eq!(import(HEADER).await.unwrap().added, 0);
    let long = format!("\"{}\"", "x".repeat(2 << 20));
    for line in [
        "{",
        "{\"record\":\"ship\"}",
        "{\"record\":\"relation\",\"id\":1,\"from\":1,\"to\":2,\"type\":\"r\",\"created_at\":0}",
        "{\"record\":\"progress\",\"project\":\"p\",\"content\":\"{\",\"updated_at\":0}",
        &long,
    ] {
        let error = import(&format!("{HEADER}\n{line}\n")).await.unwrap_err();
        assert!(matches!(error, ArchiveError::BadLine { line: 3, .. }), "{error}");
    }
    assert_eq!(desk.memory.stats(Stats::default()).await.unwrap().total, 0);
}

/// A line of an observation with some of its fields replaced.
fn note_line(fields: &[(&str, Value)]) -> String {
    let mut line = json!({
        "record": "observation", "id": 1, "session": "s", "type": "manual", "title": "t",
        "content": "c", "project": "p", "scope": "project", "revision_count": 1,
        "duplicate_count": 0, "created_at": 0, "updated_at": 0,
    });
    for (name, value) in fields {
        line[*name] = value.clone();
    }
    format!("{HEADER}{line}\n")
}

/// MEM-9: an id that leaves no room for others is refused, so that saving goes on.
#[tokio::test]
async fn mem_9_an_impossible_id_is_refused_by_its_line() {
    let desk = desk().await;
    let import = async |text: &str| desk.memory.import(&mut Cursor::new(text.as_bytes())).await;
    for id in [0, u64::from(u32::MAX) + 1, i64::MAX as u64, u64::MAX] {
        let prompt = json!({
            "record": "prompt", "id": id, "session": "s", "content": "c", "project": "p",
            "created_at": 0,
        });
        let earlier = json!({
            "record": "revision", "observation": id, "revision": 1, "type": "manual",
            "title": "t", "content": "c", "replaced_at": 0,
        });
        for text in [
            note_line(&[("id", json!(id))]),
            format!("{HEADER}{prompt}\n"),
            format!("{HEADER}{earlier}\n"),
        ] {
            let error = import(&text).await.unwrap_err();
            assert!(matches!(error, ArchiveError::BadLine { line: 2, .. }), "{error}");
            assert!(error.to_string().contains(&format!(" is {id}, ")), "{error}");
        }
        let relation = json!({
            "record": "relation", "id": id, "from": 1, "to": 2, "type": "r", "created_at": 0,
        });
        let two = note_line(&[])
            + note_line(&[("id", json!(2)), ("title", json!("u"))]).trim_start_matches(HEADER);
        let error = import(&format!("{two}{relation}\n")).await.unwrap_err();
        assert!(matches!(error, ArchiveError::BadLine { line: 4, .. }), "{error}");
    }
    let many = note_line(&[("duplicate_count", json!(u64::MAX))]);
    assert!(import(&many).await.unwrap_err().to_string().contains("duplicate_count"));
    assert_eq!(desk.note("next", "one").await, 3, "ids go on");
    let largest = note_line(&[("id", json!(u32::MAX)), ("created_at", json!(1))]);
    assert_eq!(import(&largest).await.unwrap().added, 1);
    assert_eq!(desk.note("and", "another").await, u64::from(u32::MAX) + 1);
}

/// Texts around the limits, with what is redacted and what is no line.
fn field(limit: usize) -> impl Strategy<Value = String> {
    let edge = (limit - 12..limit + 3).prop_map(|length| "é ".repeat(length / 3));
    prop_oneof![
        ".{0,30}",
        "[ \\n\\t\u{0}]{0,4}",
        "[a-z \\n]{0,9}<private>[a-z]{0,9}(</private>[a-z]{0,9})?",
        edge.clone(),
        edge.prop_map(|text| format!("{text}<private")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// MEM-9: a line comes in exactly if it could have been saved, and as that would be kept.
    #[test]
    fn mem_9_an_import_takes_what_a_save_takes(
        title in field(1000),
        content in field(65_536),
        key in field(200),
        namespace in field(200),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (saved, brought) = (desk().await, desk().await);
            let save = Save {
                topic_key: Some(key.clone()),
                namespace: Some(namespace.clone()),
                ..save(&title, &content)
            };
            let line = note_line(&[
                ("title", json!(title)),
                ("content", json!(content)),
                ("topic_key", json!(key)),
                ("namespace", json!(namespace)),
            ]);
            let save = saved.memory.save(save).await.map(drop);
            let import = brought.memory.import(&mut Cursor::new(line.as_bytes())).await.map(drop);
            match (&save, &import) {
                (Ok(()), Ok(())) => {
                    let texts = |note: Observation| {
                        (note.title, note.content, note.topic_key, note.namespace)
                    };
                    let saved = saved.memory.observation(1).await.unwrap();
                    let brought = brought.memory.observation(1).await.unwrap();
                    prop_assert_eq!(texts(saved), texts(brought));
                }
                (Err(save), Err(import)) => {
                    prop_assert!(import.to_string().contains(&save.to_string()), "{}", import);
                }
                _ => prop_assert!(false, "{save:?} {import:?}"),
            }
            Ok(())
        })?;
    }
}

/// MEM-9: what a file says of all else is held against the same bounds.
#[tokio::test]
async fn mem_9_what_could_not_be_saved_does_not_come_in() {
    let desk = desk().await;
    let long = "x".repeat(5000);
    for line in [
        json!({"record": "session", "id": " ", "project": "p", "started_at": 0}),
        json!({"record": "session", "id": "s", "project": "p", "started_at": 0,
            "directory": long}),
        json!({"record": "prompt", "id": 1, "session": "s", "content": " ", "project": "p",
            "created_at": 0}),
        json!({"record": "revision", "observation": 1, "revision": 1, "type": "t", "title": "",
            "content": "c", "replaced_at": 0}),
        json!({"record": "progress", "project": "p", "content": long, "updated_at": 0}),
    ] {
        let text = format!("{HEADER}{line}\n");
        let error = desk.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap_err();
        assert!(matches!(error, ArchiveError::BadLine { line: 2, .. }), "{error}");
    }
    // A private part does not reach over the string that it stands in.
    let line = json!({"record": "progress", "project": "p", "updated_at": 0,
        "content": "{\"a\": \"<private>hunter2\", \"b\": 1}"});
    let text = format!("{HEADER}{line}\n");
    assert_eq!(desk.memory.import(&mut Cursor::new(text.as_bytes())).await.unwrap().added, 1);
    let kept = exported(&desk).await;
    assert!(kept.contains(r#"{\"a\":\"[REDACTED]\",\"b\":1}"#), "{kept}");
}
