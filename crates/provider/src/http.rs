//! The one HTTP client. It sends a call and hands back the response, or a failure with
//! everything that came: status, headers, body, or what the transport said.

use std::sync::Arc;

use plimsoll_domain::{MAX_JSON_TREE_BYTES, json_tree_fits};
use reqwest::{
    Method, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::timeout;

use crate::{
    Endpoint, ProviderFailure, Secret, SetupError, Timeouts,
    reach::resolver,
    relay::ByteScrubber,
    secret::Scrubbed,
    transport::{self, Told},
};

/// What a list of models may take as a tree, in bytes. It is read beside a send, so it has less
/// than an answer: room for 1,200 models of which much is told, and many more of which little is.
const MAX_TREE: usize = MAX_JSON_TREE_BYTES / 2;
/// What one of several small answers may take as a tree, in bytes: a list of some hundred models
/// takes less.
const MAX_SMALL_TREE: usize = MAX_TREE / 6;

/// As much of an error's body as is kept.
pub(crate) const MAX_ERROR_BODY: usize = 256 * 1024;
/// The largest list of models, and the largest answer that comes in one piece.
pub(crate) const MAX_WHOLE: usize = 32 * 1024 * 1024;
const MAX_HEADERS: usize = 100;
/// Headers that carry secrets, and say nothing about a failure.
const SECRET_HEADERS: [&str; 8] = [
    "set-cookie",
    "cookie",
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "x-amz-security-token",
];

/// One request, ready to go.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// The media type and the bytes.
    pub(crate) body: Option<(String, Vec<u8>)>,
}

impl Call {
    /// A request for something.
    pub(crate) fn get(url: Url, headers: &[(HeaderName, HeaderValue)]) -> Self {
        Self { method: Method::GET, url, headers: headers.to_vec(), body: None }
    }

    /// A request with a body of JSON.
    pub(crate) fn post(url: Url, headers: &[(HeaderName, HeaderValue)], body: String) -> Self {
        Self::post_as(url, headers, "application/json".to_owned(), body.into_bytes())
    }

    /// A request with a body of any kind.
    pub(crate) fn post_as(
        url: Url,
        headers: &[(HeaderName, HeaderValue)],
        kind: String,
        body: Vec<u8>,
    ) -> Self {
        Self { method: Method::POST, url, headers: headers.to_vec(), body: Some((kind, body)) }
    }
}

/// The client of one provider. Clones share their connections.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    pub(crate) timeouts: Timeouts,
    pub(crate) local: bool,
    key: Option<Secret>,
}

impl Client {
    /// A client for an endpoint.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Self, SetupError> {
        let local = endpoint.is_loopback();
        endpoint.reach.check_url(&endpoint.url)?;
        let mut builder = builder(endpoint.timeouts)
            // Whoever answers elsewhere is another server, and the key was not given for it.
            .redirect(Policy::none())
            .dns_resolver(resolver(endpoint.reach))
            .tls_backend_preconfigured(tls(endpoint.url.scheme() == "https")?);
        if local {
            // A proxy cannot reach this machine, whatever the environment says.
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| SetupError::Client(error.to_string()))?;
        let (timeouts, key) = (endpoint.timeouts, endpoint.key.clone());
        Ok(Self { http, timeouts, local, key })
    }

    /// Sends a call; the future is the caller's to keep or to drop. A response of any
    /// status is a response.
    pub(crate) fn send(
        &self,
        call: Call,
    ) -> impl Future<Output = Result<Response, ProviderFailure>> + Send + 'static {
        // Without its query, where some take keys.
        let host = call.url.host_str().unwrap_or_default().to_owned();
        let path = call.url.path().to_owned();
        let bytes = call.body.as_ref().map_or(0, |(_, body)| body.len());
        let begun = std::time::Instant::now();
        let mut request = self.http.request(call.method, call.url);
        for (name, value) in call.headers {
            request = request.header(name, value);
        }
        if let Some((kind, body)) = call.body {
            request = request.header(CONTENT_TYPE, kind).body(body);
        }
        let connect = self.timeouts.connect;
        async move {
            let answer = request.send().await;
            let ms = begun.elapsed().as_millis();
            if let Ok(answer) = &answer {
                let status = answer.status().as_u16();
                tracing::debug!(host, path, bytes, status, ms, "provider answered");
            }
            answer.map_err(|error| {
                let Told { line, chain } = transport::before_answer(error, connect);
                tracing::debug!(host, path, bytes, ms, error = line, "provider not reached");
                ProviderFailure { transport: Some(line), chain, ..ProviderFailure::default() }
            })
        }
    }

    /// Sends a call and reads the JSON that comes back.
    pub(crate) async fn json(&self, call: Call) -> Result<serde_json::Value, ProviderFailure> {
        let whole = self.whole(call, MAX_TREE).await;
        whole.map_err(|failure| self.scrubbed(failure))
    }

    /// The same for one of several questions that are asked at once: what they give together
    /// takes no more than one large answer (REL-7).
    pub(crate) async fn small_json(
        &self,
        call: Call,
    ) -> Result<serde_json::Value, ProviderFailure> {
        let whole = self.whole(call, MAX_SMALL_TREE).await;
        whole.map_err(|failure| self.scrubbed(failure))
    }

    async fn whole(&self, call: Call, most: usize) -> Result<serde_json::Value, ProviderFailure> {
        let limit = self.timeouts.first_byte;
        let Ok(sent) = timeout(limit, self.send(call)).await else {
            let transport = Some(transport::no_first_byte(limit));
            return Err(ProviderFailure { transport, ..ProviderFailure::default() });
        };
        let mut response = sent?;
        if !response.status().is_success() {
            return Err(refusal(response, self.timeouts).await);
        }
        let began = Began::of(&response);
        let mut body = Vec::new();
        match timeout(limit, read_into(&mut response, &mut body, MAX_WHOLE)).await {
            Ok(Ok(())) if !json_tree_fits(&body, most) => {
                Err(began.malformed(b"the answer holds too many values"))
            }
            Ok(Ok(())) => {
                let body = self.key.iter().fold(body, |body, key| key.scrub_body(body));
                serde_json::from_slice(&body).map_err(|_| began.malformed(&body))
            }
            Ok(Err(error)) => Err(began.cut_off(transport::in_mid_stream(Some(error)))),
            Err(_) => Err(began.broken(transport::idle(limit))),
        }
    }

    /// A failure without the key.
    pub(crate) fn scrubbed(&self, mut failure: ProviderFailure) -> ProviderFailure {
        if let Some(key) = &self.key {
            key.scrub_failure(&mut failure);
        }
        failure
    }

    /// What takes the key out of the bytes of an answer.
    pub(crate) fn byte_scrubber(&self) -> ByteScrubber {
        ByteScrubber::of(self.key.clone().filter(Secret::is_looked_for_in_answers))
    }

    /// Goes on with another key than its own, in the header that carries it. None if no header can.
    pub(crate) fn go_with(
        &mut self,
        key: Secret,
        name: HeaderName,
        prefix: &str,
        call: &mut Call,
    ) -> Option<()> {
        let value = zeroize::Zeroizing::new(format!("{prefix}{}", key.expose()));
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        call.headers.retain(|(known, _)| *known != name);
        call.headers.push((name, value));
        self.key = Some(key);
        Some(())
    }

    /// What takes the key out of the deltas of an answer.
    pub(crate) fn scrubbing(&self) -> Scrubbed {
        Scrubbed::of(self.key.clone())
    }
}

/// What every client of ours begins with.
pub(crate) fn builder(timeouts: Timeouts) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("plimsoll/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(timeouts.connect)
        .referer(false)
        // Whether a call is made again is decided elsewhere, where it can be seen.
        .retry(reqwest::retry::never())
}

/// Status and headers of a response whose body is still being read.
#[derive(Clone, Debug)]
pub(crate) struct Began {
    status: u16,
    headers: Vec<(String, String)>,
}

impl Began {
    pub(crate) fn of(response: &Response) -> Self {
        let headers = response.headers();
        Self { status: response.status().as_u16(), headers: harmless(headers) }
    }

    pub(crate) fn broken(&self, transport: String) -> ProviderFailure {
        ProviderFailure { transport: Some(transport), ..self.told("") }
    }

    /// The connection was lost.
    pub(crate) fn cut_off(&self, told: Told) -> ProviderFailure {
        ProviderFailure { chain: told.chain, ..self.broken(told.line) }
    }

    /// The server said what failed.
    pub(crate) fn told(&self, body: &str) -> ProviderFailure {
        let cut = body.floor_char_boundary(MAX_ERROR_BODY);
        ProviderFailure {
            status: Some(self.status),
            headers: self.headers.clone(),
            body: body[..cut].to_owned(),
            ..ProviderFailure::default()
        }
    }

    /// What came is no answer.
    pub(crate) fn malformed(&self, body: &[u8]) -> ProviderFailure {
        let body = &body[..body.len().min(MAX_ERROR_BODY)];
        let failure = self.told(&String::from_utf8_lossy(body));
        ProviderFailure { code: Some("malformed_answer".to_owned()), ..failure }
    }
}

/// The failure that a response without success is.
pub(crate) async fn refusal(mut response: Response, timeouts: Timeouts) -> ProviderFailure {
    let began = Began::of(&response);
    let redirected = response.status().is_redirection();
    let mut body = Vec::new();
    // Whatever part of the body comes in time is enough to judge by.
    let _ = timeout(timeouts.idle, read_into(&mut response, &mut body, MAX_ERROR_BODY)).await;
    body.truncate(MAX_ERROR_BODY);
    let mut failure = began.told(&String::from_utf8_lossy(&body));
    if redirected {
        let to = response.headers().get("location").and_then(|to| to.to_str().ok());
        let to = to.and_then(|to| response.url().join(to).ok());
        let to = to.map_or_else(String::new, |mut to| {
            to.set_query(None);
            format!(" to {to}")
        });
        failure.transport =
            Some(format!("redirect: the redirect{to} was not followed; check the base URL"));
    }
    failure
}

/// Reads a body, and stops once it is longer than it should be.
async fn read_into(
    response: &mut Response,
    body: &mut Vec<u8>,
    most: usize,
) -> Result<(), reqwest::Error> {
    while body.len() <= most {
        let Some(chunk) = response.chunk().await? else { break };
        body.extend_from_slice(&chunk);
    }
    Ok(())
}

fn harmless(headers: &HeaderMap) -> Vec<(String, String)> {
    let told = headers.iter().filter(|(name, _)| !SECRET_HEADERS.contains(&name.as_str()));
    told.take(MAX_HEADERS)
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

/// TLS with the authorities that this machine trusts. A plain HTTP server needs none,
/// so that local models answer on a machine without any.
pub(crate) fn tls(needed: bool) -> Result<rustls::ClientConfig, SetupError> {
    let failed = |error: rustls::Error| SetupError::NoCertificates(error.to_string());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let builder = if needed {
        builder.with_platform_verifier().map_err(failed)?
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty())
    };
    Ok(builder.with_no_client_auth())
}
