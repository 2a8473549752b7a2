//! JSON under `/api`, described by the OpenAPI document that is made from this code.

pub(crate) mod attached;
mod body;
mod calls;
mod command;
mod conversations;
mod errors;
mod events;
mod export;
pub(crate) mod files;
mod import;
mod memory;
mod models;
mod pairs;
mod providers;
mod receipts;
pub(crate) mod seen;
mod sending;
mod settings;
mod snippets;
pub(crate) mod state;
pub(crate) mod summaries;
mod topics;
mod undo;
mod view;
pub(crate) mod views_told;
mod writing;

pub(crate) use crate::place::{Here, PlaceQuery};
pub(crate) use calls::calls_seen_by;
pub(crate) use command::percent;
pub(crate) use errors::ErrorDto;
pub(crate) use events::{AfterQuery, follow};
pub(crate) use models::{LackDto, ModelDto, ModelList};
pub(crate) use providers::{
    DoneDto, KeyDto, ProviderDto, ProviderList, Way, forget as forget_key, keep as keep_key,
};
pub(crate) use receipts::ReceiptDto;
pub(crate) use settings::{
    SettingDto, is_for_the_terminal, rows as setting_rows, terminal_command,
};
pub(crate) use undo::Undo;
pub(crate) use writing::NextMessage;

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequestParts, Query},
    http::request::Parts,
};
use plimsoll_domain::PairId;
use plimsoll_store::Workspace;
use serde::Deserialize;
use utoipa::{IntoParams, OpenApi, openapi};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    Web,
    place::workspace_of,
    problem::{Help, Problem},
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Plimsoll",
        description = "What is sent to a language model, what it weighs, and what is left out.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(Problem, Help))
)]
struct Described;

pub(crate) fn router() -> OpenApiRouter<Arc<Web>> {
    OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(view::state))
        .routes(routes!(view::choose))
        .routes(routes!(view::complete))
        .routes(routes!(view::queries))
        .routes(routes!(view::filters))
        .routes(routes!(view::save_filter, view::drop_filter))
        .routes(routes!(snippets::list, snippets::add))
        .routes(routes!(snippets::put, snippets::delete))
        .routes(routes!(view::search))
        .routes(routes!(writing::weigh))
        .routes(routes!(writing::draft, writing::put_draft))
        .routes(routes!(writing::prompts))
        .routes(routes!(sending::send))
        .routes(routes!(seen::preview))
        .routes(routes!(sending::cancel))
        .routes(routes!(summaries::plan))
        .routes(routes!(summaries::summarise))
        .routes(routes!(pairs::list, pairs::change_uses))
        .routes(routes!(pairs::get, pairs::change, pairs::delete))
        .routes(routes!(pairs::swap))
        .routes(routes!(pairs::prefer))
        .routes(routes!(errors::get))
        .routes(routes!(command::command))
        .routes(routes!(export::export))
        .routes(routes!(import::import, import::current, import::cancel))
        .routes(routes!(undo::undo))
        .routes(routes!(undo::deletions))
        .routes(routes!(undo::purge))
        .routes(routes!(conversations::list, conversations::begin))
        .routes(routes!(conversations::change, conversations::delete))
        .routes(routes!(topics::list, topics::add))
        .routes(routes!(topics::change, topics::remove))
        .routes(routes!(models::list))
        .routes(routes!(models::look))
        .routes(routes!(models::put))
        .routes(routes!(models::forget))
        .routes(routes!(providers::list))
        .routes(routes!(providers::set_key, providers::remove_key))
        .routes(routes!(providers::try_server))
        .routes(routes!(providers::add_models))
        .routes(routes!(receipts::list))
        .routes(routes!(receipts::get))
        .routes(routes!(receipts::totals))
        .routes(routes!(receipts::jsonl))
        .routes(routes!(receipts::csv))
        .routes(routes!(calls::list))
        .routes(routes!(settings::list))
        .routes(routes!(settings::set, settings::unset))
        .routes(routes!(files::list, files::intake::upload))
        .routes(routes!(files::section))
        .routes(routes!(files::intake::from_path))
        .routes(routes!(files::get, files::remove))
        .routes(routes!(files::intake::head))
        .routes(routes!(files::listed))
        .routes(routes!(files::bytes::content))
        .routes(routes!(files::bytes::thumbnail))
        .routes(routes!(files::paths::paths))
        .routes(routes!(files::deliver))
        .routes(routes!(memory::list, memory::save))
        .routes(routes!(memory::deleted))
        .routes(routes!(memory::undelete))
        .routes(routes!(memory::pending))
        .routes(routes!(memory::approve))
        .routes(routes!(memory::reject))
        .routes(routes!(memory::relate))
        .routes(routes!(memory::unrelate))
        .routes(routes!(memory::get, memory::change, memory::delete))
        .routes(routes!(memory::restore))
        .routes(routes!(memory::timeline))
        .routes(routes!(events::events))
}

/// Every operation may be refused at the door or fail in the store: said once for all.
pub(crate) fn finished(mut document: openapi::OpenApi) -> openapi::OpenApi {
    let problem = |words: &str| {
        let schema = openapi::Ref::from_schema_name("Problem");
        let content = openapi::ContentBuilder::new().schema(Some(schema)).build();
        openapi::ResponseBuilder::new()
            .description(words)
            .content("application/problem+json", content)
            .build()
    };
    let all = [
        ("400", "The request cannot be read"),
        ("401", "The token is missing or wrong"),
        ("403", "The request comes from somewhere else"),
        ("404", "There is no such thing"),
        ("405", "Not this way"),
        ("409", "It is in another state by now"),
        ("413", "It is too large"),
        ("415", "The body is not JSON"),
        ("422", "It was understood, and cannot be done"),
        ("429", "Too many wrong tokens came from there"),
        ("503", "The store or the provider cannot do it now"),
        ("507", "The disk is full"),
    ];
    for item in document.paths.paths.values_mut() {
        let operations =
            [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
        for operation in operations.into_iter().flatten() {
            for (status, words) in all {
                let responses = &mut operation.responses.responses;
                responses.entry(status.to_owned()).or_insert_with(|| problem(words).into());
            }
            // These are said by the HTTP server itself, without a word.
            for (status, words) in
                [("414", "The address is too long"), ("431", "Address and headers are too long")]
            {
                let long = openapi::ResponseBuilder::new().description(words).build();
                operation.responses.responses.insert(status.to_owned(), long.into());
            }
        }
    }
    document
}

pub(crate) async fn document(document: Arc<openapi::OpenApi>) -> Json<openapi::OpenApi> {
    Json((*document).clone())
}

/// The workspace of a request: `?workspace=project/name`, else the default one.
pub(crate) struct At(pub(crate) Workspace);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AtQuery {
    /// `project/workspace`; else `default/main`.
    #[param(value_type = Option<String>, example = "default/main")]
    pub(crate) workspace: Option<String>,
}

/// The workspace that an address names, if it names one rightly.
pub fn named_workspace(uri: &axum::http::Uri) -> Option<Workspace> {
    let Query(query) = Query::<AtQuery>::try_from_uri(uri).ok()?;
    Workspace::parse(query.workspace.as_deref()?).ok()
}

impl<S: Send + Sync> FromRequestParts<S> for At {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::<AtQuery>::try_from_uri(&parts.uri);
        let Query(query) = query.map_err(|error| Problem::bad_request(error.body_text()))?;
        workspace_of(query.workspace.as_deref()).map(Self)
    }
}

/// A query whose mistakes are problems.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: for<'a> Deserialize<'a>, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::<T>::try_from_uri(&parts.uri);
        query.map(|Query(query)| Self(query)).map_err(|e| Problem::bad_request(e.body_text()))
    }
}

/// The id of a pair in a path.
pub(crate) fn pair_id(text: &str) -> Result<PairId, Problem> {
    PairId::parse(text).ok_or_else(|| Problem::not_found("pair"))
}
