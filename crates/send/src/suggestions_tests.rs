use std::sync::Arc;

use plimsoll_budget::{Load, Model, OverBudget, WindowSource};
use plimsoll_domain::{Delivery, FileKind, Timestamp};
use plimsoll_tokens::Basis;

use super::*;
use crate::{
    Plan,
    delivery::tests::file,
    plan,
    plan::tests::{snapshot, snapshot_of},
};

const CATALOG: Binds = Binds::Window(WindowSource::Catalog);

fn attached(name: &str, tokens: u64, on_demand_tokens: Option<u64>) -> AttachedFile {
    AttachedFile {
        file: Ok(Arc::new(file(name, FileKind::Document, 1))),
        delivery: Delivery::Inline,
        deliveries: &[],
        instead: None,
        tokens,
        on_demand_tokens,
        note: None,
        too_large: None,
    }
}

/// A catalog of models with these windows.
fn catalog<const N: usize>(models: [(&str, u64); N]) -> Catalog {
    let model = |(id, window)| Model { context_window: Some(window), ..Model::unknown(id) };
    Catalog::new(models.map(model))
}

/// What is suggested for a snapshot whose limit binds for this reason.
fn suggested(mut known: Arc<Snapshot>, binds: Binds, change: impl FnOnce(&mut Snapshot)) -> Plan {
    let snapshot = Arc::make_mut(&mut known);
    Arc::make_mut(&mut snapshot.target).limit.binds = binds;
    change(snapshot);
    plan(&known, OverBudget::Ask)
}

/// What is suggested after an overflow of a message to a model.
fn after_overflow(
    weights: &Weights,
    requested: Option<u64>,
    files: &[AttachedFile],
    catalog: &Catalog,
    model: &str,
) -> Vec<Suggestion> {
    let mut known = snapshot(weights.limit, &[], weights.message);
    let snapshot = Arc::make_mut(&mut known);
    Arc::make_mut(&mut snapshot.target).model.id = model.to_owned();
    snapshot.catalog = Arc::new(catalog.clone());
    snapshot.message.attached = files.to_vec();
    overflow_suggestions(weights, requested, &known)
}

#[test]
fn val_1_suggestions_name_files_and_models() {
    let models = || {
        let off = Model { context_window: Some(32_768), enabled: false, ..Model::unknown("off") };
        let known = [("m", 4096), ("large", 200_000), ("medium", 32_768)];
        let known = known.map(|(id, w)| Model { context_window: Some(w), ..Model::unknown(id) });
        Arc::new(Catalog::new(known.into_iter().chain([off])))
    };
    let files = vec![attached("a.txt", 6000, Some(30)), attached("b.txt", 2000, None)];
    let found = suggested(snapshot(4096, &[], 9000), CATALOG, |known| {
        known.catalog = models();
        known.message.attached = files;
    });
    assert_eq!(
        found.suggestions,
        [
            Suggestion::SetWindow { model: "m".into(), needed: 9000 },
            Suggestion::DetachFile { name: "a.txt".into(), tokens: 6000 },
            Suggestion::AttachOnDemand { name: "a.txt".into(), frees: 5970 },
            Suggestion::SwitchModel { models: vec!["medium".into(), "large".into()] },
        ],
        "the words are 1,000 tokens: to shorten them by 4,904 cannot be"
    );
    let wordy =
        suggested(snapshot(4096, &[], 9000), CATALOG, |known| known.catalog = models()).suggestions;
    assert!(wordy.contains(&Suggestion::ShortenMessage { tokens: 4904 }), "{wordy:?}");
}

/// VAL-1, CAT-3, CAT-4: where nobody is sure of the limit or of the estimate, the ways out are
/// all there.
#[test]
fn val_1_what_nobody_is_sure_of_can_be_sent_all_the_same() {
    let learned = Binds::Learned(Timestamp::from_millis(5));
    for (binds, basis) in
        [(Binds::Assumed, Basis::Exact), (learned, Basis::Exact), (CATALOG, Basis::Approx)]
    {
        let planned = suggested(snapshot(4096, &[], 4200), binds, |known| {
            Arc::make_mut(&mut known.target).basis = basis;
        });
        assert_eq!(planned.validation.verdict, Verdict::Over, "{binds:?}");
        let ways = planned.suggestions;
        assert_eq!(ways.first(), Some(&Suggestion::SendAnyway), "{binds:?}");
        let set = Suggestion::SetWindow { model: "m".into(), needed: 4200 };
        assert!(ways.contains(&set), "{binds:?}: {ways:?}");
        let forget = Suggestion::ForgetLearned { model: "m".into() };
        assert_eq!(ways.contains(&forget), binds == learned, "{binds:?}: {ways:?}");
    }
}

/// CAT-3: where only the history does not fit, what was learned is told as well.
#[test]
fn cat_3_a_learned_limit_can_be_forgotten_wherever_it_binds() {
    let learned = Binds::Learned(Timestamp::from_millis(5));
    let ways = suggested(snapshot(400, &[Some(300)], 200), learned, |_| {}).suggestions;
    assert_eq!(ways[0], Suggestion::FitFirst { pairs: 1 });
    assert_eq!(ways[1], Suggestion::TrimAsNeeded);
    assert!(ways.contains(&Suggestion::ForgetLearned { model: "m".into() }), "{ways:?}");
    assert!(ways.contains(&Suggestion::SetWindow { model: "m".into(), needed: 500 }));
}

#[test]
fn val_2_below_the_limit_nothing_is_suggested() {
    assert_eq!(suggested(snapshot(4096, &[], 4000), CATALOG, |_| {}).suggestions, []);
}

#[test]
fn cat_3_a_model_that_its_tokens_a_minute_bind_is_not_suggested() {
    let wide = |id: &str, tpm| Model { context_window: Some(500_000), tpm, ..Model::unknown(id) };
    let models = [wide("throttled", Some(30)), wide("free", None), wide("m", None)];
    let found = suggested(snapshot(100, &[], 9000), CATALOG, |known| {
        known.catalog = Arc::new(Catalog::new(models));
    })
    .suggestions;
    assert!(found.contains(&Suggestion::SwitchModel { models: vec!["free".into()] }), "{found:?}");
}

#[test]
fn ovf_3_after_an_overflow_larger_models_and_less_text_help() {
    let catalog = catalog([("same", 512), ("big", 8192), ("this", 4096)]);
    let weights = |limit, prelude, history, message| Weights { limit, prelude, history, message };
    let names = |models: &[&str]| Suggestion::SwitchModel {
        models: models.iter().map(|name| (*name).to_owned()).collect(),
    };
    // The provider's own count is larger than ours.
    assert_eq!(
        after_overflow(&weights(512, 0, 300, 100), Some(600), &[], &catalog, "this"),
        [names(&["big"]), Suggestion::ClearHistory { frees: 300 }]
    );
    assert_eq!(
        after_overflow(&weights(512, 12, 0, 700), None, &[], &catalog, "this"),
        [names(&["big"]), Suggestion::ShortenMessage { tokens: 200 }]
    );
    // By our count it fits: still nothing of the same size is named.
    assert_eq!(
        after_overflow(&weights(512, 0, 0, 10), None, &[], &catalog, "x"),
        [names(&["this", "big"])]
    );
    // FAU-7: a file is the first thing to make smaller, and the largest one is named.
    let files = [attached("a.md", 9, None), attached("b.csv", 380, None)];
    assert_eq!(
        after_overflow(&weights(512, 0, 0, 400), None, &files, &catalog, "big"),
        [Suggestion::DetachFile { name: "b.csv".into(), tokens: 380 }, names(&["this"])]
    );
}

/// BND-8: pins that alone do not fit beside the message can be let go; fitting would not help.
#[test]
fn bnd_8_pins_that_do_not_fit_can_be_unpinned() {
    let loads = [Load::of(70).pin(), Load::of(20), Load::of(25).pin()];
    let over = plan(&snapshot_of(100, &loads, 20), OverBudget::Ask);
    let ids: Vec<PairId> = over.snapshot.selection.included.iter().map(|pair| pair.id).collect();
    assert_eq!(ids.len(), 2, "the pins go, and there is no room for the rest");
    assert!(over.suggestions.contains(&Suggestion::Unpin { pairs: ids, frees: 95 }));
    let fits = |one: &Suggestion| matches!(one, Suggestion::FitFirst { .. });
    let clears = |one: &Suggestion| matches!(one, Suggestion::ClearHistory { .. });
    assert!(!over.suggestions.iter().any(|one| fits(one) || clears(one)), "{:?}", over.suggestions);
    // With a smaller pin it is enough to leave the others out.
    let loads = [Load::of(30).pin(), Load::of(20), Load::of(25)];
    let over = plan(&snapshot_of(100, &loads, 60), OverBudget::Fit);
    assert_eq!(over.left_out_first(), 2);
    assert!(over.suggestions.contains(&Suggestion::FitFirst { pairs: 2 }));
    assert!(over.suggestions.contains(&Suggestion::ClearHistory { frees: 45 }));
}
