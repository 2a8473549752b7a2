//! What is taken away while a send is under way goes along with no further call (PAY-1).

use plimsoll_app::{AppEvent, Ask, Cancel, Draft, Events, Heard, Origin, Progress, SendChoices};
use plimsoll_budget::Model;
use plimsoll_domain::{Attachment, print_token};
use plimsoll_store::{Edit, Workspace};

use crate::rig::{answer, ask, failure, plain_settings, rig, rig_of, view};

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
    let prepared = rig.app.prepare(&ask("third question")).await.unwrap();
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
    let receipt = sent.receipt.to_json();
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
    let with_file = Ask { workspace: workspace.clone(), view: view(""), draft };
    let prepared = app.prepare(&with_file).await.unwrap();
    let (cancel, mut watch) = (Cancel::default(), |_: &Progress| {});
    app.send(prepared, SendChoices::default(), &cancel, &mut watch).await.unwrap();
    // The file is part of the history now, and is taken away while the next message waits.
    let prepared = app.prepare(&ask("and now?")).await.unwrap();
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
    assert_eq!(sent.receipt.detached, [file.id]);
    let json = sent.receipt.to_json();
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
    let mut events = app.events();
    let prepared = app.prepare(&ask("third question")).await.unwrap();
    let (cancel, mut watch) = (Cancel::default(), |_: &Progress| {});
    let send = app.send(prepared, SendChoices::default(), &cancel, &mut watch);
    let change = async {
        loop {
            let heard = events.next().await;
            if matches!(heard, Heard::Event(AppEvent { progress: Progress::QuotaWait(..), .. })) {
                break;
            }
        }
        app.delete(&workspace, &[first]).await.unwrap();
        let edit = Edit { user_text: Some("another question".to_owned()), assistant_text: None };
        app.edit(&workspace, second, &edit).await.unwrap();
    };
    let (sent, ()) = tokio::join!(send, change);
    let sent = sent.unwrap();
    assert_eq!(rig.sent(2), ["another question", "two", "third question"]);
    assert_eq!((sent.deleted, sent.receipt.counter.to_string().as_str()), (0, "1 / 1"));
    assert_eq!(sent.receipt.attempts[0].selection.len(), 1, "predicted is what was captured");
}
