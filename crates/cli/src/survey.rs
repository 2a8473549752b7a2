//! What this machine can reach now: who serves which model, and what was learned of it.
//! Servers at home are asked all at once and not for long; far ones are never asked.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use plimsoll_app::Lack;
use plimsoll_budget::{Model, ModelLimit, WindowFacts, larger_models, means_model};
use plimsoll_fault::Label;
use plimsoll_provider::{Provider, ProviderFailure, ServedModel};
use plimsoll_send::Suggestion;
use plimsoll_store::LearnedLimits;
use plimsoll_store_sql::OpenOptions;

use crate::{
    args::Location,
    context::Context,
    embedded::Embedded,
    failure::{Failure, note},
    machine,
    providers::{Providers, served_as},
    stores::{self, StorePlace},
};

/// A server at home lists its models within this time, or counts as not there. One that
/// is down is known at once; this is for one that is busy.
const PATIENCE: Duration = Duration::from_secs(3);

/// A server at home and the models that it lists.
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) base_url: String,
    /// None when it did not answer.
    pub(crate) models: Option<Vec<ServedModel>>,
    /// Whether it answered at all. Some servers keep no list and serve all the same.
    pub(crate) answers: bool,
    /// Whether it wants a key, or another one.
    wants_key: bool,
    /// Whether `models.toml` names it; the others were found.
    pub(crate) declared: bool,
}

impl Server {
    /// Whether this server was asked for a model with an address of its own, with its key.
    fn is_of(&self, model: &Model, url: &str) -> bool {
        (!self.declared || self.name == model.provider) && self.is_at(url)
    }

    /// Whether an address of `models.toml` is this server's.
    fn is_at(&self, url: &str) -> bool {
        let url = url.trim_end_matches('/');
        let base = self.base_url.as_str();
        base == url || base.strip_suffix("/v1") == Some(url)
    }
}

/// What was found.
pub(crate) struct Survey {
    pub(crate) servers: Vec<Server>,
    providers: Arc<Providers>,
    embedded: bool,
    learned: LearnedLimits,
}

impl Survey {
    /// Looks around for these models.
    pub(crate) async fn of(context: &Context, models: &[Model], location: &Location) -> Self {
        let data_dir = machine::data_path(location.data_dir()).unwrap_or_default();
        let providers = Arc::new(Providers::new(&data_dir, &context.settings));
        let place = match location.store(&context.settings) {
            Some(address) => StorePlace::Server(address.to_owned()),
            None => StorePlace::File(data_dir.join("plimsoll.db")),
        };
        let learned = learned(&place).await;
        Self::with(&providers, models, &data_dir, learned).await
    }

    /// The same, with providers and a store that are there already.
    pub(crate) async fn with(
        providers: &Arc<Providers>,
        models: &[Model],
        data_dir: &Path,
        learned: LearnedLimits,
    ) -> Self {
        let looks =
            models.iter().any(|model| !Providers::is_hosted(model) && !Providers::is_codex(model));
        let found = async {
            match looks {
                true => providers.local().await.to_vec(),
                false => Vec::new(),
            }
        };
        let (found, mut servers) = tokio::join!(found, declared(providers, models));
        for server in found {
            let known = servers.iter().any(|known| known.base_url == server.base_url);
            if !known {
                servers.push(Server {
                    name: server.kind.name().to_owned(),
                    base_url: server.base_url,
                    models: Some(server.models),
                    answers: true,
                    wants_key: false,
                    declared: false,
                });
            }
        }
        let embedded = Embedded::is_there(data_dir);
        Self { servers, providers: Arc::clone(providers), embedded, learned }
    }

    /// Whether a message could be sent to a model now.
    pub(crate) fn is_available(&self, model: &Model) -> bool {
        self.lacks(model).is_none()
    }

    /// What a model lacks before a message could be sent to it (UI-19).
    pub(crate) fn lacks(&self, model: &Model) -> Option<Lack> {
        if model.provider == "embedded" && model.base_url.is_none() {
            return (!self.embedded).then_some(Lack::Weights);
        }
        if Providers::is_codex(model) {
            return self.codex().err().map(Lack::Program);
        }
        if self.serving(model).is_some() {
            return None;
        }
        match &model.base_url {
            Some(url) if is_at_home(model) => self.lacks_at_home(model, url),
            _ if Providers::is_hosted(model) => Providers::lacks_key(model),
            _ => Some(Lack::Server),
        }
    }

    /// What a model lacks whose server is at home and does not list it.
    fn lacks_at_home(&self, model: &Model, url: &str) -> Option<Lack> {
        let address = || url.trim_end_matches('/').to_owned();
        match self.servers.iter().find(|server| server.is_of(model, url)) {
            Some(server) if server.wants_key => self.providers.refused_key(model),
            Some(server) if server.models.is_some() => Some(Lack::Entry { address: address() }),
            // Some servers keep no list and serve all the same.
            Some(server) if server.answers => None,
            _ => Some(Lack::Answer { address: address() }),
        }
    }

    /// Where Codex is, or what to tell when it is not there.
    pub(crate) fn codex(&self) -> Result<std::path::PathBuf, String> {
        let codex = self.providers.codex();
        codex.found().ok_or_else(|| codex.missing())
    }

    /// Where a model is served, as far as that is known.
    pub(crate) fn base_url(&self, model: &Model) -> Option<String> {
        match self.serving(model) {
            Some((server, _)) => Some(server.base_url.clone()),
            None if Providers::is_codex(model) => {
                Some(self.providers.codex().base_url().to_owned())
            }
            None if Providers::is_hosted(model) => self
                .providers
                .hosted(model, false)
                .ok()
                .map(|provider| provider.base_url().to_owned()),
            None => model.base_url.clone(),
        }
    }

    /// What would help, with those larger models that a message could be sent to now, and no
    /// others (VAL-1).
    pub(crate) fn reachable(
        &self,
        suggestions: &[Suggestion],
        models: &[Model],
        needed: u64,
        current: &str,
    ) -> Vec<Suggestion> {
        let there = models.iter().filter(|model| self.is_available(model));
        let limit = |model| (model, ModelLimit::of(model, self.facts(model)));
        let named = larger_models(there.map(limit), needed, current);
        let switch = |one: &Suggestion| matches!(one, Suggestion::SwitchModel { .. });
        let mut out: Vec<Suggestion> =
            suggestions.iter().filter(|one| !switch(one)).cloned().collect();
        if !suggestions.is_empty() && !named.is_empty() {
            out.push(Suggestion::SwitchModel { models: named });
        }
        out
    }

    /// What is known of a model's window beyond the catalog (CAT-3).
    pub(crate) fn facts(&self, model: &Model) -> WindowFacts {
        WindowFacts {
            server_window: self.serving(model).and_then(|(_, served)| served.context_window),
            learned: self.learned.of(self.base_url(model).as_deref(), &model.id),
        }
    }

    /// Models that servers here list and that are none of these.
    pub(crate) fn others(&self, models: &[Model]) -> Vec<Model> {
        let mut others: Vec<Model> = Vec::new();
        for server in &self.servers {
            for served in server.models.iter().flatten() {
                let known =
                    models.iter().chain(&others).any(|known| means_model(&served.id, &known.id));
                if !known {
                    let provider = server.name.clone();
                    others.push(Model { provider, ..Model::unknown(&served.id) });
                }
            }
        }
        others
    }

    /// The server at home that has a model, and the model as it lists it.
    fn serving(&self, model: &Model) -> Option<(&Server, &ServedModel)> {
        let lists = |server: &&Server| server.models.is_some();
        if let Some(url) = &model.base_url {
            let server =
                self.servers.iter().filter(lists).find(|server| server.is_of(model, url))?;
            return Some((server, served_as(server.models.as_deref()?, &model.id)?));
        }
        if Providers::is_hosted(model) || Providers::is_codex(model) {
            return None;
        }
        self.servers.iter().filter(|server| !server.declared).find_map(|server| {
            let models = server.models.as_deref()?;
            Some((server, models.iter().find(|served| means_model(&served.id, &model.id))?))
        })
    }
}

/// Whether a server refuses for want of a key that it takes.
pub(crate) fn is_about_key(failure: &ProviderFailure) -> bool {
    matches!(failure.status, Some(401 | 403)) || failure.fault().label == Label::Auth
}

/// Whether a model's own address is a server at home: those speak plain HTTP.
fn is_at_home(model: &Model) -> bool {
    model.base_url.as_deref().is_some_and(|url| url.trim_start().starts_with("http://"))
}

/// Asks every server at home that `models.toml` names, once for each provider there, since each
/// has a key of its own, and all together.
async fn declared(providers: &Providers, models: &[Model]) -> Vec<Server> {
    let mut places: BTreeMap<(String, String), Arc<dyn Provider>> = BTreeMap::new();
    for model in models.iter().filter(|model| is_at_home(model)) {
        if let Ok(provider) = providers.hosted(model, false) {
            let base_url = provider.base_url().to_owned();
            places.entry((base_url, model.provider.clone())).or_insert(provider);
        }
    }
    let asked = places.into_iter().map(|((base_url, name), provider)| {
        tokio::spawn(async move {
            let listed = tokio::time::timeout(PATIENCE, provider.models()).await;
            let (models, answers, wants_key) = match listed {
                Ok(Ok(models)) => (Some(models), true, false),
                Ok(Err(failure)) => (None, failure.status.is_some(), is_about_key(&failure)),
                Err(_) => (None, false, false),
            };
            Server { name, base_url, models, answers, wants_key, declared: true }
        })
    });
    let mut servers = Vec::new();
    for answer in asked.collect::<Vec<_>>() {
        servers.extend(answer.await.ok());
    }
    servers
}

/// What overflows taught, if there is a store to ask; none is made for this question.
async fn learned(place: &StorePlace) -> LearnedLimits {
    if matches!(place, StorePlace::File(path) if !path.is_file()) {
        return LearnedLimits::default();
    }
    let read = async {
        let (store, _) = stores::open(place, OpenOptions::default(), machine::now()).await?;
        store.learned_limits().await.map_err(|error| Failure::failed(format!("{place}: {error}")))
    };
    read.await.unwrap_or_else(|failure| {
        note(&format!("learned limits are left out: {failure}"));
        LearnedLimits::default()
    })
}
