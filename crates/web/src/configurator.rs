//! What the workbench asks of whoever holds the user's files, keys and servers.

use async_trait::async_trait;
use plimsoll_app::{Lack, Payer};
use plimsoll_budget::{Catalog, Model, ModelLimit, WindowFacts};
use plimsoll_config::Settings;
use plimsoll_store::{KeyHolder, LearnedLimits};

/// A model as the selector shows it.
#[derive(Clone, Debug)]
pub struct ListedModel {
    pub id: String,
    /// What it lacks before a message could be sent to it; none if one could be now.
    pub lacks: Option<Lack>,
    /// The window that a server told.
    pub server_window: Option<u64>,
    /// Where it is served, as far as that is known: what is learned of it is kept by this.
    pub base_url: Option<String>,
}

impl ListedModel {
    /// ML with all that is known of the window (CAT-3).
    pub(crate) fn limit(&self, model: &Model, learned: &LearnedLimits) -> ModelLimit {
        let learned = learned.of(self.base_url.as_deref(), &model.id);
        ModelLimit::of(model, WindowFacts { server_window: self.server_window, learned })
    }
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A name that never changes.
    pub code: &'static str,
    pub words: String,
}

/// Somebody who wants a key (UI-19).
#[derive(Clone, Debug)]
pub struct ListedProvider {
    pub name: String,
    /// The variable that would hold its key.
    pub variable: String,
    /// Where the key is that goes along: `environment`, `keyring` or `file`; in a team also
    /// `person`, `project` or `team`.
    pub key: Option<&'static str>,
    /// Whose keys the store of a team has for it, in these words.
    pub kept: Vec<&'static str>,
    /// The servers that the key was given for, or would be.
    pub servers: Vec<String>,
}

/// A key as somebody types it. It can be neither printed nor compared.
pub struct NewKey {
    pub provider: String,
    /// The server that it is for; else the provider's own.
    pub server: Option<String>,
    pub key: String,
    /// Whose it is in a team; none is whoever runs this server.
    pub holder: Option<KeyHolder>,
    /// Whether it is kept also where it cannot be tried now.
    pub untested: bool,
}

/// What came of a key.
#[derive(Clone, Debug)]
pub struct KeptKey {
    /// Where it is kept, in words.
    pub place: &'static str,
    pub servers: Vec<String>,
    /// How many models its server lists; none where it was not tried.
    pub models: Option<usize>,
    /// A variable with another key that wins over it.
    pub shadowed_by: Option<String>,
}

/// A server as somebody types it.
pub struct NewServer {
    pub address: String,
    /// In which form it is asked: `openai`, `anthropic` or `gemini`.
    pub api: Option<String>,
    /// What it is called; else by its host.
    pub name: Option<String>,
    pub key: Option<String>,
    /// Whose key it is in a team; none is whoever runs this server.
    pub holder: Option<KeyHolder>,
}

/// A server that answered.
#[derive(Clone, Debug)]
pub struct TriedServer {
    pub provider: String,
    /// Its whole address.
    pub address: String,
    pub api: &'static str,
    /// Its models and their windows, as far as it tells them.
    pub models: Vec<(String, Option<u64>)>,
    /// Where the key is kept that came along, in words.
    pub key: Option<&'static str>,
}

/// Models of a server that are to be kept.
pub struct NewModels {
    pub provider: String,
    pub address: String,
    pub api: Option<String>,
    pub ids: Vec<String>,
}

/// The files behind settings and models, and who knows which models can be asked.
#[async_trait]
pub trait Configurator: Send + Sync {
    /// Sets a setting, or takes it back, in the user's file. Gives all as they are then,
    /// or says what is wrong.
    async fn set(&self, key: &str, value: Option<&str>) -> Result<(Settings, Catalog), String>;

    /// Sets fields of a model in the user's file; a field that is null goes.
    async fn put_model(
        &self,
        id: &str,
        fields: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<(Settings, Catalog), String>;

    /// All models that are known or found, asked quickly and remembered for a while; what each
    /// lacks is told for who asks.
    async fn models(&self, payer: Option<&Payer>) -> Vec<ListedModel>;

    /// Forgets what was found, so that servers which run by now are found.
    async fn look_again(&self);

    /// Who wants a key, and where the keys are that there are; no key is told.
    async fn providers(&self, payer: Option<&Payer>) -> Result<Vec<ListedProvider>, Refusal>;

    /// Tries a key at its provider and keeps it.
    async fn set_key(&self, new: NewKey) -> Result<KeptKey, Refusal>;

    /// Forgets a key that is kept; false if there is none.
    async fn remove_key(&self, provider: &str, holder: Option<&KeyHolder>)
    -> Result<bool, Refusal>;

    /// Asks a server for its models, and keeps the key that came with its address.
    async fn try_server(&self, new: NewServer) -> Result<TriedServer, Refusal>;

    /// Writes models of a server into the user's file.
    async fn add_models(&self, new: NewModels) -> Result<(Settings, Catalog), Refusal>;

    /// Where the user's files are, for people.
    fn place(&self) -> String;
}
