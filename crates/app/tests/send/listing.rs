//! Which files models are told of and may read (FIL-6).

use plimsoll_app::{Cancel, Draft, Label, Progress, SendChoices, Sent, View};
use plimsoll_domain::{FileKind, FileSource, FilesScope, PairUse, TopicId};
use plimsoll_store::Workspace;
use plimsoll_testkit::real::skipped;

use crate::{
    attached::{
        add, answer, bring, calls, draft, last_request, plan_of, png, push, send_draft, token,
        tooled, with,
    },
    rig::{Rig, Written, ask},
};

/// All that a request says, tools and their results included.
fn said(rig: &Rig) -> String {
    format!("{:?}", last_request(rig))
}

/// FIL-6: what was taken out of the message is not told, and no tool reads it.
#[tokio::test]
async fn fil_6_a_file_that_no_message_holds_is_neither_told_nor_read() {
    let rig = tooled(vec![], 60_000).await;
    let salary = bring(&rig.app, "salary.csv", b"name,salary\nAnn,secret 1\n").await;
    let face = bring(&rig.app, "face.png", &png(8, 8)).await;
    let id = format!("file-{}", salary.id);
    // Nothing may be read although something else is there to be told.
    let notes = add(&rig.app, "notes.txt", b"the hull is sound").await;
    for (name, arguments) in [
        ("read_file", format!(r#"{{"file_id":"{id}"}}"#)),
        ("list_files", "{}".to_owned()),
        ("analyze_image", format!(r#"{{"file_id":"file-{}"}}"#, face.id)),
        ("analyze_pdf", format!(r#"{{"file_id":"{id}"}}"#)),
        ("transcribe_audio", format!(r#"{{"file_id":"{id}"}}"#)),
        (
            "execute_python",
            format!(r#"{{"code":"print(open('salary.csv').read())","file_inputs":["{id}"]}}"#),
        ),
        ("read_file", format!(r#"{{"file_id":"file-{}"}}"#, notes.id)),
    ] {
        push(&rig, calls(name, &arguments));
    }
    push(&rig, answer("I cannot see it."));
    let sent = send_draft(&rig, draft("hello", vec![])).await.unwrap();
    let kept = rig.app.store().tool_calls(sent.pair).await.unwrap();
    let results: Vec<&str> = kept.iter().map(|call| call.result.as_str()).collect();
    for (call, refused) in kept.iter().zip([true, false, true, true, true, true, false]) {
        assert_eq!(call.failed, refused, "{}: {}", call.name, call.result);
    }
    assert!(results[1].contains("notes.txt") && results[6].contains("the hull is sound"));
    let all = said(&rig);
    assert!(!all.contains("salary,") && !all.contains("secret 1"), "{all}");
    assert!(!results.concat().contains("face.png"), "{results:?}");
    let section = rig.sent(0).concat();
    assert!(section.contains("notes.txt") && !section.contains("salary"), "{section}");
}

/// FIL-6: with nothing to tell of, nothing is told, and no tool is offered.
#[tokio::test]
async fn fil_6_a_draft_lists_its_own_files_and_no_others() {
    let rig = tooled(vec![], 60_000).await;
    let log = b"a line of a long log\n".repeat(600);
    let (kept, removed) =
        (bring(&rig.app, "kept.log", &log).await, bring(&rig.app, "removed.log", &log).await);
    let mut workspace_view =
        rig.app.workspace_view(&Workspace::default(), crate::rig::view("")).await.unwrap();
    let text = format!("{} {}", token(&rig.app, &kept), token(&rig.app, &removed));
    let both = draft(&text, vec![with(&kept, None), with(&removed, None)]);
    let files = workspace_view.plan(&rig.app, &both).await.unwrap().target().files.clone().unwrap();
    assert_eq!(files.total, 2);
    let one = draft(&token(&rig.app, &kept), vec![with(&kept, None)]);
    let plan = workspace_view.plan(&rig.app, &one).await.unwrap();
    let files = plan.target().files.clone().unwrap();
    assert!(files.text.contains("kept.log") && !files.text.contains("removed.log"));
    assert_eq!(plan.weights.prelude, plan.files_tokens().0 + plan.files_tokens().1, "weighed");
    let fresh = plan_of(&rig, &one).await;
    assert_eq!((&fresh.target().files, fresh.weights), (&plan.target().files, plan.weights));
    let none = workspace_view.plan(&rig.app, &Draft::default()).await.unwrap();
    assert_eq!((&none.target().files, none.weights.prelude), (&None, 0));
    // In the send that brings it, the file can be read; afterwards it is listed.
    push(&rig, calls("read_file", &format!(r#"{{"file_id":"file-{}"}}"#, kept.id)));
    push(&rig, answer("read"));
    let sent = send_draft(&rig, one).await.unwrap();
    let read = rig.app.store().tool_calls(sent.pair).await.unwrap();
    assert!(read[0].result.contains("a line of a long log"), "{}", read[0].result);
    assert!(
        workspace_view.plan(&rig.app, &Draft::default()).await.unwrap().target().files.is_some()
    );
    rig.app.delete(&Workspace::default(), &[sent.pair]).await.unwrap();
    assert!(
        workspace_view.plan(&rig.app, &Draft::default()).await.unwrap().target().files.is_none()
    );
}

/// FIL-6: each once, however often it came.
#[tokio::test]
async fn fil_6_the_same_file_several_times_is_one_entry() {
    let rig = tooled(vec![answer("1")], 60_000).await;
    for _ in 0..3 {
        add(&rig.app, "a.txt", b"the same").await;
    }
    add(&rig.app, "b.txt", b"the same").await;
    add(&rig.app, "a.txt", b"another").await;
    send_draft(&rig, draft("hello", vec![])).await.unwrap();
    let section = rig.sent(0).concat();
    assert_eq!(section.matches("file_id").count(), 3, "{section}");
    let toolbox = rig.app.toolbox(&Workspace::default()).await;
    let listed = toolbox.call_text("list_files", "", None).await;
    assert_eq!(listed.text.matches("file_id").count(), 3);
}

/// What a program draws, and what it says about it.
const PLOT: &str = r#"{"code":"open('plot.txt', 'w').write('x')\nprint('Sales by month')"}"#;

/// FIL-6: pending while the answer is on its way, then the assistant's, or gone.
#[tokio::test]
async fn fil_6_what_a_tool_made_is_pending_until_the_answer_is_there() {
    for cancelled in [false, true] {
        let rig = tooled(vec![], 60_000).await;
        let toolbox = rig.app.toolbox(&Workspace::default()).await;
        if let Some(none) = toolbox.no_sandbox() {
            return skipped(&format!("no sandbox here: {}", none.why));
        }
        add(&rig.app, "a.txt", b"a").await;
        push(&rig, calls("execute_python", PLOT));
        push(&rig, calls("list_files", "{}"));
        push(&rig, answer("Here it is."));
        let prepared = rig.prepare(&ask("Plot it")).await.unwrap();
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let mut listing = None;
        let mut watch = |step: &Progress| {
            if let Progress::Tool(_, step) = step
                && let Some(said) = step.said.as_ref().filter(|_| step.name == "list_files")
            {
                listing = Some(said.result.clone());
                if cancelled {
                    stop.cancel();
                }
            }
        };
        let choices = SendChoices::default();
        let sent = rig.app.send(prepared, choices, &cancel, &mut watch).await.unwrap();
        let listing = listing.unwrap();
        assert!(listing.contains("plot.txt") && listing.contains("[pending]"), "{listing}");
        assert!(listing.contains("context: \"Sales by month\""), "{listing}");
        let kept = rig.app.store().tool_calls(sent.pair).await.unwrap();
        let file = rig.app.store().file(&Workspace::default(), kept[0].made[0]).await;
        match cancelled {
            true => assert!(file.is_err(), "it goes with the send that was stopped"),
            false => {
                let file = file.unwrap();
                assert_eq!((file.source, file.kind), (FileSource::Assistant, FileKind::Generated));
                assert_eq!(file.made_for, Some(sent.pair));
            }
        }
    }
}

/// A conversation, with the files of a scope.
fn looking(conversation: TopicId, files: Option<FilesScope>) -> View {
    View { model: Some("m".to_owned()), files, ..View::of_conversation(conversation) }
}

async fn send_in(rig: &Rig, view: View, draft: Draft) -> Sent {
    let prepared = rig.prepare(&Written { view, draft }).await.unwrap();
    let cancel = Cancel::default();
    rig.app.send(prepared, SendChoices::default(), &cancel, &mut |_| {}).await.unwrap()
}

/// FIL-6: section and tools obey the same scope, and what the message itself brings is always
/// there to be read.
#[tokio::test]
async fn fil_6_the_scope_says_whose_files_are_told_and_read() {
    let rig = tooled(vec![], 60_000).await;
    let at = Workspace::default();
    let (here, there) = (rig.app.new_conversation(), rig.app.new_conversation());
    let log = b"a line of a long log\n".repeat(600);
    let mut names = Vec::new();
    for (name, conversation) in [("here.log", here), ("pinned.log", here), ("there.log", there)] {
        let file = bring(&rig.app, name, &log).await;
        push(&rig, answer("ok"));
        let with_file = draft(&token(&rig.app, &file), vec![with(&file, None)]);
        let sent = send_in(&rig, looking(conversation, None), with_file).await;
        if name == "pinned.log" {
            let pinned = Label::Use(PairUse::Pinned);
            rig.app.label(&at, &[sent.pair], pinned).await.unwrap();
        }
        names.push((name, file));
    }
    names.push(("added.log", add(&rig.app, "added.log", &log).await));
    for (scope, expected) in [
        (None, vec!["here.log", "pinned.log", "added.log"]),
        (Some(FilesScope::Conversation), vec!["here.log", "pinned.log", "added.log"]),
        (Some(FilesScope::Pinned), vec!["pinned.log", "added.log"]),
        (Some(FilesScope::All), vec!["here.log", "pinned.log", "there.log", "added.log"]),
        (Some(FilesScope::None), vec![]),
    ] {
        let mine =
            bring(&rig.app, "mine.log", scope.map_or("-", FilesScope::name).as_bytes()).await;
        for (_, file) in names.iter().chain([&("mine.log", mine.clone())]) {
            push(&rig, calls("read_file", &format!(r#"{{"file_id":"file-{}"}}"#, file.id)));
        }
        push(&rig, answer("read"));
        let sends = rig.calls();
        let written = draft(&token(&rig.app, &mine), vec![with(&mine, None)]);
        let sent = send_in(&rig, looking(here, scope), written).await;
        let first = rig.sent(sends).concat();
        let read = rig.app.store().tool_calls(sent.pair).await.unwrap();
        for ((name, _), call) in names.iter().zip(&read) {
            let listed = expected.contains(name);
            let told = first.contains(&format!("- {name} ("));
            assert_eq!((told, !call.failed), (listed, listed), "{scope:?} {name}: {}", call.result);
        }
        let none = scope == Some(FilesScope::None);
        assert_eq!(read.last().unwrap().failed, none, "{scope:?}: its own file");
        rig.app.delete(&at, &[sent.pair]).await.unwrap();
    }
}

/// BND-4, PAY-6: another scope draws the line anew and is another thing to have seen.
#[tokio::test]
async fn fil_6_another_scope_weighs_and_is_seen() {
    let rig = tooled(vec![], 60_000).await;
    add(&rig.app, "added.log", &b"a line of a long log\n".repeat(600)).await;
    let here = rig.app.new_conversation();
    let mut view =
        rig.app.workspace_view(&Workspace::default(), looking(here, None)).await.unwrap();
    let (plan, seen) = view.planned_and_seen(&rig.app, &Draft::default()).await.unwrap();
    let drawn = view.recomputations();
    for (scope, told) in [(FilesScope::All, true), (FilesScope::None, false)] {
        view.choose(&rig.app, looking(here, Some(scope))).await.unwrap();
        let (now, seen_now) = view.planned_and_seen(&rig.app, &Draft::default()).await.unwrap();
        assert_ne!(seen.digest(), seen_now.digest(), "{scope:?}");
        assert_eq!(now.target().files.is_some(), told);
        assert_eq!(now.weights.prelude == plan.weights.prelude, told);
    }
    view.boundary(&rig.app).await.unwrap();
    assert!(view.recomputations() > drawn, "the line follows");
}
