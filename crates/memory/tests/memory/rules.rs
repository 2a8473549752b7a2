//! The rules of the memory, by their names.

use plimsoll_memory::{
    BuildContext, CapturePassive, Compact, DetailLevel, EndSession, Find, GetObservation,
    MemoryError, Progress, Reading, Recall, Relate, Save, SavePrompt, StartSession, Stats,
    SuggestTopicKey, SummariseSession, Timeline, Update,
};
use plimsoll_store::Scope;
use plimsoll_tokens::bytes4;

use crate::support::{DAY, MINUTE, desk, save};

fn find(query: &str) -> Find {
    Find { query: query.to_owned(), ..Find::default() }
}

fn get(id: u64) -> GetObservation {
    GetObservation { id, ..GetObservation::default() }
}

#[tokio::test]
async fn mem_1_sessions_are_told_in_the_context() {
    let desk = desk().await;
    let memory = &desk.memory;
    let start =
        StartSession { id: "s1".into(), project: "harbour".into(), directory: Some("/src".into()) };
    assert!(memory.start_session(start.clone()).await.unwrap().text.contains("s1 started"));
    assert!(memory.start_session(start).await.unwrap().text.contains("goes on"));
    let summary = SummariseSession {
        id: "s1".into(),
        content: "Goal: dredge".into(),
        ..SummariseSession::default()
    };
    memory.summarise_session(summary).await.unwrap();
    let prompt = SavePrompt { content: "dredge it".into(), ..SavePrompt::default() };
    assert_eq!(memory.save_prompt(prompt).await.unwrap().ids, [1]);
    let id = memory
        .save(Save { session_id: Some("s1".into()), ..save("Depth", "9 m") })
        .await
        .unwrap()
        .ids[0];
    let end = EndSession { id: "s1".into(), summary: None };
    assert_eq!(memory.end_session(end).await.unwrap().text, "Session s1 ended.");
    let told = memory.context(Recall::default()).await.unwrap();
    let order = [
        "## Sessions",
        "session s1",
        "Goal: dredge",
        "## Prompts",
        "prompt #1",
        "## Observations",
        "#2 [manual] Depth (2026-11-16)\n  9 m",
        "📏",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|part| told.text.find(part).unwrap_or_else(|| panic!("{part}: {}", told.text)))
        .collect();
    assert!(places.is_sorted(), "{}", told.text);
    assert_eq!((told.ids, told.shown, told.total), (vec![id], 1, 1));
}

#[tokio::test]
async fn mem_2_long_content_is_refused_with_its_size() {
    let desk = desk().await;
    let long = "a".repeat(65_537);
    let error = desk.memory.save(save("t", &long)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "content has 65,537 bytes, at most 65,536 are kept; split it or shorten it"
    );
    let most = "é".repeat(32_768);
    let id = desk.note("t", &most).await;
    assert!(desk.memory.get_observation(get(id)).await.unwrap().text.contains(&most));
    for (title, content) in [("", "x"), (" \n", "x"), ("x", ""), ("x", "\t")] {
        let error = desk.memory.save(save(title, content)).await.unwrap_err();
        assert!(matches!(error, MemoryError::Blank(_)), "{error}");
    }
}

#[tokio::test]
async fn mem_3_a_topic_key_updates_in_place_and_keeps_the_earlier_text() {
    let desk = desk().await;
    let keyed = |text: &str| Save { topic_key: Some("depth".into()), ..save("Depth", text) };
    let first = desk.memory.save(keyed("nine metres")).await.unwrap();
    let second = desk.memory.save(keyed("ten metres")).await.unwrap();
    assert_eq!(first.ids, second.ids);
    assert!(second.text.contains("revision 2"), "{}", second.text);
    let id = first.ids[0];
    let earlier = GetObservation { id, revision: Some(1), ..GetObservation::default() };
    let earlier = desk.memory.get_observation(earlier).await.unwrap().text;
    assert!(earlier.contains("nine metres") && earlier.contains("revision 1 of 2"), "{earlier}");
    let restore = Update { id, restore_revision: Some(1), ..Update::default() };
    desk.memory.update(restore.clone()).await.unwrap();
    let now = desk.memory.get_observation(get(id)).await.unwrap().text;
    assert!(now.contains("nine metres") && now.contains("revision 3"), "{now}");
    let error = desk.memory.update(Update { restore_revision: Some(9), ..restore }).await;
    assert_eq!(error.unwrap_err().to_string(), "observation #1 has no revision 9; it has 1 to 3");
    let nothing = desk.memory.update(Update { id, ..Update::default() }).await.unwrap_err();
    assert_eq!(nothing, MemoryError::NothingToChange);
}

#[tokio::test]
async fn mem_3_an_update_puts_no_second_note_under_a_key() {
    let desk = desk().await;
    let keyed = Save { topic_key: Some("depth".into()), ..save("Depth", "nine metres") };
    let first = desk.memory.save(keyed.clone()).await.unwrap().ids[0];
    let second = desk.note("Depth too", "ten metres").await;
    let key = Update { id: second, topic_key: Some("depth".into()), ..Update::default() };
    let error = desk.memory.update(key).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "#1 has the topic_key depth there already; update #1 or choose another key"
    );
    let sea = Save { project: Some("sea".into()), ..keyed };
    let third = desk.memory.save(sea).await.unwrap().ids[0];
    let moved = Update { id: third, project: Some("harbour".into()), ..Update::default() };
    let error = desk.memory.update(moved).await.unwrap_err();
    assert_eq!(error, MemoryError::KeyTaken { key: "depth".into(), by: first });
    let text = Update { id: third, title: Some("Depth of the sea".into()), ..Update::default() };
    desk.memory.update(text).await.unwrap();
}

#[tokio::test]
async fn mem_3_a_note_that_names_itself_is_refused() {
    let desk = desk().await;
    let keyed = |text: &str, to: &[u64]| Save {
        topic_key: Some("depth".into()),
        relate_to: to.to_vec(),
        ..save("Depth", text)
    };
    let id = desk.memory.save(keyed("nine metres", &[])).await.unwrap().ids[0];
    let other = desk.note("Tide", "high").await;
    let error = desk.memory.save(keyed("ten metres", &[other, id])).await.unwrap_err();
    assert_eq!(error, MemoryError::SelfRelation(id));
    assert_eq!(error.to_string(), "#1 cannot relate to itself; name two observations");
    let now = desk.memory.observation(id).await.unwrap();
    assert_eq!((now.revision_count, &*now.content), (1, "nine metres"), "nothing was changed");
    assert_eq!(desk.memory.save(keyed("ten metres", &[other])).await.unwrap().ids, [id]);
}

#[tokio::test]
async fn mem_4_the_same_within_fifteen_minutes_is_counted() {
    let desk = desk().await;
    let id = desk.note("Tide", "High at noon").await;
    desk.pass(14 * MINUTE);
    let again = desk.memory.save(save("Tide", "high  at noon")).await.unwrap();
    assert_eq!(again.text, "#1 says the same already (saved again 1 time).");
    assert_eq!(again.ids, [id]);
    desk.pass(16 * MINUTE);
    assert_ne!(desk.note("Tide", "High at noon").await, id);
}

#[tokio::test]
async fn mem_5_private_parts_are_kept_nowhere() {
    let desk = desk().await;
    let memory = &desk.memory;
    let secret = "<private>hunter2</private>";
    let id = desk.note(&format!("t {secret}"), &format!("c {secret} <private>hunter2")).await;
    let update = Update { id, content: Some(format!("d {secret}")), ..Update::default() };
    memory.update(update).await.unwrap();
    let prompt = SavePrompt { content: format!("p {secret}"), ..SavePrompt::default() };
    memory.save_prompt(prompt).await.unwrap();
    let capture = CapturePassive {
        content: format!("Learnings:\n- one {secret}\n- two"),
        ..CapturePassive::default()
    };
    memory.capture_passive(capture).await.unwrap();
    let summary =
        SummariseSession { id: "s".into(), content: secret.into(), ..SummariseSession::default() };
    memory.summarise_session(summary).await.unwrap();
    let document = format!("{{\"k\": \"{secret}\"}}");
    let progress = Progress { project: "p".into(), content: Some(document), ..Progress::default() };
    memory.progress(progress).await.unwrap();
    let mut out = Vec::new();
    memory.export(&mut out).await.unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(!out.contains("hunter2") && out.contains("[REDACTED]"), "{out}");
    // A backup is a file whatever the store is in.
    let backup = desk.path().with_extension("backup");
    desk.store.backup_to(&backup).await.unwrap();
    let bytes = std::fs::read(backup).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"), "not in the file either");
}

#[tokio::test]
async fn mem_5_unknown_and_deleted_ids_are_errors_that_say_what_to_do() {
    let desk = desk().await;
    let memory = &desk.memory;
    let id = desk.note("a", "plover").await;
    let other = desk.note("b", "gannet").await;
    memory.delete(id, false).await.unwrap();
    for id in [id, 42] {
        let expected = format!("no observation #{id}; search with mem_search");
        let timeline = Timeline { observation_id: id, ..Timeline::default() };
        let graph = BuildContext { id, ..BuildContext::default() };
        let relate = Relate { from: other, to: id, ..Relate::default() };
        let update = Update { id, title: Some("x".into()), ..Update::default() };
        let related = Save { relate_to: vec![id], ..save("c", "c") };
        for error in [
            memory.get_observation(get(id)).await,
            memory.timeline(timeline).await,
            memory.build_context(graph).await,
            memory.relate(relate).await,
            memory.update(update).await,
            memory.delete(id, false).await,
            memory.save(related).await,
        ] {
            assert_eq!(error.unwrap_err().to_string(), expected);
        }
    }
    assert_eq!(memory.search(find("plover")).await.unwrap().total, 0);
    let context = memory.context(Recall::default()).await.unwrap();
    assert!(!context.text.contains("plover") && context.total == 1, "{}", context.text);
    memory.delete(other, true).await.unwrap();
    assert!(memory.stats(Stats::default()).await.unwrap().text.contains("0 observations"));
}

#[tokio::test]
async fn mem_6_a_search_marks_says_and_ends_with_its_weight() {
    let desk = desk().await;
    let memory = &desk.memory;
    desk.note("Anchor chain", "The chain of the anchor is checked weekly").await;
    desk.note("Sails", "Sails are mended in winter").await;
    let told = memory.search(find("anchors weekly")).await.unwrap();
    assert!(told.text.contains("**anchor** is checked **weekly**"), "{}", told.text);
    assert_eq!((told.ids.as_slice(), told.shown, told.total), ([1].as_slice(), 1, 1));
    assert!(told.text.ends_with(&format!("\n📏 ~{} tokens", bytes4(&told.text))));
    let any = memory.search(find("anchor winter")).await.unwrap();
    assert!(any.text.contains("None has all words; these have some."), "{}", any.text);
    let none = memory.search(find("?!")).await.unwrap();
    assert_eq!(none.text, "Nothing found for \"?!\" in project harbour.\n📏 ~14 tokens");
    let summary = Reading { detail_level: DetailLevel::Summary, max_tokens: None };
    let told = memory.search(Find { reading: summary, ..find("chain") }).await.unwrap();
    assert!(told.text.contains("\n#1 [manual] Anchor chain\n💡 Use detail_level"), "{}", told.text);
    let since = memory.parse_since("1d").unwrap();
    desk.pass(3 * DAY);
    let old = Find { since: Some(memory.parse_since("1d").unwrap()), ..find("chain") };
    assert_eq!(memory.search(old).await.unwrap().total, 0);
    let new = Find { since: Some(since), limit: Some(1), ..find("chain") };
    assert_eq!(memory.search(new).await.unwrap().total, 1);
    let error = memory.search(Find { limit: Some(51), ..find("x") }).await.unwrap_err();
    assert_eq!(error.to_string(), "limit must be from 1 to 50, not 51");
}

#[tokio::test]
async fn mem_7_learnings_are_captured_once() {
    let desk = desk().await;
    let ask = CapturePassive {
        content: "## Key Learnings\n1. Tides turn\n2. Ropes wear\n".into(),
        source: Some("bash".into()),
        ..CapturePassive::default()
    };
    let told = desk.memory.capture_passive(ask.clone()).await.unwrap();
    assert_eq!(told.text, "Captured 2 learnings: #1, #2.");
    desk.pass(9 * DAY);
    let again = desk.memory.capture_passive(ask).await.unwrap();
    assert_eq!(again.text, "Captured nothing new; 2 known already.");
    let none = CapturePassive { content: "nothing".into(), ..CapturePassive::default() };
    assert!(desk.memory.capture_passive(none).await.unwrap().ids.is_empty());
}

#[tokio::test]
async fn mem_8_old_notes_are_listed_and_replaced() {
    let desk = desk().await;
    let memory = &desk.memory;
    for n in 0..3 {
        desk.note(&format!("old {n}"), "x").await;
    }
    desk.pass(30 * DAY);
    let young = desk.note("young", "y").await;
    let ask = Compact { older_than_days: 7, ..Compact::default() };
    let listed = memory.compact(ask.clone()).await.unwrap();
    assert_eq!((listed.ids.as_slice(), listed.total), ([1, 2, 3].as_slice(), 3));
    let with = Compact {
        summary_title: Some("All".into()),
        summary_content: Some("of it".into()),
        ..ask.clone()
    };
    let error = memory.compact(Compact { ids: vec![1, young], ..with.clone() }).await;
    assert_eq!(error.unwrap_err(), MemoryError::TooYoung { id: young, days: 7 });
    let half = Compact { summary_content: None, ..with.clone() };
    assert_eq!(memory.compact(half).await.unwrap_err(), MemoryError::Blank("summary_content"));
    let done = memory.compact(Compact { ids: vec![1, 2], ..with.clone() }).await.unwrap();
    assert_eq!(done.text, "Replaced 2 observations by #5 [summary] All.");
    let rest = memory.compact(with.clone()).await.unwrap();
    assert!(rest.text.starts_with("Replaced 1 observation by #6"));
    assert!(matches!(memory.compact(with).await, Err(MemoryError::NothingToCompact { days: 7 })));
    let many = Compact { ids: (1..=201).collect(), ..ask };
    let many =
        Compact { summary_title: Some("t".into()), summary_content: Some("c".into()), ..many };
    assert!(matches!(memory.compact(many).await, Err(MemoryError::OutOfRange { .. })));
}

#[tokio::test]
async fn mem_8_progress_is_one_document_a_project() {
    let desk = desk().await;
    let ask = |content: Option<&str>| Progress {
        project: "p".into(),
        content: content.map(Into::into),
        ..Progress::default()
    };
    let none = desk.memory.progress(ask(None)).await.unwrap();
    assert!(none.text.starts_with("No progress of p yet"), "{}", none.text);
    desk.memory.progress(ask(Some("{\"done\": [1, 2]}"))).await.unwrap();
    let told = desk.memory.progress(ask(None)).await.unwrap();
    assert!(told.text.ends_with("\n{\"done\":[1,2]}"), "{}", told.text);
    let error = desk.memory.progress(ask(Some("{done"))).await.unwrap_err();
    assert!(matches!(error, MemoryError::BadJson(_)));
}

#[tokio::test]
async fn a_graph_is_walked_in_circles_without_end() {
    let desk = desk().await;
    let memory = &desk.memory;
    for n in 1..=6 {
        desk.note(&format!("n{n}"), "x").await;
    }
    for (from, to) in [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6)] {
        let both = from == 4;
        let ask = Relate { from, to, bidirectional: both, ..Relate::default() };
        assert_eq!(memory.relate(ask).await.unwrap().ids.len(), 1 + usize::from(both));
    }
    let walk = async |depth| {
        memory
            .build_context(BuildContext { id: 1, depth: Some(depth), ..BuildContext::default() })
            .await
            .unwrap()
    };
    assert_eq!(walk(1).await.ids, [1, 2, 3]);
    let two = walk(2).await;
    assert_eq!(two.ids, [1, 2, 3, 4]);
    assert!(two.text.contains("## 2 steps away\n#4 [manual] n4"), "{}", two.text);
    assert_eq!(two.text.matches("relation #").count(), 4, "{}", two.text);
    assert_eq!(walk(5).await.ids.len(), 6);
    let deep = memory
        .build_context(BuildContext { id: 1, depth: Some(6), ..BuildContext::default() })
        .await
        .unwrap_err();
    assert_eq!(deep.to_string(), "depth must be from 1 to 5, not 6");
    assert_eq!(
        memory.relate(Relate { from: 1, to: 1, ..Relate::default() }).await.unwrap_err(),
        MemoryError::SelfRelation(1)
    );
    memory.unrelate(1).await.unwrap();
    assert_eq!(memory.unrelate(1).await.unwrap_err(), MemoryError::NoRelation(1));
    assert_eq!(memory.stats(Stats::default()).await.unwrap().total, 6);
}

#[tokio::test]
async fn a_timeline_is_told_as_it_was_written() {
    let desk = desk().await;
    for n in 1..=9 {
        desk.note(&format!("n{n}"), "x").await;
    }
    let ask =
        Timeline { observation_id: 5, before: Some(2), after: Some(1), ..Timeline::default() };
    let told = desk.memory.timeline(ask).await.unwrap();
    assert_eq!(told.ids, [5, 4, 6, 3], "the focus, then the nearest");
    let places: Vec<usize> =
        ["#3 [", "#4 [", "#5 [", "#6 ["].iter().map(|id| told.text.find(id).unwrap()).collect();
    assert!(places.is_sorted());
    assert!(told.text.contains("📊 Showing 4 of 9."), "{}", told.text);
}

#[tokio::test]
async fn mbg_7_the_session_budget_is_obeyed_by_every_read() {
    let desk = desk().await;
    let id = desk.note("Long", &"words and more ".repeat(3000)).await;
    let memory = desk.with_budget(500);
    let told = memory.get_observation(get(id)).await.unwrap();
    assert!(told.cut && told.estimated_tokens <= 250, "half of it");
    assert!(told.text.contains("; the rest: mem_get_observation id=1 from="), "{}", told.text);
    assert_eq!(memory.ledger().total(), told.estimated_tokens);
    let second = memory.search(find("words")).await.unwrap();
    assert!(second.estimated_tokens <= (500 - told.estimated_tokens) / 2);
    let spent = loop {
        if let Err(spent) = memory.search(find("words")).await {
            break spent;
        }
    };
    assert!(matches!(spent, MemoryError::Budget(_)), "{spent}");
    assert!(memory.ledger().total() <= 500);
    let memory = desk.with_budget(1500);
    memory.search(find("words")).await.unwrap();
    memory.search(find("words")).await.unwrap();
    let stats = memory.stats(Stats::default()).await.unwrap().text;
    assert!(stats.contains("mem_search: ~") && stats.contains("in 2 calls"), "{stats}");
    assert!(stats.contains("of 1,500"), "{stats}");
}

#[tokio::test]
async fn stats_say_how_many_types_there_are() {
    let desk = desk().await;
    for n in 0..63 {
        let note = Save { kind: Some(format!("type {n}")), ..save("t", "c") };
        desk.memory.save(note).await.unwrap();
    }
    let told = desk.memory.stats(Stats::default()).await.unwrap().text;
    assert!(told.contains(", 53 more\nProjects: harbour 63\n"), "{told}");
}

#[tokio::test]
async fn mbg_7_stats_keep_to_what_is_left() {
    let desk = desk().await;
    for n in 0..12 {
        let kind = format!("type {n} {}", "with a long name ".repeat(10));
        let project = Some(format!("project {n} {}", "of a long name ".repeat(10)));
        let note = Save { kind: Some(kind), project, ..save("t", "c") };
        desk.memory.save(note).await.unwrap();
    }
    let all = || Stats { project: Some("*".to_owned()), ..Stats::default() };
    let whole = desk.memory.stats(all()).await.unwrap();
    assert!(whole.estimated_tokens > 700 && !whole.text.contains("⚡"), "{}", whole.text);
    for budget in [64, 80, 100, 200, 400, 700] {
        let memory = desk.with_budget(2 * budget);
        let told = memory.stats(all()).await.unwrap();
        assert!(bytes4(&told.text) <= budget, "{budget}: {}", told.text);
        let asked = Stats { max_tokens: Some(budget), ..all() };
        let asked = desk.memory.stats(asked).await.unwrap().text;
        assert!(bytes4(&asked) <= budget, "{budget}: {asked}");
        assert!(asked.ends_with(" lines shown; raise max_tokens for more]"), "{asked}");
        assert_eq!((told.estimated_tokens, told.total), (bytes4(&told.text), 12));
        assert!(told.text.starts_with("Memory: 12 observations"), "{}", told.text);
        assert!(told.text.contains(" lines shown; session budget: "), "{}", told.text);
        assert_eq!(memory.ledger().total(), told.estimated_tokens);
    }
    let spent = desk.with_budget(127);
    assert!(matches!(spent.stats(Stats::default()).await, Err(MemoryError::Budget(_))));
    let ask = SuggestTopicKey { title: "Depth".into(), ..SuggestTopicKey::default() };
    assert!(matches!(spent.suggest_topic_key(ask).await, Err(MemoryError::Budget(_))));
}

#[tokio::test]
async fn a_topic_key_is_suggested() {
    let desk = desk().await;
    let ask =
        SuggestTopicKey { title: "Depth of the harbour".into(), ..SuggestTopicKey::default() };
    let told = desk.memory.suggest_topic_key(ask).await.unwrap();
    assert!(told.text.starts_with("topic/depth-harbour\n"));
}

#[tokio::test]
async fn a_filter_that_is_not_given_does_not_narrow() {
    let desk = desk().await;
    let personal =
        Save { scope: Scope::Personal, project: Some("sea".into()), ..save("a", "keel") };
    desk.memory.save(personal).await.unwrap();
    desk.note("b", "keel").await;
    assert_eq!(desk.memory.search(find("keel")).await.unwrap().total, 2);
    let sea = Recall { project: Some("sea".into()), ..Recall::default() };
    assert_eq!(desk.memory.context(sea).await.unwrap().total, 1, "the other is of harbour");
    let personal = Recall { scope: Some(Scope::Personal), ..Recall::default() };
    assert_eq!(desk.memory.context(personal).await.unwrap().ids, [1]);
}
