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

/// What became of a session that was ended or summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summarised {
    /// Whether the session was known before.
    pub known: bool,
    /// The note that is its summary, if one was written.
    pub note: Option<u64>,
    /// Which revision of that note the text is.
    pub revision: u64,
}

/// Sessions. Whoever names one that is not there makes it. One that is there refuses whoever
/// names it for another project (MEM-12); case does not matter, and
/// [`SHARED_SESSION`](super::SHARED_SESSION) belongs to none.
///
/// The summary of a session is a note of the type [`SESSION_SUMMARY`](super::SESSION_SUMMARY),
/// so that it is found, shown and revised like any other.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// Starts a session; says whether it is new. One that is there goes on: its end is
    /// taken back, its directory becomes the one given.
    async fn start_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        at: Timestamp,
    ) -> StoreResult<bool>;

    /// Ends a session. A summary is put behind the one that it has, once.
    async fn end_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        summary: Option<&str>,
        at: Timestamp,
    ) -> StoreResult<Summarised>;

    /// Replaces the summary of a session; the earlier text stays as a revision.
    async fn summarise_session(
        &self,
        workspace: &Workspace,
        session: &NewSession,
        summary: &str,
        at: Timestamp,
    ) -> StoreResult<Summarised>;

    /// One session.
    async fn session(&self, workspace: &Workspace, id: &str) -> StoreResult<Session>;

    /// Sessions, the newest first. Only the filter's projects are looked at.
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
