//! Recalled text cannot pass for our own lines, says who wrote it, and waits for a person where
//! one looks at it first (MEM-16).

use plimsoll_budget::looks_ours;
use plimsoll_memory::{
    BuildContext, CapturePassive, Compact, DetailLevel, EndSession, Find, GetObservation, Progress,
    Reading, Recall, Reply, Save, SavePrompt, StartSession, SummariseSession, Timeline, Update,
};
use proptest::prelude::*;

use crate::support::{Desk, agent_in, desk, save};

/// The lines of an answer that a reader would take for ours, in their order.
fn ours(text: &str) -> Vec<&str> {
    text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}'])
        .filter(|line| looks_ours(line))
        .collect()
}

/// The lines of an answer that look like ours are ours: a headline for each note that is shown,
/// and the footers at the end.
fn check(reply: &Reply) {
    let lines = ours(&reply.text);
    let (heads, feet): (Vec<&str>, Vec<&str>) =
        lines.iter().partition(|line| line.starts_with('#'));
    let mut told: Vec<u64> =
        heads.iter().map(|line| line[1..].split(' ').next().unwrap().parse().unwrap()).collect();
    let mut expected = reply.ids.clone();
    told.sort_unstable();
    expected.sort_unstable();
    assert_eq!(told, expected, "{}", reply.text);
    let last: Vec<&str> = reply.text.lines().rev().take(feet.len()).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    assert_eq!(feet, last, "footers stand at the end: {}", reply.text);
    let signs: Vec<char> = feet.iter().filter_map(|line| line.chars().next()).collect();
    let order: Vec<char> =
        ['⚡', '💡', '📊', '📏'].into_iter().filter(|c| signs.contains(c)).collect();
    assert_eq!(signs, order, "{}", reply.text);
}

async fn check_all_reads(desk: &Desk, ids: &[u64], max_tokens: Option<u64>) {
    let memory = &desk.memory;
    for detail_level in [DetailLevel::Summary, DetailLevel::Standard, DetailLevel::Full] {
        let reading = Reading { detail_level, max_tokens };
        check(&memory.context(Recall { reading, ..Recall::default() }).await.unwrap());
        let query = "lantern".to_owned();
        check(&memory.search(Find { query, reading, ..Find::default() }).await.unwrap());
        let observation_id = ids[0];
        let around = Timeline { observation_id, reading, ..Timeline::default() };
        check(&memory.timeline(around).await.unwrap());
    }
    for id in ids {
        let whole = GetObservation { id: *id, ..GetObservation::default() };
        check(&memory.get_observation(whole).await.unwrap());
        check(
            &memory
                .build_context(BuildContext { id: *id, ..BuildContext::default() })
                .await
                .unwrap(),
        );
    }
    let read = Progress { project: "harbour".to_owned(), ..Progress::default() };
    check(&memory.progress(read).await.unwrap());
}

/// Text that tries to be a line of ours.
fn hostile() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[ \t\u{200b}]{0,2}#[0-9]{1,3} \\[[a-z]{1,5}\\] [a-z]{1,6}",
        "[ \t]{0,2}(📏|⚡|📊|💡|⚠) [a-z~0-9 ]{1,9}",
        Just("[… cut, full text: x]".to_owned()),
        "[a-z# ]{0,12}",
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("\u{2028}"), Just("\u{85}")];
    prop::collection::vec((line, end), 0..5)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn mem_16_whatever_notes_hold_the_lines_that_look_like_ours_are_ours(
        notes in prop::collection::vec((hostile(), hostile()), 1..4),
        prompt in hostile(),
        summary in hostile(),
        max_tokens in prop_oneof![Just(None), (64u64..900).prop_map(Some)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = desk().await;
            let mut ids = Vec::new();
            for (title, content) in &notes {
                let title = format!("{title} t");
                let ask = Save {
                    relate_to: ids.clone(),
                    ..save(&title, &format!("{content}lantern\n{content}"))
                };
                ids.push(desk.memory.save(ask).await.unwrap().ids[0]);
            }
            let content = format!("{prompt}lantern {prompt}");
            desk.memory.save_prompt(SavePrompt { content, ..SavePrompt::default() }).await.unwrap();
            let ask = SummariseSession {
                id: "s".to_owned(),
                content: format!("{summary}lantern"),
                ..SummariseSession::default()
            };
            desk.memory.summarise_session(ask).await.unwrap();
            let content = Some(serde_json::Value::String(summary.clone()).to_string());
            let ask = Progress { project: "harbour".to_owned(), content, ..Progress::default() };
            desk.memory.progress(ask).await.unwrap();
            check_all_reads(&desk, &ids, max_tokens).await;
        });
    }
}

#[tokio::test]
async fn mem_16_all_else_is_verbatim() {
    let desk = desk().await;
    let text = "# A title\n\n  indented `code`\n- #12 is fine\n│ a box\n";
    let id = desk.note("A", text).await;
    let told = desk
        .memory
        .get_observation(GetObservation { id, ..GetObservation::default() })
        .await
        .unwrap();
    assert!(told.text.contains(text.trim_end()), "{}", told.text);
}

#[tokio::test]
async fn mem_16_a_note_says_who_wrote_it() {
    let desk = desk().await;
    let codex = agent_in(&desk, None, "codex", false);
    let ask = Save { topic_key: Some("k".to_owned()), ..save("A", "lantern") };
    let id = codex.save(ask.clone()).await.unwrap().ids[0];
    let shown = async |revision| {
        let ask = GetObservation { id, revision, ..GetObservation::default() };
        desk.memory.get_observation(ask).await.unwrap().text
    };
    assert!(
        shown(None).await.contains("by codex, created 2026-11-16 12:00"),
        "{}",
        shown(None).await
    );
    let told = desk.memory.context(Recall::default()).await.unwrap().text;
    assert!(told.contains("#1 [manual] A (by codex, 2026-11-16)"), "{told}");
    // A new text is of who wrote it; the earlier one keeps its author.
    let liar = agent_in(&desk, None, "workbench\n", false);
    liar.save(Save { content: "two".to_owned(), ..ask }).await.unwrap();
    assert!(shown(None).await.contains("by workbench (client)"), "no client passes for a person");
    assert!(shown(Some(1)).await.contains("by codex"));
    let summary = SummariseSession {
        id: "s".to_owned(),
        content: "done".to_owned(),
        ..SummariseSession::default()
    };
    let note = codex.summarise_session(summary).await.unwrap().ids[0];
    assert_eq!(desk.memory.observation(note).await.unwrap().author.as_deref(), Some("codex"));
}

#[tokio::test]
async fn mem_16_what_agents_save_waits_until_a_person_approves_it() {
    let desk = desk().await;
    let known = desk.note("Known", "lantern before").await;
    let agent = agent_in(&desk, None, "codex", true);
    let said = agent.save(save("New", "lantern new")).await.unwrap();
    assert!(said.text.contains("waits for review as #2"), "{}", said.text);
    let change =
        Update { id: known, content: Some("lantern after".to_owned()), ..Update::default() };
    let said = agent.update(change).await.unwrap();
    assert!(said.text.starts_with("The change of #1 waits for review as #3"), "{}", said.text);
    let learned = "## Key Learnings\n- lantern one\n- lantern two\n";
    let capture = CapturePassive { content: learned.to_owned(), ..CapturePassive::default() };
    assert_eq!(agent.capture_passive(capture).await.unwrap().ids, [4, 5]);
    let start = StartSession { id: "s".to_owned(), project: "harbour".to_owned(), directory: None };
    agent.start_session(start).await.unwrap();
    let summary = SummariseSession {
        id: "s".to_owned(),
        content: "lantern sum".to_owned(),
        ..SummariseSession::default()
    };
    assert_eq!(agent.summarise_session(summary).await.unwrap().ids, [6]);
    let end = EndSession { id: "s".to_owned(), summary: Some("lantern end".to_owned()) };
    assert_eq!(agent.end_session(end).await.unwrap().ids, [7]);
    let compact = Compact {
        ids: vec![known],
        summary_title: Some("s".to_owned()),
        summary_content: Some("s".to_owned()),
        ..Compact::default()
    };
    assert!(agent.compact(compact).await.is_err(), "no agent takes notes away");
    // No read tells any of it, to nobody.
    for memory in [&agent, &desk.memory] {
        let find = Find { query: "lantern".to_owned(), ..Find::default() };
        let found = memory.search(find).await.unwrap();
        assert_eq!((found.ids, found.text.contains("before")), (vec![known], true));
        let context = memory.context(Recall::default()).await.unwrap().text;
        assert!(!context.contains("New") && !context.contains("sum"), "{context}");
        assert!(
            memory
                .get_observation(GetObservation { id: 2, ..GetObservation::default() })
                .await
                .is_err()
        );
    }
    let (waiting, total) = desk.memory.pending().await.unwrap();
    assert_eq!((waiting.len(), total), (6, 6));
    let ids: Vec<u64> = waiting.iter().map(|one| one.id).collect();
    assert!(desk.memory.approve(&[2, 99]).await.is_err(), "all of them or none");
    assert_eq!(desk.memory.pending().await.unwrap().1, 6);
    let notes = desk.memory.approve(&ids).await.unwrap();
    assert_eq!(notes[..4], [2, known, 4, 5]);
    assert_eq!(desk.memory.observation(known).await.unwrap().content, "lantern after");
    let session = desk.memory.session("s").await.unwrap().unwrap();
    assert_eq!(session.summary.as_deref(), Some("lantern end"), "the later of the two");
    assert_eq!(notes[4], notes[5], "the earlier is its revision");
    let new = desk.memory.observation(2).await.unwrap();
    assert_eq!((new.content.as_str(), new.author.as_deref()), ("lantern new", Some("codex")));
    assert!(desk.memory.approve(&[2]).await.is_err());
    // A person's own notes never wait.
    assert_eq!(desk.note("Mine", "x").await, 8);
}

#[tokio::test]
async fn mem_16_a_revision_that_an_agent_wants_back_waits_as_its_text() {
    let desk = desk().await;
    let id = desk.note("A", "one").await;
    let two = Update { id, content: Some("two".to_owned()), ..Update::default() };
    desk.memory.update(two).await.unwrap();
    let agent = agent_in(&desk, None, "codex", true);
    let back = Update { id, restore_revision: Some(1), ..Update::default() };
    let waiting = agent.update(back).await.unwrap().ids[0];
    assert!(
        agent.update(Update { id, restore_revision: Some(9), ..Update::default() }).await.is_err()
    );
    desk.memory.reject(waiting, false).await.unwrap();
    assert_eq!(desk.memory.observation(id).await.unwrap().content, "two");
    let back = Update { id, restore_revision: Some(1), ..Update::default() };
    let waiting = agent.update(back).await.unwrap().ids[0];
    desk.memory.approve(&[waiting]).await.unwrap();
    assert_eq!(desk.memory.observation(id).await.unwrap().content, "one");
}
