//! One message at a time: a view is opened for it and let go.

use std::collections::HashMap;

use plimsoll_budget::{Model, ModelLimit, OverBudget, WindowFacts, WindowSource};
use plimsoll_domain::{Draft, FileId, PairId, Topic, TopicId};
use plimsoll_provider::Encoded;
use plimsoll_send::{IncludedTexts, Instructions, Message, Part, Request, compose, plan};
use plimsoll_store::Workspace;
use plimsoll_tokens::{Calibration, RawTokens, Report};

use crate::{App, AppError, Connection, Prepared, View};

/// The topic that pairs go to when nobody chose one.
pub const FIRST_TOPIC: &str = "General";

impl App {
    /// Weighs a message and what would go along with it.
    pub async fn prepare(
        &self,
        workspace: &Workspace,
        view: View,
        draft: &Draft,
    ) -> Result<Prepared, AppError> {
        self.workspace_view(workspace, view).await?.prepare(self, draft).await
    }

    /// Gets the provider of a model ready, which may take long: a model may have to be
    /// fetched. Who holds something that others wait for does this first.
    pub async fn make_ready(&self, model: &str) -> Result<(), AppError> {
        self.providers.reach(&self.model(model)).await?;
        Ok(())
    }

    /// The model that a name means; one of which nothing is known if it means none.
    pub fn model(&self, name: &str) -> Model {
        self.catalog().model(name)
    }

    /// ML with what the server told and what overflows taught (CAT-3).
    pub(crate) async fn limit(
        &self,
        model: &Model,
        connection: Option<&Connection>,
    ) -> Result<ModelLimit, AppError> {
        let base_url = base_url(model, connection);
        let mut learned = match base_url {
            Some(base_url) => self.store.learned_limit(base_url, &model.id).await?,
            None => None,
        };
        let server_window = connection.and_then(|connection| connection.server_window);
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
        connection: Option<&Connection>,
    ) -> Result<Calibration, AppError> {
        match base_url(model, connection) {
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
            self.store.put_topic(workspace, &Topic::new(id, None, FIRST_TOPIC)).await?;
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
fn base_url<'a>(model: &'a Model, connection: Option<&'a Connection>) -> Option<&'a str> {
    connection.map(|connection| connection.provider.base_url()).or(model.base_url.as_deref())
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
    /// The request of an attempt that sends these of the included pairs along. `rounds` are what
    /// was said with tools so far, and `copies` the ids of files at the provider.
    pub(crate) fn request(
        &self,
        sent: &[PairId],
        max_output: Option<u64>,
        rounds: &[Message],
        copies: &HashMap<FileId, String>,
    ) -> Request {
        let instructions = Instructions {
            system: self.system.as_deref(),
            files: self.files.section.as_ref().map(|section| section.text.as_str()),
        };
        // Both are in the same order, so that one pass finds all.
        let mut wanted = sent.iter().peekable();
        let included = self.included.iter().zip(&self.questions);
        let included = included.filter(|(stored, _)| wanted.next_if_eq(&&stored.pair.id).is_some());
        let pairs = included.map(|(stored, question)| IncludedTexts {
            id: stored.pair.id,
            lifecycle: stored.pair.lifecycle,
            user: &stored.pair.user_text,
            rendered: question.as_deref(),
            assistant: stored.pair.assistant_text.as_deref(),
        });
        let rules = self.provider.wire_rules();
        let (mut messages, history_hash) = compose(&instructions, pairs, &self.message, rules);
        for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
            if let Part::File(file) = part {
                file.remote = file.id().and_then(|id| copies.get(&id).cloned());
            }
        }
        messages.extend_from_slice(rounds);
        Request {
            model: self.served_model.clone(),
            messages,
            temperature: self.topic.temperature,
            max_output,
            tools: self.files.tools.clone(),
            history_hash,
        }
    }

    /// The request that would leave first under a policy, as it is written (PAY-5).
    pub fn exact_request(&self, policy: OverBudget) -> Encoded {
        let left_out = plan(&self.plan.snapshot, policy).left_out_first();
        let sent = self.attempts.without_oldest(left_out).map(|pair| pair.id);
        let sent: Vec<PairId> = sent.collect();
        let request = self.request(&sent, self.attempts.max_output, &[], &HashMap::new());
        self.provider.encode(&request)
    }
}
