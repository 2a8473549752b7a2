use plimsoll_budget::{
    BoundaryInput, Catalog, ExcludedBecause, FileLimits, Load, LoadSums, OverBudget, Quota,
};
use plimsoll_domain::{PairId, Timestamp};
use plimsoll_tokens::{Basis, Correction, RawTokens};
use proptest::prelude::*;

use super::*;
use crate::{AttachLimits, Candidate, Capabilities, Selection, WeighedMessage};

/// What is known when pairs of these tokens are visible; none for one that is never sent.
pub(crate) fn snapshot(limit: u64, pairs: &[Option<u64>], message: u64) -> Arc<Snapshot> {
    let loads: Vec<Load> =
        pairs.iter().map(|tokens| tokens.map_or(Load::NOT_SENDABLE, Load::of)).collect();
    snapshot_of(limit, &loads, message)
}

/// The same for pairs of these loads.
pub(crate) fn snapshot_of(limit: u64, pairs: &[Load], message: u64) -> Arc<Snapshot> {
    let mut model = Model::unknown("m");
    model.context_window = Some(limit);
    let input = BoundaryInput {
        limit,
        allowance: 0,
        raw_prelude: RawTokens::ZERO,
        reply_reserve: 0,
        correction: Correction::NONE,
    };
    let load = |at: usize| pairs[at];
    let pins: Vec<usize> = (0..pairs.len()).filter(|at| pairs[*at].pinned).collect();
    let boundary = Boundary::compute(&mut LoadSums::new(pairs.len()), load, &pins, &input);
    let candidate = |position: usize| Candidate {
        position,
        id: PairId::new(Timestamp::from_millis(position as i64), [0; 10]),
        revision: 1,
        load: load(position),
        reason: match load(position).sendable {
            true => ExcludedBecause::Budget,
            false => ExcludedBecause::Error,
        },
    };
    Arc::new(Snapshot {
        sent_before: 0,
        within: None,
        target: Arc::new(Target {
            limit: ModelLimit::given(limit),
            basis: Basis::Exact,
            estimator: ("exact", true),
            raw_system: RawTokens::ZERO,
            capabilities: Capabilities::default(),
            file_limits: AttachLimits::of(FileLimits::default(), &model, Some(limit)),
            files: None,
            hidden_prompt_notice: None,
            model,
        }),
        input,
        selection: Arc::new(Selection::new(boundary, (0..pairs.len()).map(candidate))),
        message: WeighedMessage { raw: message.into(), ..WeighedMessage::default() },
        quota: Quota::default(),
        now: Timestamp::from_millis(0),
        warn_at: 80,
        catalog: Arc::new(Catalog::default()),
    })
}

#[test]
fn val_3_each_policy_decides_for_itself_from_the_same_snapshot() {
    // 90 of history fit; with a message of 60 it is 150 of 100.
    let over = snapshot(100, &[Some(40), Some(30), Some(20)], 60);
    let decided = |policy| plan(&over, policy).decision;
    assert_eq!(decided(OverBudget::Ask), Decision::Ask);
    assert_eq!(decided(OverBudget::Trim), Decision::Send);
    assert_eq!(decided(OverBudget::Fit), Decision::SendWithout(2));
    assert_eq!(decided(OverBudget::Block), Decision::Block);
    assert_eq!(plan(&over, OverBudget::Fit).left_out_first(), 2);
    let alone = snapshot(100, &[Some(40)], 101);
    assert_eq!(plan(&alone, OverBudget::Trim).decision, Decision::PromptTooLarge, "VAL-1");
}

#[test]
fn bnd_7_a_newest_pair_that_does_not_fit_is_told() {
    assert!(plan(&snapshot(100, &[Some(10), Some(101)], 1), OverBudget::Ask).newest_too_large());
    assert!(!plan(&snapshot(100, &[Some(10), None], 1), OverBudget::Ask).newest_too_large());
    assert!(!plan(&snapshot(100, &[None], 1), OverBudget::Ask).newest_too_large());
}

proptest! {
    #[test]
    fn every_candidate_is_included_or_has_a_reason(
        limit in 1u64..2000,
        pairs in proptest::collection::vec(proptest::option::of(0u64..300), 0..40),
        message in 0u64..2500,
        policy in 0usize..4,
    ) {
        let snapshot = snapshot(limit, &pairs, message);
        let policy = OverBudget::ALL[policy];
        let planned = plan(&snapshot, policy);
        let Selection { boundary, included, loads, excluded, .. } = &*snapshot.selection;
        prop_assert_eq!(included.len() + excluded.len(), pairs.len());
        prop_assert_eq!((included.len(), loads.len()), (boundary.included, boundary.included));
        for pair in included {
            prop_assert!(pairs[pair.at].is_some() && pair.at >= boundary.start);
        }
        for (_, reason) in excluded {
            prop_assert!(matches!(reason, ExcludedBecause::Budget | ExcludedBecause::Error));
        }
        prop_assert_eq!(planned.weights.history, snapshot.selection.raw_history().total());
        // Fit first leaves out no more than it must, and what is left fits.
        if let Decision::SendWithout(left_out) = planned.decision {
            let kept = |from: usize| {
                loads[from..].iter().map(|load| load.tokens).sum::<RawTokens>().total() + message
            };
            prop_assert!(left_out == included.len() || kept(left_out) <= limit);
            prop_assert!(left_out == 0 || kept(left_out - 1) > limit);
        }
        // The policy changes the decision and nothing else.
        let other = plan(&snapshot, OverBudget::Trim);
        prop_assert_eq!(planned.weights, other.weights);
        prop_assert_eq!(planned.suggestions, other.suggestions);
    }
}
