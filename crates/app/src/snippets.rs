//! The prompt library (UI-23): named texts of a workspace.

use plimsoll_domain::Snippet;
use plimsoll_store::{Deletable, Workspace};

use crate::{App, AppError, Deleted, Progress};

impl App {
    /// The snippets of a workspace, by name.
    pub async fn snippets(&self, workspace: &Workspace) -> Result<Vec<Snippet>, AppError> {
        self.open_workspace(workspace).await?;
        Ok(self.store.snippets(workspace).await?)
    }

    /// The snippet of this name.
    pub async fn snippet(&self, workspace: &Workspace, name: &str) -> Result<Snippet, AppError> {
        let found = self.snippets(workspace).await?.into_iter().find(|one| one.name == name);
        found.ok_or_else(|| AppError::UnknownSnippet(name.to_owned()))
    }

    /// Keeps a snippet; one with the same name is replaced.
    pub async fn save_snippet(
        &self,
        workspace: &Workspace,
        snippet: &Snippet,
    ) -> Result<(), AppError> {
        Snippet::check_name(&snippet.name)?;
        if snippet.text.trim().is_empty() {
            return Err(AppError::EmptySnippet);
        }
        self.open_workspace(workspace).await?;
        self.store.put_snippet(workspace, snippet).await?;
        self.events.publish(workspace, Progress::Topics);
        Ok(())
    }

    /// Deletes a snippet; it can be brought back (REC-5).
    pub async fn delete_snippet(
        &self,
        workspace: &Workspace,
        name: &str,
    ) -> Result<Deleted, AppError> {
        self.open_workspace(workspace).await?;
        let what = Deletable::Snippet(name.to_owned());
        let (deleted, _) = self.put_aside(workspace, what, name.to_owned()).await?;
        self.events.publish(workspace, Progress::Topics);
        Ok(deleted)
    }
}
