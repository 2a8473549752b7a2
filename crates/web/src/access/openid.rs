//! Signing in by OpenID Connect (TEA-9): people are sent to the provider, come back with a code, and
//! from then on have a cookie like everybody. What one node began, any node finishes: the store has
//! the attempt, and the browser a secret that proves that it is the same.

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    extract::{Query, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
    routing::get,
};
use plimsoll_app::{Audited, Doer, key_hash};
use plimsoll_domain::Timestamp;
use plimsoll_openid::{Attempt, Identity, OpenId};
use plimsoll_store::{OpenIdAttempt, Person};
use serde::Deserialize;

use super::{Team, refusals::Refused, sign_in, who};
use crate::{Web, api::percent, problem::Problem, security::cookies};

const START: &str = "/sign-in/openid";
/// Where the provider sends people back to; its administrator writes it there.
const BACK: &str = "/sign-in/callback";

/// As the cookies of a sign-in; these come along when another page sends somebody here.
const COOKIES: [&str; 2] = ["__Host-plimsoll_openid", "plimsoll_openid"];

/// So long somebody may take at the provider.
const SECONDS: u32 = 10 * 60;
/// So many people may be there at once.
const MOST_ATTEMPTS: u64 = 10_000;
/// As much of a name is shown.
const SHOWN: usize = 100;

pub(super) fn router() -> Router<Arc<Web>> {
    Router::new().route(START, get(start)).route(BACK, get(back))
}

/// What people call the provider, and the address that leads there and then to where they want.
pub(super) fn link(web: &Web, to: &str) -> Option<(String, String)> {
    let openid = web.team.as_ref()?.openid.as_ref()?;
    let href = match to {
        "/" => START.to_owned(),
        to => format!("{START}?to={}", percent(to)),
    };
    Some((openid.setup().shown_name.clone(), href))
}

/// Who asks, as far as the request says.
struct Caller {
    origin: String,
    /// Whether nobody can read what is said.
    secure: bool,
    /// Where the provider is to send them back to.
    redirect: String,
    /// What the browser proves itself by, where it has it already.
    browser: Option<String>,
}

impl Caller {
    fn of(web: &Web, request: &Request) -> Self {
        let headers = request.headers();
        let secure = sign_in::is_private(web, headers);
        Self {
            origin: who::origin(web, headers, request.extensions().get()),
            secure,
            redirect: redirect(web, headers, secure),
            // Only the first name can be set by nobody but this server.
            browser: secret(headers, COOKIES[usize::from(!secure)]),
        }
    }
}

fn secret(headers: &HeaderMap, name: &str) -> Option<String> {
    let good = |value: &&str| value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit());
    cookies(headers, name).find(good).map(str::to_owned)
}

/// The address that the team opens; else the one that was asked, which the door let in.
fn redirect(web: &Web, headers: &HeaderMap, secure: bool) -> String {
    if let Some(public) = web.app.settings().public_url() {
        return format!("{public}{BACK}");
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("{}://{host}{BACK}", if secure { "https" } else { "http" })
}

fn cookie(secure: bool, value: &str, seconds: u32) -> String {
    let [private, plain] = COOKIES;
    let (name, secure) = if secure { (private, "; Secure") } else { (plain, "") };
    format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}{secure}")
}

async fn start(State(web): State<Arc<Web>>, request: Request) -> Result<Response, Problem> {
    let to = sign_in::wanted(request.uri());
    let Some((team, openid)) = provider(&web) else {
        return Ok(Redirect::to(&sign_in::address(&to)).into_response());
    };
    let caller = Caller::of(&web, &request);
    let now = Instant::now();
    if let Some(seconds) = team.sent_away.must_wait(&caller.origin, now) {
        return Ok(Refused::Wait(seconds).page(&web, openid, &to));
    }
    team.sent_away.was_wrong(&caller.origin, now);
    let browser = match caller.browser {
        Some(browser) => browser,
        None => sign_in::random()?,
    };
    let state = sign_in::random()?;
    let attempt = Attempt::new(&browser, &state);
    let address = match openid.address(&attempt, &caller.redirect).await {
        Ok(address) => address,
        Err(failure) => {
            return Ok(refuse(&web, openid, &to, &caller.origin, Refused::Failed(failure)).await);
        }
    };
    let until = web.app.clock().now().millis().saturating_add(i64::from(SECONDS) * 1000);
    let kept = OpenIdAttempt {
        state: key_hash(&state),
        browser: key_hash(&browser),
        goes_to: to.clone(),
        expires_at: Timestamp::from_millis(until),
    };
    if !keep(&web, &kept).await? {
        return Ok(refuse(&web, openid, &to, &caller.origin, Refused::TooMany).await);
    }
    let cookie = cookie(caller.secure, &browser, SECONDS);
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, address)];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

fn provider(web: &Web) -> Option<(&Team, &OpenId)> {
    let team = web.team.as_ref()?;
    Some((team, team.openid.as_ref()?))
}

/// Keeps an attempt; those that have ended make room.
async fn keep(web: &Web, attempt: &OpenIdAttempt) -> Result<bool, Problem> {
    let store = web.app.store();
    if store.add_openid_attempt(attempt, MOST_ATTEMPTS).await? {
        return Ok(true);
    }
    store.forget_openid_attempts(web.app.clock().now(), MOST_ATTEMPTS).await?;
    Ok(store.add_openid_attempt(attempt, MOST_ATTEMPTS).await?)
}

/// What the provider says with the browser that it sends back.
#[derive(Default, Deserialize)]
struct Answer {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
    /// Who says it, where the provider tells (RFC 9207).
    iss: Option<String>,
}

async fn back(State(web): State<Arc<Web>>, request: Request) -> Result<Response, Problem> {
    let Some((team, openid)) = provider(&web) else {
        return Ok(Redirect::to(sign_in::PATH).into_response());
    };
    let caller = Caller::of(&web, &request);
    if let Some(seconds) = team.turned_away.must_wait(&caller.origin, Instant::now()) {
        return Ok(Refused::Wait(seconds).page(&web, openid, "/"));
    }
    let answer = Query::<Answer>::try_from_uri(request.uri()).map(|Query(answer)| answer);
    let answer = answer.unwrap_or_default();
    let mut to = "/".to_owned();
    match finish(&web, openid, &caller, answer, &mut to).await? {
        Ok((person, identity)) => {
            let by = Doer { person: Some(&person.name), origin: &caller.origin };
            let words = format!("{}: {}", person.name, identity.bound_subject());
            let signed = sign_in::begin(&web, &person.name, by, &words, caller.secure).await?;
            let ended = cookie(caller.secure, "", 0);
            let cookies =
                AppendHeaders([(header::SET_COOKIE, signed), (header::SET_COOKIE, ended)]);
            // The browser was sent here by another page, and would not send the new cookie along a
            // redirect; from a page of ours it does. The address of this one holds a code.
            let hidden = [(header::REFERRER_POLICY, "no-referrer")];
            Ok((cookies, hidden, sign_in::go_on(&to)).into_response())
        }
        Err(refused) => {
            if refused.counts() {
                team.turned_away.was_wrong(&caller.origin, Instant::now());
            }
            Ok(refuse(&web, openid, &to, &caller.origin, refused).await)
        }
    }
}

/// Who came back; `to` becomes where they wanted to go. The outer error is one of ours.
async fn finish(
    web: &Web,
    openid: &OpenId,
    caller: &Caller,
    answer: Answer,
    to: &mut String,
) -> Result<Result<(Person, Identity), Refused>, Problem> {
    let (Some(state), Some(browser)) = (&answer.state, &caller.browser) else {
        // Some forget the state where they have nothing but bad news.
        return Ok(Err(answer.error.map_or(Refused::Ended, Refused::of_error)));
    };
    let now = web.app.clock().now();
    let taken =
        web.app.store().take_openid_attempt(&key_hash(state), &key_hash(browser), now).await?;
    let Some(taken) = taken else { return Ok(Err(Refused::Ended)) };
    sign_in::own_address(Some(&taken.goes_to)).clone_into(to);
    if answer.iss.is_some_and(|iss| iss != openid.setup().issuer) {
        return Ok(Err(Refused::Ended));
    }
    let code = match (answer.error, answer.code) {
        (Some(error), _) => return Ok(Err(Refused::of_error(error))),
        (None, None) => return Ok(Err(Refused::Ended)),
        (None, Some(code)) => code,
    };
    let attempt = Attempt::new(browser, state);
    let identity = match openid.identity(&attempt, &caller.redirect, &code).await {
        Ok(identity) => identity,
        Err(failure) => return Ok(Err(Refused::Failed(failure))),
    };
    Ok(match person(web, openid, &identity, &caller.origin).await? {
        Ok(person) => Ok((person, identity)),
        Err(refused) => Err(refused),
    })
}

/// Whose account somebody's is.
async fn person(
    web: &Web,
    openid: &OpenId,
    identity: &Identity,
    origin: &str,
) -> Result<Result<Person, Refused>, Problem> {
    let setup = openid.setup();
    let shown = || identity.shown().chars().take(SHOWN).collect::<String>();
    let names = match setup.rules.judge(identity) {
        Ok(names) => names,
        Err(lacking) => return Ok(Err(Refused::Lacking(lacking, shown()))),
    };
    let subject = identity.bound_subject();
    if let Some(person) = web.app.person_by_identity(&subject, &names.names, origin).await? {
        return Ok(Ok(person));
    }
    if let Some(lacking) = names.lacking {
        return Ok(Err(Refused::Lacking(lacking, shown())));
    }
    if !setup.adds_people {
        return Ok(Err(Refused::Unknown(shown())));
    }
    let email = identity.email.as_deref().filter(|_| identity.email_verified);
    let username = identity.username.as_deref().filter(|name| !name.is_empty());
    let wanted = username.or(email).unwrap_or_default();
    let added = web.app.add_person_by_identity(&subject, wanted, email, origin).await?;
    Ok(added.ok_or_else(|| Refused::Unknown(shown())))
}

/// Notes that somebody was not signed in, and tells them why.
async fn refuse(web: &Web, openid: &OpenId, to: &str, origin: &str, refused: Refused) -> Response {
    if let Refused::Failed(failure) = &refused {
        tracing::warn!(error = %failure, "nobody was signed in by OpenID Connect");
    }
    let by = Doer { person: None, origin };
    // They are refused whether or not that can be written down.
    let _ = web.app.note_audit(by, Audited::SignInFailed, &refused.noted()).await;
    refused.page(web, openid, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_the_cookie_of_an_attempt_is_short_and_comes_along_from_the_provider() {
        let plain = cookie(false, "x", 600);
        assert_eq!(plain, "plimsoll_openid=x; HttpOnly; SameSite=Lax; Path=/; Max-Age=600");
        let private = cookie(true, "x", 600);
        assert!(private.starts_with("__Host-plimsoll_openid=x; ") && private.ends_with("; Secure"));
    }

    #[test]
    fn tea_9_only_a_secret_of_ours_is_taken_from_a_browser() {
        let with = |cookie: String| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            secret(&headers, COOKIES[1])
        };
        let good = "0f".repeat(32);
        assert_eq!(with(format!("a=b; plimsoll_openid={good}")).as_deref(), Some(&*good));
        for bad in [String::new(), "0f".repeat(31), "zz".repeat(32)] {
            assert_eq!(with(format!("plimsoll_openid={bad}")), None, "{bad}");
        }
    }
}
