//! OVF-6: every path of the loop, without a network.

use plimsoll_domain::{PairId, Timestamp};
use plimsoll_tokens::Correction;

use super::*;
use crate::IncludedPair;

fn plan(limit: u64, message: u64, tokens: &[u64]) -> AttemptPlan {
    let included = tokens.iter().enumerate().map(|(at, tokens)| IncludedPair {
        id: PairId::new(Timestamp::from_millis(at as i64), [0; 10]),
        model: "m".into(),
        tokens: (*tokens).into(),
        pinned: false,
    });
    AttemptPlan {
        model: "m".into(),
        limit,
        limit_uncertain: false,
        too_large: message > limit,
        allowance: 100,
        message,
        prelude: 0,
        reply_reserve: 0,
        correction: Correction::NONE,
        chars_per_token: 3.5,
        included: included.collect(),
        fit_drop: 0,
        max_trim_attempts: 10,
        trim_step: TrimStep::One,
        max_output: None,
        max_retries: 3,
    }
}

fn fault(label: Label) -> Fault {
    Fault {
        label,
        subkind: None,
        limit: None,
        requested: None,
        matched: Some("rule".into()),
        message: "said so".into(),
        retry_after: None,
    }
}

fn overflow() -> Event {
    Event::Failed(fault(Label::Overflow))
}

fn finished() -> Event {
    Event::Finished { cut_by_length: false }
}

/// Effects in short: `call-2` leaves two pairs out.
fn short(effects: &[Effect]) -> String {
    let words: Vec<String> = effects
        .iter()
        .map(|effect| match effect {
            Effect::Call { max_output: None, record } => format!("call-{}", record.trimmed_count),
            Effect::Call { max_output: Some(max), record } => {
                format!("call-{}<{max}", record.trimmed_count)
            }
            Effect::Wait { at_least, .. } => format!("wait {}", at_least.as_secs()),
            Effect::LearnLimit(limit) => format!("learn {limit}"),
            Effect::Record(record) => record.stage.name().to_owned(),
            Effect::Done(Outcome::Complete { cut_by_length: false }) => "done".to_owned(),
            Effect::Done(Outcome::Complete { cut_by_length: true }) => "done, cut".to_owned(),
            Effect::Done(Outcome::Error(error)) => format!("failed {}", error.code()),
            Effect::Done(Outcome::Cancelled) => "stopped".to_owned(),
        })
        .collect();
    words.join("; ")
}

/// PAY-1: a pair that was deleted goes along with no further call, the record says so, and
/// the trims that follow count only what is still sent.
#[test]
fn pay_1_a_pair_that_is_deleted_between_attempts_is_left_out() {
    let (mut machine, _) = AttemptMachine::start(plan(4096, 50, &[10, 20, 30, 40]));
    let ids: Vec<PairId> = machine.plan().included.iter().map(|pair| pair.id).collect();
    assert_eq!(short(&machine.on(Event::Failed(fault(Label::Server)))), "error; wait 1");
    assert_eq!(machine.delete(&ids), None, "nothing is about to be sent");
    machine.on(Event::WaitOver);
    let stranger = PairId::new(Timestamp::from_millis(99), [1; 10]);
    assert_eq!(machine.delete(&[stranger]), None);
    let Some(Effect::Call { record, .. }) = machine.delete(&[ids[1]]) else { panic!("a call") };
    assert_eq!((record.deleted.as_slice(), record.left_out.as_slice()), (&ids[1..2], &[][..]));
    assert_eq!((record.trimmed_count, record.sent_count), (1, 3));
    assert_eq!(record.attempt_history_tokens, 80);
    assert_eq!(machine.delete(&[ids[1]]), None, "once is enough");
    // The next trims take the oldest that is still sent.
    let effects = machine.on(overflow());
    let Some(Effect::Call { record, .. }) = effects.last() else { panic!("a call") };
    assert_eq!((record.left_out.as_slice(), record.trimmed_count), (&ids[..1], 2));
    let effects = machine.on(overflow());
    let Some(Effect::Call { record, .. }) = effects.last() else { panic!("a call") };
    assert_eq!(record.left_out, [ids[0], ids[2]]);
    assert_eq!((record.attempt_history_tokens, record.sent_count), (40, 1));
    assert_eq!(record.predicted_history_tokens, 100, "what was predicted stays");
    machine.on(overflow());
    assert_eq!(
        short(&machine.on(overflow())),
        "overflow_exhausted; failed context_overflow_after_trimming"
    );
}

/// BND-8: neither *Fit first* nor an overflow takes a pin; when only pins are left it ends.
#[test]
fn bnd_8_a_pin_is_never_left_out_to_make_room() {
    let mut plan = plan(4096, 50, &[10, 20, 30, 40]);
    (plan.included[0].pinned, plan.included[2].pinned) = (true, true);
    plan.fit_drop = 1;
    let ids: Vec<PairId> = plan.included.iter().map(|pair| pair.id).collect();
    let without_oldest: Vec<PairId> = plan.without_oldest(1).map(|pair| pair.id).collect();
    assert_eq!(without_oldest, [ids[0], ids[2], ids[3]]);
    let (mut machine, effects) = AttemptMachine::start(plan);
    let sent = |effects: &[Effect]| match effects.last() {
        Some(Effect::Call { record, .. }) => {
            let sent: Vec<PairId> = record.selection.iter().map(|pair| pair.id).collect();
            (sent, record.left_out.clone(), record.attempt_history_tokens)
        }
        other => panic!("a call, not {other:?}"),
    };
    assert_eq!(sent(&effects), (vec![ids[0], ids[2], ids[3]], vec![ids[1]], 80));
    let effects = machine.on(overflow());
    assert_eq!(sent(&effects), (vec![ids[0], ids[2]], vec![ids[1], ids[3]], 40));
    assert_eq!(
        short(&machine.on(overflow())),
        "overflow_exhausted; failed context_overflow_after_trimming"
    );
}

/// Runs a send through its events.
#[track_caller]
fn check(plan: AttemptPlan, events: Vec<Event>, expected: &[&str]) {
    let (mut machine, effects) = AttemptMachine::start(plan);
    let mut seen = vec![short(&effects)];
    for event in events {
        seen.push(short(&machine.on(event)));
    }
    assert_eq!(seen, expected);
}

#[test]
fn a_send_that_fits() {
    let events = vec![Event::TextArrived, finished()];
    check(plan(1000, 50, &[100, 200]), events, &["call-0", "", "success; done"]);
}

#[test]
fn ovf_2_each_overflow_drops_exactly_one_oldest_pair() {
    check(
        plan(1000, 50, &[100, 200, 300]),
        vec![overflow(), overflow(), Event::TextArrived, finished()],
        &["call-0", "overflow_initial; call-1", "overflow_retry; call-2", "", "success; done"],
    );
}

#[test]
fn ovf_3_nothing_left_to_drop() {
    check(
        plan(1000, 50, &[100]),
        vec![overflow(), overflow()],
        &[
            "call-0",
            "overflow_initial; call-1",
            "overflow_exhausted; failed context_overflow_after_trimming",
        ],
    );
    check(
        plan(1000, 50, &[]),
        vec![overflow()],
        &["call-0", "overflow_exhausted; failed context_overflow_after_trimming"],
    );
}

#[test]
fn ovf_3_trims_are_exhausted() {
    let short_patience = AttemptPlan { max_trim_attempts: 1, ..plan(1000, 50, &[1, 2, 3, 4]) };
    check(
        short_patience,
        vec![overflow(), overflow()],
        &[
            "call-0",
            "overflow_initial; call-1",
            "overflow_exhausted; failed context_overflow_after_trimming",
        ],
    );
}

#[test]
fn ovf_2_the_output_is_lowered_before_history_is_dropped() {
    let sum = Fault {
        subkind: Some(Subkind::Sum),
        limit: Some(4096),
        requested: Some(4500),
        ..fault(Label::OverflowOutput)
    };
    let asking = |max_output, reply_reserve| AttemptPlan {
        max_output: Some(max_output),
        reply_reserve,
        ..plan(4096, 50, &[100, 200])
    };
    // The provider counted 3,500 prompt tokens, so 596 are left for the answer.
    check(
        asking(1000, 500),
        vec![Event::Failed(sum.clone()), Event::TextArrived, finished()],
        &["call-0<1000", "overflow_initial; call-0<596", "", "success; done"],
    );
    check(
        asking(1000, 600),
        vec![Event::Failed(sum)],
        &["call-0<1000", "overflow_initial; call-1<1000"],
    );
}

#[test]
fn ovf_2_an_output_cap_never_drops_history() {
    let cap = Fault { subkind: Some(Subkind::OutputCap), ..fault(Label::OverflowOutput) };
    check(
        plan(4096, 50, &[100, 200]),
        vec![Event::Failed(cap)],
        &["call-0", "error; failed overflow_output"],
    );
}

#[test]
fn ovf_4_smart_steps_drop_what_the_error_says() {
    let told = Fault { limit: Some(700), requested: Some(1050), ..fault(Label::Overflow) };
    let smart = AttemptPlan { trim_step: TrimStep::Smart, ..plan(2000, 50, &[100, 200, 300, 400]) };
    check(smart, vec![Event::Failed(told)], &["call-0", "learn 700; overflow_initial; call-3"]);
}

#[test]
fn cat_3_only_a_smaller_limit_is_learned() {
    let told = |limit| Event::Failed(Fault { limit: Some(limit), ..fault(Label::Overflow) });
    check(
        plan(4096, 50, &[1, 2]),
        vec![told(512)],
        &["call-0", "learn 512; overflow_initial; call-1"],
    );
    check(plan(4096, 50, &[1, 2]), vec![told(8192)], &["call-0", "overflow_initial; call-1"]);
    check(plan(4096, 50, &[1, 2]), vec![told(0)], &["call-0", "overflow_initial; call-1"]);
}

#[test]
fn cat_4_an_assumed_limit_learns_any() {
    let told = Event::Failed(Fault { limit: Some(32_768), ..fault(Label::Overflow) });
    let assumed = AttemptPlan { limit_uncertain: true, ..plan(8192, 50, &[1, 2]) };
    check(assumed, vec![told], &["call-0", "learn 32768; overflow_initial; call-1"]);
}

#[test]
fn fau_6_a_broken_connection_is_retried_only_before_the_first_byte() {
    let broken = || Event::Failed(fault(Label::Network));
    check(plan(1000, 50, &[9]), vec![broken()], &["call-0", "error; wait 1"]);
    check(
        plan(1000, 50, &[9]),
        vec![Event::FirstByte, broken()],
        &["call-0", "", "error; failed network"],
    );
    let busy = Event::Failed(fault(Label::Server));
    check(plan(1000, 50, &[9]), vec![Event::FirstByte, busy], &["call-0", "", "error; wait 1"]);
}

#[test]
fn val_1_a_message_that_is_too_large_makes_no_call() {
    check(
        plan(1000, 1001, &[]),
        vec![finished()],
        &["prompt_too_large; failed user_prompt_too_large", ""],
    );
    // Where nobody is sure it is sent: the provider knows.
    let doubtful = AttemptPlan { too_large: false, ..plan(1000, 1001, &[]) };
    check(doubtful, vec![], &["call-0"]);
}

#[test]
fn val_3_fit_first_drops_before_the_first_call() {
    let fit = AttemptPlan { fit_drop: 2, ..plan(1000, 50, &[100, 200, 300]) };
    let (machine, effects) = AttemptMachine::start(fit);
    assert_eq!(short(&effects), "call-2");
    assert_eq!(machine.plan().predicted_history_tokens(), 600, "predictions stay");
    let Effect::Call { record, .. } = &effects[0] else { panic!("a call") };
    assert_eq!((record.trimmed_count, record.sent_count), (2, 1));
}

#[test]
fn fau_6_transient_faults_are_retried_three_times_and_drop_nothing() {
    let rate = || Event::Failed(fault(Label::Rate));
    check(
        plan(1000, 50, &[100]),
        vec![rate(), Event::WaitOver, rate(), Event::WaitOver, rate(), Event::WaitOver, rate()],
        &[
            "call-0",
            "error; wait 1",
            "call-0",
            "error; wait 2",
            "call-0",
            "error; wait 4",
            "call-0",
            "error; failed rate",
        ],
    );
}

#[test]
fn fau_6_retry_after_is_honoured_up_to_a_minute() {
    let after = |seconds| {
        let retry_after = Some(Duration::from_secs(seconds));
        Event::Failed(Fault { retry_after, ..fault(Label::Rate) })
    };
    check(plan(1000, 50, &[]), vec![after(60)], &["call-0", "error; wait 60"]);
    check(plan(1000, 50, &[]), vec![after(61)], &["call-0", "error; failed rate"]);
}

#[test]
fn fau_6_nothing_is_retried_or_trimmed_once_text_arrived() {
    for label in [Label::Overflow, Label::Rate, Label::Network, Label::Server] {
        let expected = format!("error; failed {}", label.name());
        check(
            plan(1000, 50, &[100]),
            vec![Event::TextArrived, Event::Failed(fault(label))],
            &["call-0", "", &expected],
        );
    }
}

#[test]
fn fau_6_other_faults_end_the_send_at_once() {
    for label in [
        Label::Quota,
        Label::Auth,
        Label::Model,
        Label::ContentFilter,
        Label::Invalid,
        Label::Unknown,
    ] {
        let expected = format!("error; failed {}", label.name());
        check(plan(1000, 50, &[100]), vec![Event::Failed(fault(label))], &["call-0", &expected]);
    }
}

#[test]
fn snd_4_cancel_ends_a_call_and_a_wait() {
    check(plan(1000, 50, &[]), vec![Event::Cancelled], &["call-0", "cancelled; stopped"]);
    check(
        plan(1000, 50, &[]),
        vec![Event::Failed(fault(Label::Server)), Event::Cancelled, Event::WaitOver],
        &["call-0", "error; wait 1", "cancelled; stopped", ""],
    );
}

#[test]
fn snd_4b_an_empty_answer_is_an_error() {
    check(plan(1000, 50, &[9]), vec![finished()], &["call-0", "error; failed empty_answer"]);
}

#[test]
fn snd_4c_a_cut_answer_says_so() {
    check(
        plan(1000, 50, &[]),
        vec![Event::TextArrived, Event::Finished { cut_by_length: true }],
        &["call-0", "", "success; done, cut"],
    );
}

/// OVF-1 has the numbers of the first attempt.
#[test]
fn rec_1_the_record_holds_the_numbers_of_the_spec() {
    let plan = AttemptPlan { prelude: 30, reply_reserve: 70, ..plan(1000, 50, &[100, 200]) };
    let (mut machine, _) = AttemptMachine::start(plan);
    let effects = machine.on(overflow());
    let Effect::Record(record) = &effects[0] else { panic!("a record") };
    assert_eq!(record.stage, Stage::OverflowInitial);
    assert_eq!((record.budget.max_context, record.budget.max_usable_raw), (1000, 800));
    assert_eq!((record.predicted_message_count, record.predicted_history_tokens), (2, 300));
    assert_eq!(record.predicted_total_tokens, 400);
    assert_eq!((record.attempt_history_tokens, record.attempt_total_tokens), (300, 380));
    assert_eq!((record.remaining_reserve, record.attempts_used), (620, 1));
    assert_eq!(record.overflow_matched.as_deref(), Some("rule"));
    let Effect::Call { record, .. } = &effects[1] else { panic!("a call") };
    assert_eq!((record.trimmed_count, record.attempt_history_tokens), (1, 200));
    assert_eq!((record.selection.len(), record.attempts_used), (1, 2));
}

#[path = "attempt_laws_tests.rs"]
mod laws;
