//! Topics of a workspace (HIS-3).

use async_trait::async_trait;
use plimsoll_domain::{Topic, TopicId};

use crate::{StoreResult, Workspace};

/// The tree of topics, one for each workspace.
#[async_trait]
pub trait Topics: Send + Sync {
    /// All topics, parents before their children, siblings by name.
    async fn topics(&self, workspace: &Workspace) -> StoreResult<Vec<Topic>>;

    /// Adds a topic, or changes the one with this id. It is kept exactly as given; that a
    /// new child copies the system message of its parent is for the caller to do. Refused
    /// when the name is bad or taken, the parent unknown, or a circle would arise.
    async fn put_topic(&self, workspace: &Workspace, topic: &Topic) -> StoreResult<()>;

    /// Removes a topic; refused unless it is empty.
    async fn remove_topic(&self, workspace: &Workspace, id: TopicId) -> StoreResult<()>;
}
