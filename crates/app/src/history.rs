//! The history of a workspace as a filter sees it, and the weight of its pairs.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use plimsoll_budget::BoundaryInput;
use plimsoll_domain::{PairId, PairUse, Topic, TopicId};
use plimsoll_filter::{Filter, Query, Row, Rows, compile, parse};
use plimsoll_store::{Estimate, PairRow, Store, StoredPair, Workspace};
use plimsoll_tokens::RawTokens;

use crate::{
    AppError, Clock,
    attach::{AttachmentRenderer, FileCache},
    scope::WorkspaceScope,
};

mod loads;

pub(crate) use loads::LoadRules;
use loads::pinned_of;

/// Pairs whose texts are loaded at once.
const CHUNK: usize = 256;

/// The pairs of a workspace, or of one conversation, without their texts, and what is known of their
/// weight. What is in no scope is not there at all: so whatever counts, counts inside the scope.
pub(crate) struct History {
    within: Option<TopicId>,
    /// Whether what people did with their hands counts (HIS-10). What is summarised goes along
    /// whatever its use is.
    obeys_uses: bool,
    pub(crate) pairs: Vec<PairRow>,
    rows: Vec<Row>,
    /// The rows that are pinned (HIS-10), in order.
    pinned: Vec<u32>,
    hits: Vec<HashSet<usize>>,
    estimates: HashMap<PairId, Estimate>,
    pub(crate) scope: WorkspaceScope,
    /// The model of the newest pair elsewhere, where this conversation holds nothing yet.
    model_elsewhere: Option<Arc<str>>,
    /// The newest pair, where it is an answer that was only compared (HIS-12), and the model whose
    /// answer goes on instead.
    goes_on_with: Option<(PairId, Arc<str>)>,
    /// How long the texts were looked through for the filter.
    pub(crate) text_search: Duration,
}

impl Rows for History {
    fn rows(&self) -> &[Row] {
        &self.rows
    }
    fn contains(&self, row: usize, term: usize) -> bool {
        self.hits[term].contains(&row)
    }
}

/// A history as if one of its rows were not there.
pub(crate) struct Without<'a> {
    history: &'a History,
    rows: Vec<Row>,
    row: usize,
}

impl Rows for Without<'_> {
    fn rows(&self) -> &[Row] {
        &self.rows
    }
    fn contains(&self, row: usize, term: usize) -> bool {
        self.history.contains(row + usize::from(row >= self.row), term)
    }
}

/// What became of the rows after some pairs changed.
pub(crate) enum Taken {
    /// These rows changed in place; those from `added` on are new, at the end.
    InPlace { changed: Vec<u32>, added: usize },
    /// A pair is gone, or stands somewhere in the middle: all must be loaded again.
    Reload,
}

impl History {
    /// Loads the rows and the saved filters.
    pub(crate) async fn open(
        store: &dyn Store,
        workspace: &Workspace,
        (within, obeys_uses): (Option<TopicId>, bool),
        topics: &[Topic],
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, AppError> {
        let mut pairs = rows_within(store, workspace, within).await?;
        if !obeys_uses {
            pairs.iter_mut().for_each(|pair| pair.pair_use = PairUse::Auto);
        }
        let model_elsewhere = match pairs.is_empty() && within.is_some() {
            true => store.newest_model(workspace).await?.map(Arc::from),
            false => None,
        };
        let goes_on_with = match pairs.last() {
            Some(newest) if newest.pair_use == PairUse::Out => {
                let compared = store.get_many(&store.compared_with(newest.id).await?).await?;
                let goes_on = compared.iter().find(|one| one.pair.pair_use != PairUse::Out);
                goes_on.map(|one| (newest.id, Arc::from(one.pair.model.as_str())))
            }
            _ => None,
        };
        let saved = store.saved_filters(workspace).await?;
        let mut scope = WorkspaceScope::new(clock, topics, saved);
        let rows = pairs.iter().map(|pair| row_of(pair, &mut scope)).collect();
        Ok(Self {
            within,
            obeys_uses,
            goes_on_with,
            pinned: pinned_of(&pairs),
            pairs,
            rows,
            hits: Vec::new(),
            estimates: HashMap::new(),
            scope,
            model_elsewhere,
            text_search: Duration::ZERO,
        })
    }

    /// The same rows for a filter, without one of them.
    pub(crate) fn without(&self, row: usize) -> Without<'_> {
        let mut rows = self.rows.clone();
        rows.remove(row);
        Without { history: self, rows, row }
    }

    /// Takes in pairs that changed or were added since.
    pub(crate) async fn take_in(
        &mut self,
        store: &dyn Store,
        ids: &[PairId],
        filter: Option<&Filter>,
    ) -> Result<Taken, AppError> {
        let stored = store.get_many(ids).await?;
        if stored.len() != ids.len() {
            return Ok(Taken::Reload);
        }
        let added = self.pairs.len();
        let mut changed = Vec::new();
        for stored in &stored {
            let mut pair = PairRow::of(&stored.pair);
            if !self.obeys_uses {
                pair.pair_use = PairUse::Auto;
            }
            let row = row_of(&pair, &mut self.scope);
            let key = (pair.created_at, pair.id);
            let pinned = pair.pair_use == PairUse::Pinned;
            let here = self.within.is_none_or(|topic| topic == pair.topic_id);
            let at = match self.pairs.binary_search_by_key(&key, |p| (p.created_at, p.id)) {
                // It was moved to another conversation.
                Ok(_) if !here => return Ok(Taken::Reload),
                Err(_) if !here => continue,
                Ok(at) => {
                    self.pairs[at] = pair;
                    self.rows[at] = row;
                    changed.push(u32::try_from(at).unwrap_or(u32::MAX));
                    at
                }
                Err(at) if at == self.pairs.len() => {
                    self.pairs.push(pair);
                    self.rows.push(row);
                    at
                }
                Err(_) => return Ok(Taken::Reload),
            };
            self.set_pinned(at, pinned);
            let weighed = self.estimates.get(&stored.pair.id);
            if weighed.is_some_and(|estimate| estimate.revision != stored.revision) {
                self.estimates.remove(&stored.pair.id);
            }
            if let Some(filter) = filter {
                self.match_texts(filter, at, stored);
            }
        }
        Ok(Taken::InPlace { changed, added })
    }

    /// Compiles a filter, and looks for its texts where it has any.
    pub(crate) async fn compile(
        &mut self,
        store: &dyn Store,
        source: &str,
    ) -> Result<Filter, AppError> {
        let wrong = |error| AppError::Filter { source_text: source.to_owned(), error };
        let query = parse_filter(source)?;
        let filter = compile(query.expr.as_ref(), &self.scope).map_err(wrong)?;
        self.hits = vec![HashSet::new(); filter.text_terms().len()];
        self.text_search = Duration::ZERO;
        if !self.hits.is_empty() {
            for start in (0..self.pairs.len()).step_by(CHUNK) {
                let rows: Vec<usize> = (start..(start + CHUNK).min(self.pairs.len())).collect();
                let texts = self.texts(store, &rows).await?;
                let started = Instant::now();
                for (row, stored) in texts {
                    self.match_texts(&filter, row, &stored);
                }
                self.text_search += started.elapsed();
            }
        }
        Ok(filter)
    }

    fn match_texts(&mut self, filter: &Filter, row: usize, stored: &StoredPair) {
        let answer = stored.pair.assistant_text.as_deref();
        for (hits, term) in self.hits.iter_mut().zip(filter.text_terms()) {
            let found = term.is_match(&stored.pair.user_text)
                || answer.is_some_and(|text| term.is_match(text));
            if found {
                hits.insert(row);
            } else {
                hits.remove(&row);
            }
        }
    }

    /// Loads the estimates that are kept under the stamp of the weigher (EST-7), and those
    /// of messages with attachments under the renderer's: how these weigh depends on who
    /// gets them.
    pub(crate) async fn load_estimates(
        &mut self,
        renderer: &AttachmentRenderer<'_>,
    ) -> Result<(), AppError> {
        let (store, workspace) = (renderer.store, renderer.workspace);
        self.estimates = store.estimates(workspace, &renderer.weigher.stamp()).await?;
        let attached = self.pairs.iter().filter(|pair| pair.has_attachment);
        let attached: Vec<PairId> = attached.map(|pair| pair.id).collect();
        if !attached.is_empty() {
            let delivered = store.estimates(workspace, &renderer.stamp()).await?;
            for id in attached {
                self.estimates.remove(&id);
                self.estimates.extend(delivered.get(&id).map(|estimate| (id, *estimate)));
            }
        }
        Ok(())
    }

    /// Weighs those of the rows that were not weighed yet, and keeps what was counted.
    pub(crate) async fn weigh(
        &mut self,
        rows: &[u32],
        renderer: &AttachmentRenderer<'_>,
        file_cache: &mut FileCache,
    ) -> Result<(), AppError> {
        let (store, weigher) = (renderer.store, renderer.weigher);
        let missing: Vec<usize> = rows
            .iter()
            .map(|row| *row as usize)
            .filter(|row| !self.estimates.contains_key(&self.pairs[*row].id))
            .collect();
        for chunk in missing.chunks(CHUNK) {
            let mut counted = Vec::with_capacity(chunk.len());
            let mut delivered = Vec::new();
            for (row, stored) in self.texts(store, chunk).await? {
                let estimate = Estimate {
                    revision: stored.revision,
                    user_tokens: renderer.weigh_pair(file_cache, &stored.pair).await?,
                    assistant_tokens: stored
                        .pair
                        .assistant_text
                        .as_deref()
                        .map_or(0, |text| weigher.count_answer(text)),
                };
                let attached = self.pairs[row].has_attachment;
                let kept = if attached { &mut delivered } else { &mut counted };
                kept.push((stored.pair.id, estimate));
            }
            store.put_estimates(&counted, &weigher.stamp()).await?;
            store.put_estimates(&delivered, &renderer.stamp()).await?;
            self.estimates.extend(counted);
            self.estimates.extend(delivered);
        }
        Ok(())
    }

    /// CAT-5: the model of the newest pair, here or elsewhere; of a comparison that whose answer
    /// goes on.
    pub(crate) fn newest_model(&self) -> Option<&str> {
        let named = |pair: &&PairRow| !pair.model.is_empty();
        match (self.pairs.iter().rev().find(named), &self.goes_on_with) {
            (Some(newest), Some((compared, model)))
                if newest.id == *compared && newest.pair_use == PairUse::Out =>
            {
                Some(model)
            }
            (Some(newest), _) => Some(&newest.model),
            (None, _) => self.model_elsewhere.as_deref(),
        }
    }

    /// Weighs visible rows newest first, as far as the boundary can reach.
    pub(crate) async fn weigh_reached(
        &mut self,
        visible: &[u32],
        renderer: &AttachmentRenderer<'_>,
        file_cache: &mut FileCache,
        loads: &LoadRules,
        input: &BoundaryInput,
    ) -> Result<(), AppError> {
        let pinned: Vec<u32> = self.pins(visible).iter().map(|at| visible[*at]).collect();
        self.weigh(&pinned, renderer, file_cache).await?;
        let mut sum = pinned.iter().map(|row| self.load(*row, loads).tokens).sum::<RawTokens>();
        for chunk in visible.rchunks(CHUNK) {
            self.weigh(chunk, renderer, file_cache).await?;
            let walked = chunk.iter().map(|row| self.load(*row, loads)).filter(|load| !load.pinned);
            sum += walked.map(|load| load.tokens).sum::<RawTokens>();
            if !input.fits(sum) {
                break;
            }
        }
        Ok(())
    }

    /// Reads the rows again after labels changed. Says whether the use of any pair did; none if
    /// there is more to it.
    pub(crate) async fn relabel(
        &mut self,
        store: &dyn Store,
        workspace: &Workspace,
    ) -> Result<Option<bool>, AppError> {
        let mut pairs = rows_within(store, workspace, self.within).await?;
        if !self.obeys_uses {
            pairs.iter_mut().for_each(|pair| pair.pair_use = PairUse::Auto);
        }
        let same = pairs.len() == self.pairs.len()
            && pairs
                .iter()
                .zip(&self.pairs)
                .all(|(new, old)| new.id == old.id && new.lifecycle == old.lifecycle);
        if !same {
            return Ok(None);
        }
        let use_of = |pairs: &[PairRow]| pairs.iter().map(|p| p.pair_use).collect::<Vec<_>>();
        let used_otherwise = use_of(&pairs) != use_of(&self.pairs);
        self.rows = pairs.iter().map(|pair| row_of(pair, &mut self.scope)).collect();
        self.pinned = pinned_of(&pairs);
        self.pairs = pairs;
        Ok(Some(used_otherwise))
    }

    async fn texts(
        &self,
        store: &dyn Store,
        rows: &[usize],
    ) -> Result<Vec<(usize, StoredPair)>, AppError> {
        let by_id: HashMap<PairId, usize> =
            rows.iter().map(|row| (self.pairs[*row].id, *row)).collect();
        let ids: Vec<PairId> = rows.iter().map(|row| self.pairs[*row].id).collect();
        let stored = store.get_many(&ids).await?;
        Ok(stored
            .into_iter()
            .filter_map(|stored| Some((*by_id.get(&stored.pair.id)?, stored)))
            .collect())
    }
}

/// The rows of a conversation, or of the workspace.
pub(crate) async fn rows_within(
    store: &dyn Store,
    workspace: &Workspace,
    within: Option<TopicId>,
) -> Result<Vec<PairRow>, AppError> {
    Ok(match within {
        Some(topic) => store.rows_of(workspace, topic).await?,
        None => store.rows(workspace).await?,
    })
}

/// A pair as the filter sees it; its tokens are published later.
fn row_of(pair: &PairRow, scope: &mut WorkspaceScope) -> Row {
    Row {
        created_at: pair.created_at,
        topic: scope.topic(pair.topic_id),
        model: scope.model(&pair.model),
        star: pair.star,
        flag: pair.flag,
        pair_use: pair.pair_use,
        kind: pair.kind,
        lifecycle: pair.lifecycle,
        has_image: pair.has_image,
        has_attachment: pair.has_attachment,
        tokens: 0,
    }
}

/// Reads a filter that comes without a command.
pub(crate) fn parse_filter(source: &str) -> Result<Query, AppError> {
    let wrong = |error| AppError::Filter { source_text: source.to_owned(), error };
    let query = parse(source).map_err(wrong)?;
    if query.command.is_some() { Err(AppError::FilterHasCommand) } else { Ok(query) }
}
