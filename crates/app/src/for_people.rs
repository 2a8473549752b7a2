//! Messages as people read them: with the names of files, never with their paths (HIS-8).

use std::collections::HashMap;

use plimsoll_domain::{Attachment, FileId, MessagePair, with_file_names};
use plimsoll_store::Workspace;

use crate::{App, AppError, Prepared};

/// The names of files by their ids.
pub(crate) type FileNames = HashMap<FileId, String>;

impl App {
    /// The message of a pair with the names of its files in it.
    pub async fn for_people(
        &self,
        workspace: &Workspace,
        pair: &MessagePair,
    ) -> Result<String, AppError> {
        let mut names = FileNames::new();
        for id in pair.attachments.iter().filter_map(|attachment| attachment.file) {
            // A file that is gone has no name any more.
            if let Ok(file) = self.store.file(workspace, id).await {
                names.insert(id, file.name);
            }
        }
        Ok(named(&pair.user_text, &pair.attachments, &names))
    }
}

impl Prepared {
    /// The message with the names of its files in it.
    pub fn text_for_people(&self) -> String {
        let name = |at: usize| {
            let file = self.plan.attached.get(at)?.file.as_ref().ok()?;
            Some(file.name.clone())
        };
        with_file_names(&self.text, name)
    }
}

/// A message with the names of the files that are attached to it.
pub(crate) fn named(text: &str, attachments: &[Attachment], names: &FileNames) -> String {
    with_file_names(text, |at| {
        let file = attachments.get(at)?.file?;
        Some(names.get(&file).cloned().unwrap_or_else(|| "a file that is gone".to_owned()))
    })
}
