//! Who asks: by a token, or by the cookie of a sign-in.

use std::{net::IpAddr, sync::Arc, time::Instant};

use axum::{
    http::{HeaderMap, HeaderName, header, request::Parts},
    response::{IntoResponse, Response},
};
use plimsoll_app::{Audited, Doer, key_hash, name_in_token};
use plimsoll_gateway::Problem as ClientProblem;
use plimsoll_store::KnownPerson;

use super::{Signed, Team, sign_in};
use crate::{
    Web,
    connections::Peer,
    gateway::{self, is_gateway},
    problem::Problem,
    security::{bearer, cookies, place},
};

/// Why it was not found out.
pub(super) enum Refused {
    /// What came is wrong.
    Wrong,
    /// Too much of what came was wrong: the seconds to wait.
    Wait(u64),
    /// The store failed.
    Failed(Problem),
}

impl Refused {
    pub(super) fn response(self, request: &Parts) -> Response {
        let path = request.uri.path();
        let retry = |seconds: u64| [(header::RETRY_AFTER, seconds.to_string())];
        if is_gateway(path) {
            let (seconds, problem) = match self {
                Self::Wrong => (None, ClientProblem::NoKey("this token is not known here".into())),
                Self::Wait(seconds) => {
                    let words = format!("too many wrong tokens came from there; wait {seconds} s");
                    (Some(seconds), ClientProblem::Rate(words))
                }
                Self::Failed(problem) => (None, ClientProblem::Upstream(problem.detail.into())),
            };
            let response = gateway::problem(path, &request.headers, &problem);
            return (seconds.map(retry), response).into_response();
        }
        match self {
            Self::Wrong => super::nobody(request, false),
            Self::Wait(seconds) => {
                let detail = "too many wrong tokens came from there";
                let problem = Problem::new(
                    axum::http::StatusCode::TOO_MANY_REQUESTS,
                    "too_many_tries",
                    detail,
                );
                let hint = format!("wait {seconds} s, then send the right one");
                (retry(seconds), problem.hint(hint)).into_response()
            }
            Self::Failed(problem) => problem.into_response(),
        }
    }
}

/// Who asks; nobody where nothing came that could say so.
pub(super) async fn asks(web: &Web, request: &Parts) -> Result<Option<Signed>, Refused> {
    let headers = &request.headers;
    let origin: Arc<str> = origin(web, headers, request.extensions.get()).into();
    if let Some(token) = token_of(request.uri.path(), headers) {
        let person = by_token(web, token, &origin).await?;
        return Ok(Some(Signed { person: Arc::new(person), origin }));
    }
    let now = web.app.clock().now();
    for name in sign_in::COOKIES {
        for value in cookies(headers, name) {
            let found = web.app.store().known_by_sign_in(&key_hash(value), now).await;
            let found = found.map_err(|error| Refused::Failed(error.into()))?;
            if let Some(person) = found {
                return Ok(Some(Signed { person: Arc::new(person), origin }));
            }
        }
    }
    Ok(None)
}

/// The token that a program sends: as a bearer, and to the gateway also as Anthropic's clients do.
fn token_of<'a>(path: &str, headers: &'a HeaderMap) -> Option<&'a str> {
    let key = || {
        let key = headers.get(HeaderName::from_static("x-api-key"))?;
        key.to_str().ok().filter(|_| is_gateway(path))
    };
    bearer(headers).or_else(key).map(str::trim).filter(|token| !token.is_empty())
}

/// Whose token this is. Wrong ones are counted by address and by the name in them, and noted; an
/// address that guesses has to wait, whereas nobody can keep somebody out by guessing in their
/// name from elsewhere.
pub(super) async fn by_token(web: &Web, token: &str, origin: &str) -> Result<KnownPerson, Refused> {
    let Some(Team { by_address, by_name, .. }) = &web.team else { return Err(Refused::Wrong) };
    let now = Instant::now();
    if let Some(seconds) = by_address.must_wait(origin, now) {
        return Err(Refused::Wait(seconds));
    }
    let found = web.app.store().known_by_token(&key_hash(token), web.app.clock().now()).await;
    if let Some(person) = found.map_err(|error| Refused::Failed(error.into()))? {
        return Ok(person);
    }
    by_address.was_wrong(origin, now);
    let name = name_in_token(token);
    let waits = name.and_then(|name| by_name.must_wait(name, now));
    if let Some(seconds) = waits {
        return Err(Refused::Wait(seconds));
    }
    if let Some(name) = name {
        by_name.was_wrong(name, now);
    }
    let subject = name.map_or_else(|| "a token".to_owned(), |name| format!("a token of {name}"));
    let by = Doer { person: None, origin };
    // Whoever guesses is refused, whether or not that can be written down.
    let _ = web.app.note_audit(by, Audited::SignInFailed, &subject).await;
    Err(Refused::Wrong)
}

/// Where a request comes from: the other end of the connection, or what a proxy of this machine or
/// of its network says where the team comes through one.
pub(super) fn origin(web: &Web, headers: &HeaderMap, peer: Option<&Peer>) -> String {
    let Some(peer) = peer else { return "unknown".to_owned() };
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let forwarded = forwarded.and_then(|text| text.to_str().ok()?.rsplit(',').next());
    let forwarded = forwarded.and_then(|text| text.trim().parse::<IpAddr>().ok());
    match forwarded.filter(|_| behind_proxy(web, peer)) {
        Some(address) => address.to_string(),
        None => place(peer),
    }
}

/// Whether what a proxy says is believed: the team comes through one, and the connection is from
/// where it stands.
fn behind_proxy(web: &Web, peer: &Peer) -> bool {
    web.app.settings().public_url().is_some() && is_near(peer.address.ip())
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback()
                || (address.segments()[0] & 0xfe00) == 0xfc00
                || address.to_ipv4_mapped().is_some_and(|v4| is_near(v4.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_only_near_addresses_are_proxies() {
        for near in ["127.0.0.1", "10.1.2.3", "192.168.0.9", "::1", "fd00::1", "::ffff:10.0.0.1"] {
            assert!(is_near(near.parse().unwrap()), "{near}");
        }
        for far in ["8.8.8.8", "2001:db8::1", "::ffff:8.8.8.8"] {
            assert!(!is_near(far.parse().unwrap()), "{far}");
        }
    }
}
