//! Small things that should still be there tomorrow: saved filters, queries, drafts,
//! single values.

use async_trait::async_trait;
use plimsoll_domain::{Attachment, Timestamp};

use crate::{StoreResult, Workspace};

/// How many queries are kept for each workspace (FLT-6).
pub const QUERIES_KEPT: usize = 100;

/// A filter with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFilter {
    /// Its name, as in `@name`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What stands in the input of a workspace (INS-5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptDraft {
    /// Its text, context tokens in place.
    pub text: String,
    /// What each token stands for, in order.
    pub attachments: Vec<Attachment>,
}

/// The notebook. Drafts survive a crash of the process; a power cut may cost the last one.
#[async_trait]
pub trait Notebook: Send + Sync {
    /// The saved filters of a workspace, by name.
    async fn saved_filters(&self, workspace: &Workspace) -> StoreResult<Vec<SavedFilter>>;

    /// Saves a filter; one with the same name is replaced.
    async fn save_filter(&self, workspace: &Workspace, filter: &SavedFilter) -> StoreResult<()>;

    /// Drops a saved filter; says whether there was one.
    async fn drop_filter(&self, workspace: &Workspace, name: &str) -> StoreResult<bool>;

    /// The newest [`QUERIES_KEPT`] queries, oldest first.
    async fn queries(&self, workspace: &Workspace) -> StoreResult<Vec<String>>;

    /// Remembers a query that worked; a repeat of the newest one is not kept twice.
    async fn push_query(
        &self,
        workspace: &Workspace,
        query: &str,
        at: Timestamp,
    ) -> StoreResult<()>;

    /// What stands in the input of a workspace.
    async fn draft(&self, workspace: &Workspace) -> StoreResult<Option<KeptDraft>>;

    /// Keeps what stands in the input; a blank draft is forgotten.
    async fn put_draft(
        &self,
        workspace: &Workspace,
        draft: &KeptDraft,
        at: Timestamp,
    ) -> StoreResult<()>;

    /// A single value.
    async fn value(&self, key: &str) -> StoreResult<Option<String>>;

    /// Keeps a single value; `None` forgets it.
    async fn put_value(&self, key: &str, value: Option<&str>) -> StoreResult<()>;
}
