//! REL-6: whatever the store does, a send ends, and the next one goes.

use std::time::Duration;

use plimsoll_app::{AppError, Cancel, Progress};
use plimsoll_budget::OverBudget;
use plimsoll_domain::Lifecycle;
use plimsoll_provider::{Delta, Finish};
use plimsoll_store::{StoreError, Workspace};
use plimsoll_store_sql::Fault;

use crate::{
    attached::{bring, calls, tooled},
    rig::{Rig, Script, answer, ask, choices, failure, plain_settings, rig, rig_with},
};

/// An answer in three pieces.
pub(crate) fn pieces() -> Script {
    let mut script: Script =
        ["one ", "two ", "three"].map(|piece| Ok(Delta::Text(piece.to_owned()))).into();
    script.push(Ok(Delta::Finished(Finish::Stop)));
    script
}

/// A send as a server makes it; the store is well again as soon as it was told that an end
/// could not be written.
async fn send_healing(rig: &Rig, text: &str) -> Result<String, AppError> {
    let prepared = rig.prepare(&ask(text)).await?;
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await?;
    let faults = rig.faults.clone();
    let mut watch = |progress: &Progress| {
        if matches!(progress, Progress::Unsaved(..)) {
            faults.heal();
        }
    };
    let sent = rig.app.carry_out(started, &Cancel::default(), &mut watch).await?;
    Ok(sent.answer)
}

/// Nothing is in flight, every answer that came is kept, and the next send goes.
async fn works_again(rig: &Rig, case: &str, first: Result<String, AppError>) {
    let calls = rig.calls();
    // What the server does every now and then.
    rig.app.recover().await.unwrap();
    let rows = rig.app.store().rows(&Workspace::default()).await.unwrap();
    for row in &rows {
        let pair = rig.app.store().get(row.id).await.unwrap().pair;
        assert_ne!(pair.lifecycle, Lifecycle::Sending, "{case}");
        if pair.user_text == "faulty" && first.is_ok() {
            assert_eq!(pair.assistant_text.as_deref(), Some("one two three"), "{case}");
            let receipt = pair.receipt_id.unwrap();
            assert!(rig.app.store().receipt(receipt).await.is_ok(), "{case}: no receipt");
        }
    }
    assert!(rows.len() >= calls, "{case}: a pair that was sent is gone");
    rig.provider.scripts.lock().unwrap().clear();
    rig.provider.scripts.lock().unwrap().push_back(answer("well", 10));
    let sent = rig.send("after").await;
    assert_eq!(sent.answer, "well", "{case}");
}

async fn before_the_fault() -> Rig {
    let rig = rig(10_000, vec![answer("fine", 10), pieces()]).await;
    rig.send("before").await;
    rig
}

/// Fault injection at every job of the store during a send: one that fails, two, all from
/// then on until somebody has made room; refused, and done but not confirmed.
#[tokio::test]
async fn rel_6_a_send_ends_whatever_job_of_the_store_fails() {
    let counting = before_the_fault().await;
    let before = counting.faults.jobs();
    send_healing(&counting, "faulty").await.unwrap();
    let jobs = counting.faults.jobs() - before;
    assert!(jobs > 10, "only {jobs} jobs");
    for fault in [Fault::Refused, Fault::Unconfirmed] {
        for count in [1, 2, u64::MAX] {
            for job in 0..jobs {
                let case = format!("job {job} of {jobs}, {count} from there on, {fault:?}");
                let rig = before_the_fault().await;
                rig.faults.fail(job..job.saturating_add(count), fault);
                let sent = send_healing(&rig, "faulty").await;
                if rig.calls() > 1 {
                    assert!(sent.is_ok(), "{case}: {:?}", sent.err());
                }
                rig.faults.heal();
                works_again(&rig, &case, sent).await;
            }
        }
    }
}

/// H3, the way it was seen: the disk is full when the answer ends.
#[tokio::test]
async fn rel_6_the_answer_is_kept_when_the_disk_has_room_again() {
    let rig = before_the_fault().await;
    let prepared = rig.prepare(&ask("faulty")).await.unwrap();
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await.unwrap();
    rig.faults.fail(0..u64::MAX, Fault::Refused);
    let mut told = Vec::new();
    let faults = rig.faults.clone();
    let mut watch = |progress: &Progress| {
        if let Progress::Unsaved(_, why) = progress {
            told.push(why.clone());
            if told.len() == 3 {
                faults.heal();
            }
        }
    };
    let sent = rig.app.carry_out(started, &Cancel::default(), &mut watch).await;
    assert_eq!(sent.as_ref().map(|sent| sent.answer.as_str()).ok(), Some("one two three"));
    assert!(told[0].contains("the disk is full"), "{told:?}");
    works_again(&rig, "full at the end", sent.map(|sent| sent.answer)).await;
}

/// Somebody who stops a send on a full disk is not kept waiting; the workspace is free when
/// there is room again.
#[tokio::test]
async fn rel_6_a_cancelled_send_does_not_wait_for_a_full_disk() {
    let rig = before_the_fault().await;
    let prepared = rig.prepare(&ask("faulty")).await.unwrap();
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await.unwrap();
    rig.faults.fail(0..u64::MAX, Fault::Refused);
    let cancel = Cancel::default();
    let mut watch = |progress: &Progress| {
        if matches!(progress, Progress::Unsaved(..)) {
            cancel.cancel();
        }
    };
    let sent = rig.app.carry_out(started, &cancel, &mut watch).await;
    assert!(matches!(sent, Err(AppError::Store(StoreError::DiskFull))));
    rig.faults.heal();
    // Nobody has recovered it yet: the next send does.
    rig.provider.scripts.lock().unwrap().push_back(answer("well", 10));
    assert_eq!(rig.send("after").await.answer, "well");
}

/// A request that is dropped between its first write and its call holds nothing up.
#[tokio::test]
async fn rel_6_a_send_that_was_begun_and_dropped_is_ended_by_the_next() {
    let rig = rig(10_000, vec![answer("fine", 10)]).await;
    let prepared = rig.prepare(&ask("dropped")).await.unwrap();
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await.unwrap();
    let pair = started.pair;
    drop(started);
    assert_eq!(rig.send("next").await.answer, "fine");
    let dropped = rig.app.store().get(pair).await.unwrap().pair;
    assert_eq!(dropped.error.map(|error| error.code).as_deref(), Some("interrupted"));
    assert_eq!(dropped.user_text, "dropped");
}

/// M2: a burst, and then nothing more. What came is on the disk all the same.
#[tokio::test]
async fn rel_6_what_arrived_is_saved_although_nothing_more_arrives() {
    let burst = (0..100).map(|n| Ok(Delta::Text(format!("word {n} ")))).collect();
    let rig = rig_with(10_000, vec![burst], plain_settings(&[]), true).await;
    let other = rig.another_handle().await;
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let look = async {
        loop {
            let rows = other.rows(&Workspace::default()).await.unwrap();
            let Some(row) = rows.first() else {
                tokio::task::yield_now().await;
                continue;
            };
            let kept = other.get(row.id).await.unwrap().pair.assistant_text.unwrap_or_default();
            if kept.ends_with("word 99 ") {
                stop.cancel();
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut watch = |_: &Progress| {};
    let send = rig.send_as("long", OverBudget::Trim, &cancel, &mut watch);
    // Without an end the test would wait for ever; how long it takes is not what it is about.
    let both = async { tokio::join!(send, look) };
    let ended = tokio::time::timeout(Duration::from_secs(60), both).await;
    let (sent, ()) = ended.expect("what arrived is not on the disk");
    assert!(sent.answer.ends_with("word 99 "));
}

/// REL-6: delete works on a pair that is being sent; it stops it first.
#[tokio::test]
async fn rel_6_a_pair_that_is_being_sent_can_be_deleted() {
    let burst = vec![Ok(Delta::Text("some words".to_owned()))];
    let rig = rig_with(10_000, vec![burst], plain_settings(&[]), true).await;
    let workspace = Workspace::default();
    let cancel = Cancel::default();
    let delete = async {
        loop {
            let rows = rig.app.store().rows(&workspace).await.unwrap();
            if let Some(row) = rows.first() {
                return rig.app.delete(&workspace, &[row.id]).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut watch = |_: &Progress| {};
    let send = rig.send_as("to be deleted", OverBudget::Trim, &cancel, &mut watch);
    let (_, deleted) = tokio::join!(send, delete);
    assert_eq!(deleted.count, 1);
    assert!(rig.app.store().rows(&workspace).await.unwrap().is_empty());
}

/// An error at the end is kept like an answer.
#[tokio::test]
async fn rel_6_an_error_is_kept_when_the_disk_has_room_again() {
    let rig = rig(10_000, vec![failure(400, "no")]).await;
    let prepared = rig.prepare(&ask("refused")).await.unwrap();
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await.unwrap();
    let pair = started.pair;
    rig.faults.fail(0..u64::MAX, Fault::Refused);
    let faults = rig.faults.clone();
    let mut watch = |progress: &Progress| {
        if matches!(progress, Progress::Unsaved(..)) {
            faults.heal();
        }
    };
    rig.app.carry_out(started, &Cancel::default(), &mut watch).await.unwrap();
    let kept = rig.app.store().get(pair).await.unwrap().pair;
    assert_eq!(kept.lifecycle, Lifecycle::Error);
    assert!(kept.error.is_some_and(|error| error.message.contains("no")));
}

/// Stopping a send amid 10,000 calls of tools took seconds: nothing is started after it.
#[tokio::test]
async fn rel_6_a_send_is_stopped_amid_ten_thousand_calls_of_tools() {
    let call = calls("list_files", "{}").remove(0);
    let mut script: Script = vec![call; 10_000];
    script.push(Ok(Delta::Finished(Finish::ToolCalls)));
    let rig = tooled(vec![script, answer("fine", 10)], 10_000).await;
    bring(&rig.app, "notes.txt", b"Some words of a file.").await;
    let cancel = Cancel::default();
    let (mut started, mut begun_after) = (0, 0);
    let mut watch = |progress: &Progress| match progress {
        Progress::Tool(_, step) if step.said.is_none() => {
            started += 1;
            begun_after += u32::from(cancel.is_cancelled());
            if started == 3 {
                cancel.cancel();
            }
        }
        _ => {}
    };
    let sent = rig.send_as("go", OverBudget::Trim, &cancel, &mut watch).await;
    assert_eq!((started, begun_after), (3, 0));
    let pair = rig.app.store().get(sent.pair).await.unwrap().pair;
    assert_eq!(pair.lifecycle, Lifecycle::Cancelled);
    assert_eq!(rig.calls(), 1, "nothing more was asked");
    assert_eq!(rig.send("after").await.answer, "fine");
}
