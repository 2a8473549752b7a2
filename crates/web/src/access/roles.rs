//! Who may do what in a project, for its owners; and who somebody is.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    routing::{get, put},
};
use plimsoll_app::Audited;
use plimsoll_store::{Noun, ProjectRole, Role, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::By;
use crate::{
    Web,
    problem::{Body, Problem},
};

pub(super) fn router() -> Router<Arc<Web>> {
    Router::new()
        .route("/api/team/me", get(me))
        .route("/api/team/projects/{project}/roles", get(list))
        .route("/api/team/projects/{project}/roles/{user}", put(set).delete(remove))
}

/// Who somebody is, what they may do, and what they used in thirty days.
async fn me(State(web): State<Arc<Web>>, by: By) -> Result<Json<Value>, Problem> {
    let signed = by.0.ok_or_else(|| Problem::not_found("user"))?;
    let person = &signed.person.person;
    let used = web.app.store().used_by_person(&person.name, web.app.clock().now()).await?;
    let roles: Vec<Value> = signed
        .person
        .roles
        .iter()
        .map(|(project, role)| json!({"project": project, "role": role.name()}))
        .collect();
    Ok(Json(json!({
        "name": person.name,
        "admin": person.admin,
        "roles": roles,
        "tokensPerMonth": person.limits.tokens,
        "costPerMonth": person.limits.cost,
        "tokensOfMonth": used.tokens,
        "costOfMonth": used.cost,
    })))
}

#[derive(Serialize)]
struct Given {
    user: String,
    role: &'static str,
}

async fn list(
    State(web): State<Arc<Web>>,
    Path(project): Path<String>,
) -> Result<Json<Value>, Problem> {
    must_be(&web, &project).await?;
    let roles = web.app.store().roles_in(&project).await?.into_iter();
    let roles: Vec<Given> =
        roles.map(|role| Given { user: role.person, role: role.role.name() }).collect();
    Ok(Json(json!({ "roles": roles })))
}

pub(super) async fn must_be(web: &Web, project: &str) -> Result<(), Problem> {
    match web.app.store().project(project).await? {
        Some(_) => Ok(()),
        None => Err(Problem::not_found("project")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRole {
    role: String,
}

async fn set(
    State(web): State<Arc<Web>>,
    Path((project, user)): Path<(String, String)>,
    by: By,
    Body(NewRole { role }): Body<NewRole>,
) -> Result<StatusCode, Problem> {
    let known = Role::parse(&role)
        .ok_or_else(|| Problem::bad_request("a role is viewer, member or owner"))?;
    let subject = format!("{project}: {user} {role}");
    let given = ProjectRole { project, person: user, role: known };
    web.app.store().put_role(&given).await.map_err(|error| match error {
        StoreError::NotFound(Noun::Project) => Problem::not_found("project"),
        StoreError::NotFound(Noun::Person) => Problem::not_found("user"),
        error => error.into(),
    })?;
    by.note(&web, Audited::RoleSet, &subject).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove(
    State(web): State<Arc<Web>>,
    Path((project, user)): Path<(String, String)>,
    by: By,
) -> Result<StatusCode, Problem> {
    if !web.app.store().remove_role(&project, &user).await? {
        return Err(Problem::not_found("role"));
    }
    by.note(&web, Audited::RoleRemoved, &format!("{project}: {user}")).await?;
    Ok(StatusCode::NO_CONTENT)
}
