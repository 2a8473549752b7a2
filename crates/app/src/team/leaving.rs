//! Somebody leaves (TEA-10): what is theirs alone goes for good or to somebody else.

use plimsoll_store::{Leaving, Noun, StoreError, Workspace};

use crate::{App, AppError, Audited, Doer, shelf::blocking};

/// What becomes of the own project of somebody who leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnProject {
    /// It goes, with all that it holds.
    Delete,
    /// Somebody else owns it.
    HandOver(String),
}

/// What could not be done of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Projects that need another owner first; then nothing was done.
    pub without_owner: Vec<String>,
    /// Workspaces whose files are still where they were, and why.
    pub files_left: Vec<(Workspace, String)>,
}

impl App {
    /// Takes somebody away, as was told before.
    pub async fn remove_user(
        &self,
        by: Doer<'_>,
        name: &str,
        what: &OwnProject,
    ) -> Result<Left, AppError> {
        let gone = StoreError::NotFound(Noun::Person);
        let Leaving { workspaces, .. } = self.store.leaving(name).await?.ok_or(gone)?;
        let mut left = Left::default();
        let noted = match what {
            OwnProject::HandOver(to) => {
                self.store.hand_over_person(name, to).await?;
                format!("{name}: handed over to {to}")
            }
            OwnProject::Delete => {
                left.without_owner = self.store.delete_person(name).await?;
                if !left.without_owner.is_empty() {
                    return Ok(left);
                }
                format!("{name}: deleted with ~{name}")
            }
        };
        self.note_audit(by, Audited::UserRemoved, &noted).await?;
        if *what == OwnProject::Delete {
            // Nothing names these bytes any more; what cannot be removed now is told.
            for workspace in workspaces {
                let blobs = self.blobs(&workspace)?;
                let cleared = blocking(move || blobs.clear()).await?;
                if let Err(error) = cleared {
                    left.files_left.push((workspace, error.to_string()));
                }
            }
        }
        Ok(left)
    }
}
