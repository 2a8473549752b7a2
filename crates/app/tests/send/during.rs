//! What is taken away while a send is under way goes along with no further call (PAY-1).

use plimsoll_app::{
    AppEvent, Cancel, Draft, Events, Heard, Origin, Prepared, Progress, Purpose, SeenDigest,
    SendChoices, Sent,
};
use plimsoll_budget::Model;
use plimsoll_domain::{Attachment, print_token};
use plimsoll_send::Comparison;
use plimsoll_store::{Edit, Workspace};

use crate::rig::{Rig, Written, answer, ask, failure, plain_settings, rig, rig_of, view};

/// Waits until a call failed and is to be made again.
async fn retries(events: &mut Events) {
    loop {
        let heard = events.next().await;
        if matches!(heard, Heard::Event(AppEvent { progress: Progress::RetryIn(..), .. })) {
            return;
        }
    }
}

#[tokio::test]
async fn pay_1_a_pair_that_is_deleted_between_attempts_is_left_out_and_the_receipt_says_so() {
    let scripts =
        vec![answer("one", 5), answer("two", 9), failure(500, "boom"), answer("three", 9)];
    let rig = rig(1000, scripts).await;
    let first = rig.send("first question").await.pair;
    rig.send("second question").await;
    let mut events = rig.app.events();
    let prepared = rig.prepare(&ask("third question")).await.unwrap();
    let (cancel, mut watch) = (Cancel::default(), |_: &Progress| {});
    let send = rig.app.send(prepared, SendChoices::default(), &cancel, &mut watch);
    let delete = async {
        retries(&mut events).await;
        rig.app.delete(&Workspace::default(), &[first]).await.unwrap();
    };
    let (sent, ()) = tokio::join!(send, delete);
    let sent = sent.unwrap();
    let all = ["first question", "one", "second question", "two", "third question"];
    assert_eq!(rig.sent(2), all, "what was visible at the first call");
    assert_eq!(rig.sent(3), all[2..], "what was deleted since goes no longer");
    assert_eq!((sent.deleted, sent.trim_notice()), (1, None), "nothing was too large");
    let receipt = serde_json::json!(sent.receipt);
    let last = receipt["attempts"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["deleted"], serde_json::json!([first.to_string()]));
    assert_eq!((&last["sentCount"], &last["trimmedCount"]), (&1.into(), &1.into()));
    assert_eq!(last["messages"].as_array().unwrap().len(), 3);
    assert_eq!(receipt["attempts"][0]["selection"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn pay_1_a_file_that_is_taken_away_between_attempts_is_left_out_and_the_receipt_says_so() {
    let scripts = vec![answer("one", 9), failure(500, "boom"), answer("two", 9)];
    let rig = rig(4000, scripts).await;
    let (app, workspace) = (&rig.app, Workspace::default());
    let mut intake = app.blobs(&workspace).unwrap().begin("notes.md", None).unwrap();
    intake.write(b"the secret of the hull").unwrap();
    let blob = intake.finish().unwrap();
    let file = app.keep_file(&workspace, &blob, Origin::user("notes.md")).await.unwrap();
    let path = app.file_path(&workspace, &file).unwrap();
    let text = format!("sum up {}", print_token(file.context_kind(), &path.to_string_lossy()));
    let attachments = vec![Attachment { file: Some(file.id), delivery: None }];
    let draft = Draft { text, attachments, ..Draft::default() };
    let with_file = Written { view: view(""), draft };
    let prepared = rig.prepare(&with_file).await.unwrap();
    let (cancel, mut watch) = (Cancel::default(), |_: &Progress| {});
    app.send(prepared, SendChoices::default(), &cancel, &mut watch).await.unwrap();
    // The file is part of the history now, and is taken away while the next message waits.
    let prepared = rig.prepare(&ask("and now?")).await.unwrap();
    let mut events = app.events();
    let send = app.send(prepared, SendChoices::default(), &cancel, &mut watch);
    let remove = async {
        retries(&mut events).await;
        app.forget_file(&workspace, file.id).await.unwrap();
    };
    let (sent, ()) = tokio::join!(send, remove);
    let sent = sent.unwrap();
    assert!(rig.sent(1)[0].contains("the secret of the hull"), "{:?}", rig.sent(1));
    assert!(rig.sent(2)[0].starts_with("sum up "), "{:?}", rig.sent(2));
    assert!(!rig.sent(2)[0].contains("the secret of the hull"), "{:?}", rig.sent(2));
    assert_eq!(sent.receipt.detached_files, [file.id]);
    let json = serde_json::json!(sent.receipt);
    assert_eq!(json["detachedFiles"], serde_json::json!([file.id.to_string()]));
}

/// A wait for the quota is not yet sending: what is visible when the first call leaves goes.
#[tokio::test]
async fn pay_1_a_message_that_waited_for_its_quota_goes_with_what_is_there_then() {
    let scripts = vec![answer("one", 5), answer("two", 5), answer("three", 5)];
    let limits = |model: &mut Model| {
        model.context_window = Some(1000);
        model.rpm = Some(2);
    };
    let rig = rig_of(scripts, plain_settings(&[]), limits).await;
    let (app, workspace) = (&rig.app, Workspace::default());
    let first = rig.send("first question").await.pair;
    let second = rig.send("second question").await.pair;
    // The minute of the first two is nearly over.
    rig.clock.set(1_800_000_059_500);
    let prepared = rig.prepare(&ask("third question")).await.unwrap();
    let change = async {
        app.delete(&workspace, &[first]).await.unwrap();
        let edit = Edit { user_text: Some("another question".to_owned()), assistant_text: None };
        app.edit(&workspace, second, &edit).await.unwrap();
    };
    let sent = wait_and_go(&rig, prepared, change).await;
    assert_eq!(rig.sent(2), ["another question", "two", "third question"]);
    assert_eq!((sent.deleted, sent.receipt.counter.to_string().as_str()), (0, "1 / 1"));
    assert_eq!(sent.receipt.attempts[0].selection.len(), 1, "predicted is what was captured");
    // It was seen otherwise, and nobody is told that it was not compared at all (PAY-6).
    assert_eq!(sent.receipt.seen, Comparison::ChangedWhileWaiting);
    assert_eq!(serde_json::json!(sent.receipt)["seen"], "changed while it waited");
}

/// Sends what somebody saw, which has to wait for its quota, and does something meanwhile.
async fn wait_and_go(rig: &Rig, prepared: Prepared, meanwhile: impl Future<Output = ()>) -> Sent {
    let mut events = rig.app.events();
    let seen = Some(SeenDigest(prepared.seen.digest().to_string()));
    let choices = SendChoices { seen, ..SendChoices::default() };
    let (cancel, mut watch) = (Cancel::default(), |_: &Progress| {});
    let send = rig.app.send(prepared, choices, &cancel, &mut watch);
    let change = async {
        loop {
            let heard = events.next().await;
            if matches!(heard, Heard::Event(AppEvent { progress: Progress::QuotaWait(..), .. })) {
                break;
            }
        }
        meanwhile.await;
    };
    let (sent, ()) = tokio::join!(send, change);
    sent.unwrap()
}

/// A rig whose model takes so many requests a minute, and the minute of which is nearly over
/// once they were made.
async fn nearly_over(scripts: Vec<crate::rig::Script>, rpm: u64, more: &[(&str, &str)]) -> Rig {
    let limits = |model: &mut Model| {
        model.context_window = Some(100);
        model.rpm = Some(rpm);
    };
    rig_of(scripts, plain_settings(more), limits).await
}

fn asking(filter: &str, text: &str, purpose: Purpose) -> Written {
    let draft = Draft { text: text.to_owned(), purpose, ..Draft::default() };
    Written { view: view(filter), draft }
}

/// PAY-6: under `rN` the message that waits is one of the newest pairs, and pushes none out of
/// its own history.
#[tokio::test]
async fn pay_6_what_was_marked_goes_after_a_wait_also_where_the_filter_counts_pairs() {
    for filter in ["r2", "t2", "r2 & o", "!r2"] {
        let scripts = ["one", "two", "three", "four"].map(|text| answer(text, 5)).into();
        let rig = nearly_over(scripts, 3, &[]).await;
        for text in ["q1", "q2", "q3"] {
            rig.send(text).await;
        }
        rig.clock.set(1_800_000_059_500);
        let prepared = rig.prepare(&asking(filter, "q4", Purpose::New)).await.unwrap();
        let marked = prepared.included_ids();
        assert!(!marked.is_empty(), "{filter}");
        let sent = wait_and_go(&rig, prepared, async {}).await;
        let went: Vec<_> = sent.receipt.attempts[0].selection.iter().map(|pair| pair.id).collect();
        assert_eq!(went, marked, "{filter}");
        assert_eq!(sent.receipt.seen, Comparison::Same, "{filter}");
        assert_eq!(serde_json::json!(sent.receipt)["seen"], "compared");
    }
}

/// The same for a pair that is asked again: the new one stands in its place.
#[tokio::test]
async fn pay_6_what_was_marked_goes_after_a_wait_where_a_pair_is_asked_again() {
    for (filter, marked) in [("r2", 1), ("r1", 0), ("", 2)] {
        let scripts =
            vec![answer("one", 5), answer("two", 5), failure(401, "no"), answer("three", 5)];
        let rig = nearly_over(scripts, 2, &[]).await;
        rig.send("q1").await;
        rig.send("q2").await;
        rig.clock.set(1_800_000_059_000);
        let go = SendChoices { quota: plimsoll_app::QuotaChoice::Go, ..SendChoices::default() };
        let prepared = rig.prepare(&ask("q3")).await.unwrap();
        let failed = rig.app.send(prepared, go, &Cancel::default(), &mut |_| {}).await.unwrap();
        rig.clock.set(1_800_000_059_500);
        let again = asking(filter, "q3", Purpose::ReAsk(failed.pair));
        let prepared = rig.prepare(&again).await.unwrap();
        assert_eq!(prepared.included_ids().len(), marked, "{filter}");
        let sent = wait_and_go(&rig, prepared, async {}).await;
        assert_eq!(sent.receipt.attempts[0].selection.len(), marked, "{filter}");
        assert_eq!(sent.receipt.seen, Comparison::Same, "{filter}");
    }
}

/// BND-6: the line moves in steps also for a pair that is asked again, and after a wait.
#[tokio::test]
async fn bnd_6_the_line_that_moves_in_steps_stands_where_it_was_shown_after_a_wait() {
    // What is reported is what was estimated, so that nothing is learned.
    let answers = (0..8).map(|n| answer("answer", n * 16 + 10)).collect();
    let rig = nearly_over(answers, 6, &[("PLIMSOLL_BOUNDARY_STEP", "on")]).await;
    for n in 0..6 {
        rig.send(&format!("question {n}")).await;
    }
    rig.clock.set(1_800_000_059_500);
    let prepared = rig.prepare(&ask("and now?")).await.unwrap();
    let marked = prepared.included_ids();
    assert_eq!(marked.len(), 4, "five would fit; the line has made a step");
    let sent = wait_and_go(&rig, prepared, async {}).await;
    let went: Vec<_> = sent.receipt.attempts[0].selection.iter().map(|pair| pair.id).collect();
    assert_eq!(went, marked);
    assert_eq!(sent.receipt.seen, Comparison::Same);
}
