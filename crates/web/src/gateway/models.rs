//! The models that clients may name (GWY-2), in OpenAI's shape or in Anthropic's.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use plimsoll_app::Payer;
use plimsoll_domain::Protocol;
use plimsoll_gateway::Problem;
use serde_json::{Value, json};

use super::{Asker, protocol_of, told};
use crate::Web;

/// When a model came to be is not known, and clients want a time.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// A name, and who answers for it.
struct Named {
    id: String,
    owner: String,
}

impl Named {
    fn shape(&self, protocol: Protocol) -> Value {
        match protocol {
            Protocol::Messages => {
                json!({"type": "model", "id": self.id, "display_name": self.id, "created_at": CREATED, "lifecycle": "active"})
            }
            Protocol::Chat | Protocol::Responses => {
                json!({"id": self.id, "object": "model", "created": 0, "owned_by": self.owner})
            }
        }
    }
}

/// What could be asked now: models of the catalog and of local servers, and names that stand for
/// them.
async fn names(web: &Web, payer: Option<&Payer>, also_unlisted: bool) -> Vec<Named> {
    let catalog = web.app.catalog();
    let listed = web.configurator.models(payer).await;
    let usable = listed.into_iter().filter(|model| match &model.lacks {
        None => true,
        // Its server does not list it, and may answer for it all the same.
        Some(lack) => also_unlisted && lack.kind() == "entry",
    });
    let mut names: Vec<Named> = Vec::new();
    for one in usable {
        let model = catalog.model(&one.id);
        let owner = if model.provider.is_empty() { "local".to_owned() } else { model.provider };
        let aliases = model.aliases.into_iter().filter(|_| model.enabled);
        let all = std::iter::once(one.id).chain(aliases);
        names.extend(all.map(|id| Named { id, owner: owner.clone() }));
    }
    let settings = web.app.settings();
    for (asked, model) in settings.gateway_aliases().filter(|(asked, _)| !asked.ends_with('*')) {
        names.retain(|known| known.id != asked);
        names.push(Named { id: asked.to_owned(), owner: format!("answered by {model}") });
    }
    names
}

/// The names that a client may ask for.
async fn allowed(web: &Web, asker: Asker, also_unlisted: bool) -> Result<Vec<Named>, Problem> {
    let client = asker.client(web).await?;
    let mut names = names(web, client.payer().as_ref(), also_unlisted).await;
    if let Some(client) = client.key.filter(|client| !client.models.is_empty()) {
        // By the name that is asked for, or by the model's own.
        let may = |name: &str| client.models.iter().any(|known| known == name);
        names.retain(|name| may(&name.id) || may(&web.gateway.model_of(&name.id).id));
    }
    Ok(names)
}

pub(super) async fn list(State(web): State<Arc<Web>>, request: Request) -> Response {
    let protocol = protocol_of(request.uri().path(), request.headers());
    let names = match allowed(&web, Asker::of(&request), false).await {
        Ok(names) => names,
        Err(problem) => return told::problem(protocol, &problem),
    };
    let data: Vec<Value> = names.iter().map(|name| name.shape(protocol)).collect();
    let body = match protocol {
        Protocol::Messages => json!({
            "data": data,
            "has_more": false,
            "first_id": names.first().map(|name| &name.id),
            "last_id": names.last().map(|name| &name.id),
        }),
        Protocol::Chat | Protocol::Responses => json!({"object": "list", "data": data}),
    };
    Json(body).into_response()
}

pub(super) async fn get(
    State(web): State<Arc<Web>>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let protocol = protocol_of(request.uri().path(), request.headers());
    let names = match allowed(&web, Asker::of(&request), true).await {
        Ok(names) => names,
        Err(problem) => return told::problem(protocol, &problem),
    };
    // A name with a star stands for many, which no list has.
    let model = web.app.settings().gateway_alias(&id).map(str::to_owned);
    let answers = |name: &Named| Some(&name.id) == model.as_ref();
    let found = names.into_iter().find_map(|name| match name.id == id {
        true => Some(name),
        false if answers(&name) => {
            Some(Named { id: id.clone(), owner: format!("answered by {}", name.id) })
        }
        false => None,
    });
    match found {
        Some(name) => Json(name.shape(protocol)).into_response(),
        None => {
            let words = format!(
                "The model '{id}' cannot be asked here; GET /v1/models lists those that can"
            );
            told::problem(protocol, &Problem::NoSuchModel(words))
        }
    }
}
