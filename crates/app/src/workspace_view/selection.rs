//! Which of the visible pairs go along with a message.

use std::sync::Arc;

use plimsoll_budget::{Boundary, LoadSums};
use plimsoll_send::{Candidate, Selection};

use super::WorkspaceView;
use crate::{App, AppError, Purpose, history::LoadRules};

impl WorkspaceView {
    /// The pairs that go along. A pair that is asked again is not its own history, and
    /// nothing that came after a regenerated pair is either.
    pub(super) async fn selection(
        &mut self,
        app: &App,
        purpose: Purpose,
    ) -> Result<Arc<Selection>, AppError> {
        let drawn = self.boundary(app).await?;
        let rules = self.rules(app);
        let visible = || self.visible.iter().copied().enumerate();
        let id = |row: u32| self.history.pairs[row as usize].id;
        let candidates: Vec<(usize, u32)> = match purpose {
            Purpose::New => {
                let version = self.cache.recomputations();
                if let Some((_, kept)) = self.selected.as_ref().filter(|(at, _)| *at == version) {
                    return Ok(Arc::clone(kept));
                }
                let selection = Arc::new(self.split(drawn, visible(), &rules));
                self.selected = Some((version, Arc::clone(&selection)));
                return Ok(selection);
            }
            Purpose::ReAsk(old) => visible().filter(|(_, row)| id(*row) != old).collect(),
            Purpose::Regenerate(old) => {
                let place = self.history.pairs.iter().position(|pair| pair.id == old);
                let before = |(_, row): &(usize, u32)| place.is_none_or(|at| (*row as usize) < at);
                visible().filter(before).collect()
            }
        };
        let rows: Vec<u32> = candidates.iter().map(|(_, row)| *row).collect();
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let (input, file_cache) = (*self.cache.input(), &mut self.file_cache);
        self.history.weigh_reached(&rows, &renderer, file_cache, &rules, &input).await?;
        let load = |at: usize| self.history.load(rows[at], &rules);
        let (mut sums, pins) = (LoadSums::new(rows.len()), self.history.pins(&rows));
        let drawn = if app.settings().boundary_step() {
            let id = |row: u32| self.history.pairs[row as usize].id;
            let previous = rows.iter().position(|row| Some(id(*row)) == self.line);
            Boundary::compute_stepped(&mut sums, load, &pins, &input, previous)
        } else {
            Boundary::compute(&mut sums, load, &pins, &input)
        };
        Ok(Arc::new(self.split(drawn, candidates.into_iter(), &rules)))
    }

    /// Parts candidates, each with its visible position, at a boundary over them.
    fn split(
        &self,
        boundary: Boundary,
        candidates: impl Iterator<Item = (usize, u32)>,
        rules: &LoadRules,
    ) -> Selection {
        let candidate = |(position, row): (usize, u32)| Candidate {
            position,
            id: self.history.pairs[row as usize].id,
            revision: self.history.revision(row),
            load: self.history.load(row, rules),
            reason: self.history.excluded_because(row, rules),
        };
        Selection::new(boundary, candidates.map(candidate))
    }
}
