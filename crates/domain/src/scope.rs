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
