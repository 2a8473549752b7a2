//! Where a provider is, what opens it, and how long it is waited for.

use std::time::Duration;

use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};

use crate::{NotReached, Reach, Secret};

/// How long a provider is waited for (SND-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection: name, address and TLS.
    pub connect: Duration,
    /// From the request to the first byte of the answer. Local models load meanwhile.
    pub first_byte: Duration,
    /// Without progress once bytes have come.
    pub idle: Duration,
    /// A local server that is silent for so long is said to load its model.
    pub loading: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            loading: Duration::from_secs(2),
        }
    }
}

/// Why a provider cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The base URL cannot be read.
    #[error("{0:?} is no base URL; it should look like https://api.example.com/v1")]
    NotAUrl(String),
    /// A key or password stands in the base URL.
    #[error("the base URL holds a password or a query; keys belong in the key settings")]
    HoldsCredentials,
    /// The key holds what no header can.
    #[error("the key of {0} holds characters that no key has; was something else pasted?")]
    KeyUnusable(String),
    /// The machine knows no authorities, so that no HTTPS server can be trusted.
    #[error("no usable CA certificates on this machine; install ca-certificates ({0})")]
    NoCertificates(String),
    /// The address may not be asked.
    #[error(transparent)]
    NotReached(#[from] NotReached),
    /// The HTTP client refused its settings.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

/// A provider's address, key and patience.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(crate) name: String,
    pub(crate) url: Url,
    pub(crate) base_url: String,
    pub(crate) key: Option<Secret>,
    pub(crate) timeouts: Timeouts,
    pub(crate) reach: Reach,
}

impl Endpoint {
    /// An endpoint at a base URL, such as `https://api.openai.com/v1`, under the name
    /// that its provider has in the catalog.
    pub fn new(name: impl Into<String>, base_url: &str) -> Result<Self, SetupError> {
        let trimmed = base_url.trim().trim_end_matches('/');
        let url = Url::parse(trimmed).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.host_str().is_some_and(|h| !h.is_empty())
        });
        // A URL with a password is not repeated in an error.
        let Some(url) = url else {
            let shown = if trimmed.contains('@') { "…" } else { trimmed };
            return Err(SetupError::NotAUrl(shown.to_owned()));
        };
        let credentials = !url.username().is_empty() || url.password().is_some();
        if credentials || url.query().is_some() || url.fragment().is_some() {
            return Err(SetupError::HoldsCredentials);
        }
        let base_url = url.as_str().trim_end_matches('/').to_owned();
        let (key, timeouts, reach) = (None, Timeouts::default(), Reach::default());
        Ok(Self { name: name.into(), url, base_url, key, timeouts, reach })
    }

    /// The endpoint with a key; an empty one is none.
    pub fn with_key(mut self, key: Secret) -> Self {
        self.key = Some(key).filter(|key| !key.is_empty());
        self
    }

    /// The endpoint with another patience.
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// The endpoint, if calls may go there.
    pub fn within(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Whether nothing leaves this machine on the way there.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// The URL with segments added to its path. A model's name may hold anything, and
    /// is escaped.
    pub(crate) fn join<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// The same server without any path: `http://localhost:11434`.
    pub(crate) fn root(&self) -> Self {
        let mut root = self.clone();
        root.url.set_path("/");
        root
    }

    /// The header that carries the key.
    pub(crate) fn key_header(
        &self,
        name: HeaderName,
        prefix: &str,
    ) -> Result<Option<(HeaderName, HeaderValue)>, SetupError> {
        let Some(key) = &self.key else { return Ok(None) };
        let value = zeroize::Zeroizing::new(format!("{prefix}{}", key.expose()));
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| SetupError::KeyUnusable(self.name.clone()))?;
        value.set_sensitive(true);
        Ok(Some((name, value)))
    }
}

/// The server that a base URL leads to: `https://api.openai.com`, with the port where it is not
/// the usual one. A key is given for a server (SEC-8).
pub fn server_of(base_url: &str) -> Option<String> {
    let url = Url::parse(base_url.trim()).ok()?;
    let known = matches!(url.scheme(), "http" | "https") && url.has_host();
    known.then(|| url.origin().ascii_serialization())
}

/// Whether a URL leads to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let named = host == "localhost" || host.ends_with(".localhost");
    named || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_are_read_and_kept_in_one_form() {
        for (given, kept) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            (" https://api.openai.com/v1// ", "https://api.openai.com/v1"),
            ("http://LOCALHOST:11434", "http://localhost:11434"),
        ] {
            assert_eq!(Endpoint::new("x", given).unwrap().base_url, kept);
        }
        for wrong in ["", "api.openai.com", "ftp://x/v1", "http://", "not a url"] {
            assert!(matches!(Endpoint::new("x", wrong), Err(SetupError::NotAUrl(_))), "{wrong}");
        }
    }

    #[test]
    fn sec_4_a_base_url_holds_no_secrets() {
        for wrong in ["https://me:hunter2@x/v1", "https://x/v1?key=hunter2", "me:hunter2@x"] {
            let error = Endpoint::new("x", wrong).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[test]
    fn loopback_is_this_machine_alone() {
        for (url, expected) in [
            ("http://localhost:1/v1", true),
            ("http://127.0.0.1", true),
            ("http://127.8.9.1", true),
            ("http://[::1]:8080", true),
            ("http://a.localhost", true),
            ("http://localhost.example.com", false),
            ("http://192.168.1.5", false),
            ("http://0.0.0.0", false),
            ("https://api.openai.com", false),
        ] {
            assert_eq!(Endpoint::new("x", url).unwrap().is_loopback(), expected, "{url}");
        }
    }

    #[test]
    fn sec_8_a_server_is_a_scheme_a_name_and_a_port() {
        for (url, server) in [
            ("https://api.openai.com/v1", Some("https://api.openai.com")),
            ("https://API.openai.com:443", Some("https://api.openai.com")),
            ("http://api.openai.com/v1", Some("http://api.openai.com")),
            ("http://127.0.0.1:8080/v1", Some("http://127.0.0.1:8080")),
            ("https://api.openai.com@evil.example/v1", Some("https://evil.example")),
            ("api.openai.com", None),
            ("file:///etc", None),
        ] {
            assert_eq!(server_of(url).as_deref(), server, "{url}");
        }
    }

    #[test]
    fn a_models_name_cannot_leave_its_place_in_the_path() {
        let endpoint = Endpoint::new("x", "https://x.test/v1/").unwrap();
        let url = endpoint.join(["models", "../a b/c?d"]);
        assert_eq!(url.as_str(), "https://x.test/v1/models/..%2Fa%20b%2Fc%3Fd");
    }

    #[test]
    fn a_key_with_a_line_break_is_refused_by_name() {
        let endpoint = Endpoint::new("acme", "https://x").unwrap();
        let endpoint = endpoint.with_key(Secret::new("sk-one\nsk-two"));
        let error = endpoint.key_header(reqwest::header::AUTHORIZATION, "Bearer ").unwrap_err();
        assert!(error.to_string().contains("acme") && !error.to_string().contains("sk-"));
    }
}
