//! The doors for other people's programs (GWY-1): OpenAI's and Anthropic's protocols under `/v1`.

mod body;
mod models;
mod passing;
mod told;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use futures_util::StreamExt;
use plimsoll_app::{AnswerBody, ClientCall, Payer, Secret};
use plimsoll_budget::ClientOverBudget;
use plimsoll_domain::Protocol;
use plimsoll_gateway::{Problem, Refusal};
use plimsoll_store::ClientKey;
use serde_json::json;

use crate::{
    Web,
    access::{CallProject, Signed},
    connections::Peer,
};
pub(crate) use body::BodyRoom;

/// Whether an address belongs to the gateway.
pub(crate) fn is_gateway(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

/// How somebody comes in; said by whoever guards the doors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// Whether no key is needed.
    pub(crate) needs_no_key: bool,
    /// Whether the token of this server came as the bearer; no provider may see it.
    pub(crate) by_token: bool,
}

pub(crate) fn router() -> Router<Arc<Web>> {
    use Protocol::{Chat, Messages, Responses};
    let call = |protocol| post(move |state, request| call(state, request, protocol));
    let weigh = |protocol| post(move |state, request| dry_run(state, request, protocol));
    Router::new()
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*id}", get(models::get))
        .route("/v1/chat/completions", call(Chat))
        .route("/v1/chat/completions/input_tokens", weigh(Chat))
        .route("/v1/responses", call(Responses))
        .route("/v1/responses/input_tokens", weigh(Responses))
        .route("/v1/messages", call(Messages))
        .route("/v1/messages/count_tokens", weigh(Messages))
        .route("/v1/embeddings", post(passing::pass))
        .route("/v1/audio/{*what}", post(passing::pass))
        .route("/v1/images/{*what}", post(passing::pass))
        .route("/v1", any(nothing))
        .route("/v1/{*what}", any(nothing))
        .method_not_allowed_fallback(nothing)
}

/// The protocol in which something is said to a client of which nothing else is known.
fn protocol_of(path: &str, headers: &HeaderMap) -> Protocol {
    if path.starts_with("/v1/messages") || headers.contains_key("anthropic-version") {
        return Protocol::Messages;
    }
    if path.starts_with("/v1/responses") { Protocol::Responses } else { Protocol::Chat }
}

/// A problem, in the words of whoever asked.
pub(crate) fn problem(path: &str, headers: &HeaderMap, problem: &Problem) -> Response {
    told::problem(protocol_of(path, headers), problem)
}

async fn nothing(request: Request) -> Response {
    let path = request.uri().path();
    let words = format!(
        "{} {path} is not served here; /v1/models, /v1/chat/completions, /v1/responses and /v1/messages are, without what providers keep (stored responses, files, batches)",
        request.method()
    );
    let protocol = protocol_of(path, request.headers());
    told::problem(protocol, &Problem::NotHere(words))
}

/// Who asks, as far as the door and the headers tell.
struct Asker {
    /// Our own key, if one came.
    ours: Option<String>,
    /// Another key.
    other: Option<String>,
    peer: Option<Peer>,
    needs_no_key: bool,
    /// Somebody of a team, and the project that they work in.
    signed: Option<(Signed, CallProject)>,
}

/// A client that may come in.
struct Client {
    key: Option<Arc<ClientKey>>,
    /// Its own key for the provider.
    own_key: Option<Secret>,
    project: Option<Arc<str>>,
}

impl Client {
    /// Whose keys go along, where it is somebody of a team.
    fn payer(&self) -> Option<Payer> {
        let (key, project) = (self.key.as_ref()?, self.project.as_ref()?);
        Some(Payer { person: key.name.as_str().into(), project: Arc::clone(project) })
    }
}

impl Asker {
    fn of(request: &Request) -> Self {
        let word = |name: HeaderName| request.headers().get(name)?.to_str().ok();
        let bearer = word(header::AUTHORIZATION).and_then(|text| text.strip_prefix("Bearer "));
        let given = [bearer, word(HeaderName::from_static("x-api-key"))];
        let given: Vec<&str> = given.into_iter().flatten().map(str::trim).collect();
        let is_ours = |key: &str| key.starts_with(plimsoll_app::KEY_PREFIX);
        let find = |ours: bool| {
            let found = given.iter().find(|key| !key.is_empty() && is_ours(key) == ours);
            found.map(|key| (*key).to_owned())
        };
        let extensions = request.extensions();
        let entry = extensions.get::<Entry>().copied().unwrap_or_default();
        Self {
            ours: find(true),
            other: find(false).filter(|_| !entry.by_token),
            peer: extensions.get::<Peer>().copied(),
            needs_no_key: entry.needs_no_key,
            signed: extensions.get::<Signed>().cloned().zip(extensions.get().cloned()),
        }
    }

    /// The client, if it may come in.
    async fn client(self, web: &Web) -> Result<Client, Problem> {
        if let Some((signed, CallProject(project))) = self.signed {
            web.gateway.settle().await;
            let over = web.app.team_limit(&signed.person.person, &project).await;
            if let Some(words) = over.map_err(|error| Problem::Upstream(error.to_string()))? {
                return Err(Problem::Quota(words));
            }
            let key = Some(Arc::new(key_of(&signed)));
            return Ok(Client { key, own_key: None, project: Some(project) });
        }
        let settings = web.app.settings();
        let Some(key) = self.ours else {
            if !self.needs_no_key || settings.gateway_needs_key() {
                let words = "a key is needed here; make one with: plimsoll gateway key add NAME";
                return Err(Problem::NoKey(words.to_owned()));
            }
            let key = self.other.filter(|_| settings.gateway_pass_keys());
            return Ok(Client { key: None, own_key: key.map(Secret::new), project: None });
        };
        let now = std::time::Instant::now();
        let wait = self.peer.and_then(|peer| web.access.token.must_wait(&peer, now));
        if let Some(seconds) = wait {
            let words = format!("too many wrong keys came from there; wait {seconds} s");
            return Err(Problem::Rate(words));
        }
        let found = web.gateway.client(&key).await;
        let found = found.map_err(|error| Problem::Upstream(error.to_string()))?;
        if let (None, Some(peer)) = (&found, self.peer) {
            web.access.token.was_wrong(&peer, now);
        }
        let client = found.ok_or_else(|| {
            Problem::NoKey(
                "this key is not known here; `plimsoll gateway key list` lists those that are"
                    .to_owned(),
            )
        })?;
        Ok(Client { key: Some(client), own_key: None, project: None })
    }
}

/// Somebody of a team as a client: their calls are counted under their name, and what they may use
/// is settled where that is.
fn key_of(signed: &Signed) -> ClientKey {
    ClientKey {
        name: signed.name().to_owned(),
        hash: String::new(),
        created_at: signed.person.person.created_at,
        models: Vec::new(),
        tokens_per_day: None,
        cost_per_month: None,
        requests_per_minute: None,
        concurrent: None,
        over_budget: None,
    }
}

/// Headers of a client that its provider should hear.
const HANDED_ON: [&str; 3] = ["anthropic-version", "anthropic-beta", "openai-beta"];

fn handed_on(headers: &HeaderMap) -> Vec<(String, String)> {
    let known = HANDED_ON.iter().filter_map(|name| {
        let values = headers.get_all(*name).iter().filter_map(|value| value.to_str().ok());
        let values: Vec<&str> = values.collect();
        (!values.is_empty()).then(|| ((*name).to_owned(), values.join(",")))
    });
    known.collect()
}

/// The call that a request is, and the room that its body takes.
async fn read_call(
    web: &Web,
    request: Request,
    protocol: Protocol,
) -> Result<(ClientCall, body::Held), Problem> {
    let asker = Asker::of(&request);
    let headers = request.headers();
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let over_budget = match word("x-plimsoll-over-budget") {
        None => None,
        Some(name) => Some(ClientOverBudget::parse(name).ok_or_else(|| {
            let known = ClientOverBudget::NAMES.join(", ");
            let words = format!("'{name}' is not one of {known}");
            Problem::Refused(Refusal::of("x-plimsoll-over-budget", words))
        })?),
    };
    let lossy = word("x-plimsoll-lossy") == Some("allow");
    let headers = handed_on(headers);
    // Nobody's body is read who may not come in.
    let Client { key: client, own_key: key, project } = asker.client(web).await?;
    let (text, held) = body::read_text(web, request).await?;
    Ok((ClientCall { protocol, text, client, project, over_budget, lossy, headers, key }, held))
}

async fn call(State(web): State<Arc<Web>>, request: Request, protocol: Protocol) -> Response {
    let (call, _held) = match read_call(&web, request, protocol).await {
        Ok(read) => read,
        Err(problem) => return told::problem(protocol, &problem),
    };
    let answer = match web.gateway.call(call).await {
        Ok(answer) => answer,
        Err(refused) => return told::refused(protocol, &refused),
    };
    let mut response = match answer.body {
        AnswerBody::Relayed { status, headers, bytes } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            let bytes = bytes.map(|piece| piece.map_err(std::io::Error::other));
            let mut response = (status, Body::from_stream(bytes)).into_response();
            told::hand_on(response.headers_mut(), headers);
            response
        }
        AnswerBody::Events(events) => {
            let events = events.map(Ok::<_, std::convert::Infallible>);
            let kind = [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")];
            (kind, Body::from_stream(events)).into_response()
        }
        AnswerBody::Whole(value) => axum::Json(value).into_response(),
    };
    told::head(response.headers_mut(), &answer.head);
    response
}

/// Tells what a request weighs, and sends nothing.
async fn dry_run(State(web): State<Arc<Web>>, request: Request, protocol: Protocol) -> Response {
    let (call, _held) = match read_call(&web, request, protocol).await {
        Ok(read) => read,
        Err(problem) => return told::problem(protocol, &problem),
    };
    match web.gateway.dry_run(&call).await {
        Ok(told) => {
            let tokens = told.estimate;
            let body = match protocol {
                Protocol::Messages => json!({"input_tokens": tokens, "plimsoll": told}),
                Protocol::Chat | Protocol::Responses => json!({
                    "object": "response.input_tokens", "input_tokens": tokens, "plimsoll": told,
                }),
            };
            axum::Json(body).into_response()
        }
        Err(refused) => told::refused(protocol, &refused),
    }
}
