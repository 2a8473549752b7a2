use std::sync::atomic::Ordering;

use plimsoll_app::{AppError, Cancel, Progress, SendChoices};
use plimsoll_budget::{Binds, OverBudget, WindowSource};
use plimsoll_domain::{Lifecycle, Star};
use plimsoll_provider::Delta;
use plimsoll_send::{Outcome, SendError, Suggestion};
use plimsoll_store::Workspace;

use crate::rig::{
    Written, answer, ask, choices, failure, overflow, plain_settings, rig, rig_of, rig_with, view,
};

#[tokio::test]
async fn an_answer_is_kept_with_its_receipt() {
    let rig = rig(1000, vec![answer("hello", 7)]).await;
    let sent = rig.send("hi there").await;
    assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: false });
    let kept = rig.app.store().get(sent.pair).await.unwrap();
    assert_eq!(kept.pair.lifecycle, Lifecycle::Complete);
    assert_eq!(kept.pair.assistant_text.as_deref(), Some("hello"));
    assert_eq!(kept.pair.usage.map(|usage| usage.prompt), Some(7));
    let receipt = rig.app.store().receipt(sent.receipt.id).await.unwrap();
    assert_eq!((receipt.stage.as_str(), receipt.estimate), ("success", 8));
    let body = receipt.body.unwrap();
    for name in ["predictedHistoryTokens", "attemptTotalTokens", "AUT", "historyHash", "messages"] {
        assert!(body.contains(name), "REC-1 {name}: {body}");
    }
    assert!(sent.receipt.line().contains("estimate 8 ± 16 · used 7 + 1 · error +14.3 %"));
}

#[tokio::test]
async fn snd_1_the_text_is_on_disk_before_the_first_call() {
    let rig = rig(1000, vec![answer("hello", 7)]).await;
    let store = rig.app.store().clone();
    let mut seen = None;
    let calls = || rig.calls();
    let mut watch = |progress: &Progress| {
        if let Progress::Started(pair, _) = progress {
            seen = Some((*pair, calls()));
        }
    };
    rig.send_as("hi", OverBudget::Trim, &Cancel::default(), &mut watch).await;
    let (pair, calls) = seen.unwrap();
    assert_eq!(calls, 0);
    assert_eq!(store.get(pair).await.unwrap().pair.user_text, "hi");
}

#[tokio::test]
async fn history_goes_along_and_overflow_trims_it() {
    let scripts =
        vec![answer("one", 5), answer("two", 9), overflow(12), overflow(12), answer("three", 3)];
    let rig = rig(1000, scripts).await;
    rig.send("first").await;
    rig.send("second").await;
    assert_eq!(rig.sent(1), ["first", "one", "second"]);
    let sent = rig.send("third").await;
    assert_eq!(rig.sent(2), ["first", "one", "second", "two", "third"]);
    assert_eq!(rig.sent(3), ["second", "two", "third"]);
    assert_eq!(rig.sent(4), ["third"]);
    assert_eq!(rig.provider.encoded.load(Ordering::Relaxed), 5, "each is written once");
    assert_eq!(sent.receipt.counter.to_string(), "[2-2]/2");
    assert_eq!(sent.receipt.attempts.len(), 3);
    let learned = rig.app.store().learned_limit("http://scripted", "m").await.unwrap().unwrap();
    assert_eq!(learned.tokens, 12, "CAT-3");
    let next = rig.prepare(&ask("x")).await.unwrap();
    assert!(matches!(next.plan.limit().binds, Binds::Learned(_)));
    assert_eq!(next.plan.limit().tokens, 12);
}

/// OVF-5: the filter showed two pairs when the message was prepared. Then it would show none of
/// them and another one, and the loop trims what it was given all the same.
#[tokio::test]
async fn pay_1_what_changes_after_the_send_was_prepared_does_not_touch_it() {
    let answers = ["one", "two", "three"].map(|text| answer(text, 5));
    let scripts = answers.into_iter().chain([overflow(900), answer("four", 5)]).collect();
    let rig = rig(1000, scripts).await;
    let store = rig.app.store().clone();
    let mut pairs = Vec::new();
    for text in ["first", "second", "third"] {
        pairs.push(rig.send(text).await.pair);
    }
    let star = |stars| Star::new(stars).unwrap();
    store.set_star(&pairs[..2], star(1)).await.unwrap();
    let message = Written { view: view("s1"), ..ask("fourth") };
    let prepared = rig.prepare(&message).await.unwrap();
    assert_eq!(prepared.included_ids(), pairs[..2]);
    store.set_star(&pairs[..2], star(0)).await.unwrap();
    store.set_star(&pairs[2..], star(1)).await.unwrap();
    let choices = choices(OverBudget::Trim);
    rig.app.send(prepared, choices, &Cancel::default(), &mut |_| {}).await.unwrap();
    assert_eq!(rig.sent(3), ["first", "one", "second", "two", "fourth"]);
    assert_eq!(rig.sent(4), ["second", "two", "fourth"]);
}

#[tokio::test]
async fn ovf_3_nothing_left_to_trim_is_an_error_and_history_stays() {
    let rig = rig(1000, vec![answer("one", 5), overflow(3), overflow(3)]).await;
    rig.send("first").await;
    let sent = rig.send("second").await;
    assert!(matches!(sent.outcome, Outcome::Error(SendError::OverflowAfterTrimming(_))));
    let kept = rig.app.store().get(sent.pair).await.unwrap().pair;
    assert_eq!(kept.lifecycle, Lifecycle::Error);
    assert_eq!(kept.error.unwrap().code, "context_overflow_after_trimming");
    assert_eq!(kept.user_text, "second");
    assert_eq!(rig.app.store().count(&Workspace::default()).await.unwrap(), 2);
    let snapshot = rig.app.store().snapshot(sent.pair).await.unwrap().unwrap();
    assert_eq!(snapshot.outgoing_user_text, "second");
    assert!(snapshot.json_doc.unwrap().contains("second"), "REC-5");
}

#[tokio::test(start_paused = true)]
async fn fau_6_a_rate_limit_is_waited_out_with_the_same_history() {
    let scripts = vec![
        answer("one", 5),
        failure(429, "Rate limit connection: too many tokens per min. Try again in 2s."),
        failure(503, "overloaded"),
        answer("two", 9),
    ];
    let rig = rig(1000, scripts).await;
    rig.send("first").await;
    let mut waits = Vec::new();
    let mut watch = |progress: &Progress| {
        if let Progress::RetryIn(_, wait, _) = progress {
            waits.push(wait.as_secs());
        }
    };
    let sent = rig.send_as("second", OverBudget::Trim, &Cancel::default(), &mut watch).await;
    assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: false });
    assert_eq!(waits, [2, 2]);
    for call in 1..=3 {
        assert_eq!(rig.sent(call), ["first", "one", "second"], "promise 3");
    }
    assert_eq!(sent.receipt.counter.to_string(), "1 / 1");
}

#[tokio::test]
async fn other_faults_end_at_once_in_their_own_words() {
    for (status, body, code, said) in [
        (401, "Incorrect API key provided", "auth", "Incorrect API key provided"),
        (404, "The model `x` does not exist", "model", "The model `x` does not exist"),
        (402, "Insufficient Balance", "quota", "Insufficient Balance"),
        // FAU-7: a token limit is told in our words.
        (
            400,
            "max_tokens is too large: 9. This model supports at most 4 completion tokens",
            "overflow_output",
            "The answer you asked for is longer than this model can write",
        ),
    ] {
        let rig = rig(1000, vec![failure(status, body)]).await;
        let sent = rig.send("hi").await;
        let kept = rig.app.store().get(sent.pair).await.unwrap().pair;
        assert_eq!(kept.error.as_ref().map(|error| error.code.as_str()), Some(code), "{body}");
        let message = kept.error.unwrap().message;
        assert!(message.contains(said), "{message}");
        assert_eq!(rig.calls(), 1);
    }
}

#[tokio::test]
async fn snd_4_cancel_keeps_what_arrived() {
    let scripts = vec![vec![Ok(Delta::Text("half an ans".into()))]];
    let rig = rig_with(1000, scripts, plain_settings(&[]), true).await;
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let mut watch = move |progress: &Progress| {
        if let Progress::Text(..) = progress {
            stop.cancel();
        }
    };
    let sent = rig.send_as("hi", OverBudget::Trim, &cancel, &mut watch).await;
    assert_eq!(sent.outcome, Outcome::Cancelled);
    let kept = rig.app.store().get(sent.pair).await.unwrap().pair;
    assert_eq!(kept.lifecycle, Lifecycle::Cancelled);
    assert_eq!(kept.assistant_text.as_deref(), Some("half an ans"));
}

#[tokio::test]
async fn snd_4b_an_empty_answer_is_an_error() {
    let rig = rig(1000, vec![vec![]]).await;
    let sent = rig.send("hi").await;
    let kept = rig.app.store().get(sent.pair).await.unwrap().pair;
    assert_eq!(kept.error.unwrap().code, "empty_answer");
    assert_eq!(kept.assistant_text, None, "absent, not empty");
}

#[tokio::test]
async fn snd_2_a_second_send_is_told_that_one_is_in_flight() {
    let scripts = vec![vec![Ok(Delta::Text("…".into()))]];
    let rig = rig_with(1000, scripts, plain_settings(&[]), true).await;
    let first = rig.prepare(&ask("one")).await.unwrap();
    let second = rig.prepare(&ask("two")).await.unwrap();
    let cancel = Cancel::default();
    let mut ignore = |_: &Progress| {};
    let sending = rig.app.send(first, SendChoices::default(), &cancel, &mut ignore);
    let refused = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let refused =
            rig.app.send(second, SendChoices::default(), &Cancel::default(), &mut |_| {}).await;
        cancel.cancel();
        refused
    };
    let (sent, refused) = tokio::join!(sending, refused);
    assert_eq!(sent.unwrap().outcome, Outcome::Cancelled);
    assert!(matches!(refused, Err(AppError::Store(plimsoll_store::StoreError::Busy { .. }))));
}

#[tokio::test]
async fn val_3_over_budget_asks_fits_or_trims() {
    let rig = rig(40, vec![answer("12345678", 7), answer("12345678", 22), answer("ok", 35)]).await;
    rig.send("1234567").await;
    rig.send("1234567").await;
    let long = "x".repeat(20);
    let prepared = rig.prepare(&ask(&long)).await.unwrap();
    assert_eq!(prepared.plan.counter().to_string(), "2 / 2");
    let asked =
        rig.app.send(prepared, choices(OverBudget::Ask), &Cancel::default(), &mut |_| {}).await;
    assert!(matches!(asked, Err(AppError::OverBudget { excess: 10, .. })));
    assert_eq!(rig.calls(), 2, "nothing was sent");
    assert_eq!(rig.app.store().count(&Workspace::default()).await.unwrap(), 2);
    let sent = rig.send_as(&long, OverBudget::Fit, &Cancel::default(), &mut |_| {}).await;
    assert_eq!(rig.sent(2), ["1234567", "12345678", &long]);
    assert_eq!(sent.receipt.counter.to_string(), "[2-1]/2");
    let huge = rig.prepare(&ask(&"x".repeat(60))).await.unwrap();
    let refused =
        rig.app.send(huge, choices(OverBudget::Trim), &Cancel::default(), &mut |_| {}).await;
    assert!(matches!(refused, Err(AppError::PromptTooLarge { limit: 40, .. })), "VAL-1");
}

/// VAL-1: 41 tokens by an estimate that may be off by 16 are not refused; they are asked about.
#[tokio::test]
async fn val_1_only_what_is_too_large_without_doubt_is_refused() {
    let rig = rig(40, vec![answer("ok", 39)]).await;
    let long = "x".repeat(41);
    let prepared = rig.prepare(&ask(&long)).await.unwrap();
    assert_eq!(prepared.plan.suggestions.first(), Some(&Suggestion::SendAnyway));
    let asked =
        rig.app.send(prepared, choices(OverBudget::Ask), &Cancel::default(), &mut |_| {}).await;
    assert!(matches!(asked, Err(AppError::OverBudget { excess: 1, .. })));
    assert_eq!(rig.calls(), 0);
    let sent = rig.send_as(&long, OverBudget::Trim, &Cancel::default(), &mut |_| {}).await;
    assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: false });
}

/// CAT-4: an assumed limit is no wall, and the first overflow teaches the true one.
#[tokio::test]
async fn cat_4_an_assumed_limit_asks_and_never_refuses() {
    let scripts = vec![overflow(32_768), answer("ok", 20_000)];
    let rig = rig_of(scripts, plain_settings(&[]), |model| model.context_window = None).await;
    let large = "x".repeat(20_000);
    let prepared = rig.prepare(&ask(&large)).await.unwrap();
    assert_eq!(prepared.plan.limit().binds, Binds::Assumed);
    let ways = &prepared.plan.suggestions;
    let set = Suggestion::SetWindow { model: "m".to_owned(), needed: 20_000 };
    assert!(ways.contains(&Suggestion::SendAnyway) && ways.contains(&set), "{ways:?}");
    let asked =
        rig.app.send(prepared, choices(OverBudget::Ask), &Cancel::default(), &mut |_| {}).await;
    let told = asked.err().unwrap().to_string();
    assert!(told.contains("8,192 (assumed"), "{told}");
    rig.send_as(&large, OverBudget::Trim, &Cancel::default(), &mut |_| {}).await;
    assert_eq!(rig.calls(), 1, "overBudget: trim sends it");
    let next = rig.prepare(&ask("x")).await.unwrap();
    assert_eq!(next.plan.limit().tokens, 32_768, "upwards, too");
}

/// CAT-3, the way it was seen: "maximum context length is 10 tokens", and the trimmed retry of
/// 19 succeeds. The limit does not stick.
#[tokio::test]
async fn cat_3_an_absurd_limit_does_not_outlive_a_success_above_it() {
    let scripts = vec![answer("one", 5), overflow(10), answer("two", 19), answer("three", 30)];
    let rig = rig(1000, scripts).await;
    rig.send("first").await;
    let sent = rig.send("a message of 19 tok").await;
    assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: false });
    assert!(rig.app.store().learned_limits().await.unwrap().0.is_empty());
    let next = rig.prepare(&ask("and another message")).await.unwrap();
    assert_eq!(next.plan.limit().tokens, 1000);
    rig.send("and another message").await;
    assert_eq!(rig.calls(), 4);
}

/// CAT-3: no limit is learned below what was taken, and one that was learned goes when more
/// is taken.
#[tokio::test]
async fn cat_3_what_was_taken_is_stronger_than_what_was_said() {
    let scripts = vec![answer("a", 500), overflow(10), overflow(600), answer("b", 700)];
    let rig = rig(1000, scripts).await;
    let alone = |text: &str| {
        let mut alone = ask(text);
        alone.view.history = plimsoll_app::HistoryChoice::Nothing;
        alone
    };
    let limits = || async { rig.app.store().learned_limits().await.unwrap() };
    for (text, learned) in [("x", None), ("y", None), ("z", Some(600)), ("w", None)] {
        let prepared = rig.prepare(&alone(text)).await.unwrap();
        let choices = choices(OverBudget::Trim);
        rig.app.send(prepared, choices, &Cancel::default(), &mut |_| {}).await.unwrap();
        assert_eq!(
            limits().await.0.values().next().map(|limit| limit.tokens),
            learned,
            "after {text}"
        );
    }
}

/// CAT-3: what the user's own file states is never lowered, and nothing is learned there.
#[tokio::test]
async fn cat_3_the_users_own_window_is_never_lowered() {
    let rig = rig_of(vec![overflow(10)], plain_settings(&[]), |model| {
        model.context_window = Some(1000);
        model.window_source = WindowSource::User;
    })
    .await;
    rig.send("first").await;
    assert!(rig.app.store().learned_limits().await.unwrap().0.is_empty());
    let next = rig.prepare(&ask("x")).await.unwrap();
    assert_eq!(next.plan.limit().binds, Binds::Window(WindowSource::User));
}

/// CAT-3: a learned limit binds, is told, asks, and can be forgotten.
#[tokio::test]
async fn cat_3_a_learned_limit_asks_and_is_forgotten() {
    let rig = rig(1000, vec![overflow(10), answer("ok", 18)]).await;
    rig.send("first").await;
    let text = "eighteen tokens...";
    let prepared = rig.prepare(&ask(text)).await.unwrap();
    let ways = prepared.plan.suggestions.clone();
    assert!(ways.contains(&Suggestion::ForgetLearned { model: "m".to_owned() }), "{ways:?}");
    let asked =
        rig.app.send(prepared, choices(OverBudget::Ask), &Cancel::default(), &mut |_| {}).await;
    let told = asked.err().unwrap().to_string();
    assert!(told.contains("learned from an error of the provider"), "{told}");
    assert!(rig.app.learned("m").await.unwrap());
    rig.app.forget_learned("m").await.unwrap();
    assert_eq!(rig.prepare(&ask(text)).await.unwrap().plan.limit().tokens, 1000);
}

/// CAT-3: a larger window that the server tells later clears what was learned, for good.
#[tokio::test]
async fn cat_3_a_larger_window_of_the_server_clears_what_was_learned() {
    let rig = rig(1000, vec![overflow(500), answer("ok", 18)]).await;
    rig.send("first").await;
    let limit = || async { rig.prepare(&ask("next")).await.unwrap().plan.limit().tokens };
    assert_eq!(limit().await, 500);
    *rig.provider.server_window.lock().unwrap() = Some(800);
    assert_eq!(limit().await, 800);
    *rig.provider.server_window.lock().unwrap() = None;
    assert_eq!(limit().await, 1000, "it does not come back");
}

/// EST-6, the way it was seen: three short chats on a template of 25 tokens leave a file that
/// fits a file that fits.
#[tokio::test]
async fn est_6_short_chats_leave_a_file_sendable() {
    let scripts = (0..3).map(|_| answer("hi", 30)).collect();
    let rig = rig(4096, scripts).await;
    for _ in 0..3 {
        let mut hello = ask("hello");
        hello.view.history = plimsoll_app::HistoryChoice::Nothing;
        let prepared = rig.prepare(&hello).await.unwrap();
        rig.app
            .send(prepared, SendChoices::default(), &Cancel::default(), &mut |_| {})
            .await
            .unwrap();
    }
    let mut file = ask(&"x".repeat(3178));
    file.view.history = plimsoll_app::HistoryChoice::Nothing;
    let plan = rig.prepare(&file).await.unwrap().plan;
    assert_eq!((plan.weights.prelude, plan.weights.message), (25, 3178));
    assert_eq!(plan.request_tokens(), 25, "the constant of each request");
}

#[tokio::test]
async fn est_6_reports_teach_the_estimator_and_truncation_does_not() {
    let mut scripts: Vec<_> = (0..10).map(|_| answer("a", 30)).collect();
    scripts.push(answer("a", 20));
    let rig = rig(1_000_000, scripts).await;
    let alone = || {
        let mut alone = ask(&"x".repeat(20));
        alone.view.history = plimsoll_app::HistoryChoice::Nothing;
        alone
    };
    for _ in 0..10 {
        let prepared = rig.prepare(&alone()).await.unwrap();
        rig.app
            .send(prepared, SendChoices::default(), &Cancel::default(), &mut |_| {})
            .await
            .unwrap();
    }
    let place = "http://scripted";
    let reports = rig.app.store().usage_reports(place, "m").await.unwrap();
    assert_eq!(reports.len(), 10, "by server and model");
    let again = rig.prepare(&alone()).await.unwrap();
    assert_eq!(again.plan.weights.total(), 30, "ten tokens of template are the offset");
    assert_eq!(again.plan.target().basis.name(), "learned", "EST-9");
    let mut big = ask(&"x".repeat(5000));
    big.view.history = plimsoll_app::HistoryChoice::Nothing;
    let prepared = rig.prepare(&big).await.unwrap();
    let sent = rig
        .app
        .send(prepared, SendChoices::default(), &Cancel::default(), &mut |_| {})
        .await
        .unwrap();
    assert!(sent.receipt.truncation.is_some(), "REC-2b");
    assert_eq!(rig.app.store().usage_reports(place, "m").await.unwrap(), reports);
}

#[tokio::test]
async fn est_6_what_a_provider_adds_unseen_does_not_teach_the_estimator() {
    let rig = rig(1_000_000, vec![answer("a", 9_000)]).await;
    rig.provider.hidden_prompt_notice.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut alone = ask("Hello");
    alone.view.history = plimsoll_app::HistoryChoice::Nothing;
    let prepared = rig.prepare(&alone).await.unwrap();
    let sent = rig
        .app
        .send(prepared, SendChoices::default(), &Cancel::default(), &mut |_| {})
        .await
        .unwrap();
    assert_eq!(sent.receipt.usage.map(|usage| usage.prompt), Some(9_000), "it is still told");
    assert!(rig.app.store().usage_reports("http://scripted", "m").await.unwrap().is_empty());
}

#[tokio::test]
async fn rel_4_an_endless_answer_is_stopped() {
    let piece = "x".repeat(1 << 20);
    let script = (0..100).map(|_| Ok(Delta::Text(piece.clone()))).collect();
    let rig = rig(1000, vec![script]).await;
    let sent = rig.send("hi").await;
    assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: true });
    assert!(sent.answer.len() <= 5 << 20);
}

#[tokio::test]
async fn a_bad_filter_and_a_blank_message_are_refused_before_anything_happens() {
    let rig = rig(1000, vec![]).await;
    let mut bad = ask("hi");
    bad.view.history = plimsoll_app::HistoryChoice::Filter("s9".into());
    assert!(matches!(rig.prepare(&bad).await, Err(AppError::Filter { .. })));
    assert!(matches!(rig.prepare(&ask(" \n")).await, Err(AppError::EmptyMessage)));
    let mut lost = ask("hi");
    lost.view.topic = Some("/Nowhere".into());
    assert!(matches!(rig.prepare(&lost).await, Err(AppError::UnknownTopic(_))));
}

#[tokio::test]
async fn rel_2_a_clock_that_jumps_loses_nothing() {
    let scripts = (0..5).map(|n| answer(&format!("answer {n}"), 5)).collect();
    let rig = rig(10_000, scripts).await;
    let now = 1_800_000_000_000;
    let day = 24 * 60 * 60 * 1000;
    // Back by a day, to the beginning of time, and far ahead.
    let mut pairs = Vec::new();
    for (n, time) in [now, now - day, 0, now + 4000 * day, now].into_iter().enumerate() {
        rig.clock.set(time);
        let sent = rig.send(&format!("question {n}")).await;
        assert_eq!(sent.outcome, Outcome::Complete { cut_by_length: false }, "{time}");
        pairs.push(sent.pair);
    }
    let store = rig.app.store();
    let rows = store.rows(&Workspace::default()).await.unwrap();
    assert_eq!(rows.len(), 5);
    for (n, pair) in pairs.into_iter().enumerate() {
        let kept = store.get(pair).await.unwrap().pair;
        assert_eq!(kept.user_text, format!("question {n}"));
        assert_eq!(kept.assistant_text, Some(format!("answer {n}")));
        assert_eq!(kept.lifecycle, Lifecycle::Complete);
    }
    // All that was said before goes along, whatever the clock said then.
    let last = rig.sent(4);
    for n in 0..4 {
        assert!(last.contains(&format!("question {n}")), "{last:?}");
        assert!(last.contains(&format!("answer {n}")), "{last:?}");
    }
    assert_eq!(last.last().map(String::as_str), Some("question 4"));
}
