//! What part of a workspace is looked at (HIS-9).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Visible is what stands in the scope and passes the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryScope {
    /// The pairs of the conversation that is open.
    Conversation,
    /// All pairs of the workspace.
    #[default]
    Everything,
}

impl HistoryScope {
    pub const ALL: [Self; 2] = [Self::Conversation, Self::Everything];

    /// The name used in settings, flags and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Everything => "everything",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// Of which messages the files are that a model is told of and may read (FIL-6), besides those
/// that were added for models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilesScope {
    /// Of the messages in the scope.
    #[default]
    Conversation,
    /// Of the pinned messages in the scope.
    Pinned,
    /// Of all messages of the workspace.
    All,
    /// Of none; those that were added for models are not told of either.
    None,
}

impl FilesScope {
    pub const ALL: [Self; 4] = [Self::Conversation, Self::Pinned, Self::All, Self::None];

    /// The name used in settings, flags and the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Pinned => "pinned",
            Self::All => "all",
            Self::None => "none",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}
