//! From a message to a plan: draft → filter → boundary → plan → payload. Nothing is
//! sent or written, except estimates that were counted on the way.

use plimsoll_budget::{
    Boundary, BoundaryInput, Decision, ExcludedBecause, IncludedTokens, LoadSums, ModelLimit,
    OverBudget, Validation, Weights, WindowFacts, WindowSource, decide, suggestions, validate,
};
use plimsoll_domain::{PairId, Topic, TopicId};
use plimsoll_provider::{ChatMessage, ChatRequest};
use plimsoll_send::{
    HistoryPair, IncludedPair, PreludePart, PreludeParts, RequestParameters, SendPlan, TrimStep,
    compose,
};
use plimsoll_store::Workspace;
use plimsoll_tokens::{Calibration, Factor};

use crate::{
    App, AppError, Ask, HistoryChoice, Prepared, Reached,
    history::{History, LoadRules},
    weigher::Weigher,
};

/// The topic that pairs go to when nobody chose one.
const FIRST_TOPIC: &str = "General";

impl App {
    /// Weighs a message and what would go along with it.
    pub async fn prepare(&self, ask: &Ask) -> Result<Prepared, AppError> {
        if !plimsoll_budget::is_emitted(&ask.text) {
            return Err(AppError::EmptyMessage);
        }
        // Reaching a provider may fetch a model; a filter that is wrong is told before that.
        if let HistoryChoice::Filter(source) = &ask.history {
            crate::history::parse_filter(source)?;
        }
        let store = &*self.store;
        self.open_workspace(&ask.workspace).await?;
        let (topic, topics) = self.topic(&ask.workspace, ask.topic.as_deref()).await?;
        let mut history = History::open(store, &ask.workspace, &topics, &self.clock).await?;
        history.select_topic(topic.id);

        let model = self.model_for(ask, &topic, &history);
        history.scope.selected_model = Some(model.id.clone());
        let reached = self.providers.reach(&model).await?;
        let limit = self.limit(&model, &reached).await?;
        let weigher = Weigher::new(&self.settings, &model, &reached.provider)?;
        let factor = if weigher.is_exact() { Factor::ONE } else { self.factor(&model.id).await? };
        history.load_estimates(store, &ask.workspace, &weigher).await?;

        let rules = LoadRules {
            overhead: model.message_overhead,
            send_error_pairs: self.settings.send_error_pairs(),
        };
        let weigh_message = |text: &str| match weigher.count(text) {
            0 => 0,
            tokens => tokens.saturating_add(rules.overhead),
        };
        let raw_prelude = topic.system_message.as_deref().map_or(0, weigh_message);
        let raw_aut = weigh_message(&ask.text);
        let reserve = self.settings.reply_reserve();
        let input = BoundaryInput {
            ml: limit.tokens,
            ura: self.settings.user_request_allowance(),
            prelude: factor.apply(raw_prelude),
            reply_reserve: reserve.resolve(limit.tokens, topic.max_output, model.shared_window),
            factor,
        };
        let visible = match &ask.history {
            HistoryChoice::Nothing => Vec::new(),
            HistoryChoice::Filter(source) => {
                self.visible(&mut history, source, &weigher, &rules, &input).await?
            }
        };
        history.weigh_aboard(store, &visible, &weigher, &rules, &input).await?;
        let load = |at: usize| history.load(visible[at], &rules);
        let boundary = Boundary::compute(&mut LoadSums::new(visible.len()), load, &input);

        let mut aboard: Vec<PairId> = Vec::with_capacity(boundary.x);
        let mut raw_history: Vec<u64> = Vec::with_capacity(boundary.x);
        let mut ashore: Vec<(PairId, ExcludedBecause)> = Vec::new();
        for (at, row) in visible.iter().enumerate() {
            let id = history.pairs[*row as usize].id;
            let pair_load = load(at);
            if boundary.includes(at, pair_load.sendable) {
                aboard.push(id);
                raw_history.push(pair_load.tokens);
            } else {
                ashore.push((id, history.ashore_because(*row, &rules)));
            }
        }
        let included = store.get_many(&aboard).await?;
        let weights = Weights {
            ml: limit.tokens,
            prelude: input.prelude,
            history: boundary.predicted_history_tokens,
            aut: factor.apply(raw_aut),
        };
        let validation = validate(&weights, self.settings.warn_at());
        let included_tokens = IncludedTokens { raw: &raw_history, factor };
        let helpful =
            suggestions(&weights, &validation, &[], &included_tokens, &self.catalog, &model.id);
        let policy = ask.over_budget.unwrap_or_else(|| self.settings.over_budget());
        let fit_drop = fit_drop(&weights, &validation, policy, &included_tokens);
        let room = limit.tokens.saturating_sub(weights.total());
        let max_output = RequestParameters::max_output_for(
            topic.max_output,
            reached.provider.required_max_output(),
            room,
            input.reply_reserve,
        );
        let pair = |(stored, tokens): (&plimsoll_store::StoredPair, &u64)| IncludedPair {
            id: stored.pair.id,
            model: stored.pair.model.clone(),
            tokens: *tokens,
        };
        let plan = SendPlan {
            model: model.id.clone(),
            ml: limit.tokens,
            ml_assumed: limit.binds == plimsoll_budget::Binds::Assumed,
            ura: input.ura,
            aut: weights.aut,
            prelude: weights.prelude,
            reply_reserve: input.reply_reserve,
            factor,
            chars_per_token: self.settings.chars_per_token(),
            included: included.iter().zip(&raw_history).map(pair).collect(),
            fit_drop,
            max_trim_attempts: u32::try_from(self.settings.max_trim_attempts()).unwrap_or(u32::MAX),
            trim_step: if self.settings.smart_trim() { TrimStep::Smart } else { TrimStep::One },
            max_output,
            max_retries: u32::try_from(self.settings.retries()).unwrap_or(u32::MAX),
        };
        let raw_prompt_tokens = raw_prelude
            .saturating_add(raw_aut)
            .saturating_add(raw_history.iter().copied().fold(0, u64::saturating_add));
        let mut prepared = Prepared {
            workspace: ask.workspace.clone(),
            provider: reached.provider,
            served_model: reached.model,
            included,
            topic,
            raw_prompt_tokens,
            text: ask.text.clone(),
            model,
            limit,
            boundary,
            ashore,
            weights,
            validation,
            suggestions: helpful,
            plan,
            estimator: (weigher.name(), weigher.is_exact()),
            json_doc: String::new(),
        };
        let request = prepared.request(fit_drop, max_output);
        prepared.json_doc = prepared.provider.body(&request);
        Ok(prepared)
    }

    /// The rows that a filter shows, `o` terms and all.
    async fn visible(
        &self,
        history: &mut History,
        source: &str,
        weigher: &Weigher,
        rules: &LoadRules,
        input: &BoundaryInput,
    ) -> Result<Vec<u32>, AppError> {
        let store = &*self.store;
        let filter = history.compile(store, source).await?;
        if filter.needs_tokens() {
            let all: Vec<u32> = (0u32..).take(history.pairs.len()).collect();
            history.weigh(store, &all, weigher).await?;
            history.publish_tokens(rules);
        }
        let visible = filter.visible(history);
        if !filter.has_boundary_terms() {
            return Ok(visible);
        }
        history.weigh_aboard(store, &visible, weigher, rules, input).await?;
        let load = |at: usize| history.load(visible[at], rules);
        let asked = Boundary::compute(&mut LoadSums::new(visible.len()), load, input);
        Ok(filter.apply_boundary(&visible, |at| asked.includes(at, load(at).sendable)))
    }

    /// CAT-5: the chosen model, the topic's, the newest pair's, the settings'.
    fn model_for(&self, ask: &Ask, topic: &Topic, history: &History) -> plimsoll_budget::Model {
        let newest = history.pairs.iter().rev().map(|pair| &*pair.model).find(|id| !id.is_empty());
        let name = ask
            .model
            .as_deref()
            .or(topic.default_model.as_deref())
            .or(newest)
            .unwrap_or_else(|| self.settings.default_model());
        self.model(name)
    }

    /// The model that a name means; one of which nothing is known if it means none.
    pub fn model(&self, name: &str) -> plimsoll_budget::Model {
        let known = self.catalog.find(name).map(|(model, _)| model.clone());
        known.unwrap_or_else(|| plimsoll_budget::Model::unknown(name))
    }

    /// ML with what the server told and what overflows taught (CAT-3).
    async fn limit(
        &self,
        model: &plimsoll_budget::Model,
        reached: &Reached,
    ) -> Result<ModelLimit, AppError> {
        let base_url = reached.provider.base_url();
        let kept = self.store.learned_limit(base_url, &model.id).await?;
        let mut learned = kept.map(|kept| plimsoll_budget::LearnedLimit {
            tokens: kept.tokens,
            learned_at: kept.learned_at,
        });
        // A larger window that the server tells clears what was learned, unless the
        // user's own word stands above both.
        if let (Some(known), Some(told)) = (learned, reached.server_window)
            && model.window_source != WindowSource::User
        {
            learned = known.after_server_told(told);
            if learned.is_none() {
                self.store.clear_learned_limit(base_url, &model.id).await?;
            }
        }
        let facts = WindowFacts { server_window: reached.server_window, learned };
        Ok(ModelLimit::of(model, facts))
    }

    /// The learned factor of a model (EST-6).
    pub(crate) async fn factor(&self, model: &str) -> Result<Factor, AppError> {
        let ratios = self.store.calibration(model).await?;
        Ok(Calibration::from_log_ratios(ratios).factor())
    }

    /// The topic by its path, and all topics. The first one is made when there is none.
    async fn topic(
        &self,
        workspace: &Workspace,
        path: Option<&str>,
    ) -> Result<(Topic, Vec<Topic>), AppError> {
        let mut topics = self.store.topics(workspace).await?;
        if topics.is_empty() {
            let id = TopicId::new(self.clock.now(), self.chance.bytes());
            self.store.put_topic(workspace, &new_topic(id, None, FIRST_TOPIC)).await?;
            topics = self.store.topics(workspace).await?;
        }
        let found = match path {
            None => topics.first(),
            Some(path) => find_topic(&topics, path),
        };
        let unknown = || AppError::UnknownTopic(path.unwrap_or(FIRST_TOPIC).to_owned());
        let topic = found.cloned().ok_or_else(unknown)?;
        Ok((topic, topics))
    }
}

/// A topic with nothing but a name.
pub(crate) fn new_topic(id: TopicId, parent: Option<TopicId>, name: &str) -> Topic {
    Topic {
        id,
        parent,
        name: name.to_owned(),
        system_message: None,
        default_model: None,
        temperature: None,
        max_output: None,
    }
}

/// The topic at a path, names without case. A path of one name finds it at the root.
pub(crate) fn find_topic<'a>(topics: &'a [Topic], path: &str) -> Option<&'a Topic> {
    let mut found: Option<&Topic> = None;
    for name in path.split('/').map(str::trim).filter(|name| !name.is_empty()) {
        let parent = found.map(|topic| topic.id);
        let named = |topic: &&Topic| {
            topic.parent == parent && topic.name.to_lowercase() == name.to_lowercase()
        };
        found = Some(topics.iter().find(named)?);
    }
    found
}

/// How many pairs go before the first call (VAL-3, fit first).
fn fit_drop(
    weights: &Weights,
    validation: &Validation,
    policy: OverBudget,
    history: &IncludedTokens<'_>,
) -> usize {
    match decide(weights, validation, policy, history) {
        Decision::SendWithout(pairs) => pairs,
        Decision::Send | Decision::Ask | Decision::Block | Decision::PromptTooLarge => 0,
    }
}

impl Prepared {
    /// The request of an attempt that leaves the oldest pairs out.
    pub(crate) fn request(&self, dropped: usize, max_output: Option<u64>) -> ChatRequest {
        let (payload, _) = self.payload(dropped);
        let message = |message: plimsoll_send::Message<'_>| ChatMessage {
            role: message.role,
            content: message.content.into_owned(),
        };
        ChatRequest {
            model: self.served_model.clone(),
            messages: payload.messages.into_iter().map(message).collect(),
            temperature: self.topic.temperature,
            max_output,
        }
    }

    /// The payload of an attempt, and the hash of its history (PAY-5).
    pub(crate) fn payload(&self, dropped: usize) -> (plimsoll_send::Payload<'_>, String) {
        let prelude = PreludeParts {
            system: self.system().map(|text| PreludePart { text, tokens: self.weights.prelude }),
            files: None,
        };
        let pairs = self.included.iter().skip(dropped).map(|stored| HistoryPair {
            id: stored.pair.id,
            lifecycle: stored.pair.lifecycle,
            user: &stored.pair.user_text,
            assistant: stored.pair.assistant_text.as_deref(),
        });
        let payload = compose(&prelude, pairs, &self.text, self.provider.wire_rules());
        let hash = payload.history_hash();
        (payload, hash)
    }

    /// What the policy decides about this request (VAL-3).
    pub fn decision(&self, policy: OverBudget) -> Decision {
        let raw: Vec<u64> = self.plan.included.iter().map(|pair| pair.tokens).collect();
        let history = IncludedTokens { raw: &raw, factor: self.plan.factor };
        decide(&self.weights, &self.validation, policy, &history)
    }
}
