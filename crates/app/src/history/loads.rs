//! What each pair of a history adds to a request, and why it is not sent if it is not.

use std::collections::{HashMap, HashSet};

use plimsoll_budget::{ExcludedBecause, Load, WeighedPair};
use plimsoll_domain::{ContextMark, Lifecycle, PairId, PairUse};
use plimsoll_store::PairRow;
use plimsoll_tokens::RawTokens;

use super::History;

/// What a load depends on besides the texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoadRules {
    pub(crate) overhead: u64,
    pub(crate) send_error_pairs: bool,
    /// Where the context begins (UI-17).
    pub(crate) mark: Option<ContextMark>,
}

/// The rows that are pinned, in order.
pub(super) fn pinned_of(pairs: &[PairRow]) -> Vec<u32> {
    let rows = (0u32..).zip(pairs);
    rows.filter(|(_, pair)| pair.pair_use == PairUse::Pinned).map(|(row, _)| row).collect()
}

impl History {
    /// Copies the weights to where `k` looks for them.
    pub(crate) fn publish_tokens(&mut self, loads: &LoadRules) {
        for row in 0..self.pairs.len() {
            // What a pair weighs depends neither on where the context begins nor on its use.
            let weighed = self.weighed(u32::try_from(row).unwrap_or(u32::MAX));
            let tokens = weighed.map_or(u64::MAX, |pair| {
                let pair = WeighedPair { pair_use: PairUse::Auto, ..pair };
                pair.load(loads.overhead, loads.send_error_pairs).tokens.total()
            });
            self.rows[row].tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        }
    }

    /// The load of a row. One that was not weighed is beyond what the boundary reaches.
    pub(crate) fn load(&self, row: u32, rules: &LoadRules) -> Load {
        let load = match self.weighed(row) {
            Some(pair) => pair.load(rules.overhead, rules.send_error_pairs),
            None => match self.pairs.get(row as usize).map(|pair| pair.pair_use) {
                Some(PairUse::Out) => Load::NOT_SENDABLE,
                Some(PairUse::Pinned) => Load::of(u64::MAX).pin(),
                Some(PairUse::Auto) | None => Load::of(u64::MAX),
            },
        };
        // A pin goes from before the mark too (UI-17).
        if !load.pinned && self.before_the_mark(row, rules) { Load::BEFORE_THE_LINE } else { load }
    }

    /// The positions of the pinned pairs among some rows, which are in order.
    pub(crate) fn pins(&self, rows: &[u32]) -> Vec<usize> {
        self.pinned.iter().filter_map(|row| rows.binary_search(row).ok()).collect()
    }

    pub(super) fn set_pinned(&mut self, row: usize, pinned: bool) {
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        match self.pinned.binary_search(&row) {
            Err(at) if pinned => self.pinned.insert(at, row),
            Ok(at) if !pinned => drop(self.pinned.remove(at)),
            _ => {}
        }
    }

    /// The loads of some pairs.
    pub(crate) fn loads(&self, ids: &[PairId], rules: &LoadRules) -> HashMap<PairId, Load> {
        let wanted: HashSet<&PairId> = ids.iter().collect();
        let rows = self.pairs.iter().zip(0u32..).filter(|(pair, _)| wanted.contains(&pair.id));
        rows.map(|(pair, row)| (pair.id, self.load(row, rules))).collect()
    }

    /// What a pair weighs, whether it may be sent or not; none if it was not weighed.
    pub(crate) fn weight(&self, row: u32, rules: &LoadRules) -> Option<RawTokens> {
        let weighed = self.weighed(row)?;
        let (lifecycle, pair_use) = (Lifecycle::Complete, PairUse::Auto);
        let complete = WeighedPair { lifecycle, pair_use, ..weighed };
        Some(complete.load(rules.overhead, rules.send_error_pairs).tokens)
    }

    /// Why a visible row is not sent, given that it is not included.
    pub(crate) fn excluded_because(&self, row: u32, rules: &LoadRules) -> ExcludedBecause {
        let left_out = self.pairs.get(row as usize).is_some_and(|p| p.pair_use == PairUse::Out);
        let by_itself = match self.weighed(row) {
            Some(pair) => pair.not_sendable(rules.send_error_pairs),
            None => left_out.then_some(ExcludedBecause::LeftOut),
        };
        match by_itself {
            // Wherever the line is moved, this one stays out.
            Some(ExcludedBecause::LeftOut) => ExcludedBecause::LeftOut,
            _ if self.load(row, rules) == Load::BEFORE_THE_LINE => ExcludedBecause::BeforeTheLine,
            reason => reason.unwrap_or(ExcludedBecause::Budget),
        }
    }

    fn before_the_mark(&self, row: u32, rules: &LoadRules) -> bool {
        let pair = self.pairs.get(row as usize);
        let key = pair.map(|pair| (pair.created_at, pair.id));
        rules.mark.zip(key).is_some_and(|(mark, key)| mark.excludes(key))
    }

    /// The revision of the text that a row was weighed with.
    pub(crate) fn revision(&self, row: u32) -> u64 {
        let estimate = self.pairs.get(row as usize).and_then(|p| self.estimates.get(&p.id));
        estimate.map_or(0, |estimate| estimate.revision)
    }

    fn weighed(&self, row: u32) -> Option<WeighedPair> {
        let pair = self.pairs.get(row as usize)?;
        let estimate = self.estimates.get(&pair.id)?;
        Some(WeighedPair {
            lifecycle: pair.lifecycle,
            pair_use: pair.pair_use,
            user_tokens: estimate.user_tokens,
            assistant_tokens: estimate.assistant_tokens,
        })
    }
}
