//! REL-6 for every kind of send: faults at the jobs of the store during an answer anew, a
//! message that is asked again, one with tools, and one with a file.

use plimsoll_app::{AppError, Cancel, Draft, Progress, Purpose};
use plimsoll_budget::OverBudget;
use plimsoll_domain::{Lifecycle, MessagePair};
use plimsoll_store::Workspace;
use plimsoll_store_sql::Fault;

use crate::{
    attached::{bring, calls, token, tooled, with},
    ending::pieces,
    rig::{Rig, Written, answer, ask, choices, failure},
};

const KINDS: [Kind; 4] = [Kind::ReAsk, Kind::Regenerate, Kind::Tools, Kind::File];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    ReAsk,
    Regenerate,
    Tools,
    File,
}

/// A rig with what such a send needs before it, and the draft of the send.
async fn before(kind: Kind) -> (Rig, Draft) {
    let first = match kind {
        Kind::ReAsk => failure(401, "bad key"),
        _ => answer("fine", 10),
    };
    let mut scripts = vec![first];
    if kind == Kind::Tools {
        scripts.push(calls("list_files", "{}"));
    }
    scripts.push(pieces());
    let rig = tooled(scripts, 10_000).await;
    let file = bring(&rig.app, "notes.txt", b"Some words of a file.").await;
    let text = match kind {
        Kind::ReAsk | Kind::Regenerate => "faulty",
        Kind::Tools | Kind::File => "before",
    };
    let pair = rig.send(text).await.pair;
    let draft = Draft { text: "faulty".to_owned(), ..Draft::default() };
    let draft = match kind {
        Kind::ReAsk => Draft { purpose: Purpose::ReAsk(pair), ..draft },
        Kind::Regenerate => Draft { purpose: Purpose::Regenerate(pair), ..draft },
        Kind::Tools => draft,
        Kind::File => Draft {
            text: format!("faulty {}", token(&rig.app, &file)),
            attachments: vec![with(&file, None)],
            ..draft
        },
    };
    (rig, draft)
}

/// A send as a server makes it; the store is well as soon as it was told that an end could not
/// be written.
async fn send(rig: &Rig, draft: &Draft) -> Result<String, AppError> {
    let prepared = rig.prepare(&Written { draft: draft.clone(), ..ask("") }).await?;
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

async fn pairs(rig: &Rig) -> Vec<MessagePair> {
    let rows = rig.app.store().rows(&Workspace::default()).await.unwrap();
    let mut pairs = Vec::new();
    for row in rows {
        pairs.push(rig.app.store().get(row.id).await.unwrap().pair);
    }
    pairs
}

async fn works_again(rig: &Rig, case: &str, kind: Kind, sent: &Result<String, AppError>) {
    rig.app.recover().await.unwrap();
    let kept = pairs(rig).await;
    assert!(kept.iter().all(|pair| pair.lifecycle != Lifecycle::Sending), "{case}");
    let faulty = kept.iter().filter(|pair| pair.user_text.starts_with("faulty"));
    let faulty: Vec<&MessagePair> = faulty.collect();
    // What was there before is there, or what took its place.
    if matches!(kind, Kind::ReAsk | Kind::Regenerate) {
        assert!(!faulty.is_empty(), "{case}: the words are gone");
    }
    if sent.is_ok() {
        let [pair] = faulty.as_slice() else { panic!("{case}: {} pairs", faulty.len()) };
        assert_eq!(pair.assistant_text.as_deref(), Some("one two three"), "{case}");
        let receipt = pair.receipt_id.unwrap();
        assert!(rig.app.store().receipt(receipt).await.is_ok(), "{case}: no receipt");
        assert_eq!(pair.attachments.len(), usize::from(kind == Kind::File), "{case}");
    }
    rig.provider.scripts.lock().unwrap().clear();
    rig.provider.scripts.lock().unwrap().push_back(answer("well", 10));
    assert_eq!(rig.send("after").await.answer, "well", "{case}");
}

/// Every job in the long run, and every few of them in each run.
#[tokio::test]
async fn rel_6_every_kind_of_send_ends_whatever_job_of_the_store_fails() {
    let long = plimsoll_testkit::real::long();
    for kind in KINDS {
        let (counting, draft) = before(kind).await;
        let before_it = counting.faults.jobs();
        send(&counting, &draft).await.unwrap();
        let jobs = counting.faults.jobs() - before_it;
        assert!(jobs > 10, "{kind:?}: only {jobs} jobs");
        let counts: &[u64] = if long { &[1, 2, u64::MAX] } else { &[1, u64::MAX] };
        for fault in [Fault::Refused, Fault::Unconfirmed] {
            for &count in counts {
                for job in (0..jobs).step_by(if long { 1 } else { 3 }) {
                    let case = format!("{kind:?}, job {job} of {jobs}, {count} on, {fault:?}");
                    let (rig, draft) = before(kind).await;
                    rig.faults.fail(job..job.saturating_add(count), fault);
                    let sent = send(&rig, &draft).await;
                    // A tool whose words cannot be kept ends the send with that error; once the
                    // answer is asked for it is kept.
                    if rig.calls() > if kind == Kind::Tools { 2 } else { 1 } {
                        assert!(sent.is_ok(), "{case}: {:?}", sent.err());
                    }
                    rig.faults.heal();
                    works_again(&rig, &case, kind, &sent).await;
                }
            }
        }
    }
}
