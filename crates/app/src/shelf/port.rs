//! The shelf that the file tools read from: files of one workspace and no other (SEC-6).

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use plimsoll_domain::{File, FileId, FileSource};
use plimsoll_files::{Shelf, ToolFailure};
use plimsoll_store::{StoreError, Workspace};

use super::{Keeper, Origin, blob_name, blocking};
use crate::AppError;

/// The files of a workspace.
pub(crate) struct WorkspaceShelf {
    pub(crate) keeper: Keeper,
    pub(crate) workspace: Workspace,
}

fn store(error: &dyn std::fmt::Display) -> ToolFailure {
    ToolFailure::Store(error.to_string())
}

#[async_trait]
impl Shelf for WorkspaceShelf {
    async fn list(&self) -> Result<Vec<File>, ToolFailure> {
        let now = self.keeper.clock.now();
        let files =
            self.keeper.store.files(&self.workspace).await.map_err(|error| store(&error))?;
        Ok(files.into_iter().filter(|file| file.expires_at.is_none_or(|at| at > now)).collect())
    }

    async fn find(&self, id: FileId) -> Result<File, ToolFailure> {
        match self.keeper.store.file(&self.workspace, id).await {
            Err(StoreError::NotFound(_)) => Err(ToolFailure::NoSuchFile),
            found => found.map_err(|error| store(&error)),
        }
    }

    fn path(&self, file: &File) -> Result<PathBuf, ToolFailure> {
        let damaged = |error: AppError| ToolFailure::Damaged(error.to_string());
        let blobs = self.keeper.blobs(&self.workspace).map_err(damaged)?;
        let name = blob_name(file).map_err(damaged)?;
        let path = blobs.path(&name);
        // A link in the place of a blob is not followed: the door is the store's own.
        blobs.open_blob(&name).map_err(|error| ToolFailure::Damaged(error.to_string()))?;
        Ok(path)
    }

    async fn add_generated(
        &self,
        name: &str,
        path: &Path,
        words: &str,
    ) -> Result<File, ToolFailure> {
        let blobs = self.keeper.blobs(&self.workspace).map_err(|error| store(&error))?;
        let from = path.to_owned();
        let import = move || blobs.import_file(&from, None, &mut |_, _| {}, &|| false);
        let imported = blocking(import).await.map_err(|error| store(&error))?;
        let blob = imported.map_err(|error| store(&error))?;
        let origin = Origin { name, source: FileSource::Assistant, words: Some(words) };
        let kept = self.keeper.keep_file(&self.workspace, &blob, origin).await;
        kept.map_err(|error| store(&error))
    }
}
