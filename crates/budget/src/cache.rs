//! The boundary between changes: recomputed lazily, on exactly the triggers of BND-4.

use crate::{Boundary, BoundaryInput, Load, LoadSums};

/// Something that happened. The first five move the boundary; the others never do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Other pairs are visible, this many: a filter was executed, pairs were deleted or
    /// imported, or a label was edited that the filter looks at.
    VisibleSet(usize),
    /// A pair was added at the end.
    PairAdded,
    /// The load of the visible pair at this position changed: its answer arrived, its
    /// send ended, it was edited, left out or pinned, or an attachment is delivered another
    /// way.
    PairLoad(usize),
    /// The loads of all pairs changed: another estimator or ratio.
    AllLoads,
    /// Model, limit, allowance, prelude, reserve or calibration; it is compared with
    /// what was there.
    Input(BoundaryInput),
    /// A key was pressed in the draft.
    Keystroke,
    /// The view moved.
    Scroll,
    /// A label was edited that the filter does not look at.
    UnseenLabel,
    /// A send in flight dropped a pair from its own working copy.
    TrimAttempt,
}

/// A boundary that is computed when it is asked for after a trigger, and only then.
#[derive(Clone)]
pub struct BoundaryCache {
    input: BoundaryInput,
    sums: LoadSums,
    computed: Option<Boundary>,
    recomputations: u64,
}

impl BoundaryCache {
    /// Nothing computed yet over this many visible pairs.
    pub fn new(visible: usize, input: BoundaryInput) -> Self {
        Self { input, sums: LoadSums::new(visible), computed: None, recomputations: 0 }
    }

    /// Takes note of a change.
    pub fn note(&mut self, change: Change) {
        match change {
            Change::VisibleSet(visible) => self.sums = LoadSums::new(visible),
            Change::PairAdded => self.sums.push(),
            Change::PairLoad(position) => self.sums.forget(position),
            Change::AllLoads => self.sums = LoadSums::new(self.sums.len()),
            Change::Input(input) => {
                if self.computed.is_some_and(|drawn| !self.input.moves(&input, &drawn)) {
                    return;
                }
                self.input = input;
            }
            Change::Keystroke | Change::Scroll | Change::UnseenLabel | Change::TrimAttempt => {
                return;
            }
        }
        self.computed = None;
    }

    /// The boundary, computed if a trigger came since the last time.
    pub fn get(&mut self, load: impl FnMut(usize) -> Load, pins: &[usize]) -> Boundary {
        match self.computed {
            Some(boundary) => boundary,
            None => {
                let boundary = Boundary::compute(&mut self.sums, load, pins, &self.input);
                self.recomputations += 1;
                *self.computed.insert(boundary)
            }
        }
    }

    /// BND-6: like [`get`](Self::get), but the line stays at `previous` while that still
    /// fits, and moves by a block when it must.
    pub fn get_stepped(
        &mut self,
        load: impl FnMut(usize) -> Load,
        pins: &[usize],
        previous: Option<usize>,
    ) -> Boundary {
        match self.computed {
            Some(boundary) => boundary,
            None => {
                let (sums, input) = (&mut self.sums, &self.input);
                let boundary = Boundary::compute_stepped(sums, load, pins, input, previous);
                self.recomputations += 1;
                *self.computed.insert(boundary)
            }
        }
    }

    /// Whether the next [`get`](Self::get) will touch no pair.
    pub fn is_current(&self) -> bool {
        self.computed.is_some()
    }

    /// What the boundary is drawn with.
    pub fn input(&self) -> &BoundaryInput {
        &self.input
    }

    /// How often it was computed.
    pub fn recomputations(&self) -> u64 {
        self.recomputations
    }
}

impl BoundaryInput {
    /// Whether another input may move the boundary that was drawn with this one. What was
    /// learned does only when it moves the sum by more than 1 % of ML, so that the line rests
    /// while a model is being learned.
    fn moves(&self, other: &Self, drawn: &Boundary) -> bool {
        if (Self { correction: self.correction, ..*other }) != *self {
            return true;
        }
        let sum = |input: &Self| {
            let history = input.correction.apply(drawn.raw_history);
            history.saturating_add(input.prelude())
        };
        u128::from(sum(self).abs_diff(sum(other))) * 100 > u128::from(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_tokens::{Correction, RawTokens};

    use super::*;

    const INPUT: BoundaryInput = BoundaryInput {
        limit: 1000,
        allowance: 100,
        raw_prelude: RawTokens::ZERO,
        reply_reserve: 0,
        correction: Correction::NONE,
    };

    fn load(_position: usize) -> Load {
        Load::of(200u64)
    }

    #[test]
    fn bnd_4_only_triggers_recompute_and_only_when_asked() {
        let larger = BoundaryInput { limit: 2000, ..INPUT };
        let learned =
            |offset, slope| BoundaryInput { correction: Correction::new(offset, slope), ..INPUT };
        let triggers = [
            Change::VisibleSet(20),
            Change::PairAdded,
            Change::PairLoad(3),
            Change::AllLoads,
            Change::Input(larger),
            Change::Input(BoundaryInput { allowance: 5, ..INPUT }),
            Change::Input(BoundaryInput { raw_prelude: 5.into(), ..INPUT }),
            Change::Input(BoundaryInput { reply_reserve: 5, ..INPUT }),
            Change::Input(learned(0.0, 1.02)),
            Change::Input(learned(11.0, 1.0)),
        ];
        let others = [
            Change::Keystroke,
            Change::Scroll,
            Change::UnseenLabel,
            Change::TrimAttempt,
            Change::Input(INPUT),
            // 800 tokens of history move by 8, and ML is 1,000.
            Change::Input(learned(0.0, 1.01)),
            Change::Input(learned(10.0, 1.0)),
        ];
        for (changes, recomputed) in [(&triggers[..], 1), (&others[..], 0)] {
            for change in changes {
                let mut cache = BoundaryCache::new(10, INPUT);
                cache.get(load, &[]);
                let before = cache.recomputations();
                cache.note(*change);
                assert_eq!(cache.recomputations(), before, "lazy: {change:?}");
                cache.get(load, &[]);
                cache.get(load, &[]);
                assert_eq!(cache.recomputations(), before + recomputed, "{change:?}");
            }
        }
    }

    #[test]
    fn bnd_4_a_keystroke_touches_no_pair() {
        let mut cache = BoundaryCache::new(100_000, INPUT);
        let first = cache.get(load, &[]);
        for _ in 0..1000 {
            cache.note(Change::Keystroke);
            let again = cache.get(|position| panic!("pair {position} was touched"), &[]);
            assert_eq!(again, first);
        }
    }

    #[test]
    fn the_cached_boundary_is_the_computed_one() {
        let mut loads = vec![200u64; 10];
        let mut cache = BoundaryCache::new(loads.len(), INPUT);
        assert_eq!(cache.get(|at| Load::of(loads[at]), &[]).included, 4);
        loads[9] = 700;
        cache.note(Change::PairLoad(9));
        assert_eq!(cache.get(|at| Load::of(loads[at]), &[]).included, 2);
        loads.push(10);
        cache.note(Change::PairAdded);
        assert_eq!(cache.get(|at| Load::of(loads[at]), &[]).included, 2);
        cache.note(Change::Input(BoundaryInput { limit: 5000, ..INPUT }));
        assert_eq!(cache.get(|at| Load::of(loads[at]), &[]).included, 11);
    }
}
