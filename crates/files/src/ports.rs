//! What the tools need from outside. The app implements these.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use plimsoll_domain::{ExtractedText, File, FileId};
use thiserror::Error;

/// Why the shelf cannot do what is asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToolFailure {
    /// There is no such file in this workspace; the model asked for the wrong one.
    #[error("there is no such file")]
    NoSuchFile,
    /// The registry knows the file, but its bytes are gone or not what they were.
    #[error("its content is missing or damaged: {0}")]
    Damaged(String),
    /// The store failed; asking again later may help.
    #[error("the file store failed: {0}")]
    Store(String),
}

/// The text of a document as a file of this machine, to be read only.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it is.
    pub path: PathBuf,
    pub facts: ExtractedText,
}

/// Where the files of a workspace are.
#[async_trait]
pub trait WorkspaceFiles: Send + Sync {
    /// The files that models may be told of, newest first (FIL-6).
    async fn list(&self) -> Result<Vec<File>, ToolFailure>;

    /// One of them; there is no other as far as tools can tell.
    async fn find(&self, id: FileId) -> Result<File, ToolFailure>;

    /// Where its bytes are: a real file of this machine, to be read only and at once.
    async fn path(&self, file: &File) -> Result<PathBuf, ToolFailure>;

    /// The text that was read out of a document, or why there is none; none at all for what is
    /// no document.
    async fn document(&self, _: &File) -> Option<Result<Document, String>> {
        None
    }

    /// Takes in a file that a tool made, with the tool's words as its context (FIL-2). The
    /// bytes at `path` are copied; the name is a stranger's and is never used as a path.
    async fn add_generated(
        &self,
        name: &str,
        path: &Path,
        words: &str,
    ) -> Result<File, ToolFailure>;
}

/// Why nothing was seen or heard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct Unable {
    /// What went wrong.
    pub why: String,
    /// What to install or set, if that would help (FTL-7).
    pub fix: Option<String>,
}

/// A picture on disk: a file of the registry, or a page that was rendered.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What its bytes are.
    pub mime: &'a str,
    /// Where they are.
    pub path: &'a Path,
}

/// A vision model.
#[async_trait]
pub trait VisionModel: Send + Sync {
    /// What the picture shows, or the answer to a question about it.
    async fn look(&self, picture: Picture<'_>, question: &str) -> Result<String, Unable>;
}

/// A provider's transcription endpoint.
#[async_trait]
pub trait Transcriber: Send + Sync {
    /// What is said in a file.
    async fn transcribe(
        &self,
        file: &File,
        path: &Path,
        language: Option<&str>,
    ) -> Result<String, Unable>;
}
