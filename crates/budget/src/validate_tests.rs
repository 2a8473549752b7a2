use proptest::prelude::*;

use super::*;
use crate::Model;

const NO_HISTORY: IncludedTokens<'static> = IncludedTokens { raw: &[], factor: Factor::ONE };

fn weights(ml: u64, prelude: u64, history: u64, aut: u64) -> Weights {
    Weights { ml, prelude, history, aut }
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
        assert_eq!(validate(&weights, 80).verdict, verdict, "{weights:?}");
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
    let over = validate(&heavy, 80);
    let history = IncludedTokens { raw: &[100, 50, 60, 690], factor: Factor::ONE };
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
    let decision = decide(&huge, &validate(&huge, 80), OverBudget::Trim, &history);
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
    let found =
        suggestions(&weights, &validate(&weights, 80), &files, &NO_HISTORY, &catalog, "small");
    assert_eq!(
        found,
        [
            Suggestion::DetachFile { name: "a.txt".into(), tokens: 6000 },
            Suggestion::AttachOnDemand { name: "a.txt".into(), frees: 5970 },
            Suggestion::SwitchModel { models: vec!["medium".into(), "large".into()] },
            Suggestion::ShortenMessage { tokens: 4904 },
        ]
    );
}

#[test]
fn val_2_below_the_limit_nothing_is_suggested() {
    let weights = weights(4096, 0, 0, 4000);
    let none = suggestions(
        &weights,
        &validate(&weights, 80),
        &[],
        &NO_HISTORY,
        &Catalog::default(),
        "any",
    );
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
    let found = suggestions(&heavy, &validate(&heavy, 80), &[], &NO_HISTORY, &catalog, "this");
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
        factor in 0.5f64..2.0,
        aut in 0u64..2000,
        ml in 0u64..9000,
    ) {
        let factor = Factor::new(factor);
        let total = |dropped: usize| factor.apply(raw[dropped..].iter().sum()) + aut;
        let weights = Weights { ml, prelude: 0, history: total(0) - aut, aut };
        let dropped = fit_first(&weights, &IncludedTokens { raw: &raw, factor });
        prop_assert!(total(dropped) <= ml || dropped == raw.len());
        prop_assert!(dropped == 0 || total(dropped - 1) > ml);
    }

    /// VAL-1, VAL-2: the verdict by its definition, in numbers that cannot round.
    #[test]
    fn the_verdict_equals_its_definition(
        ml in 0u64..5000, prelude in 0u64..3000, history in 0u64..6000, aut in 0u64..6000,
        warn_at in 1u64..=100,
    ) {
        let total = prelude + history + aut;
        let expected = match () {
            () if aut + prelude > ml => Verdict::TooLarge,
            () if total > ml => Verdict::Over,
            () if total * 100 > ml * warn_at => Verdict::Warn,
            () => Verdict::Ok,
        };
        let found = validate(&Weights { ml, prelude, history, aut }, warn_at);
        prop_assert_eq!(found.verdict, expected);
        prop_assert_eq!(found.total, total);
        prop_assert_eq!(found.excess, total.saturating_sub(ml));
    }
}
