//! Who may come in (SEC-1, SEC-2): loopback names, our own pages, holders of the token.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{Web, problem::Problem};

/// Nothing inline, nothing from elsewhere.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// The cookie that carries the token.
const COOKIE: &str = "plimsoll_token";

/// A secret that lets in.
#[derive(Clone)]
pub struct Token(blake3::Hash);

impl Token {
    /// The token with this text.
    pub fn new(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }

    /// Whether a text is the token. Hashes are compared in constant time.
    fn is(&self, text: &str) -> bool {
        self.0 == blake3::hash(text.as_bytes())
    }
}

/// The rules of the door.
#[derive(Clone, Default)]
pub struct Access {
    /// Needed where others can reach us.
    pub token: Option<Token>,
    /// Names of this machine besides the loopback ones, such as its address.
    pub hosts: Vec<String>,
}

/// Stands before every request.
pub(crate) async fn guard(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    let mut response = match web.access.check(&request) {
        Ok(Welcome::In) => next.run(request).await,
        Ok(Welcome::SetCookie(cookie, to)) => {
            let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, to)];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, CSP);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(header::CACHE_CONTROL, "no-store");
    response
}

#[derive(Debug)]
enum Welcome {
    In,
    /// The token came in the address: it moves to a cookie and out of sight.
    SetCookie(String, String),
}

impl Access {
    fn check(&self, request: &Request) -> Result<Welcome, Problem> {
        let headers = request.headers();
        let host = host_of(headers, request.uri()).ok_or_else(|| forbidden("no host was named"))?;
        if !self.knows(host_name(&host)) {
            return Err(forbidden("this server does not go by that name")
                .hint("open it by the address that it printed"));
        }
        // Some browsers leave out the origin of what is same-origin; none leaves it out of
        // what is not.
        if let Some(origin) = headers.get(header::ORIGIN) {
            let own = origin.to_str().is_ok_and(|origin| {
                let bare = origin.split_once("://").map(|(_, rest)| rest);
                bare.is_some_and(|bare| bare.eq_ignore_ascii_case(&host))
            });
            if !own {
                return Err(forbidden("requests from other pages are not taken"));
            }
        }
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        let navigates = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match site {
            None | Some("same-origin" | "none") => {}
            // A link on another page may open ours, and nothing more.
            Some(_) if navigates && reads => {}
            Some(_) => return Err(forbidden("requests from other pages are not taken")),
        }
        let Some(token) = &self.token else { return Ok(Welcome::In) };
        if is_public(request.uri()) || bearer(headers).is_some_and(|text| token.is(text)) {
            return Ok(Welcome::In);
        }
        if cookie(headers).is_some_and(|text| token.is(text)) {
            return Ok(Welcome::In);
        }
        if let Some(text) = in_address(request.uri()).filter(|text| reads && token.is(text)) {
            let cookie = format!("{COOKIE}={text}; HttpOnly; SameSite=Strict; Path=/");
            return Ok(Welcome::SetCookie(cookie, request.uri().path().to_owned()));
        }
        let unauthorized = StatusCode::UNAUTHORIZED;
        Err(Problem::new(unauthorized, "token_needed", "this server asks for its token")
            .hint("open the address with ?token=… that it printed, or send it as a bearer token"))
    }

    fn knows(&self, name: &str) -> bool {
        let loopback = name.eq_ignore_ascii_case("localhost")
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        loopback || self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

fn forbidden(detail: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
}

/// What may be asked without the token: whether we live.
fn is_public(uri: &Uri) -> bool {
    uri.path() == "/healthz"
}

fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    named.map(str::to_owned).or_else(|| uri.authority().map(ToString::to_string))
}

/// The name without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    let named = |cookie: &str| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('=').map(str::len);
    cookies.split(';').find_map(|cookie| {
        let length = named(cookie)?;
        let cookie = cookie.trim();
        Some(&cookie[cookie.len() - length..])
    })
}

fn in_address(uri: &Uri) -> Option<&str> {
    let query = uri.query()?;
    query.split('&').find_map(|field| field.strip_prefix("token="))
}

#[cfg(test)]
#[path = "security_tests.rs"]
mod tests;
