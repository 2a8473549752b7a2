//! Who answers for which model: the only place that names concrete providers.

mod given;
pub(crate) mod whose;

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use plimsoll_app::{Connection, Lack, NoProvider, Payer, ProviderSource};
use plimsoll_budget::{Api, Model, means_model};
use plimsoll_config::Settings;
use plimsoll_provider::{
    Anthropic, Codex, Endpoint, Gemini, LocalServer, OpenAiStyle, Provider, Reach, Secret,
    ServedModel, SetupError, Timeouts, discover, server_of,
};

use crate::{
    context::Context,
    keys::{self, KeySource, of_team::TeamKeys},
    words,
};
use given::{GivenFor, given_for, key_lack, server_for};
use whose::failed;

/// The servers of this machine are looked for again after so long.
const FOUND_FOR: Duration = Duration::from_secs(30);

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
    /// The servers of this machine, and when they were looked for.
    local: tokio::sync::Mutex<Option<(Instant, Arc<[LocalServer]>)>>,
    /// The same for who cannot wait.
    found: Mutex<Option<Arc<[LocalServer]>>>,
    /// The windows that servers told, by address and model.
    told: Mutex<HashMap<(String, String), Option<u64>>>,
    /// Keys that the keyring gave, by provider.
    from_keyring: Mutex<HashMap<String, Arc<keys::Found>>>,
    /// The keys in the store of a team.
    team: Option<TeamKeys>,
    /// Where others use this server too: the servers of private networks that the page may name.
    shared: OnceLock<Vec<String>>,
}

/// What is known of a key.
enum Key {
    Known(Arc<keys::Found>),
    /// It is in the keyring, which was not asked yet.
    NotAskedYet,
    None,
}

/// How long others are waited for.
pub(crate) fn timeouts(settings: &Settings) -> Timeouts {
    let (connect, first_byte, idle) = settings.timeouts();
    let seconds = Duration::from_secs;
    Timeouts {
        connect: seconds(connect),
        first_byte: seconds(first_byte),
        idle: seconds(idle),
        ..Timeouts::default()
    }
}

impl Providers {
    pub(crate) fn new(data_dir: &Path, settings: &Settings) -> Self {
        let timeouts = timeouts(settings);
        let embedded = crate::embedded::Embedded::new(data_dir, timeouts, settings.threads());
        Self {
            timeouts,
            embedded,
            local: tokio::sync::Mutex::default(),
            found: Mutex::default(),
            told: Mutex::default(),
            from_keyring: Mutex::default(),
            team: None,
            shared: OnceLock::new(),
        }
    }

    /// The same with the keys in a store.
    pub(crate) fn with_team_keys(self, keys: TeamKeys) -> Self {
        Self { team: Some(keys), ..self }
    }

    /// Others use this server too (UI-19): addresses that were set from the page lead to private
    /// networks only where these are named.
    pub(crate) fn share(&self, allowed: &[String]) {
        let servers = allowed.iter().filter_map(|allowed| server_of(allowed)).collect();
        // It is said once, before anybody is served.
        let _ = self.shared.set(servers);
    }

    /// How far calls to an address go that was set from the page.
    pub(crate) fn reach_of_page(&self, url: &str) -> Reach {
        let allowed =
            |servers: &Vec<String>| server_of(url).is_some_and(|server| servers.contains(&server));
        match self.shared.get() {
            Some(servers) if !allowed(servers) => Reach::Public,
            _ => Reach::Anywhere,
        }
    }

    /// A key or an address is another one: nothing is remembered of before.
    pub(crate) async fn forget(&self) {
        self.from_keyring.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.local.lock().await = None;
    }

    /// A server with or without a key, before it is in any file.
    pub(crate) fn at(
        &self,
        name: &str,
        api: Api,
        url: &str,
        key: Option<Secret>,
        reach: Reach,
    ) -> Result<Arc<dyn Provider>, SetupError> {
        let endpoint = Endpoint::new(name, url)?.with_timeouts(self.timeouts).within(reach);
        speaking(api, key.into_iter().fold(endpoint, Endpoint::with_key))
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
    pub(crate) async fn local(&self) -> Arc<[LocalServer]> {
        let mut local = self.local.lock().await;
        if let Some((at, servers)) = &*local
            && at.elapsed() < FOUND_FOR
        {
            return Arc::clone(servers);
        }
        let servers: Arc<[LocalServer]> = discover().await.into();
        *local = Some((Instant::now(), Arc::clone(&servers)));
        let found = Some(Arc::clone(&servers));
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
        servers
    }

    /// The same, if they were looked for before.
    fn local_found(&self) -> Option<Arc<[LocalServer]>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The key of this machine that a model lacks, by what is known without asking anybody.
    pub(crate) fn lacks_key(model: &Model) -> Option<Lack> {
        let known = keys::known(&model.provider, model.key_env.as_deref()).ok().flatten();
        key_lack(model, known.as_ref())
    }

    /// That the server of a model refused to list its models without another key than it got.
    pub(crate) fn refused_key(&self, model: &Model) -> Option<Lack> {
        let server = server_for(model)?;
        let known = keys::known(&model.provider, model.key_env.as_deref()).ok().flatten();
        let given = known.as_ref().map(|known| given_for(model, known.servers.as_deref()));
        let refused = given == Some(GivenFor::It);
        let in_keyring = known.is_some_and(|known| known.source == KeySource::Keyring);
        let asked = self.from_keyring.lock().unwrap_or_else(PoisonError::into_inner);
        if refused && in_keyring && !asked.contains_key(&model.provider) {
            // The keyring was not asked for the key yet, so that none went along.
            return None;
        }
        Some(Lack::Key { provider: model.provider.clone(), server, refused })
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

    /// A provider's key on this machine. A keyring is asked once, and only when it may take its time.
    fn key(&self, model: &Model, may_wait: bool) -> Result<Key, NoProvider> {
        let (name, variable) = (model.provider.as_str(), model.key_env.as_deref());
        let source = keys::known(name, variable).map_err(failed)?.map(|known| known.source);
        if source != Some(KeySource::Keyring) {
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

    /// The provider of a model at a known address, with the key of this machine. Unless it may
    /// wait, a keyring that was not asked yet is left alone, and nothing should be sent through
    /// what comes out.
    pub(crate) fn hosted(
        &self,
        model: &Model,
        may_wait: bool,
    ) -> Result<Arc<dyn Provider>, NoProvider> {
        self.hosted_with(model, &self.key(model, may_wait)?)
    }

    /// The same with a key that was found.
    fn hosted_with(&self, model: &Model, found: &Key) -> Result<Arc<dyn Provider>, NoProvider> {
        let name = model.provider.as_str();
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
            let reach = if model.keyless { self.reach_of_page(url) } else { Reach::Anywhere };
            let endpoint = Endpoint::new(name, url)?;
            Ok(endpoint.with_timeouts(self.timeouts).within(reach))
        };
        let keyed = |usual: &str| -> Result<Endpoint, NoProvider> {
            let endpoint = endpoint(usual).map_err(setup)?;
            match found {
                Key::Known(found) => match given_for(model, found.servers.as_deref()) {
                    GivenFor::It => Ok(endpoint.with_key(found.key.clone())),
                    GivenFor::Nobody => Ok(endpoint),
                    GivenFor::Others(server) => Err(NoProvider {
                        message: format!("the key of {name} was not given for {server}"),
                        hint: whose::give_for(name, found.holder.as_ref(), &server),
                    }),
                },
                // Nothing is sent through what is only at hand.
                Key::NotAskedYet => Ok(endpoint),
                Key::None if model.base_url.is_some() => Ok(endpoint),
                Key::None => Err(no_key()),
            }
        };
        let url = usual_address(name).or(model.base_url.as_deref());
        let endpoint = keyed(url.ok_or_else(|| unknown(model))?)?;
        // Documents are kept at OpenAI itself; of others nobody knows.
        if name == "openai" && model.base_url.is_none() {
            let style = OpenAiStyle::new(endpoint).map_err(setup)?;
            return Ok(Arc::new(style.with_files()));
        }
        let api = model.api.unwrap_or_else(|| Api::of_provider(name));
        speaking(api, endpoint).map_err(setup)
    }
}

/// Who speaks this form at an endpoint.
fn speaking(api: Api, endpoint: Endpoint) -> Result<Arc<dyn Provider>, SetupError> {
    Ok(match api {
        Api::Anthropic => Arc::new(Anthropic::new(endpoint)?),
        Api::Gemini => Arc::new(Gemini::new(endpoint)?),
        Api::OpenAi => Arc::new(OpenAiStyle::new(endpoint)?),
    })
}

/// Where a provider usually is.
pub(crate) fn usual_address(provider: &str) -> Option<&'static str> {
    match provider {
        "anthropic" => Some(Anthropic::BASE_URL),
        "google" => Some(Gemini::BASE_URL),
        _ => OPENAI_STYLE.iter().find(|(known, _)| *known == provider).map(|(_, url)| *url),
    }
}

fn unknown(model: &Model) -> NoProvider {
    let similar = match Context::load() {
        Ok(context) => words::similar_models(&context.catalog, &model.id),
        // Whoever asked has read the same files, and told what is wrong with them.
        Err(_) => Vec::new(),
    };
    let hint = match similar.is_empty() {
        true => "start a local server with it, or give it a baseUrl in models.toml".to_owned(),
        false => format!("did you mean {}?", similar.join(", ")),
    };
    NoProvider { message: format!("no provider is set up for the model '{}'", model.id), hint }
}

#[async_trait::async_trait]
impl ProviderSource for Providers {
    async fn reach(&self, model: &Model, payer: Option<&Payer>) -> Result<Connection, NoProvider> {
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
            let provider = self.hosted_with(model, &self.key_for(model, payer, true).await?)?;
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
        // One that was found before answers at once; else it may have been started since.
        let found = self.local_found().and_then(|found| self.on_this_machine(model, &found));
        if let Some(found) = found {
            return Ok(found);
        }
        self.on_this_machine(model, &self.local().await).ok_or_else(|| unknown(model))
    }

    async fn cached(&self, model: &Model, payer: Option<&Payer>) -> Option<Connection> {
        if model.provider == "embedded" {
            let provider = self.embedded.loaded()?;
            return Some(Connection { provider, model: model.id.clone(), server_window: None });
        }
        if Self::is_codex(model) {
            return self.by_codex(model).ok();
        }
        if Self::is_hosted(model) {
            let key = self.key_for(model, payer, false).await.ok()?;
            let provider = self.hosted_with(model, &key).ok()?;
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (provider.base_url().to_owned(), model.id.clone());
            let server_window = told.get(&key).copied().flatten();
            return Some(Connection { provider, model: model.id.clone(), server_window });
        }
        self.on_this_machine(model, &self.local_found()?)
    }

    async fn lacks(&self, model: &Model, payer: Option<&Payer>) -> Option<Lack> {
        if model.provider == "embedded" {
            return None;
        }
        if Self::is_codex(model) {
            return self.by_codex(model).err().map(|missing| Lack::Program(missing.message));
        }
        if Self::is_hosted(model) {
            let lacks = Self::lacks_key(model);
            // A store that fails says so where something is sent.
            let kept = self.kept_row(model, payer).await.ok().flatten();
            return match kept {
                Some(row) => whose::lacks_with(model, &row, lacks),
                None => lacks,
            };
        }
        let found = self.local_found()?;
        self.on_this_machine(model, &found).is_none().then_some(Lack::Server)
    }

    async fn kept_key(
        &self,
        model: &Model,
        payer: Option<&Payer>,
    ) -> Result<Option<String>, NoProvider> {
        if !Self::is_hosted(model) {
            return Ok(None);
        }
        Ok(self.kept_row(model, payer).await?.map(|row| row.id))
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
