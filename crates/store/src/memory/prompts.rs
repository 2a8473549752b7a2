//! Prompts: what users asked.

use async_trait::async_trait;
use plimsoll_domain::Timestamp;

use super::{MemoryFilter, Prompt};
use crate::{StoreResult, Workspace};

/// A prompt to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPrompt {
    /// Its session, made if it is not there.
    pub session: String,
    /// The words.
    pub content: String,
    /// The project.
    pub project: String,
    /// A room of its own, if it has one.
    pub namespace: Option<String>,
}

/// Prompts.
#[async_trait]
pub trait Prompts: Send + Sync {
    /// Keeps a prompt; says its id.
    async fn save_prompt(
        &self,
        workspace: &Workspace,
        prompt: &NewPrompt,
        at: Timestamp,
    ) -> StoreResult<u64>;

    /// Prompts, the newest first.
    async fn prompts(
        &self,
        workspace: &Workspace,
        filter: &MemoryFilter,
        limit: usize,
    ) -> StoreResult<Vec<Prompt>>;
}
