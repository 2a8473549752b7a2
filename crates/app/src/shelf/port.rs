//! The shelf that the file tools read from: files of one workspace and no other (SEC-6), and
//! of those only the ones that models may be told of (FIL-6).

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use plimsoll_blobs::{BlobError, Derived};
use plimsoll_domain::{Extraction, File, FileId, FileSource, PairId};
use plimsoll_files::{Document, ToolFailure, WorkspaceFiles};
use plimsoll_store::{ListedIn, StoreError, Workspace};

use super::{Keeper, Origin, blob_name, blocking, with_text};
use crate::AppError;

/// The files of a workspace.
pub(crate) struct StoredFiles {
    pub(crate) keeper: Keeper,
    pub(crate) workspace: Workspace,
    /// Which of them may be read; none at all without it.
    pub(crate) readable: Option<ListedIn>,
    /// The pair whose answer the tools work for; none where no send asks, as over MCP.
    pub(crate) made_for: Option<PairId>,
}

fn store(error: &dyn std::fmt::Display) -> ToolFailure {
    ToolFailure::Store(error.to_string())
}

#[async_trait]
impl WorkspaceFiles for StoredFiles {
    async fn list(&self) -> Result<Vec<File>, ToolFailure> {
        let Some(of) = self.readable else { return Ok(Vec::new()) };
        let now = self.keeper.clock.now();
        let files = self.keeper.store.listed_files(&self.workspace, of).await;
        let files = files.map_err(|error| store(&error))?;
        Ok(files.into_iter().filter(|file| file.expires_at.is_none_or(|at| at > now)).collect())
    }

    async fn find(&self, id: FileId) -> Result<File, ToolFailure> {
        let of = self.readable.ok_or(ToolFailure::NoSuchFile)?;
        match self.keeper.store.listed_file(&self.workspace, of, id).await {
            Err(StoreError::NotFound(_)) => Err(ToolFailure::NoSuchFile),
            found => found.map_err(|error| store(&error)),
        }
    }

    async fn path(&self, file: &File) -> Result<PathBuf, ToolFailure> {
        let damaged = |error: AppError| ToolFailure::Damaged(error.to_string());
        let blobs = self.keeper.blobs(&self.workspace).map_err(damaged)?;
        let name = blob_name(file).map_err(damaged)?;
        // A link in the place of a blob is not followed: the door is the store's own.
        match blocking(move || blobs.local_path(&name)).await.map_err(damaged)? {
            Err(error @ BlobError::S3(_)) => Err(store(&error)),
            path => path.map_err(|error| ToolFailure::Damaged(error.to_string())),
        }
    }

    async fn document(&self, file: &File) -> Option<Result<Document, String>> {
        let store = |error: AppError| error.to_string();
        let blobs = match self.keeper.blobs(&self.workspace) {
            Ok(blobs) => blobs,
            Err(error) => return Some(Err(store(error))),
        };
        let read = with_text(&blobs, &self.keeper.documents, file.clone()).await;
        match read.map(|file| file.extraction) {
            Ok(None) => None,
            Ok(Some(Extraction::Nothing(why))) => Some(Err(why)),
            Ok(Some(Extraction::Text(facts))) => Some(match blob_name(file) {
                Ok(name) => Ok(Document { path: blobs.derived_path(&name, Derived::Text), facts }),
                Err(error) => Err(store(error)),
            }),
            Err(error) => Some(Err(store(error))),
        }
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
        // In a send it is pending until the answer is there, and goes with one that is stopped.
        let (source, listed) = match self.made_for {
            Some(_) => (FileSource::Pending, false),
            None => (FileSource::Assistant, true),
        };
        let made_for = self.made_for;
        let origin = Origin { name, source, words: Some(words), listed, made_for };
        let kept = self.keeper.keep_file(&self.workspace, &blob, origin).await;
        kept.map_err(|error| store(&error))
    }
}
