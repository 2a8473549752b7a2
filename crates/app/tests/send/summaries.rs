//! Summaries (HIS-11): which pairs go, what the summary becomes, and that failing changes nothing.

use plimsoll_app::{AppError, Cancel, Label, SendChoices, Sent};
use plimsoll_domain::{PairId, PairKind, PairUse};
use plimsoll_send::Outcome;
use plimsoll_store::{Edit, Workspace};

use crate::rig::{Rig, Script, answer, failure, overflow, rig, view};

/// Four pairs of 200 characters each; two of them fit a request for a summary.
async fn four_pairs(more: Vec<Script>) -> (Rig, Vec<PairId>) {
    let long = |n: usize| answer(&format!("answer {n} {}", "x".repeat(91)), 5);
    let rig = rig(900, (0..4).map(long).chain(more).collect()).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(rig.send(&format!("question {n} {}", "y".repeat(89))).await.pair);
    }
    (rig, ids)
}

async fn uses(rig: &Rig) -> Vec<(PairId, PairUse)> {
    let rows = rig.app.store().rows(&Workspace::default()).await.unwrap();
    rows.iter().map(|row| (row.id, row.pair_use)).collect()
}

async fn summarise(rig: &Rig, pairs: &[PairId]) -> Result<Sent, AppError> {
    let prepared = rig.app.prepare_summary(&Workspace::default(), &view(""), pairs).await.unwrap();
    rig.app.send(prepared, SendChoices::default(), &Cancel::default(), &mut |_| {}).await
}

#[tokio::test]
async fn his_11_a_summary_stands_for_its_pairs_and_is_sent_in_their_place() {
    let (rig, ids) = four_pairs(vec![answer("it was short", 5), answer("fine", 5)]).await;
    let at = Workspace::default();
    let summary = summarise(&rig, &ids[..2]).await.unwrap();
    let asked = rig.sent(4);
    assert_eq!(asked.len(), 5, "the two pairs and what is asked of them");
    assert!(asked[0].starts_with("question 0") && asked[3].starts_with("answer 1"));
    assert!(asked[4].starts_with("Summarise the conversation above"), "{}", asked[4]);
    // It stands right after the newest pair that it stands for, though it was made later.
    let expected = [
        (ids[0], PairUse::Out),
        (ids[1], PairUse::Out),
        (summary.pair, PairUse::Pinned),
        (ids[2], PairUse::Auto),
        (ids[3], PairUse::Auto),
    ];
    assert_eq!(uses(&rig).await, expected);
    let kept = rig.app.store().get(summary.pair).await.unwrap();
    assert_eq!(kept.pair.kind, PairKind::Summary);
    assert_eq!(kept.pair.created_at, rig.app.store().get(ids[1]).await.unwrap().pair.created_at);
    assert!(kept.pair.id.made_at() > kept.pair.created_at, "when it was made is told apart");
    assert_eq!(kept.pair.receipt_id, Some(summary.receipt.id));
    rig.send("next").await;
    let sent = rig.sent(5);
    assert_eq!(sent[..2], ["Summary of 4 earlier messages", "it was short"]);
    assert!(sent[2].starts_with("question 2"), "{sent:?}");
    let mut found = rig.app.workspace_view(&at, view("y")).await.unwrap();
    found.boundary(&rig.app).await.unwrap();
    assert_eq!(found.visible_ids(), [summary.pair]);
    // An edit of what it stands for makes it old; the page says so.
    let edit = Edit { user_text: Some("other".to_owned()), assistant_text: None };
    rig.app.edit(&at, ids[0], &edit).await.unwrap();
    assert!(rig.app.store().get(summary.pair).await.unwrap().outdated);
    // Without it each pair is used as it was.
    rig.app.delete(&at, &[summary.pair]).await.unwrap();
    assert!(uses(&rig).await.iter().all(|(_, pair_use)| *pair_use == PairUse::Auto));
}

/// Whatever ends it: an error, an overflow (which would make a false summary of less), a cancel.
#[tokio::test]
async fn his_11_a_summary_that_fails_changes_nothing() {
    let scripts = vec![failure(401, "no"), overflow(500), answer("late", 5)];
    let (rig, ids) = four_pairs(scripts).await;
    rig.app.label(&Workspace::default(), &[ids[0]], Label::Use(PairUse::Pinned)).await.unwrap();
    let before = uses(&rig).await;
    for _ in 0..2 {
        let sent = summarise(&rig, &ids[..2]).await.unwrap();
        assert!(matches!(sent.outcome, Outcome::Error(_)), "{:?}", sent.outcome);
        assert_eq!(uses(&rig).await, before);
        assert!(rig.app.store().receipt(sent.receipt.id).await.is_ok(), "its receipt stays");
    }
    rig.app.forget_learned("m").await.unwrap();
    assert_eq!(rig.calls(), 6, "an overflow is not trimmed: it would lack what it stands for");
    let prepared =
        rig.app.prepare_summary(&Workspace::default(), &view(""), &ids[..2]).await.unwrap();
    let stop = Cancel::default();
    stop.cancel();
    let sent = rig.app.send(prepared, SendChoices::default(), &stop, &mut |_| {}).await.unwrap();
    assert!(matches!(sent.outcome, Outcome::Cancelled));
    assert_eq!(uses(&rig).await, before);
}

/// SND-6 for a summary: the program died while it was made.
#[tokio::test]
async fn his_11_a_summary_that_was_interrupted_leaves_nothing() {
    let (rig, ids) = four_pairs(Vec::new()).await;
    let before = uses(&rig).await;
    let prepared =
        rig.app.prepare_summary(&Workspace::default(), &view(""), &ids[..2]).await.unwrap();
    drop(rig.app.begin(prepared, SendChoices::default()).await.unwrap());
    assert_eq!(uses(&rig).await.len(), 5);
    rig.app.recover().await.unwrap();
    assert_eq!(uses(&rig).await, before);
}

#[tokio::test]
async fn his_11_what_does_not_fit_one_request_is_summarised_in_parts() {
    let (rig, ids) = four_pairs(Vec::new()).await;
    let at = Workspace::default();
    let parts = rig.app.plan_summary(&at, &view(""), &ids).await.unwrap();
    let pairs: Vec<&[PairId]> = parts.iter().map(|part| part.pairs.as_slice()).collect();
    assert_eq!(pairs, [&ids[..2], &ids[2..]], "two fit the window with what is asked of them");
    for part in &parts {
        assert!(part.plan.weights.total() <= 900, "{:?}", part.plan.weights);
        assert_eq!(part.seen.pairs.len(), 2);
    }
    // Pairs that were left out, pinned or set before the line go all the same: they were chosen.
    rig.app.label(&at, &[ids[0]], Label::Use(PairUse::Out)).await.unwrap();
    rig.app.label(&at, &[ids[1]], Label::Use(PairUse::Pinned)).await.unwrap();
    let again = rig.app.plan_summary(&at, &view(""), &ids).await.unwrap();
    assert_eq!(again[0].pairs, ids[..2]);
    let nothing = rig.app.plan_summary(&at, &view(""), &[]).await;
    assert!(matches!(nothing, Err(AppError::NothingToSummarise)));
}

#[tokio::test]
async fn his_11_a_pair_that_no_request_can_hold_is_named() {
    let long = answer(&"x".repeat(2_000), 5);
    let rig = rig(1_000, vec![long]).await;
    let pair = rig.send("how long can an answer be?").await.pair;
    let refused = rig.app.plan_summary(&Workspace::default(), &view(""), &[pair]).await;
    let words = refused.err().unwrap().to_string();
    assert!(
        words.contains("how long can an answer be?") && words.contains("larger window"),
        "{words}"
    );
}

/// What stays ashore: no room, or before the line; not what was left out by hand, and no error.
#[tokio::test]
async fn his_11_what_stays_ashore_is_offered() {
    let (rig, ids) = four_pairs(Vec::new()).await;
    let at = Workspace::default();
    let mut open = rig.app.workspace_view(&at, view("")).await.unwrap();
    assert_eq!(open.without_room(&rig.app).await.unwrap(), []);
    let mark = plimsoll_app::ContextFrom::With(ids[3]);
    rig.app.set_context_from(&at, None, mark).await.unwrap();
    rig.app.label(&at, &[ids[1]], Label::Use(PairUse::Out)).await.unwrap();
    assert_eq!(open.without_room(&rig.app).await.unwrap(), [ids[0], ids[2]]);
}
