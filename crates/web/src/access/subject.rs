//! Which project a request is about, and whether it may be done there.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Query, RawPathParams},
    http::{Uri, request::Parts},
};
use plimsoll_domain::{PairId, ReceiptId};
use plimsoll_store::{Role, StoreError, Workspace, own_project};

use super::{
    Action, Signed,
    routes::{Rule, Subject},
};
use crate::{
    Web,
    api::{AtQuery, percent},
    place::workspace_of,
    problem::Problem,
    security::is_new,
};

/// The header by which a program says in which project it works.
pub(crate) const PROJECT_HEADER: &str = "x-plimsoll-project";

/// The project that a program's call is counted in.
#[derive(Clone, Debug)]
pub(crate) struct CallProject(pub(crate) Arc<str>);

/// Whether somebody may do what a request asks for; gives what it is about, in words. A request
/// that names no workspace goes on with that of the person alone.
pub(super) async fn allowed(
    web: &Web,
    signed: &Signed,
    rule: &Rule,
    request: &mut Parts,
    from_elsewhere: bool,
) -> Result<String, Problem> {
    let path = request.uri.path().to_owned();
    match rule.subject {
        // Whoever may come in at all was let in before.
        Subject::Anybody | Subject::None => {
            signed.may(None, rule.action)?;
            Ok(path)
        }
        Subject::Project => {
            let project = parameter(request, "project").await?;
            signed.may(Some(&project), rule.action)?;
            Ok(project)
        }
        Subject::Client => {
            let project = named_project(request).unwrap_or_else(|| own_project(signed.name()));
            signed.may(Some(&project), rule.action)?;
            request.extensions.insert(CallProject(project.as_str().into()));
            Ok(project)
        }
        Subject::Workspace => {
            let at = workspace(web, signed, rule.action, request, from_elsewhere).await?;
            Ok(format!("{at} {path}"))
        }
        Subject::Panel => {
            if parameter(request, "name").await? == "settings" {
                signed.may(None, Action::ManageTeam)?;
            }
            let at = workspace(web, signed, rule.action, request, from_elsewhere).await?;
            Ok(format!("{at} {path}"))
        }
        Subject::Pair => {
            let id = parameter(request, "id").await?;
            let missing = || Problem::not_found("pair");
            let id = PairId::parse(&id).ok_or_else(missing)?;
            let stored = web.app.store().get_many(&[id]).await?;
            let stored = stored.first().ok_or_else(missing)?;
            let project = stored.workspace.project();
            // Nobody is told that a pair is there which they may not see.
            signed.may(Some(project), Action::Read).map_err(|_| missing())?;
            signed.may(Some(project), rule.action)?;
            let named = named_workspace(&request.uri)?;
            if named.is_none() {
                // The pair says where it is.
                request.uri = with_workspace(&request.uri, &stored.workspace)?;
            }
            workspace(web, signed, rule.action, request, from_elsewhere).await?;
            Ok(format!("{} {path}", stored.workspace))
        }
        Subject::Receipt => {
            let id = parameter(request, "id").await?;
            let missing = || Problem::not_found("receipt");
            let id = ReceiptId::parse(&id).ok_or_else(missing)?;
            if let Some(call) = web.gateway.receipt(id).await? {
                let theirs = call.client.as_deref() == Some(signed.name());
                let all = signed.may(None, Action::ManageTeam).is_ok();
                return if theirs || all { Ok(path) } else { Err(missing()) };
            }
            let workspace = web.app.store().receipt(id).await.map_err(|error| match error {
                StoreError::NotFound(_) => missing(),
                error => error.into(),
            })?;
            let workspace = workspace.workspace;
            signed.may(Some(workspace.project()), rule.action).map_err(|_| missing())?;
            Ok(format!("{workspace} {path}"))
        }
    }
}

/// The workspace of a request, which is named in its address from here on.
async fn workspace(
    web: &Web,
    signed: &Signed,
    action: Action,
    request: &mut Parts,
    from_elsewhere: bool,
) -> Result<Workspace, Problem> {
    let named = named_workspace(&request.uri)?;
    let own = || Workspace::parse(&format!("{}/main", own_project(signed.name())));
    let at = match &named {
        Some(at) => at.clone(),
        None => own().map_err(|error| Problem::bad_request(error.to_string()))?,
    };
    signed.may(Some(at.project()), action)?;
    // Who only reads makes no workspace by looking, and neither does a link of another page.
    let only_reads = signed.person.role_in(at.project()) == Some(Role::Viewer);
    if (only_reads || (from_elsewhere && named.is_some())) && is_new(web, Some(at.clone())).await {
        return Err(Problem::not_found("workspace"));
    }
    if named.is_none() {
        request.uri = with_workspace(&request.uri, &at)?;
    }
    Ok(at)
}

fn named_workspace(uri: &Uri) -> Result<Option<Workspace>, Problem> {
    let query = Query::<AtQuery>::try_from_uri(uri);
    let Query(query) = query.map_err(|error| Problem::bad_request(error.body_text()))?;
    query.workspace.as_deref().map(|name| workspace_of(Some(name))).transpose()
}

/// The same address with a workspace in it.
fn with_workspace(uri: &Uri, workspace: &Workspace) -> Result<Uri, Problem> {
    let mut address = uri.path().to_owned();
    address.push('?');
    if let Some(query) = uri.query().filter(|query| !query.is_empty()) {
        address.push_str(query);
        address.push('&');
    }
    address.push_str(&format!("workspace={}", percent(workspace.as_str())));
    address.parse().map_err(|_| Problem::bad_request("the address is too long"))
}

/// The project that a program names in its header.
fn named_project(request: &Parts) -> Option<String> {
    let name = request.headers.get(PROJECT_HEADER)?.to_str().ok()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A part of the path by its name.
async fn parameter(request: &mut Parts, name: &str) -> Result<String, Problem> {
    let found = RawPathParams::from_request_parts(request, &()).await;
    let found = found.map_err(|_| Problem::bad_request("the address is not UTF-8"))?;
    let found = found.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_owned());
    found.ok_or_else(|| Problem::not_found("page"))
}
