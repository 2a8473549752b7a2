//! What a surface shows of each visible pair.

use std::ops::Range;

use plimsoll_budget::ExcludedBecause;
use plimsoll_domain::{Lifecycle, PairId, PairUse, TopicId};

use super::WorkspaceView;
use crate::{App, AppError};

/// Whether a visible pair would be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// It would.
    Included,
    /// It would not, and why.
    Excluded(ExcludedBecause),
}

/// A visible pair and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub id: PairId,
    /// Its state, for those who need no texts.
    pub lifecycle: Lifecycle,
    pub pair_use: PairUse,
    /// What it weighs in the window, learned and overhead included; none if it was never
    /// weighed because the boundary does not reach it.
    pub tokens: Option<u64>,
    /// Where it stands.
    pub place: Inclusion,
    /// Its conversation, where several are looked at and the pair before it is of another.
    pub begins: Option<TopicId>,
}

impl WorkspaceView {
    /// The visible pairs at these positions, weighed.
    pub async fn shown(
        &mut self,
        app: &App,
        positions: Range<usize>,
    ) -> Result<Vec<Shown>, AppError> {
        let boundary = self.boundary(app).await?;
        let rules = self.rules(app);
        let end = positions.end.min(self.visible.len());
        let start = positions.start.min(end);
        let rows = self.visible[start..end].to_vec();
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        self.history.weigh(&rows, &renderer, &mut self.file_cache).await?;
        let correction = self.cache.input().correction;
        let everything = self.within().is_none();
        let show = |at: usize| {
            let load = self.load(at, &rules);
            let row = self.visible[at];
            let pair = &self.history.pairs[row as usize];
            let place = if boundary.includes(at, load) {
                Inclusion::Included
            } else {
                Inclusion::Excluded(self.history.excluded_because(row, &rules))
            };
            let weight = self.history.weight(row, &rules);
            let topic = |at: usize| self.history.pairs[self.visible[at] as usize].topic_id;
            let goes_on = at.checked_sub(1).is_some_and(|before| topic(before) == topic(at));
            Shown {
                id: pair.id,
                lifecycle: pair.lifecycle,
                pair_use: pair.pair_use,
                tokens: weight.map(|tokens| correction.apply(tokens)),
                place,
                begins: (everything && !goes_on).then(|| topic(at)),
            }
        };
        Ok((start..end).map(show).collect())
    }

    /// How many of the visible pairs from a position on are being sent right now.
    pub fn in_flight(&self, from: usize) -> usize {
        let rows = self.visible.get(from..).unwrap_or_default();
        let sending =
            |row: &&u32| self.history.pairs[**row as usize].lifecycle == Lifecycle::Sending;
        rows.iter().filter(sending).count()
    }
}
