//! Which pairs are visible, and where the load line is drawn over them.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use plimsoll_budget::{Boundary, Change, LoadSums};
use plimsoll_domain::PairId;
use plimsoll_filter::Filter;
use plimsoll_store::PairRow;

use super::WorkspaceView;
use crate::{App, AppError, HistoryChoice, history::LoadRules};

impl WorkspaceView {
    /// Compiles the filter and looks what it shows.
    pub(super) async fn execute_filter(&mut self, app: &App) -> Result<(), AppError> {
        self.filter = match &self.view.history {
            HistoryChoice::Nothing | HistoryChoice::These(_) | HistoryChoice::Summarised(_) => None,
            HistoryChoice::Filter(source) => Some(self.history.compile(&*app.store, source).await?),
        };
        self.base = self.evaluate(app).await?;
        self.show(self.base.clone());
        self.cache.note(Change::Input(self.target.input(app, &self.topic)));
        Ok(())
    }

    /// What the filter shows now, apart from its `o` terms.
    pub(super) async fn evaluate(&mut self, app: &App) -> Result<Vec<u32>, AppError> {
        if let HistoryChoice::These(ids) | HistoryChoice::Summarised(ids) = &self.view.history {
            let wanted: HashSet<&PairId> = ids.iter().collect();
            let rows = (0u32..).zip(&self.history.pairs);
            return Ok(rows.filter(|(_, p)| wanted.contains(&p.id)).map(|(row, _)| row).collect());
        }
        let Some(filter) = &self.filter else { return Ok(Vec::new()) };
        if filter.needs_tokens() {
            let all: Vec<u32> = (0u32..).take(self.history.pairs.len()).collect();
            let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
            self.history.weigh(&all, &renderer, &mut self.file_cache).await?;
            let rules = self.rules(app);
            self.history.publish_tokens(&rules);
        }
        Ok(filter.visible(&self.history))
    }

    /// Where the load line is; drawn again only if something moved it.
    pub async fn boundary(&mut self, app: &App) -> Result<Boundary, AppError> {
        self.refresh(app).await?;
        let rules = self.rules(app);
        if self.drawn_with.replace(rules) != Some(rules) {
            self.cache.note(Change::AllLoads);
        }
        if !self.cache.is_current() {
            self.apply_boundary_terms(app, &rules).await?;
            let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
            let (input, file_cache) = (*self.cache.input(), &mut self.file_cache);
            self.history
                .weigh_reached(&self.visible, &renderer, file_cache, &rules, &input)
                .await?;
        }
        let (history, visible) = (&self.history, &self.visible);
        let load = |at: usize| history.load(visible[at], &rules);
        // A line that is drawn already asks for none of this.
        let pins = if self.cache.is_current() { Vec::new() } else { history.pins(visible) };
        if !app.settings().boundary_step() {
            return Ok(self.cache.get(load, &pins));
        }
        let line = self.line;
        let previous = visible.iter().position(|row| Some(history.pairs[*row as usize].id) == line);
        let boundary = self.cache.get_stepped(load, &pins, previous);
        self.line = visible.get(boundary.start).map(|row| history.pairs[*row as usize].id);
        Ok(boundary)
    }

    /// FLT-3: `o` looks at the boundary over the other terms.
    async fn apply_boundary_terms(&mut self, app: &App, rules: &LoadRules) -> Result<(), AppError> {
        if self.filter.as_ref().is_some_and(Filter::has_boundary_terms) {
            let visible = self.inside_boundary(app, rules, self.base.clone()).await?;
            self.show(visible);
        }
        Ok(())
    }

    /// Those of some rows that the `o` terms of the filter show.
    async fn inside_boundary(
        &mut self,
        app: &App,
        rules: &LoadRules,
        base: Vec<u32>,
    ) -> Result<Vec<u32>, AppError> {
        let Some(filter) = self.filter.as_ref().filter(|filter| filter.has_boundary_terms()) else {
            return Ok(base);
        };
        let input = *self.cache.input();
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        let file_cache = &mut self.file_cache;
        self.history.weigh_reached(&base, &renderer, file_cache, rules, &input).await?;
        let load = |at: usize| self.history.load(base[at], rules);
        let (mut sums, pins) = (LoadSums::new(base.len()), self.history.pins(&base));
        let asked = Boundary::compute(&mut sums, load, &pins, &input);
        Ok(filter.apply_boundary(&base, |at| asked.includes(at, load(at))))
    }

    /// The ids of what is visible now; a pair that is given is as if it were not there, so that
    /// it is none of the newest that `rN` and `tN` count.
    pub async fn visible_now(
        &mut self,
        app: &App,
        without: Option<PairId>,
    ) -> Result<Vec<PairId>, AppError> {
        self.boundary(app).await?;
        let left_out = without.and_then(|id| self.history.pairs.iter().position(|p| p.id == id));
        let (Some(filter), Some(row)) = (&self.filter, left_out) else {
            return Ok(self.visible_ids());
        };
        let base = filter.visible(&self.history.without(row));
        let base = base.into_iter().map(|at| at + u32::from(at as usize >= row)).collect();
        let rules = self.rules(app);
        let visible = self.inside_boundary(app, &rules, base).await?;
        Ok(visible.iter().map(|row| self.history.pairs[*row as usize].id).collect())
    }

    /// Makes other rows the visible ones.
    pub(super) fn show(&mut self, visible: Vec<u32>) {
        self.cache.note(Change::VisibleSet(visible.len()));
        if visible != self.visible {
            self.shape += 1;
        }
        self.visible = visible;
    }

    /// What the filter shows, `o` terms and all.
    pub(crate) async fn rows_shown(&mut self, app: &App) -> Result<Vec<PairRow>, AppError> {
        let rules = self.rules(app);
        self.apply_boundary_terms(app, &rules).await?;
        Ok(self.visible.iter().map(|row| self.history.pairs[*row as usize].clone()).collect())
    }

    /// What the filter shows of what is loaded, apart from its `o` terms: what each change of
    /// labels costs.
    pub fn filtered(&self) -> Vec<u32> {
        self.filter.as_ref().map_or_else(Vec::new, |filter| filter.visible(&self.history))
    }

    /// How long the texts were looked through for the filter.
    pub fn text_search(&self) -> Duration {
        self.history.text_search
    }

    /// How long the line takes to be drawn again when the newest visible pair changed.
    pub fn time_to_draw(&self, app: &App) -> Duration {
        let (rules, mut cache) = (self.rules(app), self.cache.clone());
        cache.note(Change::PairLoad(self.visible.len().saturating_sub(1)));
        let started = Instant::now();
        cache.get(|at| self.load(at, &rules), &self.history.pins(&self.visible));
        started.elapsed()
    }
}
