//! What holds for every course of a send.

use proptest::prelude::*;

use super::*;

fn events() -> impl Strategy<Value = Vec<Event>> {
    let labels = [
        Label::Overflow,
        Label::OverflowOutput,
        Label::Rate,
        Label::Quota,
        Label::Auth,
        Label::Network,
        Label::Server,
        Label::Invalid,
    ];
    let subkind = prop::option::of(prop::sample::select(vec![
        Subkind::Sum,
        Subkind::OutputCap,
        Subkind::Tpm,
    ]));
    let failed = (
        prop::sample::select(labels.to_vec()),
        subkind,
        prop::option::of(0u64..9000),
        prop::option::of(0u64..9000),
        prop::option::of(0u64..100),
    )
        .prop_map(|(label, subkind, limit, requested, after)| {
            let retry_after = after.map(Duration::from_secs);
            Event::Failed(Fault { subkind, limit, requested, retry_after, ..fault(label) })
        });
    let event = prop_oneof![
        6 => Just(overflow()),
        6 => failed,
        4 => Just(Event::WaitOver),
        1 => Just(Event::FirstByte),
        1 => Just(Event::TextArrived),
        1 => Just(finished()),
        1 => Just(Event::Cancelled),
    ];
    prop::collection::vec(event, 0..60)
}

proptest! {
    /// OVF-2, BND-2: attempts never increase, predictions never change, trim steps are
    /// bounded; a fault that is no overflow never changes the working set; the send
    /// ends once.
    #[test]
    fn the_loop_keeps_its_promises(
        pairs in prop::collection::vec((0u64..500, 0u8..4), 0..20),
        nta in 0u32..12,
        smart in any::<bool>(),
        max_output in prop::option::of(1u64..4000),
        reply_reserve in 0u64..600,
        slope in 0.5f64..2.0,
        events in events(),
    ) {
        let trim_step = if smart { TrimStep::Smart } else { TrimStep::One };
        let tokens: Vec<u64> = pairs.iter().map(|(tokens, _)| *tokens).collect();
        let mut plan = AttemptPlan {
            max_trim_attempts: nta,
            trim_step,
            max_output,
            reply_reserve,
            correction: Correction::new(0.0, slope),
            ..plan(4096, 50, &tokens)
        };
        for (pair, (_, kind)) in plan.included.iter_mut().zip(&pairs) {
            pair.pinned = *kind == 0;
        }
        let pins = plan.included.iter().filter(|pair| pair.pinned).count();
        let (mut machine, mut effects) = AttemptMachine::start(plan.clone());
        let mut last: Option<AttemptRecord> = None;
        let mut trim_steps = 0;
        let mut dones = 0;
        let mut inputs = events.into_iter();
        loop {
            for effect in &effects {
                let record = match effect {
                    Effect::Call { record, .. } | Effect::Record(record) => record,
                    Effect::Done(_) => { dones += 1; continue }
                    Effect::Wait { at_least, at_most } => {
                        prop_assert!(at_least <= at_most);
                        prop_assert!(*at_least <= LONGEST_RETRY_AFTER);
                        continue;
                    }
                    Effect::LearnLimit(limit) => { prop_assert!(*limit < plan.limit); continue }
                };
                prop_assert_eq!(record.predicted_history_tokens, plan.predicted_history_tokens());
                prop_assert_eq!(record.predicted_total_tokens, plan.predicted_total_tokens());
                prop_assert_eq!(record.predicted_message_count, tokens.len());
                prop_assert_eq!(record.selection.len(), record.sent_count);
                prop_assert_eq!(record.left_out.len(), record.trimmed_count);
                let pinned = record.selection.iter().filter(|pair| pair.pinned).count();
                prop_assert_eq!(pinned, pins, "BND-8");
                if let Some(last) = &last {
                    prop_assert!(record.attempt_history_tokens <= last.attempt_history_tokens);
                    prop_assert!(record.attempt_total_tokens <= last.attempt_total_tokens);
                    prop_assert!(record.trimmed_count >= last.trimmed_count);
                    trim_steps += u32::from(record.trimmed_count > last.trimmed_count);
                }
                prop_assert!(record.attempts_used <= nta + 1, "OVF-2");
                last = Some((**record).clone());
            }
            prop_assert!(trim_steps <= nta);
            if !smart {
                prop_assert!(machine.trimmed() as u32 <= nta, "T ≤ NTA holds for one");
            }
            let Some(event) = inputs.next() else { break };
            let before = machine.trimmed();
            let shrinks = matches!(
                &event,
                Event::Failed(Fault { label: Label::Overflow | Label::OverflowOutput, .. })
            );
            effects = machine.on(event);
            if !shrinks {
                prop_assert_eq!(machine.trimmed(), before, "promise 3");
            }
        }
        prop_assert!(dones <= 1, "a send ends once");
    }
}
