//! The prompt library (UI-23): named texts with places to fill in.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use plimsoll_domain::Snippet;
use plimsoll_store::{Noun, StoreError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{At, AtQuery, undo::Gone};
use crate::{
    Web,
    problem::{Body, Problem},
};

/// A snippet.
#[derive(Serialize, ToSchema)]
pub(super) struct SnippetDto {
    /// As in `/name`.
    name: String,
    text: String,
    /// The places to fill in, `input` aside.
    places: Vec<String>,
}

/// The snippets.
#[derive(Serialize, ToSchema)]
pub(super) struct Snippets {
    snippets: Vec<SnippetDto>,
}

/// The snippets, by name
#[utoipa::path(get, path = "/api/snippets", tag = "snippets", params(AtQuery),
    responses((status = 200, body = Snippets)))]
pub(super) async fn list(
    State(web): State<Arc<Web>>,
    At(at): At,
) -> Result<Json<Snippets>, Problem> {
    let dto = |snippet: Snippet| SnippetDto {
        places: snippet.places().into_iter().map(ToOwned::to_owned).collect(),
        name: snippet.name,
        text: snippet.text,
    };
    let snippets = web.app.snippets(&at).await?.into_iter().map(dto).collect();
    Ok(Json(Snippets { snippets }))
}

/// A snippet that is not there yet.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSnippet {
    /// Small letters, digits, - and _.
    #[schema(max_length = 64)]
    name: String,
    /// `{{place}}` is filled in, `{{place=word}}` need not be, `{{input}}` is the message.
    #[schema(max_length = 1_000_000)]
    text: String,
}

/// Keep a new snippet
#[utoipa::path(post, path = "/api/snippets", tag = "snippets", params(AtQuery),
    request_body = NewSnippet, responses((status = 201)))]
pub(super) async fn add(
    State(web): State<Arc<Web>>,
    At(at): At,
    Body(new): Body<NewSnippet>,
) -> Result<StatusCode, Problem> {
    let snippet = Snippet { name: new.name, text: new.text };
    let known = web.app.snippets(&at).await?;
    if known.iter().any(|one| one.name == snippet.name) {
        return Err(StoreError::Exists(Noun::Snippet).into());
    }
    web.app.save_snippet(&at, &snippet).await?;
    Ok(StatusCode::CREATED)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SnippetText {
    #[schema(max_length = 1_000_000)]
    text: String,
}

/// Keep a snippet under a name; one with the same name is replaced
#[utoipa::path(put, path = "/api/snippets/{name}", tag = "snippets", request_body = SnippetText,
    params(AtQuery, ("name" = String, Path, description = "Small letters, digits, - and _")),
    responses((status = 204)))]
pub(super) async fn put(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(name): Path<String>,
    Body(SnippetText { text }): Body<SnippetText>,
) -> Result<StatusCode, Problem> {
    web.app.save_snippet(&at, &Snippet { name, text }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete a snippet; it can be brought back for a while
#[utoipa::path(delete, path = "/api/snippets/{name}", tag = "snippets",
    params(AtQuery, ("name" = String, Path)), responses((status = 200, body = Gone)))]
pub(super) async fn delete(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(name): Path<String>,
) -> Result<Json<Gone>, Problem> {
    let deleted = web.app.delete_snippet(&at, &name).await?;
    Ok(Gone::of(deleted, format!("/{name} deleted")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page expands a snippet before it is sent, and the terminal by the domain: one rule.
    #[test]
    fn ui_23_page_and_terminal_fill_in_the_same_way() {
        const SHARED: &str = include_str!("../../ui/tests/shared.json");
        let shared: serde_json::Value = serde_json::from_str(SHARED).unwrap();
        for case in shared["snippets"].as_array().unwrap() {
            let text = |key: &str| case[key].as_str().unwrap().to_owned();
            let snippet = Snippet { name: "x".to_owned(), text: text("text") };
            let (expanded, _) = snippet.expand(&snippet.read_fillings(&text("typed")));
            assert_eq!(expanded, text("expanded"), "{case}");
        }
    }
}
