//! Which of the visible pairs go along with a message.

use std::sync::Arc;

use plimsoll_budget::{Boundary, BoundaryInput, LoadSums};
use plimsoll_domain::PairId;
use plimsoll_send::{Candidate, Selection};
use plimsoll_store::ReceiptFilter;
use plimsoll_tokens::RawTokens;

use super::WorkspaceView;
use crate::{App, AppError, Purpose, driver::opening, history::LoadRules};

impl WorkspaceView {
    /// The pairs that go along. A pair that is asked again is not its own history, and
    /// nothing that came after a regenerated pair is either.
    pub(crate) async fn selection(
        &mut self,
        app: &App,
        purpose: Purpose,
    ) -> Result<Arc<Selection>, AppError> {
        let drawn = self.boundary(app).await?;
        let rules = self.rules(app);
        let visible = || self.visible.iter().copied().enumerate();
        let id = |row: u32| self.history.pairs[row as usize].id;
        let candidates: Vec<(usize, u32)> = match purpose {
            Purpose::New | Purpose::Summarise => {
                let version = self.cache.recomputations();
                if let Some((_, kept)) = self.selected.as_ref().filter(|(at, _)| *at == version) {
                    return Ok(Arc::clone(kept));
                }
                let selection = Arc::new(self.split(drawn, visible(), &rules));
                self.selected = Some((version, Arc::clone(&selection)));
                return Ok(selection);
            }
            Purpose::ReAsk(old) | Purpose::SendAgain(old) => {
                visible().filter(|(_, row)| id(*row) != old).collect()
            }
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

    /// What of a new message's request the last send to the same model had as well (UI-18): all of
    /// that, if since then nothing but its own pair came to what goes along. It is found out once
    /// for a selection, and only where cached tokens have a price of their own.
    pub(super) async fn sent_before(
        &mut self,
        app: &App,
        purpose: Purpose,
        selection: &Arc<Selection>,
    ) -> u64 {
        let model = &self.target.facts.model;
        let priced = model.price.is_some_and(|price| price.cached_input.is_some());
        if purpose != Purpose::New || !priced {
            return 0;
        }
        if let Some((known, id, tokens)) = &self.sent_before
            && Arc::ptr_eq(known, selection)
            && *id == model.id
        {
            return *tokens;
        }
        let tokens = self.sent_with_newest(app, selection).await.unwrap_or(0);
        self.sent_before = Some((Arc::clone(selection), model.id.clone(), tokens));
        tokens
    }

    /// What was sent with the newest pair that goes along, if it is the beginning of what would
    /// be sent now. Where a receipt cannot be read, nothing is known.
    async fn sent_with_newest(&self, app: &App, selection: &Selection) -> Option<u64> {
        let (newest, before) = selection.included.split_last()?;
        let filter =
            ReceiptFilter { pair: Some(newest.id), limit: Some(1), ..ReceiptFilter::default() };
        let listed = app.store.receipts(&self.workspace, &filter).await.ok()?.into_iter().next()?;
        if listed.model != self.target.facts.model.id {
            return None;
        }
        let receipt = app.store.receipt(listed.id).await.ok()?.receipt()?;
        let sent = receipt.last()?.selection.iter().map(|pair| pair.id);
        let same = sent.eq(before.iter().map(|pair| pair.id));
        same.then(|| listed.first_prompt.unwrap_or(listed.estimate))
    }

    /// The visible pairs in groups that fit one request each, with a message behind them; oldest
    /// first (HIS-11).
    pub(crate) async fn parts_that_fit(
        &mut self,
        app: &App,
        message: &str,
    ) -> Result<Vec<Vec<PairId>>, AppError> {
        self.refresh(app).await?;
        let rules = self.rules(app);
        let renderer = self.target.renderer(app, &self.blobs, &self.workspace);
        self.history.weigh(&self.visible, &renderer, &mut self.file_cache).await?;
        let input = self.target.input(app, &self.topic);
        let overhead = self.target.facts.model.message_overhead;
        let message = RawTokens::message(self.target.weigher.count(message), overhead);
        let allowance = input.allowance.max(input.correction.apply(message));
        let input = BoundaryInput { allowance, ..input };
        let (mut parts, mut sum) = (Vec::<Vec<PairId>>::new(), RawTokens::ZERO);
        for row in &self.visible {
            let (id, load) =
                (self.history.pairs[*row as usize].id, self.history.load(*row, &rules));
            if !load.sendable {
                continue;
            }
            if !input.fits(load.tokens) {
                let pair = app.store.get(id).await?.pair;
                let model = self.target.facts.model.id.clone();
                let opening = opening(&pair.user_text);
                return Err(AppError::TooLongToSummarise { opening, model });
            }
            sum += load.tokens;
            match parts.last_mut().filter(|_| input.fits(sum)) {
                Some(part) => part.push(id),
                None => {
                    sum = load.tokens;
                    parts.push(vec![id]);
                }
            }
        }
        if parts.is_empty() { Err(AppError::NothingToSummarise) } else { Ok(parts) }
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
