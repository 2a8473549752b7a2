//! The page that asks for the token, and what happens to what is typed there.

use std::time::Instant;

use axum::{
    extract::{Query, Request},
    http::{StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Deserialize;

use super::Access;
use crate::{connections::Peer, problem::Problem};

/// Where the token is sent to. It goes in a body, which nobody keeps, not in an address.
pub(super) const PATH: &str = "/enter";

/// No token is longer.
const LONGEST: usize = 4096;

#[derive(Deserialize)]
struct Typed {
    token: String,
}

/// Lets somebody in who typed the token.
pub(super) async fn enter(access: &Access, request: Request) -> Response {
    let Some(peer) = request.extensions().get::<Peer>().copied() else {
        return page(Some("nobody can be told by that"));
    };
    let now = Instant::now();
    if let Some(seconds) = access.token.must_wait(&peer, now) {
        return wait(seconds);
    }
    let body = axum::body::to_bytes(request.into_body(), LONGEST).await.unwrap_or_default();
    // A form is written like the query of an address.
    let typed = std::str::from_utf8(&body).ok().and_then(|text| {
        let uri: Uri = format!("/?{text}").parse().ok()?;
        Some(Query::<Typed>::try_from_uri(&uri).ok()?.0.token)
    });
    if typed.is_some_and(|typed| access.token.is(typed.trim())) {
        return welcome(Some(access.set_cookie(&peer)), "/", false);
    }
    access.token.was_wrong(&peer, now);
    page(Some("That is not the token."))
}

/// Goes on to an address of ours, with a cookie.
pub(super) fn welcome(cookie: Option<String>, to: &str, from_elsewhere: bool) -> Response {
    let cookie = cookie.map(|cookie| [(header::SET_COOKIE, cookie)]);
    if from_elsewhere {
        // A browser that was sent here by another page, or by a file, does not send the cookie
        // along a redirect; from a page of our own it does.
        let words = html! { p { "Going on to " a href=(to) { "the workbench" } "." } };
        return (cookie, document(&words, Some(to))).into_response();
    }
    (StatusCode::SEE_OTHER, cookie, [(header::LOCATION, to)]).into_response()
}

/// The page that asks for the token.
pub(super) fn page(wrong: Option<&str>) -> Response {
    let words = html! {
        h1 { "Plimsoll asks for its token" }
        @if let Some(wrong) = wrong { p role="alert" { strong { (wrong) } } }
        p {
            "This server belongs to another account, or to another machine. Whoever started it \
             was told where its token is kept."
        }
        form method="post" action=(PATH) {
            label for="token" { "Token " }
            input id="token" name="token" type="password" autocomplete="off" required autofocus;
            " "
            button { "Open" }
        }
    };
    // With `no-referrer` a browser says of its form that it comes from nowhere (`Origin: null`), and
    // it is refused as one of another page.
    let policy = [(header::REFERRER_POLICY, "same-origin")];
    (StatusCode::UNAUTHORIZED, policy, document(&words, None)).into_response()
}

fn document(words: &Markup, to: Option<&str>) -> Markup {
    html! {
        (PreEscaped(DOCTYPE.0))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Plimsoll" }
                @if let Some(to) = to { meta http-equiv="refresh" content={ "0; url=" (to) }; }
            }
            body { main { (words) } }
        }
    }
}

/// Too many tokens were wrong.
pub(super) fn wait(seconds: u64) -> Response {
    let many = StatusCode::TOO_MANY_REQUESTS;
    let problem = Problem::new(many, "too_many_tries", "too many wrong tokens came from there")
        .hint(format!("wait {seconds} s, then send the right one"));
    ([(header::RETRY_AFTER, seconds.to_string())], problem).into_response()
}
