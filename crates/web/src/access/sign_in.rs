//! The page that asks who somebody is, and the cookie that says so from then on (TEA-9).

use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, Request, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plimsoll_app::{Audited, Doer, key_hash};
use plimsoll_domain::Timestamp;
use plimsoll_store::SignIn;
use serde::Deserialize;

use super::{By, openid, who};
use crate::{Web, api::percent, assets, problem::Problem, security::cookies, views::mark};

/// The names of the cookie: the first is for connections that nobody can read, and browsers take
/// it from no others.
pub(super) const COOKIES: [&str; 2] = ["__Host-plimsoll_sign_in", "plimsoll_sign_in"];

pub(super) const PATH: &str = "/sign-in";

/// No form is longer.
const LONGEST: usize = 8192;

pub(super) fn router() -> Router<Arc<Web>> {
    Router::new().route(PATH, get(page).post(enter)).route("/sign-out", axum::routing::post(leave))
}

/// Where somebody signs in who wants to go to an address.
pub(super) fn address(to: &str) -> String {
    match to {
        "/" => PATH.to_owned(),
        to => format!("{PATH}?to={}", percent(to)),
    }
}

#[derive(Deserialize)]
struct Asked {
    to: Option<String>,
}

/// An address of this server, whatever was asked for: two slashes name another one.
pub(super) fn own_address(to: Option<&str>) -> &str {
    let good = |to: &&str| {
        to.starts_with('/')
            && !to[1..].starts_with(['/', '\\'])
            && !to.starts_with(PATH)
            && to.bytes().all(|byte| byte.is_ascii_graphic())
    };
    to.filter(good).unwrap_or("/")
}

/// Where somebody wants to go, by the address that they opened.
pub(super) fn wanted(uri: &Uri) -> String {
    let to = Query::<Asked>::try_from_uri(uri).ok().and_then(|Query(asked)| asked.to);
    own_address(to.as_deref()).to_owned()
}

async fn page(State(web): State<Arc<Web>>, uri: Uri) -> Response {
    form(&web, StatusCode::OK, &wanted(&uri), None)
}

#[derive(Deserialize)]
struct Typed {
    token: String,
    to: Option<String>,
}

async fn enter(State(web): State<Arc<Web>>, request: Request) -> Result<Response, Problem> {
    let origin = who::origin(&web, request.headers(), request.extensions().get());
    let secure = is_private(&web, request.headers());
    let body = axum::body::to_bytes(request.into_body(), LONGEST).await.unwrap_or_default();
    // A form is written like the query of an address.
    let typed = std::str::from_utf8(&body).ok().and_then(|text| {
        let uri: Uri = format!("/?{text}").parse().ok()?;
        Some(Query::<Typed>::try_from_uri(&uri).ok()?.0)
    });
    let Some(typed) = typed else {
        let words = "Nothing came that could be read.";
        return Ok(form(&web, StatusCode::BAD_REQUEST, "/", Some(words)));
    };
    let to = own_address(typed.to.as_deref());
    let known = match who::by_token(&web, typed.token.trim(), &origin).await {
        Ok(known) => known,
        Err(who::Refused::Wait(seconds)) => {
            let words = format!("Too many wrong tokens came from there. Wait {seconds} s.");
            let page = form(&web, StatusCode::TOO_MANY_REQUESTS, to, Some(&words));
            return Ok(([(header::RETRY_AFTER, seconds.to_string())], page).into_response());
        }
        Err(who::Refused::Wrong) => {
            let words = "This token is not known, or it has ended.";
            return Ok(form(&web, StatusCode::UNAUTHORIZED, to, Some(words)));
        }
        Err(who::Refused::Failed(problem)) => return Err(problem),
    };
    let by = Doer { person: Some(&known.person.name), origin: &origin };
    let cookie = begin(&web, &known.person.name, by, &known.person.name, secure).await?;
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, to.to_owned())];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Signs somebody in; gives the cookie. The words are for the log: who, and how.
pub(super) async fn begin(
    web: &Web,
    person: &str,
    by: Doer<'_>,
    words: &str,
    secure: bool,
) -> Result<String, Problem> {
    let secret = random()?;
    let now = web.app.clock().now();
    let time = web.app.settings().sign_in_time();
    let lasts = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let sign_in = SignIn {
        hash: key_hash(&secret),
        person: person.to_owned(),
        created_at: now,
        expires_at: Timestamp::from_millis(now.millis().saturating_add(lasts)),
    };
    web.app.store().add_sign_in(&sign_in).await?;
    web.app.note_audit(by, Audited::SignIn, words).await?;
    Ok(cookie(secure, &secret, time.as_secs()))
}

/// 256 random bits in hexadecimal digits.
pub(super) fn random() -> Result<String, Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        let words = format!("this machine gives no random bytes: {error}");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no_random_bytes", words)
    })?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

fn cookie(secure: bool, value: &str, seconds: u64) -> String {
    let [private, plain] = COOKIES;
    let (name, secure) = if secure { (private, "; Secure") } else { (plain, "") };
    format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}")
}

/// Whether nobody can read what a browser and this server say to each other: a proxy says that it
/// was spoken to so, or the address that the team opens does.
pub(crate) fn is_private(web: &Web, headers: &HeaderMap) -> bool {
    let said = headers.get("x-forwarded-proto").and_then(|proto| proto.to_str().ok());
    let settings = web.app.settings();
    let public = settings.public_url().is_some_and(|url| url.starts_with("https://"));
    public || said.is_some_and(|proto| proto.trim().eq_ignore_ascii_case("https"))
}

async fn leave(
    State(web): State<Arc<Web>>,
    by: By,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    for name in COOKIES {
        for value in cookies(&headers, name) {
            web.app.store().end_sign_in(&key_hash(value)).await?;
        }
    }
    if let Some(signed) = &by.0 {
        web.app.note_audit(signed.doer(), Audited::SignOut, signed.name()).await?;
    }
    let [private, plain] = [true, false].map(|secure| cookie(secure, "", 0));
    let mut response =
        (StatusCode::SEE_OTHER, [(header::LOCATION, PATH), (header::SET_COOKIE, &*plain)])
            .into_response();
    if let Ok(private) = private.parse() {
        response.headers_mut().append(header::SET_COOKIE, private);
    }
    Ok(response)
}

/// Goes on to an address of ours, from a page of ours.
pub(super) fn go_on(to: &str) -> Response {
    let to = own_address(Some(to));
    let words = html! { p { "Going on to " a href=(to) { "the workbench" } "." } };
    document(&words, Some(to)).into_response()
}

/// The page of sign-in, with what was wrong.
pub(super) fn form(web: &Web, status: StatusCode, to: &str, wrong: Option<&str>) -> Response {
    let openid = openid::link(web, to);
    let words = html! {
        h1 { "Sign in" }
        @if openid.is_none() { p { "With the token that whoever looks after this server gave you." } }
        @if let Some(wrong) = wrong { p role="alert" { (wrong) } }
        @if let Some((name, href)) = &openid {
            a.btn.pri href=(href) { "Sign in with " (name) }
            p.or { "or with a token" }
        }
        form method="post" action=(PATH) {
            input type="hidden" name="to" value=(to);
            label for="token" { "Token" }
            input id="token" name="token" type="password" autocomplete="current-password"
                spellcheck="false" required autofocus[openid.is_none()];
            button.btn.pri[openid.is_none()] { "Sign in" }
        }
    };
    (status, document(&words, None)).into_response()
}

/// A page with these words.
pub(super) fn document(words: &Markup, to: Option<&str>) -> Markup {
    html! {
        (PreEscaped(DOCTYPE.0))
        html lang="en" data-theme="auto" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Plimsoll: sign in" }
                link rel="icon" href=(assets::address("mark.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(assets::address("sign-in.css"));
                @if let Some(to) = to { meta http-equiv="refresh" content={ "0; url=" (to) }; }
            }
            body.sign-in { main { p.name { (mark("mark")) span { "Plimsoll" } } (words) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tea_9_nobody_is_led_to_another_server() {
        for good in ["/", "/c/1?scope=everything", "/?workspace=a%2Fb"] {
            assert_eq!(own_address(Some(good)), good);
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/sign-in",
            "/a\nb",
            "/é",
        ] {
            assert_eq!(own_address(Some(bad)), "/", "{bad:?}");
        }
        assert_eq!(address("/c/1?a=b"), "/sign-in?to=%2Fc%2F1%3Fa%3Db");
    }

    #[test]
    fn tea_9_the_cookie_is_for_this_server_alone() {
        let plain = cookie(false, "x", 60);
        assert_eq!(plain, "plimsoll_sign_in=x; HttpOnly; SameSite=Strict; Path=/; Max-Age=60");
        let private = cookie(true, "x", 60);
        assert!(
            private.starts_with("__Host-plimsoll_sign_in=x; ") && private.ends_with("; Secure")
        );
    }
}
