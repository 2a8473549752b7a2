//! `mem_session_start`, `mem_session_end`, `mem_session_summary`.

use plimsoll_store::{
    NewObservation, NewSession, Session, StoreError, Summarised, sql::memory::summaries,
};

use crate::{
    DEFAULT_SESSION, EndSession, Memory, MemoryError, Reply, StartSession, SummariseSession,
    checks, review::waits,
};

impl Memory {
    /// Starts a session, or goes on with one.
    pub async fn start_session(&self, ask: StartSession) -> Result<Reply, MemoryError> {
        checks::name("project", &ask.project)?;
        let session = NewSession {
            id: checks::name("id", &ask.id)?,
            project: self.writes_to(Some(&ask.project)).await?,
            directory: checks::opt_path("directory", ask.directory.as_deref())?,
            author: None,
        };
        let new = self
            .store
            .start_session(&self.workspace, &session, self.now())
            .await
            .map_err(of_session(&session.project))?;
        self.started.add(&session.id, &session.project);
        let verb = if new { "started" } else { "goes on" };
        let text = format!("Session {} {verb} (project {}).", session.id, session.project);
        Ok(self.said("mem_session_start", text, Vec::new()))
    }

    /// Ends a session. Its few words on that are put behind the summary it has.
    pub async fn end_session(&self, ask: EndSession) -> Result<Reply, MemoryError> {
        let session = self.named(&ask.id, None).await?;
        let summary = checks::opt_text("summary", ask.summary.as_deref())?;
        if let (Some(summary), Some(known)) = (&summary, self.session(&session.id).await?) {
            let bytes = summary.len() + known.summary.map_or(0, |text| text.len() + 2);
            checks::fits("summary, with the one that the session has,", bytes)?;
        }
        let apart = self.is_reviewed();
        let at_once = summary.as_deref().filter(|_| !apart);
        let ended = self
            .store
            .end_session(&self.workspace, &session, at_once, self.now())
            .await
            .map_err(of_session(&session.project))?;
        let mut text = format!("Session {} ended.{}", session.id, kept(&ended));
        let mut ids: Vec<u64> = ended.note.into_iter().collect();
        if let Some(summary) = summary.filter(|_| apart) {
            let known = self.session(&session.id).await?.and_then(|known| known.summary);
            let whole = known.map_or(summary.clone(), |known| format!("{known}\n\n{summary}"));
            ids = self.propose_summary(&session, whole).await?;
            text.push_str(&format!(" Its summary {}", waits(&ids)));
        }
        Ok(self.said_in("mem_session_end", &session.id, None, text, ids))
    }

    /// Writes down what a session is about and came to.
    pub async fn summarise_session(&self, ask: SummariseSession) -> Result<Reply, MemoryError> {
        let session = self.named(&ask.id, ask.project.as_deref()).await?;
        let summary = checks::text("content", &ask.content)?;
        if self.is_reviewed() {
            let ids = self.propose_summary(&session, summary).await?;
            let text = format!("The summary of session {} {}", session.id, waits(&ids));
            return Ok(self.said_in("mem_session_summary", &session.id, None, text, ids));
        }
        let saved = self
            .store
            .summarise_session(&self.workspace, &session, &summary, self.now())
            .await
            .map_err(of_session(&session.project))?;
        let text = format!("Summary of session {} saved.{}", session.id, kept(&saved));
        let ids = saved.note.into_iter().collect();
        let named = ask.project.as_deref();
        Ok(self.said_in("mem_session_summary", &session.id, named, text, ids))
    }

    /// A session by its id, for surfaces that show one.
    pub async fn session(&self, id: &str) -> Result<Option<Session>, MemoryError> {
        match self.store.session(&self.workspace, id).await {
            Ok(session) => Ok(Some(session)),
            Err(StoreError::NotFound(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A summary is a note under the key of its session, so that it comes to the same when it is
    /// approved.
    async fn propose_summary(
        &self,
        session: &NewSession,
        summary: String,
    ) -> Result<Vec<u64>, MemoryError> {
        let project = match self.session(&session.id).await? {
            Some(known) if known.id != DEFAULT_SESSION => known.project,
            _ => session.project.clone(),
        };
        let note = summaries::note(&session.id, &project, summary);
        let note = NewObservation { author: self.writer.name.clone(), ..note };
        self.propose(vec![note], &session.project).await
    }

    async fn named(&self, id: &str, project: Option<&str>) -> Result<NewSession, MemoryError> {
        let id = checks::name("id", id)?;
        let project = self.writes_in(&id, project).await?;
        Ok(NewSession { id, project, directory: None, author: self.writer.name.clone() })
    }
}

/// Where the summary is, and whether the session was there.
fn kept(saved: &Summarised) -> String {
    let mut text = String::new();
    if let Some(id) = saved.note {
        text.push_str(&format!(" Its summary is #{id}, revision {}.", saved.revision));
    }
    if saved.revision > 1 {
        text.push_str(&format!(" The earlier text is revision {}.", saved.revision - 1));
    }
    if !saved.known {
        text.push_str(" It was not known before.");
    }
    text
}

/// Says for which project a session was asked for that belongs to another.
pub(crate) fn of_session(asked: &str) -> impl Fn(StoreError) -> MemoryError {
    move |error| match error {
        StoreError::OfAnotherProject { session, project } => {
            MemoryError::OfAnotherProject { session, project, asked: asked.to_owned() }
        }
        other => MemoryError::Store(other),
    }
}
