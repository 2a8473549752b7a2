use proptest::prelude::*;

use super::*;

/// Judged where the limit is stated and the estimate is exact.
fn judged(weights: &Weights) -> Validation {
    validate(weights, 80, Some(weights.alone()))
}

fn weights(limit: u64, prelude: u64, history: u64, message: u64) -> Weights {
    Weights { limit, prelude, history, message }
}

#[test]
fn val_1_and_2_the_marks() {
    for (weights, verdict) in [
        (weights(1000, 0, 0, 0), Verdict::Ok),
        (weights(1000, 0, 700, 100), Verdict::Ok),
        (weights(1000, 0, 700, 101), Verdict::Warn),
        (weights(1000, 100, 800, 100), Verdict::Warn),
        (weights(1000, 100, 801, 100), Verdict::Over),
        (weights(1000, 0, 0, 1000), Verdict::Warn),
        (weights(1000, 0, 0, 1001), Verdict::TooLarge),
        (weights(1000, 500, 0, 501), Verdict::TooLarge),
        (weights(0, 0, 0, 0), Verdict::Ok),
        (weights(0, 0, 0, 1), Verdict::TooLarge),
    ] {
        assert_eq!(judged(&weights).verdict, verdict, "{weights:?}");
    }
}

#[test]
fn percent_has_one_decimal() {
    assert_eq!(weights(4096, 0, 1000, 24).permille(), 250);
    assert_eq!(weights(3, 0, 1, 0).permille(), 333);
    assert_eq!(weights(0, 0, 0, 0).permille(), 0);
}

#[test]
fn val_3_the_policy_decides() {
    let heavy = weights(1000, 0, 900, 300);
    let over = judged(&heavy);
    let fit = fit_first(&heavy, &[100u64, 50, 60, 690].map(Load::of), Correction::NONE);
    for (policy, decision) in [
        (OverBudget::Ask, Decision::Ask),
        (OverBudget::Trim, Decision::Send),
        (OverBudget::Fit, Decision::SendWithout(3)),
        (OverBudget::Block, Decision::Block),
    ] {
        assert_eq!(decide(over.verdict, policy, fit), decision, "{policy:?}");
        assert_eq!(OverBudget::parse(policy.name()), Some(policy));
    }
    let huge = weights(1000, 0, 0, 1001);
    let decision = decide(judged(&huge).verdict, OverBudget::Trim, 0);
    assert_eq!(decision, Decision::PromptTooLarge);
}

/// VAL-1, CAT-3, CAT-4: an assumed limit, a learned one, and an estimate that may be wrong
/// never refuse.
#[test]
fn val_1_what_nobody_is_sure_of_asks_instead_of_refusing() {
    let heavy = weights(4096, 100, 0, 5000);
    for least in [None, Some(4000)] {
        assert_eq!(validate(&heavy, 80, least).verdict, Verdict::Over, "{least:?}");
    }
    assert_eq!(validate(&heavy, 80, Some(4097)).verdict, Verdict::TooLarge);
}

proptest! {
    /// VAL-3: what is dropped is enough, and one pair less would not be, whatever the
    /// factor. A pin is never dropped (BND-8).
    #[test]
    fn fit_first_drops_just_enough(
        pairs in prop::collection::vec((0u64..500, 0u8..4), 0..40),
        slope in 0.5f64..2.0,
        message in 0u64..2000,
        limit in 0u64..9000,
    ) {
        let correction = Correction::new(0.0, slope);
        let load = |(tokens, kind)| if kind == 0 { Load::of(tokens).pin() } else { Load::of(tokens) };
        let loads: Vec<Load> = pairs.into_iter().map(load).collect();
        let (pins, others): (Vec<Load>, Vec<Load>) = loads.iter().partition(|load| load.pinned);
        let total = |dropped: usize| {
            let kept = pins.iter().chain(&others[dropped..]).map(|load| load.tokens);
            correction.apply(kept.sum::<RawTokens>()) + message
        };
        let weights = Weights { limit, prelude: 0, history: total(0) - message, message };
        let dropped = fit_first(&weights, &loads, correction);
        prop_assert!(total(dropped) <= limit || dropped == others.len());
        prop_assert!(dropped == 0 || total(dropped - 1) > limit);
    }

    /// VAL-1, VAL-2: the verdict by its definition, in numbers that cannot round.
    #[test]
    fn the_verdict_equals_its_definition(
        limit in 0u64..5000, prelude in 0u64..3000, history in 0u64..6000, message in 0u64..6000,
        warn_at in 1u64..=100, doubt in 0u64..2000, stated in any::<bool>(),
    ) {
        let least = (message + prelude).saturating_sub(doubt);
        let total = prelude + history + message;
        let expected = match () {
            () if stated && least > limit => Verdict::TooLarge,
            () if total > limit => Verdict::Over,
            () if total * 100 > limit * warn_at => Verdict::Warn,
            () => Verdict::Ok,
        };
        let found = validate(&Weights { limit, prelude, history, message }, warn_at, stated.then_some(least));
        prop_assert_eq!(found.verdict, expected);
        prop_assert_eq!(found.total, total);
        prop_assert_eq!(found.excess, total.saturating_sub(limit));
    }
}
