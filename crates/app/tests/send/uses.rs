//! Pairs that are pinned or left out by hand (HIS-10, BND-8), from the store to the request.

use plimsoll_app::{Cancel, ContextFrom, Draft, Inclusion, Label};
use plimsoll_budget::{ExcludedBecause, OverBudget};
use plimsoll_domain::{MessagePair, PairId, PairUse};
use plimsoll_send::{Outcome, SendError, Suggestion};
use plimsoll_store::Workspace;

use crate::rig::{Rig, answer, ask, choices, overflow, rig, view};

/// So many pairs, and the rest of the answers.
async fn sent(count: usize, limit: u64, more: Vec<crate::rig::Script>) -> (Rig, Vec<PairId>) {
    let answers = (0..count).map(|n| answer(&format!("answer {n}"), 5));
    let rig = rig(limit, answers.chain(more).collect()).await;
    let mut ids = Vec::new();
    for n in 0..count {
        ids.push(rig.send(&format!("question {n}")).await.pair);
    }
    (rig, ids)
}

async fn set(rig: &Rig, pair: PairId, pair_use: PairUse) {
    rig.app.label(&Workspace::default(), &[pair], Label::Use(pair_use)).await.unwrap();
}

#[tokio::test]
async fn his_10_what_is_left_out_is_not_sent_and_says_why() {
    let (rig, ids) = sent(3, 4000, vec![answer("fine", 5)]).await;
    let mut open = rig.app.workspace_view(&Workspace::default(), view("")).await.unwrap();
    assert_eq!(open.boundary(&rig.app).await.unwrap().included, 3);
    set(&rig, ids[1], PairUse::Out).await;
    assert_eq!(open.boundary(&rig.app).await.unwrap().included, 2);
    let shown = open.shown(&rig.app, 0..3).await.unwrap();
    assert_eq!(shown[1].place, Inclusion::Excluded(ExcludedBecause::LeftOut));
    assert!(shown[1].tokens.is_some_and(|tokens| tokens > 0), "what it weighs is still told");
    rig.send("next").await;
    assert_eq!(rig.sent(3), ["question 0", "answer 0", "question 2", "answer 2", "next"]);
    // The view and a filter that asks for it agree.
    let mut left_out = rig.app.workspace_view(&Workspace::default(), view("x")).await.unwrap();
    left_out.boundary(&rig.app).await.unwrap();
    assert_eq!(left_out.visible_ids(), [ids[1]]);
}

/// A pin goes wherever the line is; one that the filter hides does not.
#[tokio::test]
async fn bnd_8_a_pin_is_sent_from_above_the_line_and_never_from_outside_the_filter() {
    let fine = || vec![answer("fine", 5), answer("fine", 5), answer("fine", 5)];
    let (rig, ids) = sent(6, 4000, fine()).await;
    let workspace = Workspace::default();
    let mut open = rig.app.workspace_view(&workspace, view("")).await.unwrap();
    open.boundary(&rig.app).await.unwrap();
    set(&rig, ids[0], PairUse::Pinned).await;
    rig.app.set_context_from(&workspace, None, ContextFrom::With(ids[4])).await.unwrap();
    let boundary = open.boundary(&rig.app).await.unwrap();
    assert_eq!((boundary.included, boundary.start, boundary.pinned_above), (3, 4, 1));
    rig.send("next").await;
    let went =
        ["question 0", "answer 0", "question 4", "answer 4", "question 5", "answer 5", "next"];
    assert_eq!(rig.sent(6), went);
    let filtered = crate::rig::Written { view: view("r2"), ..ask("filtered") };
    let prepared = rig.prepare(&filtered).await.unwrap();
    rig.app
        .send(prepared, choices(OverBudget::Trim), &Cancel::default(), &mut |_| {})
        .await
        .unwrap();
    assert_eq!(rig.sent(7).first().unwrap(), "question 5");
}

/// A pin far above everything that was ever weighed.
#[tokio::test]
async fn bnd_8_a_pin_that_was_never_weighed_counts_at_once() {
    let rig = rig(60, Vec::new()).await;
    // The first one makes the topic.
    rig.prepare(&ask("x")).await.unwrap();
    let topic = rig.app.store().topics(&Workspace::default()).await.unwrap()[0].id;
    // More than are weighed at once, so that the oldest never are.
    let pairs: Vec<MessagePair> = (0..400u32)
        .map(|n| {
            let created_at = plimsoll_testkit::pairs::at(i64::from(n));
            let mut random = [0; 10];
            random[6..].copy_from_slice(&n.to_be_bytes());
            let id = PairId::new(created_at, random);
            MessagePair { id, created_at, topic_id: topic, ..plimsoll_testkit::pairs::answered(1) }
        })
        .collect();
    rig.app.store().insert_many(&Workspace::default(), &pairs).await.unwrap();
    let ids: Vec<PairId> = pairs.iter().map(|pair| pair.id).collect();
    let mut open = rig.app.workspace_view(&Workspace::default(), view("")).await.unwrap();
    let before = open.boundary(&rig.app).await.unwrap();
    assert!(before.start > 300, "{before:?}");
    set(&rig, ids[0], PairUse::Pinned).await;
    let after = open.boundary(&rig.app).await.unwrap();
    let mut fresh = rig.app.workspace_view(&Workspace::default(), view("")).await.unwrap();
    assert_eq!(after, fresh.boundary(&rig.app).await.unwrap(), "an old view equals a fresh one");
    assert_eq!(after.pinned_above, 1);
    assert!(after.included <= before.included);
    // Many labels at once are read in one go, and mean the same.
    rig.app.label(&Workspace::default(), &ids, Label::Use(PairUse::Out)).await.unwrap();
    assert_eq!(open.boundary(&rig.app).await.unwrap().included, 0);
    let plan = open.plan(&rig.app, &Draft::default()).await.unwrap();
    let reasons = &plan.snapshot.selection.excluded;
    assert!(reasons.iter().all(|(_, why)| *why == ExcludedBecause::LeftOut), "{reasons:?}");
}

#[tokio::test]
async fn ovf_3_when_only_pins_are_left_the_error_names_them() {
    let (rig, ids) = sent(2, 4000, vec![overflow(3), overflow(3)]).await;
    set(&rig, ids[0], PairUse::Pinned).await;
    let sent = rig.send("too much").await;
    assert!(matches!(sent.outcome, Outcome::Error(SendError::OverflowAfterTrimming(_))));
    assert_eq!(rig.sent(3), ["question 0", "answer 0", "too much"], "the pin is not trimmed");
    let error = rig.app.store().get(sent.pair).await.unwrap().pair.error.unwrap();
    let named = "Only pinned messages were left to send: \u{201c}question 0\u{201d}. Unpin one.";
    assert!(error.message.ends_with(named), "{}", error.message);
    assert_eq!(
        sent.suggestions.first(),
        Some(&Suggestion::Unpin { pairs: vec![ids[0]], frees: 18 })
    );
    let last = sent.receipt.last().unwrap();
    assert_eq!(last.selection.iter().map(|pair| pair.pinned).collect::<Vec<_>>(), [true]);
}
