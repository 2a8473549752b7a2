//! Keys and servers from the page (UI-19).

use plimsoll_app::Payer;
use plimsoll_budget::{Api, Catalog, Model};
use plimsoll_config::Settings;
use plimsoll_provider::{Secret, server_of};
use plimsoll_store::{KeyHolder, SealedKey};
use plimsoll_web::{KeptKey, ListedProvider, NewKey, NewModels, NewServer, Refusal, TriedServer};
use serde_json::{Map, Value, json};

use super::{Configuration, beside, change, edit_from_page};
use crate::{
    failure::Failure,
    keys::{self, KeySource, Known},
    providers::usual_address,
    supply::{self, Refused, Where, keep_key, name_of, servers_of, try_server, whole_address},
};

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self { code: refused.code(), words: refused.to_string() }
    }
}

fn not_kept(words: impl ToString) -> Refusal {
    Refusal { code: "not_kept", words: words.to_string() }
}

fn failed(failure: Failure) -> Refusal {
    not_kept(failure)
}

fn api_of(name: Option<&str>, provider: &str) -> Result<Api, Refusal> {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Ok(Api::of_provider(provider));
    };
    Api::parse(name).ok_or_else(|| {
        let known = Api::ALL.map(Api::name).join(", ");
        Refusal { code: "bad_api", words: format!("'{name}' is not one of {known}") }
    })
}

impl Configuration {
    pub(super) async fn list_providers(
        &self,
        payer: Option<&Payer>,
    ) -> Result<Vec<ListedProvider>, Refusal> {
        let catalog = self.app.catalog();
        let rows: Vec<SealedKey> = match payer {
            Some(payer) => {
                let keys = self.providers.team_keys().map_err(failed)?;
                keys.all_serving(payer).await.map_err(failed)?
            }
            None => Vec::new(),
        };
        let mut names: Vec<String> = keys::PROVIDERS.map(str::to_owned).to_vec();
        names.extend(keys::stored().map_err(failed)?);
        let own = catalog.models().iter().filter(|model| model.base_url.is_some());
        names.extend(own.map(|model| model.provider.clone()).filter(|name| keys::is_name(name)));
        names.extend(rows.iter().map(|row| row.provider.clone()));
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        let one = |name: String| {
            let own = |model: &&Model| model.provider == name && model.key_env.is_some();
            let variable = catalog.models().iter().find(own).and_then(|own| own.key_env.clone());
            let variable = variable.unwrap_or_else(|| keys::usual_variable(&name));
            let mut kept = rows.iter().filter(|row| row.provider == name).peekable();
            let known = match kept.peek() {
                Some(row) => Some(Known {
                    source: KeySource::of(&row.holder),
                    servers: Some(row.servers.clone()),
                }),
                None => keys::known(&name, Some(&variable)).map_err(failed)?,
            };
            let given = known.as_ref().and_then(|known| known.servers.clone());
            Ok(ListedProvider {
                servers: given.unwrap_or_else(|| servers_of(&name, catalog.models())),
                key: known.map(|known| known.source.name()),
                kept: kept.map(|row| KeySource::of(&row.holder).name()).collect(),
                variable,
                name,
            })
        };
        names.into_iter().map(one).collect()
    }

    pub(super) async fn keep_key(&self, new: NewKey) -> Result<KeptKey, Refusal> {
        let NewKey { provider, server, key, holder, untested } = new;
        let catalog = self.app.catalog();
        let (url, api, servers) = tried_at(&provider, server.as_deref(), catalog.models())?;
        let reach = self.providers.reach_of_page(&url);
        let place = Where { provider: &provider, api, url: &url, reach };
        let kept_in_store = holder.is_some();
        let new = supply::NewKey { place, key: &key, untested, servers, holder };
        let kept = keep_key(&self.providers, new).await?;
        self.forget();
        let variable = keys::usual_variable(&provider);
        let set = std::env::var_os(&variable).is_some_and(|value| !value.is_empty());
        let shadowed = set && !kept_in_store;
        Ok(KeptKey {
            place: kept.source.words(),
            servers: kept.servers,
            models: kept.models.map(|models| models.len()),
            shadowed_by: shadowed.then_some(variable),
        })
    }

    pub(super) async fn forget_key(
        &self,
        provider: &str,
        holder: Option<&KeyHolder>,
    ) -> Result<bool, Refusal> {
        if let Some(holder) = holder {
            let keys = self.providers.team_keys().map_err(failed)?;
            return keys.remove(holder, provider).await.map_err(failed);
        }
        let name = provider.to_owned();
        let removed = beside(move || keys::remove(&name).map_err(|failure| failure.to_string()));
        let was = removed.await.map_err(not_kept)?.is_some();
        self.providers.forget().await;
        self.forget();
        Ok(was)
    }

    pub(super) async fn look_at(&self, new: NewServer) -> Result<TriedServer, Refusal> {
        let NewServer { address, api, name, key, holder } = new;
        let api = api_of(api.as_deref(), "")?;
        let address = whole_address(&address, api)?;
        let provider = name.map_or_else(|| name_of(&address), |name| name.trim().to_owned());
        if !keys::is_name(&provider) || usual_address(&provider).is_some() {
            return Err(Refused::Name(provider).into());
        }
        let reach = self.providers.reach_of_page(&address);
        let place = || Where { provider: &provider, api, url: &address, reach };
        let (models, place) = match key {
            Some(key) => {
                let new = supply::NewKey {
                    place: place(),
                    key: &key,
                    untested: false,
                    servers: Vec::new(),
                    holder,
                };
                let kept = keep_key(&self.providers, new).await?;
                (kept.models, Some(kept.source.words()))
            }
            None => {
                // A key that was given for this server before is good for it still.
                let server = server_of(&address);
                let given = self.key_of(&provider, holder.as_ref()).await.filter(|found| {
                    found.servers.as_ref().zip(server).is_some_and(|(all, own)| all.contains(&own))
                });
                let key: Option<Secret> = given.map(|found| found.key);
                (try_server(&self.providers, &place(), key.as_ref()).await?.models, None)
            }
        };
        self.forget();
        let models = models.unwrap_or_default().into_iter();
        let models = models.map(|model| (model.id, model.context_window)).collect();
        Ok(TriedServer { provider, address, api: api.name(), models, key: place })
    }

    /// The key that a provider has by now, of whoever runs this server or of a holder in a team.
    async fn key_of(&self, provider: &str, holder: Option<&KeyHolder>) -> Option<keys::Found> {
        if let Some(holder) = holder {
            let keys = self.providers.team_keys().ok()?;
            let row = keys.of(holder, provider).await.ok()??;
            let key = keys.open(&row).ok()?;
            return Some(keys::Found { key, servers: Some(row.servers), holder: Some(row.holder) });
        }
        let provider = provider.to_owned();
        let find = move || keys::find(&provider, None).map_err(|failure| failure.to_string());
        beside(find).await.ok().flatten()
    }

    pub(super) async fn write_models(
        &self,
        new: NewModels,
    ) -> Result<(Settings, Catalog), Refusal> {
        let NewModels { provider, address, api, ids } = new;
        let api = api_of(api.as_deref(), "")?;
        let address = whole_address(&address, api)?;
        if !keys::is_name(&provider) || usual_address(&provider).is_some() {
            return Err(Refused::Name(provider).into());
        }
        let (few, known) = (1..=200, self.app.catalog());
        if !few.contains(&ids.len()) || ids.iter().any(|id| id.trim().is_empty() || id.len() > 512)
        {
            return Err(Refusal { code: "bad_models", words: "name 1 to 200 models".to_owned() });
        }
        // A model of this name that somebody else serves stays as it is.
        let taken = |id: &&String| {
            let other = |model: &&Model| model.id.eq_ignore_ascii_case(id);
            known.models().iter().find(other).is_some_and(|model| {
                model.provider != provider
                    && (model.base_url.is_some() || usual_address(&model.provider).is_some())
            })
        };
        if let Some(id) = ids.iter().find(taken) {
            let other = &known.model(id).provider;
            let words = format!(
                "{id} is a model of {other} here; leave it out, or remove that one from models.toml first"
            );
            return Err(Refusal { code: "name_taken", words });
        }
        let mut fields = json!({"provider": provider, "baseUrl": address});
        if api != Api::OpenAi {
            fields["api"] = json!(api.name());
        }
        let fields: Map<String, Value> = fields.as_object().cloned().unwrap_or_default();
        self.forget();
        let written = beside(move || {
            change("models.toml", |text| {
                ids.iter().try_fold(text.to_owned(), |text, id| edit_from_page(&text, id, &fields))
            })
        });
        written.await.map_err(|words| Refusal { code: "bad_model", words })
    }
}

/// Where the key of a provider is tried, and the servers that it is for.
fn tried_at(
    provider: &str,
    server: Option<&str>,
    models: &[Model],
) -> Result<(String, Api, Vec<String>), Refusal> {
    let own = || models.iter().filter(|model| model.provider == provider);
    let api = |model: &Model| model.api.unwrap_or_else(|| Api::of_provider(provider));
    let usual = usual_address(provider).map(|url| (url.to_owned(), Api::of_provider(provider)));
    let unknown = |what: &str| Refusal {
        code: "unknown_server",
        words: format!("nobody knows {what}; add the server by its address"),
    };
    let Some(server) = server.map(str::trim).filter(|server| !server.is_empty()) else {
        let declared = own().find_map(|model| Some((model.base_url.clone()?, api(model))));
        let found = usual.or(declared).ok_or_else(|| unknown(&format!("where {provider} is")))?;
        return Ok((found.0, found.1, servers_of(provider, models)));
    };
    let wanted = server_of(server);
    let at = |url: &str| wanted.is_some() && server_of(url) == wanted;
    let declared = own().find_map(|model| {
        let url = model.base_url.as_deref().filter(|url| at(url))?;
        Some((url.to_owned(), api(model)))
    });
    let found = declared.or(usual.filter(|(url, _)| at(url)));
    let (url, api) = found.ok_or_else(|| unknown(&format!("{provider} at {server}")))?;
    // Where its own server is meant, those that its owner set up are meant as well.
    let all = servers_of(provider, models);
    let servers = wanted.filter(|wanted| !all.contains(wanted)).map_or(all, |wanted| vec![wanted]);
    Ok((url, api, servers))
}
