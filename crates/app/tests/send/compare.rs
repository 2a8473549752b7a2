//! One message to several models (HIS-12), and a message that is sent again (HIS-13).

use plimsoll_app::{AppError, Cancel, Draft, Purpose, SeenDigest, SendChoices};
use plimsoll_budget::OverBudget;
use plimsoll_domain::{PairId, PairUse};
use plimsoll_send::Comparison;
use plimsoll_store::{StoreError, Workspace};

use crate::{
    attached::{add, answer as file_answer, push, tooled},
    rig::{Rig, Written, answer, ask, choices, failure, rig, view},
};

fn models(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn written(text: &str) -> Draft {
    Draft { text: text.to_owned(), ..Draft::default() }
}

async fn history(rig: &Rig, count: usize) -> Vec<PairId> {
    let mut ids = Vec::new();
    for n in 0..count {
        ids.push(rig.send(&format!("question {n}")).await.pair);
    }
    ids
}

#[tokio::test]
async fn his_12_each_model_gets_what_fits_the_smallest() {
    // Four pairs of 18 characters; `m` holds two of them, `larger` all.
    let answers = (0..4).map(|n| answer(&format!("answer {n}"), 5));
    let more = [answer("from one", 5), answer("from two", 5), answer("fine", 5)];
    let rig = rig(60, answers.chain(more).collect()).await;
    let ids = history(&rig, 4).await;
    let (at, both) = (Workspace::default(), models(&["larger", "m"]));
    let plan = rig.app.plan_compared(&at, &view(""), &both, &written("hi")).await.unwrap();
    assert_eq!(plan.smallest.model().id, "m");
    assert_eq!(plan.seen.model, "larger\nm");
    let fitting: Vec<PairId> = plan.seen.pairs.iter().map(|pair| pair.id).collect();
    assert_eq!(fitting, ids[2..], "the line is that of the smallest");
    assert_eq!(plan.sides.len(), 2);
    let sides = rig.app.prepare_compared(&at, &view(""), &both, &written("hi")).await.unwrap();
    let seen = SeenDigest(plan.seen.digest().to_string());
    let choices = SendChoices { seen: Some(seen), ..choices(OverBudget::Ask) };
    let begun = rig.app.begin_all(sides, choices).await.unwrap();
    // SND-2: the comparison is one send, and nothing else begins beside it.
    let other = rig.prepare(&ask("beside")).await.unwrap();
    let refused = rig.app.begin(other, SendChoices::default()).await;
    assert!(matches!(refused, Err(AppError::Store(StoreError::Busy { .. }))));
    let mut pairs = Vec::new();
    for side in begun {
        assert!(!side.follows_the_view());
        let sent = rig.app.carry_out(side, &Cancel::default(), &mut |_| {}).await.unwrap();
        pairs.push(sent.pair);
    }
    let same = ["question 2", "answer 2", "question 3", "answer 3", "hi"];
    assert_eq!(rig.sent(4), same);
    assert_eq!(rig.sent(5), same, "the second side does not see the answer of the first");
    let kept = rig.app.store().get_many(&pairs).await.unwrap();
    let group: Vec<_> = kept.iter().map(|kept| kept.pair.group).collect();
    assert_eq!(group, [Some(pairs[0]), Some(pairs[0])]);
    let told: Vec<_> =
        kept.iter().map(|kept| (kept.pair.model.as_str(), kept.pair.pair_use)).collect();
    assert_eq!(told, [("larger", PairUse::Auto), ("m", PairUse::Out)]);
    assert!(kept.iter().all(|kept| kept.pair.receipt_id.is_some()), "a receipt each");
    rig.send("on").await;
    assert_eq!(rig.sent(6).last().unwrap(), "on");
    assert!(!rig.sent(6).contains(&"from two".to_owned()));
}

/// PAY-6: the page shows the instructions of the smallest model. A side that is told something else
/// goes, and its receipt does not claim that it was seen.
#[tokio::test]
async fn his_12_a_receipt_claims_only_what_was_shown() {
    let rig = tooled(vec![], 60_000).await;
    add(&rig.app, "notes.txt", b"the hull is sound").await;
    push(&rig, file_answer("one"));
    push(&rig, file_answer("two"));
    let (at, both) = (Workspace::default(), models(&["m", "larger"]));
    let sides = rig.app.prepare_compared(&at, &view(""), &both, &written("hi")).await.unwrap();
    let seen = Some(SeenDigest(sides[0].seen.digest().to_string()));
    let choices = SendChoices { seen, ..SendChoices::default() };
    let begun = rig.app.begin_all(sides, choices).await.unwrap();
    let mut claimed = Vec::new();
    for side in begun {
        let sent = rig.app.carry_out(side, &Cancel::default(), &mut |_| {}).await.unwrap();
        claimed.push(sent.receipt.seen);
    }
    assert_eq!(claimed, [Comparison::Same, Comparison::NotCompared], "only the first has tools");
}

/// An error on one side is told on that side, and the other goes on.
#[tokio::test]
async fn his_12_one_side_may_fail() {
    let rig = rig(4_000, vec![failure(401, "no"), answer("fine", 5)]).await;
    let (at, both) = (Workspace::default(), models(&["m", "larger"]));
    let sides = rig.app.prepare_compared(&at, &view(""), &both, &written("hi")).await.unwrap();
    let begun = rig.app.begin_all(sides, SendChoices::default()).await.unwrap();
    let mut errors = Vec::new();
    for side in begun {
        let sent = rig.app.carry_out(side, &Cancel::default(), &mut |_| {}).await.unwrap();
        errors.push(sent.error.is_some());
    }
    assert_eq!(errors, [true, false]);
    assert_eq!(rig.app.store().count(&at).await.unwrap(), 2);
}

#[tokio::test]
async fn his_12_two_or_three_different_models() {
    let rig = rig(4_000, Vec::new()).await;
    for wrong in [&["m"][..], &["m", "m"], &["m", "larger", "other", "fourth"]] {
        let at = Workspace::default();
        let refused = rig.app.plan_compared(&at, &view(""), &models(wrong), &written("hi")).await;
        assert!(matches!(refused, Err(AppError::NotToCompare)), "{wrong:?}");
    }
}

#[tokio::test]
async fn his_13_a_message_that_is_sent_again_leaves_the_old_one_out() {
    let answers = (0..3).map(|n| answer(&format!("answer {n}"), 5));
    let rig = rig(4_000, answers.chain([answer("better", 5)]).collect()).await;
    let ids = history(&rig, 3).await;
    let draft = Draft { purpose: Purpose::SendAgain(ids[1]), ..written("question 1, reworded") };
    let planned = rig.prepare(&Written { view: view(""), draft }).await.unwrap();
    assert_eq!(planned.included_ids(), [ids[0], ids[2]], "as it is drawn before it goes");
    let sent = rig
        .app
        .send(planned, choices(OverBudget::Trim), &Cancel::default(), &mut |_| {})
        .await
        .unwrap();
    let went = ["question 0", "answer 0", "question 2", "answer 2", "question 1, reworded"];
    assert_eq!(rig.sent(3), went);
    let rows = rig.app.store().rows(&Workspace::default()).await.unwrap();
    let kept: Vec<_> = rows.iter().map(|row| (row.id, row.pair_use)).collect();
    let expected = [
        (ids[0], PairUse::Auto),
        (ids[1], PairUse::Out),
        (ids[2], PairUse::Auto),
        (sent.pair, PairUse::Auto),
    ];
    assert_eq!(kept, expected, "a new pair at the end; nothing is replaced");
}
