//! Asking again (SND-7), answering anew (SND-8), and the account's windows (VAL-4).

use std::time::Duration;

use plimsoll_app::{AppError, Cancel, Draft, Progress, Purpose, QuotaChoice, SendChoices, Sent};
use plimsoll_budget::{Model, QuotaKind};
use plimsoll_domain::Lifecycle;
use plimsoll_provider::{Delta, Finish};
use plimsoll_send::Outcome;
use plimsoll_store::Workspace;

use crate::rig::{Rig, Written, answer, ask, failure, plain_settings, rig, rig_of, rig_with};

async fn send_for(rig: &Rig, text: &str, purpose: Purpose) -> Result<Sent, AppError> {
    let draft = Draft { purpose, ..ask(text).draft };
    let prepared = rig.prepare(&Written { draft, ..ask(text) }).await?;
    rig.app.send(prepared, SendChoices::default(), &Cancel::default(), &mut |_| {}).await
}

#[tokio::test]
async fn snd_7_a_re_asked_pair_goes_and_a_new_one_comes_at_the_end() {
    let scripts = vec![answer("one", 5), failure(401, "bad key"), answer("two", 9), answer("x", 9)];
    let rig = rig(1000, scripts).await;
    rig.send("first").await;
    let failed = rig.send("second").await;
    rig.send("third").await;
    let again = send_for(&rig, "second, better", Purpose::ReAsk(failed.pair)).await.unwrap();
    assert_eq!(rig.sent(3), ["first", "one", "third", "two", "second, better"]);
    let store = rig.app.store();
    assert!(store.get(failed.pair).await.is_err(), "the old pair is gone");
    let rows = store.rows(&Workspace::default()).await.unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2].id, again.pair, "the new one is the newest");
    assert_ne!(again.pair, failed.pair);
}

#[tokio::test]
async fn rec_5_a_replaced_pair_comes_back_until_the_time_is_over() {
    let scripts = vec![answer("one", 5), failure(401, "bad key"), answer("yes", 9)];
    let rig = rig(1000, scripts).await;
    let (app, here) = (&rig.app, Workspace::default());
    let first = rig.send("first").await;
    let failed = rig.send("second").await;
    let again = send_for(&rig, "second, better", Purpose::ReAsk(failed.pair)).await.unwrap();
    let restored = app.undo(&here, None).await.unwrap();
    assert_eq!(restored.pairs, [failed.pair], "SND-7's replaced pair, too");
    let ids = async || -> Vec<_> {
        app.store().rows(&here).await.unwrap().into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids().await, [first.pair, failed.pair, again.pair], "where it stood");

    let hour = 60 * 60 * 1000;
    app.delete(&here, &[first.pair, failed.pair]).await.unwrap();
    rig.clock.set(1_800_000_000_000 + 25 * hour);
    app.delete(&here, &[again.pair]).await.unwrap();
    let told = app.deletions(&here).await.unwrap();
    assert_eq!(told.len(), 1, "older than keepDeleted is gone, purged or not");
    assert_eq!(app.purge_expired().await.unwrap(), 1);
    assert_eq!(app.purge_expired().await.unwrap(), 0);
    assert_eq!(app.undo(&here, None).await.unwrap().pairs, [again.pair]);
    assert!(app.undo(&here, None).await.is_err(), "nothing is left");
    assert_eq!(ids().await, [again.pair]);
}

#[tokio::test]
async fn snd_7_a_re_asked_pair_is_not_its_own_history() {
    let settings = plain_settings(&[("PLIMSOLL_SEND_ERROR_PAIRS", "on")]);
    let scripts = vec![failure(401, "bad key"), answer("yes", 9)];
    let rig = rig_with(1000, scripts, settings, false).await;
    let failed = rig.send("first").await;
    send_for(&rig, "first", Purpose::ReAsk(failed.pair)).await.unwrap();
    assert_eq!(rig.sent(1), ["first"]);
}

#[tokio::test]
async fn snd_7_only_what_failed_or_was_stopped_is_asked_again() {
    let rig = rig(1000, vec![answer("one", 5)]).await;
    let sent = rig.send("first").await;
    let refused = send_for(&rig, "first", Purpose::ReAsk(sent.pair)).await;
    assert!(matches!(refused, Err(AppError::NotToReAsk)));
}

#[tokio::test]
async fn snd_8_regenerating_keeps_the_earlier_answer_beside_and_swaps_back() {
    let scripts = vec![answer("one", 5), answer("two", 9), answer("two, better", 9)];
    let rig = rig(1000, scripts).await;
    let first = rig.send("first").await;
    let second = rig.send("second").await;
    let older = send_for(&rig, "first", Purpose::Regenerate(first.pair)).await;
    assert!(matches!(older, Err(AppError::NotToRegenerate)), "only the newest");
    let again = send_for(&rig, "second", Purpose::Regenerate(second.pair)).await.unwrap();
    assert_eq!(again.pair, second.pair);
    assert_eq!(rig.sent(2), ["first", "one", "second"], "its own answer is not sent");
    let store = rig.app.store();
    let kept = store.get(second.pair).await.unwrap().pair;
    assert_eq!(kept.assistant_text.as_deref(), Some("two, better"));
    assert_eq!(kept.previous_answer.as_deref(), Some("two"));
    rig.app.swap_answer(&Workspace::default(), second.pair).await.unwrap();
    let swapped = store.get(second.pair).await.unwrap().pair;
    assert_eq!(swapped.assistant_text.as_deref(), Some("two"));
    assert_eq!(swapped.previous_answer.as_deref(), Some("two, better"));
    assert_eq!(swapped.lifecycle, Lifecycle::Complete);
}

/// A rig whose account takes so many tokens a minute.
async fn limited(scripts: Vec<crate::rig::Script>, tpm: u64) -> Rig {
    rig_of(scripts, plain_settings(&[]), |model| {
        model.context_window = Some(1000);
        model.tpm = Some(tpm);
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn val_4_a_send_waits_for_the_next_minutes_tokens_and_says_so() {
    let rig = limited(vec![answer("one", 120), answer("two", 183)], 200).await;
    rig.send(&"x".repeat(120)).await;
    let mut waits = Vec::new();
    let mut watch = |progress: &Progress| {
        if let Progress::QuotaWait(_, wait, kind) = progress {
            waits.push((*wait, *kind));
        }
    };
    let text = "x".repeat(60);
    let policy = plimsoll_budget::OverBudget::Trim;
    let sent = rig.send_as(&text, policy, &Cancel::default(), &mut watch).await;
    assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: false });
    let [(wait, kind)] = waits[..] else { panic!("one wait, not {waits:?}") };
    assert_eq!(kind, QuotaKind::TokensPerMinute);
    assert!(wait > Duration::from_secs(55) && wait <= Duration::from_secs(60), "{wait:?}");
}

/// VAL-4: a provider that reports nothing is asked no more often for that.
#[tokio::test]
async fn val_4_requests_are_counted_where_no_usage_is_reported() {
    let silent = || vec![Ok(Delta::Text("fine".to_owned())), Ok(Delta::Finished(Finish::Stop))];
    let limits = |model: &mut Model| {
        model.context_window = Some(1000);
        model.rpm = Some(2);
    };
    let rig = rig_of(vec![silent(), silent(), silent()], plain_settings(&[]), limits).await;
    rig.send("one").await;
    rig.send("two").await;
    let prepared = rig.prepare(&ask("three")).await.unwrap();
    let at_once = QuotaChoice::WaitUpTo(Duration::ZERO);
    let choices = SendChoices { quota: at_once, ..SendChoices::default() };
    let refused = rig.app.send(prepared, choices, &Cancel::default(), &mut |_| {}).await;
    let Err(AppError::OverQuota(full)) = refused else { panic!("it was sent") };
    assert!(full.to_string().contains("requests per minute"), "{full}");
    assert_eq!(rig.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn val_4_a_wait_can_be_stopped_and_no_call_is_made() {
    let rig = limited(vec![answer("one", 120), answer("two", 183)], 200).await;
    rig.send(&"x".repeat(120)).await;
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let mut watch = move |progress: &Progress| {
        if matches!(progress, Progress::QuotaWait(..)) {
            stop.cancel();
        }
    };
    let policy = plimsoll_budget::OverBudget::Trim;
    let sent = rig.send_as(&"x".repeat(60), policy, &cancel, &mut watch).await;
    assert_eq!(sent.outcome, Outcome::Cancelled);
    assert_eq!(rig.calls(), 1);
    let kept = rig.app.store().get(sent.pair).await.unwrap().pair;
    assert_eq!((kept.lifecycle, kept.user_text.len()), (Lifecycle::Cancelled, 60));
}

#[tokio::test]
async fn val_4_who_does_not_wait_is_told_the_time_or_goes() {
    let rig = limited(vec![answer("one", 120), answer("two", 183)], 200).await;
    rig.send(&"x".repeat(120)).await;
    let choices = |quota| SendChoices { quota, ..SendChoices::default() };
    let text = "x".repeat(60);
    let prepared = rig.prepare(&ask(&text)).await.unwrap();
    let short = choices(QuotaChoice::WaitUpTo(Duration::from_secs(5)));
    let refused = rig.app.send(prepared, short, &Cancel::default(), &mut |_| {}).await;
    let Err(AppError::OverQuota(full)) = refused else { panic!("it was sent") };
    assert!(full.to_string().contains("tokens per minute is used up: "), "{full}");
    assert_eq!(rig.calls(), 1);
    assert_eq!(rig.app.store().count(&Workspace::default()).await.unwrap(), 1, "nothing written");
    let prepared = rig.prepare(&ask(&text)).await.unwrap();
    let go = choices(QuotaChoice::Go);
    rig.app.send(prepared, go, &Cancel::default(), &mut |_| {}).await.unwrap();
    assert_eq!(rig.calls(), 2);
}
