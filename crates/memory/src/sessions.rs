//! `mem_session_start`, `mem_session_end`, `mem_session_summary`.

use plimsoll_store::{NewSession, Session, StoreError};

use crate::{EndSession, Memory, MemoryError, Reply, StartSession, SummariseSession, checks};

impl Memory {
    /// Starts a session, or goes on with one.
    pub async fn start_session(&self, ask: StartSession) -> Result<Reply, MemoryError> {
        let session = NewSession {
            id: checks::name("id", &ask.id)?,
            project: checks::name("project", &ask.project)?,
            directory: checks::opt_path("directory", ask.directory.as_deref())?,
        };
        let new = self.store.start_session(&self.workspace, &session, self.now()).await?;
        let verb = if new { "started" } else { "goes on" };
        let text = format!("Session {} {verb} (project {}).", session.id, session.project);
        Ok(self.said("mem_session_start", text, Vec::new()))
    }

    /// Ends a session.
    pub async fn end_session(&self, ask: EndSession) -> Result<Reply, MemoryError> {
        let session = self.named(&ask.id)?;
        let summary = checks::opt_text("summary", ask.summary.as_deref())?;
        let known = self
            .store
            .end_session(&self.workspace, &session, summary.as_deref(), self.now())
            .await?;
        let unknown = if known { "" } else { " It was not known before." };
        let text = format!("Session {} ended.{unknown}", session.id);
        Ok(self.said("mem_session_end", text, Vec::new()))
    }

    /// Writes down what a session is about and came to.
    pub async fn summarise_session(&self, ask: SummariseSession) -> Result<Reply, MemoryError> {
        let session = self.named(&ask.id)?;
        let summary = checks::text("content", &ask.content)?;
        let known =
            self.store.summarise_session(&self.workspace, &session, &summary, self.now()).await?;
        let unknown = if known { "" } else { " It was not known before." };
        let text = format!("Summary of session {} saved.{unknown}", session.id);
        Ok(self.said("mem_session_summary", text, Vec::new()))
    }

    /// A session by its id, for surfaces that show one.
    pub async fn session(&self, id: &str) -> Result<Option<Session>, MemoryError> {
        match self.store.session(&self.workspace, id).await {
            Ok(session) => Ok(Some(session)),
            Err(StoreError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn named(&self, id: &str) -> Result<NewSession, MemoryError> {
        let id = checks::name("id", id)?;
        Ok(NewSession { id, project: self.project(None)?, directory: None })
    }
}
