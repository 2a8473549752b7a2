//! What is known of a model when a message is planned for it: its limit, and what its reports taught.

use plimsoll_budget::{Model, ModelLimit, WindowFacts, WindowSource};
use plimsoll_tokens::{Calibration, RawTokens, Report};

use crate::{App, AppError, Connection, Payer};

impl App {
    /// Gets the provider of a model ready, which may take long: a model may have to be
    /// fetched. Who holds something that others wait for does this first.
    pub async fn make_ready(&self, model: &str, payer: Option<&Payer>) -> Result<(), AppError> {
        self.providers.reach(&self.model(model), payer).await?;
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
}

/// Where a model is served: what is learned of it is kept by this.
fn base_url<'a>(model: &'a Model, connection: Option<&'a Connection>) -> Option<&'a str> {
    connection.map(|connection| connection.provider.base_url()).or(model.base_url.as_deref())
}
