//! `/mcp` of a team: each workspace has a memory of its own, and an agent gets that of the
//! workspace that its person was let into.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::any,
};
use plimsoll_app::App;
use plimsoll_mcp::Server;
use plimsoll_memory::PresentMeaning;
use plimsoll_store::Workspace;
use tower_service::Service;

use super::mcp;
use crate::{MountAgents, failure::Failure};

/// What is needed to serve the agents of a workspace.
pub(super) struct TeamAgents {
    pub(super) app: Arc<App>,
    pub(super) tools: String,
    pub(super) limits: mcp::Limits,
    pub(super) meaning: PresentMeaning,
    pub(super) hosts: Vec<String>,
    pub(super) mount_agents: MountAgents,
}

/// The workspaces that are served, the one that was asked last behind the others.
type Served = Arc<Mutex<VecDeque<(Workspace, Server, Router)>>>;

/// So many workspaces are served at once. Agents of one that was closed begin another session, as
/// the protocol says.
const MOST: usize = 256;

impl TeamAgents {
    /// What is mounted.
    pub(super) fn mounted(self) -> Router {
        let (agents, served) = (Arc::new(self), Served::default());
        Router::new().route(
            "/mcp",
            any(move |request: Request| {
                let (agents, served) = (Arc::clone(&agents), Arc::clone(&served));
                async move { agents.answer(&served, request).await }
            }),
        )
    }

    async fn answer(&self, served: &Served, request: Request) -> Response {
        // Whoever guards the doors has put it there.
        let Some(workspace) = plimsoll_web::named_workspace(request.uri()) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        match self.router(served, workspace).await {
            Ok(mut router) => match router.call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            },
            Err(failure) => {
                (StatusCode::SERVICE_UNAVAILABLE, format!("{failure}\n")).into_response()
            }
        }
    }

    async fn router(&self, served: &Served, workspace: Workspace) -> Result<Router, Failure> {
        let known = || {
            let mut served = served.lock().unwrap_or_else(PoisonError::into_inner);
            let at = served.iter().position(|(known, ..)| *known == workspace)?;
            let found = served.remove(at)?;
            let router = found.2.clone();
            served.push_back(found);
            Some(router)
        };
        if let Some(router) = known() {
            return Ok(router);
        }
        let options = mcp::Options {
            tools: &self.tools,
            limits: self.limits,
            directory: std::path::PathBuf::new(),
            project: None,
            clients_are_elsewhere: true,
        };
        let server = mcp::server(&self.app, &workspace, options, Arc::clone(&self.meaning)).await?;
        // Of two that come at once, the first makes it.
        if let Some(router) = known() {
            return Ok(router);
        }
        let router = (self.mount_agents)(&server, &self.hosts);
        let mut served = served.lock().unwrap_or_else(PoisonError::into_inner);
        served.push_back((workspace.clone(), server, router.clone()));
        if served.len() > MOST
            && let Some((_, oldest, _)) = served.pop_front()
        {
            oldest.stop();
        }
        Ok(router)
    }
}
