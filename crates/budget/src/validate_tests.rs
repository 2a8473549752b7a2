use proptest::prelude::*;

use super::*;
use crate::Model;

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
    let over = validate(&weights(1000, 0, 900, 300), 80);
    let history = [100, 50, 60, 690];
    for (policy, decision) in [
        (OverBudget::Ask, Decision::Ask),
        (OverBudget::Trim, Decision::Send),
        (OverBudget::Fit, Decision::SendWithout(3)),
        (OverBudget::Block, Decision::Block),
    ] {
        assert_eq!(decide(&over, policy, history), decision, "{policy:?}");
        assert_eq!(OverBudget::parse(policy.name()), Some(policy));
    }
    let too_large = validate(&weights(1000, 0, 0, 1001), 80);
    assert_eq!(decide(&too_large, OverBudget::Trim, history), Decision::PromptTooLarge);
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
    let found = suggestions(&weights, &validate(&weights, 80), &files, &[], &catalog);
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
    let none = suggestions(&weights, &validate(&weights, 80), &[], &[], &Catalog::default());
    assert_eq!(none, []);
}

proptest! {
    /// VAL-3: what is dropped is enough, and one pair less would not be.
    #[test]
    fn fit_first_drops_just_enough(history in prop::collection::vec(0u64..500, 0..40), excess in 0u64..9000) {
        let dropped = fit_first(excess, history.iter().copied());
        let freed: u64 = history[..dropped].iter().sum();
        prop_assert!(freed >= excess || dropped == history.len());
        if dropped > 0 {
            let less: u64 = history[..dropped - 1].iter().sum();
            prop_assert!(less < excess);
        }
    }
}
