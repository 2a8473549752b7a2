//! Keys and servers (UI-19). A key comes in and never goes out: no answer, event or log has one.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
};
use plimsoll_app::Payer;
use plimsoll_store::KeyHolder;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    KeptKey, NewKey, NewModels, NewServer, Refusal, TriedServer, Web,
    access::{By, is_private},
    connections::Peer,
    problem::{Body, Problem},
    security::is_loopback_host,
};

/// Somebody who wants a key.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProviderDto {
    pub(crate) name: String,
    /// Where its key is: `environment`, `keyring` or `file`, in a team also `person`, `project` or
    /// `team`; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<&'static str>,
    /// In a team: which of `person`, `project` and `team` have a key for it, the one that goes
    /// along first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kept: Vec<&'static str>,
    /// The environment variable that may hold its key.
    pub(crate) variable: String,
    /// The servers that its key goes to, and no others.
    pub(crate) servers: Vec<String>,
}

/// Who wants a key, and who has one.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProviderList {
    pub(crate) providers: Vec<ProviderDto>,
}

impl ProviderList {
    pub(crate) async fn of(web: &Web, payer: Option<&Payer>) -> Result<Self, Problem> {
        let row = |one: crate::ListedProvider| ProviderDto {
            name: one.name,
            key: one.key,
            kept: one.kept,
            variable: one.variable,
            servers: one.servers,
        };
        let found = web.configurator.providers(payer).await?;
        Ok(Self { providers: found.into_iter().map(row).collect() })
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, refusal.code, refusal.words)
    }
}

/// Who wants a key, and where the keys are that there are; no key is told
#[utoipa::path(get, path = "/api/providers", tag = "models",
    responses((status = 200, body = ProviderList)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    by: By,
) -> Result<Json<ProviderList>, Problem> {
    Ok(Json(ProviderList::of(&web, by.payer().as_ref()).await?))
}

/// A key.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyDto {
    /// The key itself.
    #[schema(max_length = 4096, write_only)]
    key: String,
    /// The server that it is for, if it is another than the provider's own.
    #[schema(max_length = 500)]
    server: Option<String>,
    /// Whether it is kept also where it cannot be tried now; one that is refused never is.
    #[serde(default)]
    untested: bool,
}

/// What came of it.
#[derive(Serialize, ToSchema)]
pub(crate) struct DoneDto {
    /// In words.
    done: String,
    /// How many models can be asked with it; absent where it was not tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<usize>,
}

/// Try the key of a provider at its server, and keep it in the keyring or in a file of mode 0600
///
/// It is taken over loopback or TLS alone, goes to the server that it was given for and to no
/// other, and is never told again. In a team it is kept sealed in the store, for everybody.
#[utoipa::path(post, path = "/api/providers/{name}/key", tag = "models", request_body = KeyDto,
    params(("name" = String, Path)), responses((status = 200, body = DoneDto)))]
pub(super) async fn set_key(
    State(web): State<Arc<Web>>,
    Path(provider): Path<String>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Body(key): Body<KeyDto>,
) -> Result<Json<DoneDto>, Problem> {
    let from = Way { peer, headers: &headers };
    keep(&web, from, for_everybody(&web), provider, key).await
}

/// Whose a key is that is for all who use this server: that of a team is kept in the store.
fn for_everybody(web: &Web) -> Option<KeyHolder> {
    web.team.is_some().then_some(KeyHolder::Team)
}

/// Tries a key and keeps it for a holder; none is whoever runs this server.
pub(crate) async fn keep(
    web: &Web,
    from: Way<'_>,
    holder: Option<KeyHolder>,
    provider: String,
    KeyDto { key, server, untested }: KeyDto,
) -> Result<Json<DoneDto>, Problem> {
    from.must_be_private(web)?;
    let new = NewKey { provider, server, key, holder, untested };
    let kept = web.configurator.set_key(new).await?;
    web.app.reconsider();
    let KeptKey { place, servers, models, shadowed_by } = kept;
    let (at, count) = (servers.join(" and "), models.map(plural));
    let tried = match &count {
        Some(count) => format!("The key works: {count}."),
        None => "The key was not tried.".to_owned(),
    };
    let wins = shadowed_by
        .map_or_else(String::new, |variable| format!(" {variable} is set, and wins over it."));
    let done = format!("{tried} It is kept in {place}, for {at}.{wins}");
    Ok(Json(DoneDto { done, models }))
}

fn plural(models: usize) -> String {
    if models == 1 { "1 model".to_owned() } else { format!("{models} models") }
}

/// Forget the key of a provider
#[utoipa::path(delete, path = "/api/providers/{name}/key", tag = "models",
    params(("name" = String, Path)), responses((status = 200, body = DoneDto)))]
pub(super) async fn remove_key(
    State(web): State<Arc<Web>>,
    Path(provider): Path<String>,
) -> Result<Json<DoneDto>, Problem> {
    forget(&web, for_everybody(&web).as_ref(), &provider).await
}

/// Forgets the key that a holder has.
pub(crate) async fn forget(
    web: &Web,
    holder: Option<&KeyHolder>,
    provider: &str,
) -> Result<Json<DoneDto>, Problem> {
    if !web.configurator.remove_key(provider, holder).await? {
        return Err(Problem::not_found("stored key"));
    }
    web.app.reconsider();
    Ok(Json(DoneDto { done: format!("The key of {provider} was removed."), models: None }))
}

/// A server.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerDto {
    /// Where it is, such as http://127.0.0.1:8080/v1.
    #[schema(max_length = 500)]
    address: String,
    /// In which form it is asked: `openai` (else), `anthropic` or `gemini`.
    api: Option<String>,
    /// What it is called; else by its host.
    #[schema(max_length = 64)]
    name: Option<String>,
    /// The key that it wants, if it wants one. It is kept for this server alone.
    #[schema(max_length = 4096, write_only)]
    key: Option<String>,
}

/// A model that a server lists.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServedDto {
    id: String,
    /// Its window, where the server tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_window: Option<u64>,
}

/// A server that answered.
#[derive(Serialize, ToSchema)]
pub(super) struct TriedDto {
    provider: String,
    address: String,
    api: &'static str,
    models: Vec<ServedDto>,
    /// Where the key is kept that came along, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'static str>,
}

/// Ask a server for its models; a key that comes along is kept for it
#[utoipa::path(post, path = "/api/servers", tag = "models", request_body = ServerDto,
    responses((status = 200, body = TriedDto)))]
pub(super) async fn try_server(
    State(web): State<Arc<Web>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Body(ServerDto { address, api, name, key }): Body<ServerDto>,
) -> Result<Json<TriedDto>, Problem> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (name, key) = (given(name), given(key));
    if key.is_some() {
        Way { peer, headers: &headers }.must_be_private(&web)?;
    }
    let holder = for_everybody(&web);
    let tried = web.configurator.try_server(NewServer { address, api, name, key, holder }).await?;
    web.app.reconsider();
    let TriedServer { provider, address, api, models, key } = tried;
    let served = |(id, context_window)| ServedDto { id, context_window };
    Ok(Json(TriedDto {
        provider,
        address,
        api,
        models: models.into_iter().map(served).collect(),
        key,
    }))
}

/// Models of a server.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelsDto {
    /// What the server is called, as `POST /api/servers` tells it.
    #[schema(max_length = 64)]
    provider: String,
    /// Where it is, as `POST /api/servers` tells it.
    #[schema(max_length = 500)]
    address: String,
    /// In which form it is asked, as `POST /api/servers` tells it.
    api: Option<String>,
    /// The models to keep.
    #[schema(max_items = 200)]
    models: Vec<String>,
}

/// Write models of a server into your models.toml
#[utoipa::path(post, path = "/api/servers/models", tag = "models", request_body = ModelsDto,
    responses((status = 200, body = DoneDto)))]
pub(super) async fn add_models(
    State(web): State<Arc<Web>>,
    Body(ModelsDto { provider, address, api, models: ids }): Body<ModelsDto>,
) -> Result<Json<DoneDto>, Problem> {
    let _turn = web.configuring.lock().await;
    let done = format!("{} of {provider} can be chosen now.", plural(ids.len()));
    let models = Some(ids.len());
    let new = NewModels { provider, address, api, ids };
    let (settings, catalog) = web.configurator.add_models(new).await?;
    web.app.configure(settings, catalog);
    Ok(Json(DoneDto { done, models }))
}

/// How a request came here.
pub(crate) struct Way<'a> {
    pub(crate) peer: Option<Extension<Peer>>,
    pub(crate) headers: &'a HeaderMap,
}

impl Way<'_> {
    /// Programs of a team come through a proxy with TLS as well, and say no origin.
    fn must_be_private(self, web: &Web) -> Result<(), Problem> {
        if web.team.is_some() && is_private(web, self.headers) {
            return Ok(());
        }
        only_in_private(self.peer, self.headers)
    }
}

/// A key is taken from this machine, or from a page that came over TLS: a browser says in the
/// origin how its page came, and no page can say otherwise.
fn only_in_private(peer: Option<Extension<Peer>>, headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let over_tls = text(header::ORIGIN).starts_with("https://");
    let near = peer.is_some_and(|Extension(peer)| peer.address.ip().is_loopback());
    if over_tls || (near && is_loopback_host(text(header::HOST))) {
        return Ok(());
    }
    let words =
        "a key is taken over TLS, or on the machine of this server, and the way here is neither";
    Err(Problem::new(StatusCode::FORBIDDEN, "needs_tls", words).hint(
        "open the page there, through a tunnel, or over TLS; or run: plimsoll keys set PROVIDER",
    ))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;
    use crate::connections::Account;

    #[test]
    fn ui_19_a_key_comes_over_loopback_or_tls_alone() {
        let taken = |from: &str, host: &str, origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            if !origin.is_empty() {
                headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            let address = from.parse().unwrap();
            let peer = Peer { address, account: Account::Unknown, port: 7777 };
            only_in_private(Some(Extension(peer)), &headers).is_ok()
        };
        assert!(taken("127.0.0.1:5", "localhost:7777", ""));
        assert!(taken("127.0.0.1:5", "127.0.0.1:7777", "http://127.0.0.1:7777"));
        assert!(taken("[::1]:5", "[::1]:7777", "http://[::1]:7777"));
        assert!(taken("10.0.0.9:5", "plimsoll.lan", "https://plimsoll.lan"));
        assert!(!taken("10.0.0.9:5", "10.0.0.2:7777", "http://10.0.0.2:7777"));
        assert!(!taken("10.0.0.9:5", "localhost:7777", "http://localhost:7777"));
        // A proxy of this machine brings somebody from elsewhere, without TLS.
        assert!(!taken("127.0.0.1:5", "plimsoll.lan", "http://plimsoll.lan"));
        assert!(only_in_private(None, &HeaderMap::new()).is_err());
    }
}
