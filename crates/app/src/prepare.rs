//! One message at a time: a board is opened for it and let go.

use std::collections::HashMap;

use plimsoll_budget::{
    Decision, IncludedTokens, Model, ModelLimit, OverBudget, WindowFacts, WindowSource, decide,
};
use plimsoll_domain::{FileId, PairId, Topic, TopicId};
use plimsoll_provider::{ChatMessage, ChatRequest};
use plimsoll_send::{HistoryPair, PreludePart, PreludeParts, ToolRound, compose};
use plimsoll_store::Workspace;
use plimsoll_tokens::{Calibration, RawTokens, Report};

use crate::{App, AppError, Ask, Prepared, Reached, attach::Packed};

/// The topic that pairs go to when nobody chose one.
const FIRST_TOPIC: &str = "General";

impl App {
    /// Weighs a message and what would go along with it.
    pub async fn prepare(&self, ask: &Ask) -> Result<Prepared, AppError> {
        let mut board = self.board(&ask.workspace, ask.view.clone()).await?;
        board.prepare(self, &ask.draft).await
    }

    /// Gets the provider of a model ready, which may take long: a model may have to be
    /// fetched. Who holds something that others wait for does this first.
    pub async fn make_ready(&self, model: &str) -> Result<(), AppError> {
        self.providers.reach(&self.model(model)).await?;
        Ok(())
    }

    /// The model that a name means; one of which nothing is known if it means none.
    pub fn model(&self, name: &str) -> Model {
        let known = self.catalog().find(name).map(|(model, _)| model.clone());
        known.unwrap_or_else(|| Model::unknown(name))
    }

    /// ML with what the server told and what overflows taught (CAT-3).
    pub(crate) async fn limit(
        &self,
        model: &Model,
        reached: Option<&Reached>,
    ) -> Result<ModelLimit, AppError> {
        let base_url = base_url(model, reached);
        let kept = match base_url {
            Some(base_url) => self.store.learned_limit(base_url, &model.id).await?,
            None => None,
        };
        let mut learned = kept.map(|kept| plimsoll_budget::LearnedLimit {
            tokens: kept.tokens,
            learned_at: kept.learned_at,
        });
        let server_window = reached.and_then(|reached| reached.server_window);
        // A larger window that the server tells clears what was learned, unless the
        // user's own word stands above both.
        if let (Some(known), Some(told), Some(base_url)) = (learned, server_window, base_url)
            && model.window_source != WindowSource::User
        {
            learned = known.after_server_told(told);
            if learned.is_none() {
                self.store.clear_learned_limit(base_url, &model.id).await?;
            }
        }
        Ok(ModelLimit::of(model, WindowFacts { server_window, learned }))
    }

    /// What a model's reports taught (EST-6).
    pub(crate) async fn calibration(
        &self,
        model: &Model,
        reached: Option<&Reached>,
    ) -> Result<Calibration, AppError> {
        match base_url(model, reached) {
            Some(base_url) => self.calibration_at(base_url, &model.id).await,
            None => Ok(Calibration::default()),
        }
    }

    /// The same at one place.
    pub(crate) async fn calibration_at(
        &self,
        base_url: &str,
        model: &str,
    ) -> Result<Calibration, AppError> {
        let kept = self.store.usage_reports(base_url, model).await?;
        Ok(Calibration::from_reports(kept.into_iter().map(|kept| Report {
            raw: RawTokens { text: kept.text, overhead: kept.overhead },
            reported: kept.reported,
        })))
    }

    /// The topic by its path, and all topics. The first one is made when there is none.
    pub(crate) async fn topic(
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
            None => find_topic(&topics, FIRST_TOPIC).or(topics.first()),
            Some(path) => find_topic(&topics, path),
        };
        let unknown = || AppError::UnknownTopic(path.unwrap_or(FIRST_TOPIC).to_owned());
        let topic = found.cloned().ok_or_else(unknown)?;
        Ok((topic, topics))
    }
}

/// Where a model is served: what is learned of it is kept by this.
fn base_url<'a>(model: &'a Model, reached: Option<&'a Reached>) -> Option<&'a str> {
    reached.map(|reached| reached.provider.base_url()).or(model.base_url.as_deref())
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
pub fn find_topic<'a>(topics: &'a [Topic], path: &str) -> Option<&'a Topic> {
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

impl Prepared {
    /// The request of an attempt that sends these of the included pairs along.
    pub(crate) fn request(
        &self,
        sent: &[PairId],
        max_output: Option<u64>,
        rounds: &[ToolRound],
        copies: &HashMap<FileId, String>,
    ) -> ChatRequest {
        let (payload, _) = self.payload(sent);
        let message = |message: plimsoll_send::Message<'_>| ChatMessage {
            role: message.role,
            enclosed: self.carry(&message.enclosures, copies),
            content: message.content.into_owned(),
        };
        ChatRequest {
            model: self.served_model.clone(),
            messages: payload.messages.into_iter().map(message).collect(),
            temperature: self.topic.temperature,
            max_output,
            tools: self.files.tools.clone(),
            rounds: rounds.to_vec(),
        }
    }

    /// How many bytes the request has that would be sent now, those of files included.
    pub fn body_size(&self) -> usize {
        if self.enclosed.is_empty() {
            return self.json_doc.len();
        }
        let request = self.request(&self.first_sent(), self.plan.max_output, &[], &HashMap::new());
        self.provider.body(&request).len()
    }

    /// The pairs that the first call sends along, oldest first.
    pub(crate) fn first_sent(&self) -> Vec<PairId> {
        self.plan.included.iter().skip(self.plan.fit_drop).map(|pair| pair.id).collect()
    }

    /// The payload of an attempt, and the hash of its history (PAY-5).
    pub(crate) fn payload(&self, sent: &[PairId]) -> (plimsoll_send::Payload<'_>, String) {
        let prelude = PreludeParts {
            system: self
                .system
                .as_deref()
                .map(|text| PreludePart { text, tokens: self.outlook.system_tokens }),
            files: self.files.section.as_ref().map(|section| PreludePart {
                text: &section.text,
                tokens: self.files.section_tokens.total(),
            }),
        };
        // Both are in the same order, so that one pass finds all.
        let mut wanted = sent.iter().peekable();
        let included = self.included.iter().zip(&self.packed);
        let included = included.filter(|(stored, _)| wanted.next_if_eq(&&stored.pair.id).is_some());
        let pairs = included.map(|(stored, packed)| HistoryPair {
            id: stored.pair.id,
            lifecycle: stored.pair.lifecycle,
            user: packed.as_ref().map_or((&stored.pair.user_text).into(), Packed::words),
            assistant: stored.pair.assistant_text.as_deref(),
        });
        let payload = compose(&prelude, pairs, self.new_words.words(), self.provider.wire_rules());
        let hash = payload.history_hash();
        (payload, hash)
    }

    /// What the policy decides about this request (VAL-3).
    pub fn decision(&self, policy: OverBudget) -> Decision {
        let raw: Vec<RawTokens> = self.plan.included.iter().map(|pair| pair.tokens).collect();
        let history = IncludedTokens { raw: &raw, correction: self.plan.correction };
        decide(&self.outlook.weights, &self.outlook.validation, policy, &history)
    }
}
