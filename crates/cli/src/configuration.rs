//! Settings and models for the workbench: written to the user's files, read back, and
//! asked around for.

mod supplying;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use plimsoll_app::{App, Payer};
use plimsoll_budget::{Catalog, Model};
use plimsoll_config::{Settings, edit_model, edit_settings, merge_catalog, shipped_catalog};
use plimsoll_provider::server_of;
use plimsoll_store::KeyHolder;
use plimsoll_web::{
    Configurator, KeptKey, ListedModel, ListedProvider, NewKey, NewModels, NewServer, Refusal,
    TriedServer,
};
use serde_json::{Map, Value};

use crate::{
    context::{self, Context},
    providers::{Providers, usual_address, whose},
    survey::Survey,
};

/// What was found of models is good for so long.
const REMEMBERED: Duration = Duration::from_secs(10);

/// The user's files, and what this machine can reach.
pub(crate) struct Configuration {
    app: Arc<App>,
    providers: Arc<Providers>,
    data_dir: PathBuf,
    found: Mutex<Option<(Instant, Vec<ListedModel>)>>,
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

/// A model of `models.toml` as the page may change it (SEC-8): whoever reaches the page says
/// neither which key goes out nor to which server it goes. An address that is set there gets no
/// key, unless it is where the provider is at home.
fn edit_from_page(text: &str, id: &str, fields: &Map<String, Value>) -> Result<String, String> {
    if let Some(field) = ["keyEnv", "keyless"].iter().find(|field| fields.contains_key(**field)) {
        return Err(format!("{field} says where keys go; set it in models.toml, not from here"));
    }
    let (before, edited) = (model_in(text, id)?, edit_model(text, id, fields)?);
    let after = model_in(&edited, id)?;
    let place = |model: &Model| (model.provider.clone(), model.base_url.clone());
    if place(&before) == place(&after) {
        return Ok(edited);
    }
    if let Some(variable) = &after.key_env {
        return Err(format!(
            "the key in {variable} was given for another server; change '{id}' in models.toml"
        ));
    }
    let usual = usual_address(&after.provider).and_then(server_of);
    let at_home = after.base_url.as_deref().is_none_or(|url| server_of(url) == usual);
    if at_home != after.keyless {
        return Ok(edited);
    }
    let keyless = if at_home { Value::Null } else { Value::Bool(true) };
    edit_model(&edited, id, &Map::from_iter([("keyless".to_owned(), keyless)]))
}

/// A model as it is with this content of `models.toml`.
fn model_in(text: &str, id: &str) -> Result<Model, String> {
    let mut catalog = shipped_catalog().map_err(|error| error.to_string())?;
    merge_catalog(&mut catalog, text).map_err(|error| error.to_string())?;
    let known = catalog.find(id).filter(|(_, found)| *found != plimsoll_budget::Found::Prefix);
    Ok(known.map_or_else(|| Model::unknown(id), |(model, _)| model.clone()))
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
        beside(move || change("models.toml", |text| edit_from_page(text, &id, &fields))).await
    }

    async fn models(&self, payer: Option<&Payer>) -> Vec<ListedModel> {
        let found = self.models_here().await;
        match payer {
            Some(payer) => self.with_kept_keys(found, payer).await,
            None => found,
        }
    }

    async fn look_again(&self) {
        self.providers.forget().await;
        self.forget();
    }

    async fn providers(&self, payer: Option<&Payer>) -> Result<Vec<ListedProvider>, Refusal> {
        self.list_providers(payer).await
    }

    async fn set_key(&self, new: NewKey) -> Result<KeptKey, Refusal> {
        self.keep_key(new).await
    }

    async fn remove_key(
        &self,
        provider: &str,
        holder: Option<&KeyHolder>,
    ) -> Result<bool, Refusal> {
        self.forget_key(provider, holder).await
    }

    async fn try_server(&self, new: NewServer) -> Result<TriedServer, Refusal> {
        self.look_at(new).await
    }

    async fn add_models(&self, new: NewModels) -> Result<(Settings, Catalog), Refusal> {
        self.write_models(new).await
    }

    fn place(&self) -> String {
        context::config_dir().map_or_else(String::new, |dir| dir.display().to_string())
    }
}

impl Configuration {
    /// What this machine can reach with its own keys.
    async fn models_here(&self) -> Vec<ListedModel> {
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
        let one = |model: &Model| ListedModel {
            id: model.id.clone(),
            lacks: survey.lacks(model),
            server_window: survey.facts(model).server_window,
            base_url: survey.base_url(model),
        };
        let all: Vec<ListedModel> = models.iter().map(one).collect();
        let now = Some((Instant::now(), all.clone()));
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = now;
        all
    }

    /// The same for somebody of a team, whose keys are asked for each time: what was found is
    /// remembered, what they lack is not.
    async fn with_kept_keys(&self, mut found: Vec<ListedModel>, payer: &Payer) -> Vec<ListedModel> {
        let Ok(keys) = self.providers.team_keys() else { return found };
        // A store that fails says so where something is sent.
        let rows = keys.all_serving(payer).await.unwrap_or_default();
        for one in found.iter_mut().filter(|_| !rows.is_empty()) {
            let model = self.app.model(&one.id);
            if let Some(row) = rows.iter().find(|row| row.provider == model.provider)
                && Providers::is_hosted(&model)
            {
                one.lacks = whose::lacks_with(&model, row, one.lacks.take());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edited(text: &str, id: &str, fields: Value) -> Result<String, String> {
        edit_from_page(text, id, fields.as_object().unwrap())
    }

    #[test]
    fn sec_8_an_address_that_is_set_from_the_page_gets_no_key() {
        let evil = json!({"provider": "openai", "baseUrl": "https://evil.example/v1"});
        let thief = edited("", "thief", evil).unwrap();
        assert!(thief.contains("keyless = true"), "{thief}");
        let local = edited("", "gpt-4o", json!({"baseUrl": "http://127.0.0.1:8080/v1"})).unwrap();
        assert!(local.contains("keyless = true"), "{local}");
        // Back to where the provider is at home, the key is for it again.
        let home =
            edited(&local, "gpt-4o", json!({"baseUrl": "https://api.openai.com/v1"})).unwrap();
        assert!(!home.contains("keyless"), "{home}");
        let plain = edited(&local, "gpt-4o", json!({"baseUrl": null})).unwrap();
        assert!(!plain.contains("keyless"), "{plain}");
        // Whose server it is by the owner's word, it stays, but for another provider's key.
        let own = "[[model]]\nid = \"m\"\nprovider = \"acme\"\nbaseUrl = \"https://acme.test\"\n";
        let wider = edited(own, "m", json!({"contextWindow": 9})).unwrap();
        assert!(!wider.contains("keyless"), "{wider}");
        let swapped = edited(own, "m", json!({"provider": "openai"})).unwrap();
        assert!(swapped.contains("keyless = true"), "{swapped}");
    }

    #[test]
    fn sec_8_the_page_does_not_say_which_key_goes_out() {
        let own = "[[model]]\nid = \"m\"\nprovider = \"acme\"\nkeyEnv = \"ACME\"\n\
                   baseUrl = \"https://acme.test\"\n";
        for (file, fields) in [
            ("", json!({"keyEnv": "AWS_SECRET_ACCESS_KEY"})),
            (own, json!({"keyEnv": null})),
            (own, json!({"keyless": false})),
            (own, json!({"baseUrl": "https://evil.example/v1"})),
            (own, json!({"baseUrl": "http://127.0.0.1:9/v1"})),
            (own, json!({"baseUrl": null})),
            (own, json!({"provider": "openai"})),
        ] {
            let refused = edited(file, "m", fields.clone()).unwrap_err();
            assert!(refused.contains("models.toml"), "{fields}: {refused}");
        }
        assert!(edited(own, "m", json!({"contextWindow": 9})).is_ok());
    }
}
