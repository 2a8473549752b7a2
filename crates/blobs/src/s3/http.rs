//! The HTTP client of an object store: ours, so that the product has one TLS stack.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use object_store::{
    ClientConfigKey, ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};
use reqwest::redirect::Policy;
use rustls_platform_verifier::BuilderVerifierExt;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long one request may take with all its bytes, which are never more than one part.
const WHOLE: Duration = Duration::from_secs(120);

/// Makes clients that speak HTTP/1.1, over TLS unless that is allowed otherwise.
#[derive(Debug)]
pub(crate) struct Connector {
    /// Whether the store is on this machine, which no proxy can reach.
    pub(crate) local: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allowed = options.get_config_value(&ClientConfigKey::AllowHttp);
        let client = self.client(allowed.is_some_and(|allowed| allowed == "true"));
        let client =
            client.map_err(|source| object_store::Error::Generic { store: "S3", source })?;
        Ok(HttpClient::new(Service(client)))
    }
}

impl Connector {
    fn client(
        &self,
        allow_http: bool,
    ) -> Result<reqwest::Client, Box<dyn std::error::Error + Send + Sync>> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?;
        let tls = if allow_http {
            // This machine may have no certificates at all, and needs none then.
            match tls.clone().with_platform_verifier() {
                Ok(tls) => tls,
                Err(_) => tls.with_root_certificates(rustls::RootCertStore::empty()),
            }
        } else {
            tls.with_platform_verifier()?
        };
        let mut client = reqwest::Client::builder()
            .user_agent(concat!("plimsoll/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(WHOLE)
            .redirect(Policy::none())
            // Whether a request is made again is decided by its caller.
            .retry(reqwest::retry::never())
            .https_only(!allow_http)
            .tls_backend_preconfigured(tls.with_no_client_auth());
        if self.local {
            client = client.no_proxy();
        }
        Ok(client.build()?)
    }
}

struct Service(reqwest::Client);

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Service")
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string();
        let url = url.parse().map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        *request.body_mut() = Some(match body.as_bytes() {
            Some(bytes) => bytes.clone().into(),
            None => reqwest::Body::wrap(body),
        });
        let answer = self.0.execute(request).await.map_err(failure)?;
        let (parts, body) = http::Response::from(answer).into_parts();
        let body = http_body_util::BodyExt::map_err(body, failure);
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}

/// What happened, for those who decide whether to try again. The address is told elsewhere.
fn failure(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_request() {
        // Nothing came back: most often a kept connection that the store has closed since.
        HttpErrorKind::Request
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, error.without_url())
}
