//! Projects do not mix (MEM-11), and what is saved is not lost (MEM-12).

use plimsoll_memory::{
    Compact, DetailLevel, EndSession, Find, GetObservation, MemoryError, OwnProject, Progress,
    Reading, Recall, Save, SavePrompt, StartSession, Stats, SummariseSession, Timeline, Update,
};
use plimsoll_store::{NewObservation, Scope, Workspace};

use crate::support::{DAY, desk, save};

fn find(query: &str, project: Option<&str>) -> Find {
    Find { query: query.to_owned(), project: project.map(Into::into), ..Find::default() }
}

fn of(project: &str, title: &str) -> Save {
    Save { project: Some(project.to_owned()), ..save(title, "keel") }
}

fn summary() -> Reading {
    Reading { detail_level: DetailLevel::Summary, max_tokens: None }
}

#[tokio::test]
async fn mem_11_reads_take_the_project_of_the_folder() {
    let desk = desk().await;
    let (alpha, beta) = (desk.in_project("alpha"), desk.in_project("beta"));
    alpha.save(save("Of alpha", "keel")).await.unwrap();
    beta.save(save("Of beta", "keel")).await.unwrap();
    let prompt = SavePrompt { content: "keel of beta".into(), ..SavePrompt::default() };
    beta.save_prompt(prompt).await.unwrap();
    let found = alpha.search(find("keel", None)).await.unwrap();
    assert!(found.text.contains("Of alpha") && !found.text.contains("beta"), "{}", found.text);
    let told = alpha.context(Recall::default()).await.unwrap().text;
    assert!(told.contains("Of alpha") && !told.contains("beta"), "{told}");
    let stats = alpha.stats(Stats::default()).await.unwrap().text;
    assert!(stats.starts_with("Memory of project alpha: 1 observations, 0 prompts"), "{stats}");
    desk.pass(9 * DAY);
    let old = Compact { older_than_days: 7, ..Compact::default() };
    assert_eq!(alpha.compact(old.clone()).await.unwrap().ids, [1]);
    let all = Compact { project: Some("*".into()), ..old };
    let all = alpha.compact(all).await.unwrap();
    assert!(all.text.contains("#2 [manual] Of beta (project beta)"), "{}", all.text);
    // The terminal and the panel look at everything.
    let person = desk.seen_from(OwnProject::ReadsAll("alpha".into()));
    let found = person.search(find("keel", None)).await.unwrap().text;
    assert!(found.contains("project alpha") && found.contains("project beta"), "{found}");
    let narrowed = person.search(find("keel", Some("beta"))).await.unwrap().text;
    assert!(!narrowed.contains("alpha"), "{narrowed}");
}

#[tokio::test]
async fn mem_11_a_star_reads_all_and_each_line_names_its_project() {
    let desk = desk().await;
    for project in ["alpha", "beta"] {
        let memory = desk.in_project(project);
        let start = StartSession { id: project.into(), project: project.into(), directory: None };
        memory.start_session(start).await.unwrap();
        memory.save(save(&format!("T {project}"), "keel")).await.unwrap();
        let prompt = SavePrompt { content: format!("keel {project}"), ..SavePrompt::default() };
        memory.save_prompt(prompt).await.unwrap();
    }
    for detail_level in DetailLevel::ALL {
        let reading = Reading { detail_level, max_tokens: None };
        let found = Find { reading, ..find("keel", Some("*")) };
        let found = desk.memory.search(found).await.unwrap().text;
        let recall = Recall { project: Some("*".into()), reading, ..Recall::default() };
        let told = desk.memory.context(recall).await.unwrap().text;
        for text in [found, told] {
            let items = text.lines().filter(|line| line.starts_with(['#', 'p', 's']));
            let items: Vec<&str> = items.filter(|line| !line.starts_with("##")).collect();
            assert!(items.len() >= 4, "{text}");
            for line in items {
                let named = ["project alpha", "project beta", "[alpha]", "[beta]"];
                assert!(named.iter().any(|name| line.contains(name)), "{line}\n{text}");
            }
        }
    }
    for error in [
        desk.memory.save(of("*", "t")).await,
        desk.memory.progress(Progress { project: "*".into(), ..Progress::default() }).await,
        desk.memory
            .start_session(StartSession { project: "*".into(), id: "x".into(), directory: None })
            .await,
    ] {
        assert_eq!(error.unwrap_err(), MemoryError::NoOneProject);
    }
}

#[tokio::test]
async fn mem_11_names_are_compared_without_case_and_a_near_miss_is_suggested() {
    let desk = desk().await;
    desk.memory.save(of("beta", "One")).await.unwrap();
    for name in ["Beta", "BETA", "beta"] {
        let found = desk.memory.search(find("keel", Some(name))).await.unwrap();
        assert_eq!(found.total, 1, "{name}: {}", found.text);
    }
    let keyed = |project: &str, text: &str| Save {
        topic_key: Some("k".into()),
        project: Some(project.into()),
        ..save("Depth", text)
    };
    let first = desk.memory.save(keyed("beta", "nine")).await.unwrap();
    let second = desk.memory.save(keyed("Beta", "ten")).await.unwrap();
    assert_eq!(first.ids, second.ids, "one project, however it is spelt");
    let moved = Update { id: 1, project: Some("BETA".into()), ..Update::default() };
    desk.memory.update(moved).await.unwrap();
    assert_eq!(desk.memory.observation(1).await.unwrap().project, "beta");
    let progress = |project: &str, content: Option<&str>| Progress {
        project: project.into(),
        content: content.map(Into::into),
        ..Progress::default()
    };
    desk.memory.progress(progress("Beta", Some("[1]"))).await.unwrap();
    assert!(desk.memory.progress(progress("beta", None)).await.unwrap().text.contains("[1]"));
    let missed = desk.memory.search(find("keel", Some("Btea"))).await.unwrap().text;
    assert!(missed.contains("No project is called Btea. Did you mean beta?"), "{missed}");
    let missed = desk.memory.context(Recall { project: Some("beat".into()), ..Recall::default() });
    let missed = missed.await.unwrap().text;
    assert!(missed.contains("Did you mean beta?"), "{missed}");
    let own = desk.memory.search(find("keel", None)).await.unwrap().text;
    assert!(own.contains("in project harbour. project=\"*\" reads all"), "{own}");
}

#[tokio::test]
async fn mem_11_personal_notes_and_those_without_a_project_are_read_everywhere_and_say_so() {
    let desk = desk().await;
    let personal = Save { scope: Scope::Personal, ..of("beta", "Mine") };
    desk.memory.save(personal).await.unwrap();
    desk.memory.save(of("beta", "Theirs")).await.unwrap();
    let nowhere = NewObservation {
        session: "manual-save".into(),
        kind: "manual".into(),
        title: "Nowhere".into(),
        content: "keel".into(),
        ..NewObservation::default()
    };
    let now = plimsoll_domain::Timestamp::from_millis(crate::support::NOON);
    let workspace = Workspace::default();
    desk.store.save_observations(&workspace, &[nowhere], now, now).await.unwrap();
    for reading in [summary(), Reading::default()] {
        let found = Find { reading, ..find("keel", None) };
        let found = desk.memory.search(found).await.unwrap().text;
        let line = |title: &str| found.lines().find(|line| line.contains(title)).unwrap_or("");
        assert!(line("Mine").contains("personal, project beta"), "{found}");
        assert!(line("Nowhere").contains("no project"), "{found}");
        assert!(!found.contains("Theirs"), "{found}");
    }
    let told = desk.memory.context(Recall { reading: summary(), ..Recall::default() }).await;
    let told = told.unwrap();
    assert_eq!((told.shown, told.total), (2, 2), "{}", told.text);
    // Once it has a project it is that project's.
    let update = Update { id: 3, project: Some("beta".into()), ..Update::default() };
    desk.memory.update(update).await.unwrap();
    assert_eq!(desk.memory.search(find("keel", None)).await.unwrap().total, 1);
    let mine = find("keel", None);
    let mine = Find { scope: Some(Scope::Project), ..mine };
    assert_eq!(desk.memory.search(mine).await.unwrap().total, 0);
}

#[tokio::test]
async fn mem_11_where_nobody_knows_the_project_the_first_line_says_so() {
    let desk = desk().await;
    let unknown = desk.seen_from(OwnProject::Unknown);
    desk.memory.save(save("Of harbour", "keel")).await.unwrap();
    let saved = unknown.save(save("Of nobody", "keel")).await.unwrap();
    assert_eq!(unknown.observation(saved.ids[0]).await.unwrap().project, "default");
    let found = unknown.search(find("keel", None)).await.unwrap();
    assert_eq!(found.total, 1, "{}", found.text);
    let context = unknown.context(Recall::default()).await.unwrap();
    let stats = unknown.stats(Stats::default()).await.unwrap();
    for text in [saved.text, found.text, context.text, stats.text] {
        let first = text.lines().next().unwrap();
        assert_eq!(first, "Project default: where this client works is not known.", "{text}");
    }
    // No budget takes the line away.
    for max in [64, 80, 120] {
        let reading = Reading { detail_level: DetailLevel::Full, max_tokens: Some(max) };
        let found = unknown.search(Find { reading, ..find("keel", None) }).await.unwrap();
        assert!(found.text.starts_with("Project default: "), "{max}: {}", found.text);
        assert!(found.estimated_tokens <= max, "{}", found.text);
    }
    // In a session that was started for a project, that is the project.
    let start = StartSession { id: "s".into(), project: "reef".into(), directory: None };
    unknown.start_session(start).await.unwrap();
    let in_it = Save { session_id: Some("s".into()), ..save("In it", "keel") };
    let saved = unknown.save(in_it).await.unwrap();
    assert!(saved.text.starts_with("Saved #"), "{}", saved.text);
    assert_eq!(unknown.observation(saved.ids[0]).await.unwrap().project, "reef");
    let end = EndSession { id: "s".into(), summary: None };
    assert_eq!(unknown.end_session(end).await.unwrap().text, "Session s ended.");
    let named = unknown.search(find("keel", Some("harbour"))).await.unwrap().text;
    assert!(!named.contains("Project default"), "{named}");
}

#[tokio::test]
async fn mem_11_a_timeline_stays_in_its_project() {
    let desk = desk().await;
    for n in 0..3 {
        desk.in_project("alpha").save(save(&format!("A{n}"), "x")).await.unwrap();
        desk.in_project("beta").save(save(&format!("B{n}"), "x")).await.unwrap();
    }
    let ask = Timeline { observation_id: 3, ..Timeline::default() };
    let told = desk.in_project("alpha").timeline(ask.clone()).await.unwrap();
    assert_eq!((told.ids.as_slice(), told.total), ([3, 1, 5].as_slice(), 3), "{}", told.text);
    let all = desk.seen_from(OwnProject::ReadsAll("alpha".into())).timeline(ask).await.unwrap();
    assert!(all.total == 6 && all.text.contains("project beta"), "{}", all.text);
}

#[tokio::test]
async fn mem_12_a_summary_is_found_and_keeps_what_it_had() {
    let desk = desk().await;
    let memory = &desk.memory;
    let long = "Goal: dredge the basin.\nDiscoveries: the mud is deeper than charted.";
    let summary =
        SummariseSession { id: "s1".into(), content: long.into(), ..SummariseSession::default() };
    let said = memory.summarise_session(summary).await.unwrap();
    let id = said.ids[0];
    assert!(said.text.contains(&format!("#{id}")), "{}", said.text);
    let end = EndSession { id: "s1".into(), summary: Some("ok".into()) };
    let ended = memory.end_session(end).await.unwrap();
    assert!(ended.text.contains("The earlier text is revision 1."), "{}", ended.text);
    let found = memory.search(find("charted mud", None)).await.unwrap();
    assert_eq!(found.ids, [id]);
    assert!(found.text.contains("[session_summary] Summary of session s1"), "{}", found.text);
    let full = Reading { detail_level: DetailLevel::Full, max_tokens: None };
    let told = memory.context(Recall { reading: full, ..Recall::default() }).await.unwrap();
    assert!(told.text.contains(long) && told.text.contains("\nok\n"), "{}", told.text);
    assert!(told.text.contains(&format!("summary #{id}")), "{}", told.text);
    assert_eq!(told.text.matches("dredge").count(), 1, "told once: {}", told.text);
    let anew =
        SummariseSession { id: "s1".into(), content: "Anew".into(), ..SummariseSession::default() };
    memory.summarise_session(anew).await.unwrap();
    let earlier = GetObservation { id, revision: Some(2), ..GetObservation::default() };
    let earlier = memory.get_observation(earlier).await.unwrap().text;
    assert!(earlier.contains(&format!("{long}\n\nok")), "{earlier}");
    let restore = Update { id, restore_revision: Some(2), ..Update::default() };
    memory.update(restore).await.unwrap();
    let told = memory.session("s1").await.unwrap().unwrap();
    assert_eq!(told.summary, Some(format!("{long}\n\nok")));
    let huge = EndSession { id: "s1".into(), summary: Some("x".repeat(65_530)) };
    assert!(matches!(memory.end_session(huge).await, Err(MemoryError::TooLong { .. })));
}

#[tokio::test]
async fn mem_12_a_session_of_another_project_is_refused_with_its_name() {
    let desk = desk().await;
    let start = |project: &str| StartSession {
        id: "session-1".into(),
        project: project.into(),
        directory: None,
    };
    let alpha = desk.in_project("alpha");
    alpha.start_session(start("alpha")).await.unwrap();
    let summary = |text: &str| SummariseSession {
        id: "session-1".into(),
        content: text.into(),
        ..SummariseSession::default()
    };
    alpha.summarise_session(summary("alpha's")).await.unwrap();
    let beta = desk.in_project("beta");
    let in_it = Save { session_id: Some("session-1".into()), ..save("t", "c") };
    let end = EndSession { id: "session-1".into(), summary: None };
    for refused in [
        beta.start_session(start("beta")).await,
        beta.summarise_session(summary("beta's")).await,
        beta.end_session(end.clone()).await,
        beta.save(in_it.clone()).await,
    ] {
        let said = refused.unwrap_err().to_string();
        assert!(
            said.starts_with("session session-1 belongs to project alpha, not to beta"),
            "{said}"
        );
    }
    let told = alpha.session("session-1").await.unwrap().unwrap();
    assert_eq!((&*told.project, told.summary.as_deref()), ("alpha", Some("alpha's")));
    // Who starts it for its own project goes on with it from anywhere, without naming it again.
    beta.start_session(start("Alpha")).await.unwrap();
    let id = beta.save(in_it).await.unwrap().ids[0];
    assert_eq!(beta.observation(id).await.unwrap().project, "alpha");
    beta.end_session(end).await.unwrap();
}
