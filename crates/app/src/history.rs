//! The history of a workspace as a filter sees it, and the weight of its pairs.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use plimsoll_budget::{BoundaryInput, ExcludedBecause, Load, WeighedPair};
use plimsoll_domain::{PairId, Timestamp, Topic, TopicId};
use plimsoll_filter::{Date, Filter, Query, Row, Rows, Scope, TopicNode, compile, parse};
use plimsoll_store::{Estimate, PairRow, Store, StoredPair, Workspace};

use crate::{AppError, Clock, weigher::Weigher};

/// Pairs whose texts are loaded at once.
const CHUNK: usize = 256;

/// What a filter may ask of a workspace.
pub(crate) struct WorkspaceScope {
    clock: Arc<dyn Clock>,
    topics: Vec<TopicNode>,
    topic_index: HashMap<TopicId, u32>,
    models: Vec<String>,
    saved: HashMap<String, String>,
    pub(crate) selected_topic: Option<usize>,
    pub(crate) selected_model: Option<String>,
}

impl Scope for WorkspaceScope {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }
    fn day(&self, date: Date) -> Range<Timestamp> {
        self.clock.day(date)
    }
    fn topics(&self) -> &[TopicNode] {
        &self.topics
    }
    fn models(&self) -> &[String] {
        &self.models
    }
    fn selected_topic(&self) -> Option<usize> {
        self.selected_topic
    }
    fn selected_model(&self) -> Option<&str> {
        self.selected_model.as_deref()
    }
    fn saved(&self, name: &str) -> Option<&str> {
        self.saved.get(name).map(String::as_str)
    }
}

/// The pairs of a workspace without their texts, and what is known of their weight.
pub(crate) struct History {
    pub(crate) pairs: Vec<PairRow>,
    rows: Vec<Row>,
    hits: Vec<HashSet<usize>>,
    estimates: HashMap<PairId, Estimate>,
    pub(crate) scope: WorkspaceScope,
}

impl Rows for History {
    fn rows(&self) -> &[Row] {
        &self.rows
    }
    fn contains(&self, row: usize, term: usize) -> bool {
        self.hits[term].contains(&row)
    }
}

impl History {
    /// Loads the rows, the topics and the saved filters.
    pub(crate) async fn open(
        store: &dyn Store,
        workspace: &Workspace,
        topics: &[Topic],
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, AppError> {
        let pairs = store.rows(workspace).await?;
        let saved = store.saved_filters(workspace).await?;
        let topic_index: HashMap<TopicId, u32> =
            topics.iter().zip(0u32..).map(|(topic, at)| (topic.id, at)).collect();
        let node = |topic: &Topic| TopicNode {
            parent: topic.parent.and_then(|id| topic_index.get(&id)).map(|at| *at as usize),
            name: topic.name.clone(),
        };
        let nodes = topics.iter().map(node).collect();
        let mut models: Vec<String> = Vec::new();
        let mut model_index: HashMap<String, u32> = HashMap::new();
        let mut rows = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let model = *model_index.entry(pair.model.to_string()).or_insert_with(|| {
                models.push(pair.model.to_string());
                u32::try_from(models.len() - 1).unwrap_or(u32::MAX)
            });
            rows.push(Row {
                created_at: pair.created_at,
                topic: topic_index.get(&pair.topic_id).copied(),
                model,
                star: pair.star,
                flag: pair.flag,
                lifecycle: pair.lifecycle,
                has_image: pair.has_image,
                has_attachment: pair.has_attachment,
                tokens: 0,
            });
        }
        let scope = WorkspaceScope {
            clock: Arc::clone(clock),
            topics: nodes,
            topic_index,
            models,
            saved: saved.into_iter().map(|filter| (filter.name, filter.text)).collect(),
            selected_topic: None,
            selected_model: None,
        };
        Ok(Self { pairs, rows, hits: Vec::new(), estimates: HashMap::new(), scope })
    }

    /// What a bare `t` means from now on.
    pub(crate) fn select_topic(&mut self, topic: TopicId) {
        self.scope.selected_topic = self.scope.topic_index.get(&topic).map(|at| *at as usize);
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
        if !self.hits.is_empty() {
            for start in (0..self.pairs.len()).step_by(CHUNK) {
                let rows: Vec<usize> = (start..(start + CHUNK).min(self.pairs.len())).collect();
                for (row, stored) in self.texts(store, &rows).await? {
                    for (hits, term) in self.hits.iter_mut().zip(filter.text_terms()) {
                        let answer = stored.pair.assistant_text.as_deref();
                        let found = term.is_match(&stored.pair.user_text)
                            || answer.is_some_and(|text| term.is_match(text));
                        if found {
                            hits.insert(row);
                        }
                    }
                }
            }
        }
        Ok(filter)
    }

    /// Loads the estimates that are kept under the weigher's stamp (EST-7).
    pub(crate) async fn load_estimates(
        &mut self,
        store: &dyn Store,
        workspace: &Workspace,
        weigher: &Weigher,
    ) -> Result<(), AppError> {
        self.estimates = store.estimates(workspace, &weigher.stamp()).await?;
        Ok(())
    }

    /// Weighs those of the rows that were not weighed yet, and keeps what was counted.
    pub(crate) async fn weigh(
        &mut self,
        store: &dyn Store,
        rows: &[u32],
        weigher: &Weigher,
    ) -> Result<(), AppError> {
        let missing: Vec<usize> = rows
            .iter()
            .map(|row| *row as usize)
            .filter(|row| !self.estimates.contains_key(&self.pairs[*row].id))
            .collect();
        for chunk in missing.chunks(CHUNK) {
            let mut counted = Vec::with_capacity(chunk.len());
            for (_, stored) in self.texts(store, chunk).await? {
                let estimate = Estimate {
                    revision: stored.revision,
                    user_tokens: weigher.count(&stored.pair.user_text),
                    assistant_tokens: stored
                        .pair
                        .assistant_text
                        .as_deref()
                        .map_or(0, |text| weigher.count(text)),
                };
                counted.push((stored.pair.id, estimate));
            }
            store.put_estimates(&weigher.stamp(), &counted).await?;
            self.estimates.extend(counted);
        }
        Ok(())
    }

    /// Weighs visible rows newest first, as far as the boundary can reach.
    pub(crate) async fn weigh_aboard(
        &mut self,
        store: &dyn Store,
        visible: &[u32],
        weigher: &Weigher,
        loads: &LoadRules,
        input: &BoundaryInput,
    ) -> Result<(), AppError> {
        let mut sum = 0u64;
        for chunk in visible.rchunks(CHUNK) {
            self.weigh(store, chunk, weigher).await?;
            sum = chunk
                .iter()
                .map(|row| self.load(*row, loads).tokens)
                .fold(sum, u64::saturating_add);
            if !input.fits(sum) {
                break;
            }
        }
        Ok(())
    }

    /// Copies the weights to where `k` looks for them.
    pub(crate) fn publish_tokens(&mut self, loads: &LoadRules) {
        for row in 0..self.pairs.len() {
            let tokens = self.load(u32::try_from(row).unwrap_or(u32::MAX), loads).tokens;
            self.rows[row].tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        }
    }

    /// The load of a row. One that was not weighed is beyond what the boundary reaches.
    pub(crate) fn load(&self, row: u32, rules: &LoadRules) -> Load {
        match self.weighed(row) {
            Some(pair) => pair.load(rules.overhead, rules.send_error_pairs),
            None => Load::of(u64::MAX),
        }
    }

    /// Why a visible row is not sent, given that it is not aboard.
    pub(crate) fn ashore_because(&self, row: u32, rules: &LoadRules) -> ExcludedBecause {
        self.weighed(row)
            .and_then(|pair| pair.not_sendable(rules.send_error_pairs))
            .unwrap_or(ExcludedBecause::Budget)
    }

    fn weighed(&self, row: u32) -> Option<WeighedPair> {
        let pair = self.pairs.get(row as usize)?;
        let estimate = self.estimates.get(&pair.id)?;
        Some(WeighedPair {
            lifecycle: pair.lifecycle,
            user_tokens: estimate.user_tokens,
            assistant_tokens: estimate.assistant_tokens,
            attachment_tokens: 0,
        })
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

/// Reads a filter that comes without a command.
pub(crate) fn parse_filter(source: &str) -> Result<Query, AppError> {
    let wrong = |error| AppError::Filter { source_text: source.to_owned(), error };
    let query = parse(source).map_err(wrong)?;
    if query.command.is_some() { Err(AppError::FilterHasCommand) } else { Ok(query) }
}

/// What a load depends on besides the texts.
#[derive(Clone, Copy)]
pub(crate) struct LoadRules {
    pub(crate) overhead: u64,
    pub(crate) send_error_pairs: bool,
}
