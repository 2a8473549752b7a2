//! Weighing pairs: only those that the boundary reaches, newest first, unless the
//! filter asks for the weight of each. Their lines are read a second time.

use std::time::Instant;

use plimsoll_budget::{Boundary, BoundaryInput, Load, LoadSums, WeighedPair};
use plimsoll_tokens::Estimator;

use super::{Timings, history::History};
use crate::failure::Failure;

pub(crate) struct Weigher {
    pub(crate) estimator: Estimator,
    /// Tokens that each message costs beyond its text.
    pub(crate) overhead: u64,
    pub(crate) send_error_pairs: bool,
}

impl Weigher {
    /// Weighs every pair, for a filter that asks (`k`).
    pub(crate) fn weigh_all(&self, history: &mut History) -> Result<(), Failure> {
        // In the order of the file, so that the disk reads ahead.
        let mut rows: Vec<usize> = (0..history.entries.len()).collect();
        rows.sort_by_key(|row| history.entries[*row].offset);
        rows.into_iter().try_for_each(|row| self.weigh(history, row).map(|_| ()))
    }

    /// Weighs the visible pairs newest first, as far as the boundary walks, and gives
    /// the sums that were made on the way.
    pub(crate) fn weigh_aboard(
        &self,
        history: &mut History,
        visible: &[u32],
        input: &BoundaryInput,
        timings: &mut Timings,
    ) -> Result<LoadSums, Failure> {
        let started = Instant::now();
        let mut failure = None;
        let mut sums = LoadSums::new(visible.len());
        let load = |position: usize| match self.weigh(history, visible[position] as usize) {
            Ok(load) => load,
            Err(error) => {
                failure = Some(error);
                // Nothing fits beside this, so the walk ends here.
                Load::of(u64::MAX)
            }
        };
        Boundary::compute(&mut sums, load, input);
        timings.weigh += started.elapsed();
        failure.map_or(Ok(sums), Err)
    }

    fn weigh(&self, history: &mut History, row: usize) -> Result<Load, Failure> {
        let entry = &history.entries[row];
        if entry.not_sendable.is_some() {
            return Ok(Load::NOT_SENDABLE);
        }
        if let Some(tokens) = entry.tokens {
            return Ok(Load::of(tokens));
        }
        let load = history.with_text(row, |pair| {
            let answer = pair.assistant_text.as_deref();
            WeighedPair::of(pair.lifecycle, &pair.user_text, answer, &self.estimator)
                .load(self.overhead, self.send_error_pairs)
        })?;
        history.set_tokens(row, load.tokens.total());
        Ok(load)
    }
}
