//! Keys of providers that a team keeps sealed: each person's own, those of projects, and those for
//! everybody (TEA-10). None is ever told.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::{Path, State},
    http::HeaderMap,
    routing::{get, put},
};
use plimsoll_app::Audited;
use plimsoll_store::KeyHolder;
use serde_json::{Value, json};

use super::{Action, By, Signed, roles::must_be};
use crate::{
    Web,
    api::{DoneDto, KeyDto, Way, forget_key, keep_key},
    connections::Peer,
    problem::{Body, Problem},
};

pub(super) fn router() -> Router<Arc<Web>> {
    Router::new()
        .route("/api/team/keys", get(list))
        .route("/api/team/keys/mine/{provider}", put(set_mine).delete(remove_mine))
        .route("/api/team/keys/team/{provider}", put(set_for_team).delete(remove_of_team))
        .route(
            "/api/team/keys/projects/{project}/{provider}",
            put(set_for_project).delete(remove_of_project),
        )
}

fn signed(by: &By) -> Result<&Signed, Problem> {
    by.0.as_ref().ok_or_else(|| Problem::not_found("user"))
}

/// Their own keys, those of the projects where they have a role, and those for everybody; whoever
/// looks after the team sees that others have one.
async fn list(State(web): State<Arc<Web>>, by: By) -> Result<Json<Value>, Problem> {
    let signed = signed(&by)?;
    let all = signed.may(None, Action::ManageTeam).is_ok();
    let seen = |holder: &KeyHolder| match holder {
        KeyHolder::Team => true,
        KeyHolder::Person(name) => all || name == signed.name(),
        KeyHolder::Project(name) => all || signed.may(Some(name), Action::Read).is_ok(),
    };
    let rows = web.app.store().sealed_keys().await?.into_iter().filter(|row| seen(&row.holder));
    let row = |row: plimsoll_store::SealedKey| {
        let (kind, name) = row.holder.parts();
        let name = Some(name).filter(|name| !name.is_empty());
        json!({
            "of": kind, "name": name, "provider": row.provider, "servers": row.servers,
            "createdAt": row.created_at.millis(),
        })
    };
    Ok(Json(json!({ "keys": rows.map(row).collect::<Vec<_>>() })))
}

type Kept = Result<Json<DoneDto>, Problem>;
type From = Option<Extension<Peer>>;

async fn set_mine(
    State(web): State<Arc<Web>>,
    Path(provider): Path<String>,
    by: By,
    peer: From,
    headers: HeaderMap,
    Body(key): Body<KeyDto>,
) -> Kept {
    let holder = KeyHolder::Person(signed(&by)?.name().to_owned());
    set(&web, &by, Way { peer, headers: &headers }, holder, provider, key).await
}

async fn set_for_team(
    State(web): State<Arc<Web>>,
    Path(provider): Path<String>,
    by: By,
    peer: From,
    headers: HeaderMap,
    Body(key): Body<KeyDto>,
) -> Kept {
    set(&web, &by, Way { peer, headers: &headers }, KeyHolder::Team, provider, key).await
}

async fn set_for_project(
    State(web): State<Arc<Web>>,
    Path((project, provider)): Path<(String, String)>,
    by: By,
    peer: From,
    headers: HeaderMap,
    Body(key): Body<KeyDto>,
) -> Kept {
    must_be(&web, &project).await?;
    let holder = KeyHolder::Project(project);
    set(&web, &by, Way { peer, headers: &headers }, holder, provider, key).await
}

async fn remove_mine(State(web): State<Arc<Web>>, Path(provider): Path<String>, by: By) -> Kept {
    let holder = KeyHolder::Person(signed(&by)?.name().to_owned());
    remove(&web, &by, &holder, &provider).await
}

async fn remove_of_team(State(web): State<Arc<Web>>, Path(provider): Path<String>, by: By) -> Kept {
    remove(&web, &by, &KeyHolder::Team, &provider).await
}

async fn remove_of_project(
    State(web): State<Arc<Web>>,
    Path((project, provider)): Path<(String, String)>,
    by: By,
) -> Kept {
    must_be(&web, &project).await?;
    remove(&web, &by, &KeyHolder::Project(project), &provider).await
}

async fn set(
    web: &Web,
    by: &By,
    from: Way<'_>,
    holder: KeyHolder,
    provider: String,
    key: KeyDto,
) -> Kept {
    let subject = subject(&holder, &provider);
    let kept = keep_key(web, from, Some(holder), provider, key).await?;
    by.note(web, Audited::KeySet, &subject).await?;
    Ok(kept)
}

async fn remove(web: &Web, by: &By, holder: &KeyHolder, provider: &str) -> Kept {
    let gone = forget_key(web, Some(holder), provider).await?;
    by.note(web, Audited::KeyRemoved, &subject(holder, provider)).await?;
    Ok(gone)
}

/// What the log says of it.
fn subject(holder: &KeyHolder, provider: &str) -> String {
    match holder.parts() {
        (kind, "") => format!("{provider} of the {kind}"),
        (kind, name) => format!("{provider} of the {kind} {name}"),
    }
}
