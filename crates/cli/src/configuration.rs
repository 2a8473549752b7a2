//! Settings and models for the workbench: written to the user's files, read back, and
//! asked around for.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use plimsoll_app::App;
use plimsoll_budget::Catalog;
use plimsoll_config::{Settings, edit_model, edit_settings};
use plimsoll_web::{Configurator, Found};
use serde_json::{Map, Value};

use crate::{
    context::{self, Context},
    providers::Providers,
    survey::Survey,
};

/// What was found of models is good for so long.
const REMEMBERED: Duration = Duration::from_secs(10);

/// The user's files, and what this machine can reach.
pub(crate) struct Configuration {
    app: Arc<App>,
    providers: Arc<Providers>,
    data_dir: PathBuf,
    found: Mutex<Option<(Instant, Vec<Found>)>>,
}

impl Configuration {
    pub(crate) fn new(app: &Arc<App>, providers: &Arc<Providers>, data_dir: &Path) -> Self {
        let (app, providers) = (Arc::clone(app), Arc::clone(providers));
        Self { app, providers, data_dir: data_dir.to_owned(), found: Mutex::default() }
    }

    fn forget(&self) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Changes one of the user's files and reads all of them again. A file that would not be
/// read back is not written.
pub(crate) fn change(
    name: &str,
    edit: impl Fn(&str) -> Result<String, String>,
) -> Result<(Settings, Catalog), String> {
    let dir = context::config_dir().ok_or("there is no configuration directory")?;
    let path: PathBuf = dir.join(name);
    let failed = |error| format!("{}: {error}", path.display());
    context::change_config(&path, failed, edit)?;
    let context = Context::load().map_err(|failure| failure.to_string())?;
    Ok((context.settings, context.catalog))
}

/// Files are read, written and synced beside the workers that answer requests.
async fn beside<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(job).await.map_err(|error| error.to_string())?
}

#[async_trait]
impl Configurator for Configuration {
    async fn set(&self, key: &str, value: Option<&str>) -> Result<(Settings, Catalog), String> {
        let (key, value) = (key.to_owned(), value.map(ToOwned::to_owned));
        beside(move || {
            change("config.toml", |text| {
                edit_settings(text, &key, value.as_deref()).map_err(|error| error.to_string())
            })
        })
        .await
    }

    async fn put_model(
        &self,
        id: &str,
        fields: &Map<String, Value>,
    ) -> Result<(Settings, Catalog), String> {
        self.forget();
        let (id, fields) = (id.to_owned(), fields.clone());
        beside(move || change("models.toml", |text| edit_model(text, &id, &fields))).await
    }

    async fn models(&self) -> Vec<Found> {
        let remembered = {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.as_ref().filter(|(at, _)| at.elapsed() < REMEMBERED).map(|(_, all)| all.clone())
        };
        if let Some(found) = remembered {
            return found;
        }
        let mut models = self.app.catalog().models().to_vec();
        // Our own store: another handle on it would look like another process.
        let learned = self.app.store().learned_limits().await.unwrap_or_default();
        let survey = Survey::with(&self.providers, &models, &self.data_dir, learned).await;
        models.extend(survey.others(&models));
        let one = |model: &plimsoll_budget::Model| Found {
            id: model.id.clone(),
            available: survey.is_available(model),
            server_window: survey.facts(model).server_window,
            base_url: survey.base_url(model),
        };
        let all: Vec<Found> = models.iter().map(one).collect();
        let now = Some((Instant::now(), all.clone()));
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = now;
        all
    }

    fn place(&self) -> String {
        context::config_dir().map_or_else(String::new, |dir| dir.display().to_string())
    }
}
