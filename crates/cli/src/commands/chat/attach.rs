//! `/attach`: files that go along with the next message.

use plimsoll_app::Draft;
use plimsoll_domain::{Attachment, File, print_token};
use plimsoll_files::size_words;
use plimsoll_tokens::commas;

use super::{Chat, paths};
use crate::{
    commands::files::{self, Adding},
    failure::{Failure, note, say},
    output::printable,
};

impl Chat<'_> {
    /// Takes a file in for the next message; without one, says what is attached.
    pub(super) async fn attach(&mut self, path: Option<String>) -> Result<(), Failure> {
        let Some(path) = path else {
            if self.attached.is_empty() {
                say("nothing is attached; /attach PATH does it");
            }
            for file in &self.attached {
                say(&described(file));
            }
            return Ok(());
        };
        let workspace = self.workspace_view.lock().await.workspace().clone();
        let file =
            files::add(self.app, &workspace, &paths::meant(path.trim()), Adding::default()).await?;
        note(&format!("attached to the next message: {}", described(&file)));
        self.attached.push(file);
        Ok(())
    }

    /// Lets go of what was attached.
    pub(super) fn detach(&mut self) {
        match self.attached.len() {
            0 => say("nothing is attached"),
            1 => note("1 file goes no longer along"),
            many => note(&format!("{many} files go no longer along")),
        }
        self.attached.clear();
    }

    /// The draft with what is attached, each after the words on a line of its own.
    pub(super) async fn with_attached(&mut self, mut draft: Draft) -> Result<Draft, Failure> {
        let workspace = self.workspace_view.lock().await.workspace().clone();
        for file in self.attached.drain(..) {
            let path = self.app.file_path(&workspace, &file)?;
            draft.text.push('\n');
            draft.text.push_str(&print_token(file.context_kind(), &path.to_string_lossy()));
            draft.attachments.push(Attachment { file: Some(file.id), delivery: None });
        }
        Ok(draft)
    }
}

fn described(file: &File) -> String {
    let tokens = file.tokens.map_or_else(String::new, |t| format!(", ~{} tokens", commas(t)));
    format!("{}, {}{tokens}", printable(&file.name), size_words(file.size))
}
