//! Who answers for which model: the only place that names concrete providers.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use plimsoll_app::{Connection, NoProvider, ProviderSource};
use plimsoll_budget::{Model, means_model};
use plimsoll_config::Settings;
use plimsoll_provider::{
    Anthropic, Codex, Endpoint, Gemini, LocalServer, OpenAiStyle, Provider, ServedModel,
    SetupError, Timeouts, discover, server_of,
};

use crate::{
    failure::Failure,
    keys::{self, KeySource},
};

/// Providers that speak the OpenAI style, and where they are.
const OPENAI_STYLE: [(&str, &str); 8] = [
    ("openai", "https://api.openai.com/v1"),
    ("groq", "https://api.groq.com/openai/v1"),
    ("mistral", "https://api.mistral.ai/v1"),
    ("deepseek", "https://api.deepseek.com/v1"),
    ("xai", "https://api.x.ai/v1"),
    ("moonshot", "https://api.moonshot.ai/v1"),
    ("zai", "https://api.z.ai/api/paas/v4"),
    ("openrouter", "https://openrouter.ai/api/v1"),
];

/// Names the program to run for Codex; without it `codex` is looked for along `PATH`.
const CODEX_VARIABLE: &str = "PLIMSOLL_CODEX";

pub(crate) struct Providers {
    timeouts: Timeouts,
    embedded: crate::embedded::Embedded,
    /// Local servers are looked for once.
    local: tokio::sync::OnceCell<Vec<LocalServer>>,
    /// The windows that servers told, by address and model.
    told: Mutex<HashMap<(String, String), Option<u64>>>,
    /// Keys that the keyring gave, by provider.
    from_keyring: Mutex<HashMap<String, Arc<keys::Found>>>,
}

/// What is known of a key.
enum Key {
    Known(Arc<keys::Found>),
    /// It is in the keyring, which was not asked yet.
    NotAskedYet,
    None,
}

impl Providers {
    pub(crate) fn new(data_dir: &Path, settings: &Settings) -> Self {
        let (connect, first_byte, idle) = settings.timeouts();
        let seconds = Duration::from_secs;
        let timeouts = Timeouts {
            connect: seconds(connect),
            first_byte: seconds(first_byte),
            idle: seconds(idle),
            ..Timeouts::default()
        };
        let embedded = crate::embedded::Embedded::new(data_dir, timeouts, settings.threads());
        Self {
            timeouts,
            embedded,
            local: tokio::sync::OnceCell::new(),
            told: Mutex::default(),
            from_keyring: Mutex::default(),
        }
    }

    /// Gets the model inside ready: fetched if need be, and loaded.
    pub(crate) fn warm_up(&self) -> Result<(), NoProvider> {
        self.embedded.provider().map(drop)
    }

    /// The Codex of this machine, whether it is there or not.
    pub(crate) fn codex(&self) -> Codex {
        let named = std::env::var_os(CODEX_VARIABLE).filter(|named| !named.is_empty());
        Codex::new(named.unwrap_or_else(|| Codex::PROGRAM.into()), self.timeouts)
    }

    /// Codex, if it can be run for a model.
    fn by_codex(&self, model: &Model) -> Result<Connection, NoProvider> {
        let codex = self.codex();
        if codex.found().is_none() {
            return Err(NoProvider {
                message: codex.missing(),
                hint: format!("or name the program in {CODEX_VARIABLE}"),
            });
        }
        Ok(Connection { provider: Arc::new(codex), model: model.id.clone(), server_window: None })
    }

    /// The servers of this machine.
    pub(crate) async fn local(&self) -> &[LocalServer] {
        self.local.get_or_init(discover).await
    }

    /// Whether the program Codex answers for a model.
    pub(crate) fn is_codex(model: &Model) -> bool {
        model.provider == "codex" && model.base_url.is_none()
    }

    /// Whether a model is served at an address that is known without looking around.
    pub(crate) fn is_hosted(model: &Model) -> bool {
        model.base_url.is_some()
            || matches!(model.provider.as_str(), "anthropic" | "google")
            || OPENAI_STYLE.iter().any(|(known, _)| *known == model.provider)
    }

    /// A provider's key. A keyring is asked once, and only when it may take its time.
    fn key(&self, model: &Model, may_wait: bool) -> Result<Key, NoProvider> {
        let (name, variable) = (model.provider.as_str(), model.key_env.as_deref());
        let failed = |failure: Failure| NoProvider {
            message: failure.to_string(),
            hint: failure.hint_text().unwrap_or_default().to_owned(),
        };
        if keys::place(name, variable).map_err(failed)? != Some(KeySource::Keyring) {
            let found = keys::find(name, variable).map_err(failed)?;
            return Ok(found.map_or(Key::None, |found| Key::Known(Arc::new(found))));
        }
        let mut known = self.from_keyring.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = known.get(name) {
            return Ok(Key::Known(Arc::clone(key)));
        }
        if !may_wait {
            return Ok(Key::NotAskedYet);
        }
        // The keyring may show a dialog; the runtime is told, so that others go on.
        let found = tokio::task::block_in_place(|| keys::find(name, variable)).map_err(failed)?;
        let Some(found) = found.map(Arc::new) else { return Ok(Key::None) };
        known.insert(name.to_owned(), Arc::clone(&found));
        Ok(Key::Known(found))
    }

    /// The provider of a model at a known address. Unless it may wait, a keyring that was
    /// not asked yet is left alone, and nothing should be sent through what comes out.
    pub(crate) fn hosted(
        &self,
        model: &Model,
        may_wait: bool,
    ) -> Result<Arc<dyn Provider>, NoProvider> {
        let name = model.provider.as_str();
        let found = self.key(model, may_wait)?;
        let variable = model.key_env.clone().unwrap_or_else(|| keys::usual_variable(name));
        let no_key = || NoProvider {
            message: format!("there is no key for {name}"),
            hint: format!("set {variable}, or run: plimsoll keys set {name}"),
        };
        let setup = |error: SetupError| NoProvider {
            message: format!("{name} cannot be asked: {error}"),
            hint: "check baseUrl in models.toml and the key".to_owned(),
        };
        let endpoint = |usual: &str| {
            let url = model.base_url.as_deref().unwrap_or(usual);
            Endpoint::new(name, url).map(|endpoint| endpoint.with_timeouts(self.timeouts))
        };
        let keyed = |usual: &str| -> Result<Endpoint, NoProvider> {
            let endpoint = endpoint(usual).map_err(setup)?;
            match &found {
                Key::Known(found) => match given_for(model, found.servers.as_deref()) {
                    GivenFor::It => Ok(endpoint.with_key(found.key.clone())),
                    GivenFor::Nobody => Ok(endpoint),
                    GivenFor::Others(server) => Err(NoProvider {
                        message: format!("the key of {name} was not given for {server}"),
                        hint: format!(
                            "if it should go there: plimsoll keys set {name} --for {server}"
                        ),
                    }),
                },
                // Nothing is sent through what is only at hand.
                Key::NotAskedYet => Ok(endpoint),
                Key::None if model.base_url.is_some() => Ok(endpoint),
                Key::None => Err(no_key()),
            }
        };
        Ok(match name {
            "anthropic" => Arc::new(Anthropic::new(keyed(Anthropic::BASE_URL)?).map_err(setup)?),
            "google" => Arc::new(Gemini::new(keyed(Gemini::BASE_URL)?).map_err(setup)?),
            _ => {
                let usual = OPENAI_STYLE.iter().find(|(known, _)| *known == name);
                let url = usual.map(|(_, url)| *url).or(model.base_url.as_deref());
                let url = url.ok_or_else(|| unknown(model))?;
                let style = OpenAiStyle::new(keyed(url)?).map_err(setup)?;
                // Documents are kept at OpenAI itself; of others nobody knows.
                let own = name == "openai" && model.base_url.is_none();
                Arc::new(if own { style.with_files() } else { style })
            }
        })
    }
}

/// Where a provider usually is.
pub(crate) fn usual_address(provider: &str) -> Option<&'static str> {
    match provider {
        "anthropic" => Some(Anthropic::BASE_URL),
        "google" => Some(Gemini::BASE_URL),
        _ => OPENAI_STYLE.iter().find(|(known, _)| *known == provider).map(|(_, url)| *url),
    }
}

/// Whether a key was given for the server of a model (SEC-8).
#[derive(Debug, PartialEq, Eq)]
enum GivenFor {
    It,
    /// The address was set from the page, and gets no key.
    Nobody,
    /// Other servers than this one.
    Others(String),
}

fn given_for(model: &Model, servers: Option<&[String]>) -> GivenFor {
    let usual = usual_address(&model.provider);
    let server = model.base_url.as_deref().or(usual).and_then(server_of).unwrap_or_default();
    let at_home = usual.and_then(server_of).is_some_and(|usual| usual == server);
    match servers {
        // Where somebody said for whom it is, that is all that counts.
        Some(servers) if servers.contains(&server) => GivenFor::It,
        _ if model.keyless && !at_home => GivenFor::Nobody,
        Some(_) => GivenFor::Others(server),
        // A key of the environment, or of a file that does not say: models.toml is the word of
        // its owner, as long as the page did not write it.
        None => GivenFor::It,
    }
}

fn unknown(model: &Model) -> NoProvider {
    NoProvider {
        message: format!("no provider is set up for the model '{}'", model.id),
        hint: "start a local server with it, or give it a baseUrl in models.toml".to_owned(),
    }
}

#[async_trait::async_trait]
impl ProviderSource for Providers {
    async fn reach(&self, model: &Model) -> Result<Connection, NoProvider> {
        if model.provider == "embedded" {
            // Getting the weights, or waiting for somebody who gets them, takes its time; the
            // runtime is told, so that others go on.
            let provider = tokio::task::block_in_place(|| self.embedded.provider())?;
            return Ok(Connection { provider, model: model.id.clone(), server_window: None });
        }
        if Self::is_codex(model) {
            return self.by_codex(model);
        }
        if Self::is_hosted(model) {
            let provider = self.hosted(model, true)?;
            // A server on this machine tells its window at once; a far one is not asked.
            let near = provider.base_url().contains("//127.")
                || provider.base_url().contains("//localhost");
            let told = if near { provider.models().await.ok() } else { None };
            let server_window =
                told.and_then(|served| served_as(&served, &model.id)?.context_window);
            self.told
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert((provider.base_url().to_owned(), model.id.clone()), server_window);
            return Ok(Connection { provider, model: model.id.clone(), server_window });
        }
        self.on_this_machine(model, self.local().await).ok_or_else(|| unknown(model))
    }

    async fn cached(&self, model: &Model) -> Option<Connection> {
        if model.provider == "embedded" {
            let provider = self.embedded.loaded()?;
            return Some(Connection { provider, model: model.id.clone(), server_window: None });
        }
        if Self::is_codex(model) {
            return self.by_codex(model).ok();
        }
        if Self::is_hosted(model) {
            let provider = self.hosted(model, false).ok()?;
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (provider.base_url().to_owned(), model.id.clone());
            let server_window = told.get(&key).copied().flatten();
            return Some(Connection { provider, model: model.id.clone(), server_window });
        }
        self.on_this_machine(model, self.local.get()?)
    }
}

impl Providers {
    /// The first of the servers that serves the model.
    fn on_this_machine(&self, model: &Model, servers: &[LocalServer]) -> Option<Connection> {
        for server in servers {
            let serves = server.models.iter().find(|served| means_model(&served.id, &model.id));
            if let Some(served) = serves {
                let endpoint = Endpoint::new(server.kind.name(), &server.base_url)
                    .map(|endpoint| endpoint.with_timeouts(self.timeouts))
                    .and_then(OpenAiStyle::new);
                // An address that is none was not found by asking it.
                return Some(Connection {
                    provider: Arc::new(endpoint.ok()?),
                    model: served.id.clone(),
                    server_window: served.context_window,
                });
            }
        }
        None
    }
}

/// A model in a list; a server with one model serves it under any name.
pub(crate) fn served_as<'a>(served: &'a [ServedModel], asked: &str) -> Option<&'a ServedModel> {
    let named = served.iter().find(|model| means_model(&model.id, asked));
    let only = if served.len() == 1 { served.first() } else { None };
    named.or(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(provider: &str, base_url: Option<&str>, keyless: bool) -> Model {
        let base_url = base_url.map(str::to_owned);
        Model { provider: provider.to_owned(), base_url, keyless, ..Model::unknown("m") }
    }

    #[test]
    fn sec_8_a_key_goes_to_the_server_that_it_was_given_for() {
        let own = ["https://api.openai.com".to_owned()];
        let both = [own[0].clone(), "http://127.0.0.1:8080".to_owned()];
        let local = Some("http://127.0.0.1:8080/v1");
        let evil = Some("https://evil.example/v1");
        let plain = Some("http://api.openai.com/v1");
        let others = |server: &str| GivenFor::Others(server.to_owned());
        for (model, servers, expected) in [
            (at("openai", None, false), None, GivenFor::It),
            (at("openai", None, false), Some(&own[..]), GivenFor::It),
            (at("openai", None, true), None, GivenFor::It),
            (at("openai", local, false), None, GivenFor::It),
            (at("openai", local, false), Some(&both[..]), GivenFor::It),
            (at("openai", local, true), Some(&both[..]), GivenFor::It),
            (at("openai", local, true), Some(&own[..]), GivenFor::Nobody),
            (at("openai", local, true), None, GivenFor::Nobody),
            (at("openai", evil, true), None, GivenFor::Nobody),
            (at("openai", evil, false), Some(&own[..]), others("https://evil.example")),
            (at("openai", plain, true), None, GivenFor::Nobody),
            (at("openai", plain, false), Some(&own[..]), others("http://api.openai.com")),
            (at("acme", evil, true), None, GivenFor::Nobody),
            (at("acme", evil, false), None, GivenFor::It),
        ] {
            assert_eq!(given_for(&model, servers), expected, "{model:?} {servers:?}");
        }
    }
}
