use proptest::prelude::*;

use super::*;
use crate::{Model, WindowSource};
use plimsoll_domain::Timestamp;

const NO_HISTORY: IncludedTokens<'static> =
    IncludedTokens { raw: &[], correction: Correction::NONE };

const CATALOG: Binds = Binds::Window(WindowSource::Catalog);

/// Judged where the limit is stated and the estimate is exact.
fn judged(weights: &Weights) -> Validation {
    validate(weights, 80, Some(weights.alone()))
}

fn advice(
    weights: &Weights,
    validation: &Validation,
    binds: Binds,
    files: &[Attached],
    catalog: &Catalog,
    model: &str,
) -> Vec<Suggestion> {
    suggestions(&Judged {
        weights,
        validation,
        limit: ModelLimit { tokens: weights.limit, binds },
        attached: files,
        history: &NO_HISTORY,
        catalog,
        model,
    })
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
    let history = IncludedTokens {
        raw: &[100, 50, 60, 690].map(RawTokens::from),
        correction: Correction::NONE,
    };
    for (policy, decision) in [
        (OverBudget::Ask, Decision::Ask),
        (OverBudget::Trim, Decision::Send),
        (OverBudget::Fit, Decision::SendWithout(3)),
        (OverBudget::Block, Decision::Block),
    ] {
        assert_eq!(decide(&heavy, &over, policy, &history), decision, "{policy:?}");
        assert_eq!(OverBudget::parse(policy.name()), Some(policy));
    }
    let huge = weights(1000, 0, 0, 1001);
    let decision = decide(&huge, &judged(&huge), OverBudget::Trim, &history);
    assert_eq!(decision, Decision::PromptTooLarge);
}

#[test]
fn val_1_suggestions_name_files_and_models() {
    let catalog = Catalog::new([
        Model { context_window: Some(4096), ..Model::unknown("small") },
        Model { context_window: Some(200_000), ..Model::unknown("large") },
        Model { context_window: Some(32_768), ..Model::unknown("medium") },
        Model { context_window: Some(32_768), enabled: false, ..Model::unknown("off") },
    ]);
    let weights = weights(4096, 0, 0, 9000);
    let files = [
        Attached { name: "a.txt".into(), tokens: 6000, on_demand_tokens: Some(30) },
        Attached { name: "b.txt".into(), tokens: 2000, on_demand_tokens: None },
    ];
    let found = advice(&weights, &judged(&weights), CATALOG, &files, &catalog, "small");
    assert_eq!(
        found,
        [
            Suggestion::SetWindow { model: "small".into(), needed: 9000 },
            Suggestion::DetachFile { name: "a.txt".into(), tokens: 6000 },
            Suggestion::AttachOnDemand { name: "a.txt".into(), frees: 5970 },
            Suggestion::SwitchModel { models: vec!["medium".into(), "large".into()] },
        ],
        "the words are 1,000 tokens: to shorten them by 4,904 cannot be"
    );
    let wordy = advice(&weights, &judged(&weights), CATALOG, &[], &catalog, "small");
    assert!(wordy.contains(&Suggestion::ShortenMessage { tokens: 4904 }), "{wordy:?}");
}

/// VAL-1, CAT-3, CAT-4: an assumed limit, a learned one, and an estimate that may be wrong
/// never refuse; the ways out are all there.
#[test]
fn val_1_what_nobody_is_sure_of_asks_instead_of_refusing() {
    let learned = Binds::Learned(Timestamp::from_millis(5));
    let heavy = weights(4096, 100, 0, 5000);
    for (binds, least) in [(Binds::Assumed, None), (learned, None), (CATALOG, Some(4000))] {
        let over = validate(&heavy, 80, least);
        assert_eq!(over.verdict, Verdict::Over, "{binds:?}");
        for (policy, decision) in [
            (OverBudget::Ask, Decision::Ask),
            (OverBudget::Trim, Decision::Send),
            (OverBudget::Fit, Decision::SendWithout(0)),
            (OverBudget::Block, Decision::Block),
        ] {
            assert_eq!(decide(&heavy, &over, policy, &NO_HISTORY), decision, "{binds:?}");
        }
        let ways = advice(&heavy, &over, binds, &[], &Catalog::default(), "m");
        assert_eq!(ways.first(), Some(&Suggestion::SendAnyway), "{binds:?}");
        let set = Suggestion::SetWindow { model: "m".into(), needed: 5100 };
        assert!(ways.contains(&set), "{binds:?}: {ways:?}");
        let forget = Suggestion::ForgetLearned { model: "m".into() };
        assert_eq!(ways.contains(&forget), binds == learned, "{binds:?}: {ways:?}");
    }
    assert_eq!(validate(&heavy, 80, Some(4097)).verdict, Verdict::TooLarge);
}

/// CAT-3: where only the history does not fit, what was learned is told as well.
#[test]
fn cat_3_a_learned_limit_can_be_forgotten_wherever_it_binds() {
    let heavy = weights(400, 0, 300, 200);
    let over = validate(&heavy, 80, None);
    let ways = advice(
        &heavy,
        &over,
        Binds::Learned(Timestamp::from_millis(5)),
        &[],
        &Catalog::default(),
        "m",
    );
    assert_eq!(ways[0], Suggestion::TrimAsNeeded);
    assert!(ways.contains(&Suggestion::ForgetLearned { model: "m".into() }), "{ways:?}");
    assert!(ways.contains(&Suggestion::SetWindow { model: "m".into(), needed: 500 }));
}

#[test]
fn val_2_below_the_limit_nothing_is_suggested() {
    let weights = weights(4096, 0, 0, 4000);
    let none = advice(&weights, &judged(&weights), CATALOG, &[], &Catalog::default(), "any");
    assert_eq!(none, []);
}

#[test]
fn cat_3_a_model_that_its_tokens_a_minute_bind_is_not_suggested() {
    let catalog = Catalog::new([
        Model { context_window: Some(500_000), tpm: Some(30), ..Model::unknown("throttled") },
        Model { context_window: Some(500_000), ..Model::unknown("free") },
        Model { context_window: Some(500_000), ..Model::unknown("this") },
    ]);
    let heavy = weights(100, 0, 0, 9000);
    let found = advice(&heavy, &judged(&heavy), CATALOG, &[], &catalog, "this");
    assert!(found.contains(&Suggestion::SwitchModel { models: vec!["free".into()] }), "{found:?}");
}

#[test]
fn ovf_3_after_an_overflow_larger_models_and_less_text_help() {
    let model = |id: &str, window| Model { context_window: Some(window), ..Model::unknown(id) };
    let catalog = Catalog::new([model("same", 512), model("big", 8192), model("this", 4096)]);
    let names = |models: &[&str]| Suggestion::SwitchModel {
        models: models.iter().map(|name| (*name).to_owned()).collect(),
    };
    // The provider's own count is larger than ours.
    assert_eq!(
        overflow_suggestions(&weights(512, 0, 300, 100), Some(600), &[], &catalog, "this"),
        [names(&["big"]), Suggestion::ClearHistory { frees: 300 }]
    );
    assert_eq!(
        overflow_suggestions(&weights(512, 12, 0, 700), None, &[], &catalog, "this"),
        [names(&["big"]), Suggestion::ShortenMessage { tokens: 200 }]
    );
    // By our count it fits: still nothing of the same size is named.
    assert_eq!(
        overflow_suggestions(&weights(512, 0, 0, 10), None, &[], &catalog, "x"),
        [names(&["this", "big"])]
    );
    // FAU-7: a file is the first thing to make smaller, and the largest one is named.
    let file = |name: &str, tokens| Attached { name: name.into(), tokens, on_demand_tokens: None };
    assert_eq!(
        overflow_suggestions(
            &weights(512, 0, 0, 400),
            None,
            &[file("a.md", 9), file("b.csv", 380)],
            &catalog,
            "big"
        ),
        [Suggestion::DetachFile { name: "b.csv".into(), tokens: 380 }, names(&["this"])]
    );
}

proptest! {
    /// VAL-3: what is dropped is enough, and one pair less would not be, whatever the
    /// factor.
    #[test]
    fn fit_first_drops_just_enough(
        raw in prop::collection::vec(0u64..500, 0..40),
        slope in 0.5f64..2.0,
        message in 0u64..2000,
        limit in 0u64..9000,
    ) {
        let correction = Correction::new(0.0, slope);
        let raw: Vec<RawTokens> = raw.into_iter().map(RawTokens::from).collect();
        let total =
            |dropped: usize| correction.apply(raw[dropped..].iter().sum::<RawTokens>()) + message;
        let weights = Weights { limit, prelude: 0, history: total(0) - message, message };
        let dropped = fit_first(&weights, &IncludedTokens { raw: &raw, correction });
        prop_assert!(total(dropped) <= limit || dropped == raw.len());
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
