//! The details of a pair that failed (FAU-7, FAU-8).

use std::sync::Arc;

use maud::{Markup, html};
use plimsoll_domain::PairId;
use plimsoll_files::size_words;

use super::attempts;
use crate::{Web, api::ErrorDto, problem::Problem};

pub(super) async fn details(web: &Arc<Web>, id: PairId) -> Result<Markup, Problem> {
    let Some(error) = ErrorDto::of(web, id).await? else {
        return Ok(html! { h2 { "Details" } p.muted { "This pair did not fail." } });
    };
    // What the pair says may be an explanation of ours; the provider's words stand for themselves.
    let words = error.words.as_deref().filter(|words| *words != error.message);
    let receipt = web.app.store().get(id).await?.pair.receipt_id;
    Ok(html! {
        h2 { "Details" }
        p.err { "[error: " (error.label) "] " (error.message) }
        dl.mono {
            dt { "code" } dd { (error.code) }
            @if let Some(status) = error.status { dt { "HTTP status" } dd { (status) } }
        }
        @if let Some(words) = words {
            p.muted { "In the provider's own words:" }
            blockquote.words { (words) }
        }
        @if let Some(body) = &error.body {
            details.raw {
                summary { "The answer as it came, " (size_words(body.len() as u64)) }
                (super::request::exact(body))
                button.btn type="button" data-copy="pre.exact" { "Copy" }
            }
        } @else {
            p.muted { "There is no answer to show: " (no_body(&error)) "." }
        }
        @if let Some(transport) = error.transport.as_ref().filter(|told| **told != error.message) {
            details.raw {
                summary { "What happened to the connection" }
                pre.mono { (transport) }
            }
        }
        @if !error.attempts.is_empty() {
            h3 { "Attempts" }
            (attempts::table(&error.attempts))
        }
        p {
            @if let Some(receipt) = receipt {
                button.link type="button" data-act="receipt" data-receipt=(receipt) { "receipt" } " · "
            }
            button.link type="button" data-act="request" data-id=(error.pair) { "exact request" } " · "
            a.link href={ "/api/pairs/" (error.pair) "/error" } target="_blank" rel="noopener" { "JSON" }
        }
    })
}

/// Why no body is kept.
fn no_body(error: &ErrorDto) -> &'static str {
    match (error.code.as_str(), error.status, &error.transport) {
        ("interrupted", ..) => "the program ended before the send did",
        ("user_prompt_too_large", ..) => "no call was made",
        ("empty_answer", ..) => "the server sent an answer without any text",
        (_, None, Some(_)) => "the connection failed before one came",
        (_, Some(_), _) => "its body was empty, or went with a pair that was deleted",
        (_, None, None) => "none was kept",
    }
}
