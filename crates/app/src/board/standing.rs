//! How the selected model stands: who answers for it, its limit, and how it is weighed.

use plimsoll_budget::{BoundaryInput, Model, ModelLimit};
use plimsoll_domain::Topic;
use plimsoll_tokens::Factor;

use crate::{App, AppError, Reached, View, history::History, weigher::Weigher};

pub(crate) struct Standing {
    pub(crate) model: Model,
    pub(crate) limit: ModelLimit,
    pub(crate) weigher: Weigher,
    pub(crate) factor: Factor,
    pub(crate) raw_prelude: u64,
}

impl Standing {
    pub(crate) async fn of(
        app: &App,
        view: &View,
        topic: &Topic,
        history: &History,
    ) -> Result<Self, AppError> {
        let model = app.model_for(view, topic, history);
        let reached = app.providers.at_hand(&model).await;
        Self::with(app, topic, model, reached).await
    }

    pub(crate) async fn with(
        app: &App,
        topic: &Topic,
        model: Model,
        reached: Option<Reached>,
    ) -> Result<Self, AppError> {
        let limit = app.limit(&model, reached.as_ref()).await?;
        let provider = reached.as_ref().map(|reached| &reached.provider);
        let weigher = Weigher::new(&app.settings(), &model, provider)?;
        let factor = if weigher.is_exact() { Factor::ONE } else { app.factor(&model.id).await? };
        let system = topic.system_message.as_deref().unwrap_or_default();
        let raw_prelude = weigher.message(system, model.message_overhead);
        Ok(Self { model, limit, weigher, factor, raw_prelude })
    }

    /// What the boundary is drawn with.
    pub(crate) fn input(&self, app: &App, topic: &Topic) -> BoundaryInput {
        let settings = app.settings();
        let ml = self.limit.tokens;
        let reserve = settings.reply_reserve();
        BoundaryInput {
            ml,
            ura: settings.user_request_allowance(),
            prelude: self.factor.apply(self.raw_prelude),
            reply_reserve: reserve.resolve(ml, topic.max_output, self.model.shared_window),
            factor: self.factor,
        }
    }
}

impl App {
    /// CAT-5: the chosen model, the topic's, the newest pair's, the settings'.
    fn model_for(&self, view: &View, topic: &Topic, history: &History) -> Model {
        let newest = || {
            let ids = history.pairs.iter().rev().map(|pair| pair.model.to_string());
            ids.into_iter().find(|id| !id.is_empty())
        };
        let name = view
            .model
            .clone()
            .or_else(|| topic.default_model.clone())
            .or_else(newest)
            .unwrap_or_else(|| self.settings().default_model().to_owned());
        self.model(&name)
    }
}
