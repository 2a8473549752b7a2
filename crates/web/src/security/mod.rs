//! Who may come in (SEC-1, SEC-2, SEC-8): loopback names, our own pages, our own account, and
//! holders of the token.

mod enter;
mod token;
mod tries;

use std::{net::IpAddr, sync::Arc, time::Instant};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use plimsoll_gateway::Problem as ClientProblem;
use plimsoll_store::Workspace;

use crate::{
    Web, access,
    connections::{Account, Peer},
    gateway::{self, Entry, is_gateway},
    problem::Problem,
};

pub use token::Token;
pub(crate) use {token::place, tries::Tries};

/// Nothing inline, nothing from elsewhere.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; manifest-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// The rules of the door.
pub struct Access {
    /// Names of this machine besides the loopback ones, such as its address.
    pub hosts: Vec<String>,
    /// Whether connections of the account that we run as need no token.
    pub own_account: bool,
    /// What lets in everybody else.
    pub token: Token,
}

/// It stands before every request.
pub(crate) async fn guard(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    if web.team.is_some() {
        let mut response = access::pass(&web, request, next).await;
        // A form of a page that tells nobody where it stands comes from nowhere, and would be taken
        // for one of another page; this policy tells our own server and nobody else.
        let policy = HeaderValue::from_static("same-origin");
        response.headers_mut().entry(header::REFERRER_POLICY).or_insert(policy);
        return with_headers(response);
    }
    let linked = linked_workspace(&request);
    let welcome = web.access.check(&request);
    let response = match welcome {
        Ok(Welcome::In) if is_new(&web, linked).await => {
            Problem::not_found("workspace").into_response()
        }
        Ok(Welcome::In) => next.run(request).await,
        // Its clients have keys of their own, and read problems in protocols of their own.
        Ok(Welcome::Gateway(entry)) => {
            let mut request = request;
            request.extensions_mut().insert(entry);
            next.run(request).await
        }
        Ok(Welcome::Tries) => enter::enter(&web.access, request).await,
        Ok(Welcome::Elsewhere { cookie, to, from_elsewhere }) => {
            enter::welcome(cookie, &to, from_elsewhere)
        }
        Err(refused) => refused.response(&request),
    };
    with_headers(response)
}

/// Every answer carries these, unless it has its own.
fn with_headers(mut response: Response) -> Response {
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
    /// Another program, which may need a key.
    Gateway(Entry),
    /// Somebody sends a token from the page that asks for it.
    Tries,
    /// A code stood in the address: it goes out of sight, and a cookie takes its place.
    Elsewhere {
        cookie: Option<String>,
        to: String,
        from_elsewhere: bool,
    },
}

/// Why somebody is not let in.
#[derive(Debug)]
pub(crate) enum Refused {
    /// For what the request is.
    Problem(Problem),
    /// The token is missing or wrong.
    Token,
    /// Too many tokens were wrong: the seconds to wait.
    Wait(u64),
}

impl Refused {
    pub(crate) fn response(self, request: &Request) -> Response {
        let path = request.uri().path();
        if is_gateway(path) {
            let problem = match self {
                Self::Problem(problem) => ClientProblem::Forbidden(problem.detail.into()),
                Self::Wait(seconds) => ClientProblem::Rate(format!("wait {seconds} s")),
                Self::Token => ClientProblem::NoKey("a key is needed here".to_owned()),
            };
            return gateway::problem(path, request.headers(), &problem);
        }
        match self {
            Self::Problem(problem) => problem.into_response(),
            Self::Wait(seconds) => enter::wait(seconds),
            Self::Token if wants_page(request.method(), request.headers()) => enter::page(None),
            Self::Token => {
                let unauthorized = StatusCode::UNAUTHORIZED;
                Problem::new(unauthorized, "token_needed", "this server asks for its token")
                    .hint("send it as a bearer token; the server says where the token is kept")
                    .into_response()
            }
        }
    }
}

impl Access {
    /// Whether a request names this machine, and comes from our own pages or from no page (SEC-1).
    /// Gives whether a browser says that another page asks.
    pub(crate) fn check_origin(&self, request: &Request) -> Result<bool, Refused> {
        let headers = request.headers();
        let host = host_of(headers, request.uri()).ok_or_else(|| forbidden("no host was named"))?;
        if !self.knows(host_name(&host)) {
            let problem =
                Problem::new(FORBIDDEN, "forbidden", "this server does not go by that name");
            return Err(Refused::Problem(problem.hint("open it by the address that it printed")));
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
        let navigates = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let from_elsewhere = comes_from_elsewhere(headers);
        // A link on another page may open ours, and nothing more.
        if from_elsewhere && !(navigates && reads) {
            return Err(forbidden("requests from other pages are not taken"));
        }
        Ok(from_elsewhere)
    }

    fn check(&self, request: &Request) -> Result<Welcome, Refused> {
        let headers = request.headers();
        let from_elsewhere = self.check_origin(request)?;
        if is_public(request.uri()) {
            return Ok(Welcome::In);
        }
        let Some(peer) = request.extensions().get::<Peer>() else { return Err(Refused::Token) };
        if is_gateway(request.uri().path()) {
            return Ok(Welcome::Gateway(self.entry(headers, peer)));
        }
        if *request.method() == Method::POST && request.uri().path() == enter::PATH {
            return Ok(Welcome::Tries);
        }
        let code = in_address(request.uri()).filter(|_| *request.method() == Method::GET);
        let to = || without_code(request.uri());
        if self.is_in(headers, peer) {
            // A code in the address of somebody who needs none goes out of sight as well.
            return Ok(match code.filter(|code| self.token.takes_code(code)) {
                Some(_) => Welcome::Elsewhere { cookie: None, to: to(), from_elsewhere },
                None => Welcome::In,
            });
        }
        if bearer(headers).or(code).is_none() {
            return Err(Refused::Token);
        }
        let now = Instant::now();
        if let Some(seconds) = self.token.must_wait(peer, now) {
            return Err(Refused::Wait(seconds));
        }
        if bearer(headers).is_some_and(|text| self.token.is(text)) {
            return Ok(Welcome::In);
        }
        if code.is_some_and(|code| self.token.takes_code(code)) {
            let cookie = Some(self.set_cookie(peer));
            return Ok(Welcome::Elsewhere { cookie, to: to(), from_elsewhere });
        }
        self.token.was_wrong(peer, now);
        Err(Refused::Token)
    }

    /// How another program comes in. Tokens that are wrong are counted, as everywhere.
    fn entry(&self, headers: &HeaderMap, peer: &Peer) -> Entry {
        let now = Instant::now();
        let may_try = self.token.must_wait(peer, now).is_none();
        let given = bearer(headers).filter(|text| !text.starts_with(plimsoll_app::KEY_PREFIX));
        let by_token = given.is_some_and(|text| may_try && self.token.is(text));
        if self.is_in(headers, peer) {
            return Entry { needs_no_key: true, by_token };
        }
        if given.is_some() && may_try && !by_token {
            self.token.was_wrong(peer, now);
        }
        Entry { needs_no_key: by_token, by_token }
    }

    /// Whether a client needs nothing more.
    fn is_in(&self, headers: &HeaderMap, peer: &Peer) -> bool {
        let own = self.own_account && peer.account == Account::Own;
        own || cookies(headers, &Token::cookie_name(peer))
            .any(|value| self.token.is_cookie(peer, value))
    }

    fn set_cookie(&self, peer: &Peer) -> String {
        let (name, value) = (Token::cookie_name(peer), self.token.cookie(peer));
        format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/")
    }

    fn knows(&self, name: &str) -> bool {
        is_loopback_host(name) || self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

/// Whether a host, with or without its port, is this machine and no other.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    let name = host_name(host);
    name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;

fn forbidden(detail: &str) -> Refused {
    Refused::Problem(Problem::new(FORBIDDEN, "forbidden", detail))
}

/// The workspace that a link on another page names. It may open one that is there, and makes none.
fn linked_workspace(request: &Request) -> Option<Workspace> {
    let elsewhere = comes_from_elsewhere(request.headers());
    elsewhere.then(|| crate::api::named_workspace(request.uri())).flatten()
}

pub(crate) async fn is_new(web: &Web, workspace: Option<Workspace>) -> bool {
    let Some(workspace) = workspace else { return false };
    // A store that cannot tell will say so to whoever asks next.
    web.app.store().workspaces().await.is_ok_and(|known| !known.contains(&workspace))
}

/// Whether a browser says that another page asks.
fn comes_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    !matches!(site, None | Some("same-origin" | "none"))
}

/// What may be asked without the token: whether we live.
fn is_public(uri: &Uri) -> bool {
    uri.path() == "/healthz"
}

/// Whether a browser wants to show the answer to somebody.
pub(crate) fn wants_page(method: &Method, headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    *method == Method::GET && accepts.is_some_and(|kinds| kinds.contains("text/html"))
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

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// The values of the cookies of a name.
pub(crate) fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let texts = headers.get_all(header::COOKIE).into_iter().filter_map(|text| text.to_str().ok());
    texts.flat_map(|text| text.split(';')).filter_map(move |cookie| {
        let (known, value) = cookie.trim().split_once('=')?;
        (known == name).then_some(value)
    })
}

const CODE: &str = "token=";

fn in_address(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|field| field.strip_prefix(CODE))
}

/// The same address of this server without the code. A path that begins with two slashes would
/// name another server.
fn without_code(uri: &Uri) -> String {
    let path = uri.path().trim_start_matches(['/', '\\']);
    let rest = uri.query().unwrap_or_default().split('&').filter(|field| !field.starts_with(CODE));
    let rest: Vec<&str> = rest.filter(|field| !field.is_empty()).collect();
    let mark = if rest.is_empty() { "" } else { "?" };
    format!("/{path}{mark}{}", rest.join("&"))
}

#[cfg(test)]
mod tests;
