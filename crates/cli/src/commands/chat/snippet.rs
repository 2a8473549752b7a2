//! `/name`: a snippet of the prompt library (UI-23).

use plimsoll_app::{AppError, Draft};

use super::{Chat, Next, slash};
use crate::failure::Failure;

impl Chat<'_> {
    /// The text of a snippet comes to the input, where it can be changed before Enter sends it.
    /// Without a terminal it is sent at once, and all its places must be filled in.
    pub(super) async fn call_snippet(&mut self, name: &str, rest: &str) -> Result<Next, Failure> {
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let snippet = match self.app.snippet(&workspace, name).await {
            Ok(snippet) => snippet,
            Err(AppError::UnknownSnippet(_)) => {
                let (problem, hint) = slash::unknown(name);
                self.tell(&Failure::usage(problem).hint(hint));
                return Ok(Next::GoOn);
            }
            Err(error) => {
                self.tell_error(error);
                return Ok(Next::GoOn);
            }
        };
        let fillings = snippet.read_fillings(rest);
        if self.editor.is_some() {
            let (text, _) = snippet.expand(&fillings);
            self.again = Some(Draft { text, ..Draft::default() });
            return Ok(Next::GoOn);
        }
        match crate::commands::snippets::message(self.app, &workspace, name, &fillings).await {
            Ok(text) => {
                let draft = self.with_attached(Draft { text, ..Draft::default() }).await?;
                self.ask(draft).await
            }
            Err(failure) => {
                self.tell(&failure);
                Ok(Next::GoOn)
            }
        }
    }
}
