//! Conversations (HIS-9): topics by the age of what was said in them.

use plimsoll_domain::{Topic, TopicId, title_of};
use plimsoll_store::{ConversationPage, ConversationQuery, Deletable, Noun, StoreError, Workspace};

use crate::{App, AppError, Deleted, Prepared, Progress, Purpose, TopicChange};

impl App {
    /// A part of the list of conversations of a workspace, the newest first.
    pub async fn conversations(
        &self,
        workspace: &Workspace,
        query: &ConversationQuery,
    ) -> Result<ConversationPage, AppError> {
        self.open_workspace(workspace).await?;
        Ok(self.store.conversations(workspace, query).await?)
    }

    /// An id for a conversation that begins. It is written down when something is sent in it.
    pub fn new_conversation(&self) -> TopicId {
        TopicId::new(self.clock.now(), self.chance.bytes())
    }

    /// Names a conversation, or says what goes with its messages (UI-15), also of one that holds
    /// nothing yet. A change that says nothing makes none.
    pub async fn change_conversation(
        &self,
        workspace: &Workspace,
        id: TopicId,
        change: TopicChange,
    ) -> Result<(), AppError> {
        if change == TopicChange::default() {
            return Ok(());
        }
        if self.store.topic(workspace, id).await?.is_none() {
            self.store.put_topic(workspace, &self.new_chat(id)).await?;
        }
        self.change_topic(workspace, id, change).await
    }

    /// Deletes a conversation with its pairs, as one step (HIS-9b); says its title.
    pub async fn delete_conversation(
        &self,
        workspace: &Workspace,
        id: TopicId,
    ) -> Result<(Deleted, String), AppError> {
        let topic = self.store.topic(workspace, id).await?;
        let title = topic.ok_or(StoreError::NotFound(Noun::Topic))?.name;
        let what = || Deletable::Conversation(id);
        let (deleted, _) = match self.put_aside(workspace, what(), title.clone()).await {
            Err(AppError::Store(StoreError::Busy { pair, .. })) => {
                // A pair that is being sent is stopped first (REL-6).
                self.end_of(workspace, pair).await?;
                self.put_aside(workspace, what(), title.clone()).await?
            }
            deleted => deleted?,
        };
        self.events.publish(workspace, Progress::Removed(Vec::new()));
        self.events.publish(workspace, Progress::Topics);
        Ok((deleted, title))
    }

    /// Writes down the conversation that a message begins, with its first words as the title.
    /// Says whether it was not there before.
    pub(crate) async fn begin_conversation(&self, prepared: &Prepared) -> Result<bool, AppError> {
        let (at, topic) = (&prepared.workspace, &prepared.topic);
        let again = matches!(prepared.purpose, Purpose::Regenerate(_) | Purpose::Summarise);
        if again || topic.named || !self.store.rows_of(at, topic.id).await?.is_empty() {
            return Ok(false);
        }
        let known = self.store.topic(at, topic.id).await?.is_some();
        let titled = Topic { name: title_of(&prepared.text), ..topic.clone() };
        self.store.put_topic(at, &titled).await?;
        self.events.publish(at, Progress::Topics);
        Ok(!known)
    }
}
