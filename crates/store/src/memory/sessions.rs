//! Sessions and the progress of projects.

use async_trait::async_trait;
use plimsoll_domain::Timestamp;

use super::{MemoryFilter, ProgressDocument, Session};
use crate::{StoreResult, Workspace};

/// A session to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: String,
    /// The project that is worked on.
    pub project: String,
    /// The directory that is worked in.
    pub directory: Option<String>,
}

/// Sessions. Whoever names one that is not there makes it.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Starts a session; says whether it is new. One that is there goes on: its end is
    /// taken back, its project and directory become those given.
    async fn start_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        at: Timestamp,
    ) -> StoreResult<bool>;

    /// Ends a session; says whether it was known. A summary replaces the one it has.
    async fn end_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        summary: Option<&str>,
        at: Timestamp,
    ) -> StoreResult<bool>;

    /// Replaces the summary of a session; says whether it was known.
    async fn summarise_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        summary: &str,
        at: Timestamp,
    ) -> StoreResult<bool>;

    /// One session.
    async fn session(&self, workspace: &Workspace, id: &str) -> StoreResult<Session>;

    /// Sessions, the newest first. Only the filter's project is looked at.
    async fn sessions(
        &self,
        workspace: &Workspace,
        filter: &MemoryFilter,
        limit: usize,
    ) -> StoreResult<Vec<Session>>;

    /// The document of a project.
    async fn progress(
        &self,
        workspace: &Workspace,
        project: &str,
        namespace: Option<&str>,
    ) -> StoreResult<Option<ProgressDocument>>;

    /// Replaces the document of a project.
    async fn put_progress(
        &self,
        workspace: &Workspace,
        document: &ProgressDocument,
    ) -> StoreResult<()>;
}
