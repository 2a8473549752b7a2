//! Conversations (HIS-9): topics by the age of what was said in them.

use std::collections::{HashMap, HashSet};

use plimsoll_domain::{Timestamp, Topic, TopicId, title_of};
use plimsoll_store::{ConversationSize, Deletable, Noun, StoreError, Workspace};
use plimsoll_tokens::bytes4_of_length;

use crate::{App, AppError, Deleted, Prepared, Progress, Purpose, TopicChange};

/// A conversation as a list shows it (UI-15).
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    pub topic: Topic,
    pub pairs: u64,
    /// When something was written in it last; else when it was made.
    pub newest: Timestamp,
    /// When something was sent in it last; none of what was only imported.
    pub last_sent: Option<Timestamp>,
    /// The model of its newest pair.
    pub model: Option<String>,
    /// What its texts weigh, by their length alone (EST-2): no text is read for a list.
    pub tokens: u64,
    /// What was sent in it cost, in US dollars, as far as prices were known (UI-18).
    pub cost: Option<f64>,
}

impl App {
    /// The conversations of a workspace, the newest first. A topic that only holds others is none.
    pub async fn conversations(
        &self,
        workspace: &Workspace,
    ) -> Result<Vec<Conversation>, AppError> {
        self.open_workspace(workspace).await?;
        let topics = self.store.topics(workspace).await?;
        let sizes = self.store.conversation_sizes(workspace).await?;
        let sizes: HashMap<TopicId, ConversationSize> =
            sizes.into_iter().map(|size| (size.topic, size)).collect();
        let costs: HashMap<TopicId, f64> =
            self.store.costs(workspace, None).await?.into_iter().collect();
        let parents: HashSet<TopicId> = topics.iter().filter_map(|topic| topic.parent).collect();
        let listed = topics.into_iter().filter_map(|topic| {
            let size = sizes.get(&topic.id)?;
            let only_holds_others = size.pairs == 0 && parents.contains(&topic.id);
            (!only_holds_others).then(|| Conversation {
                pairs: size.pairs,
                newest: size.newest.unwrap_or_else(|| topic.id.made_at()),
                last_sent: size.last_sent,
                model: size.model.clone(),
                tokens: bytes4_of_length(size.text_bytes),
                cost: costs.get(&topic.id).copied(),
                topic,
            })
        });
        let mut listed: Vec<Conversation> = listed.collect();
        listed.sort_by(|one, other| {
            let key = |one: &Conversation| (one.newest, one.topic.id);
            key(other).cmp(&key(one))
        });
        Ok(listed)
    }

    /// An id for a conversation that begins. It is written down when something is sent in it.
    pub fn new_conversation(&self) -> TopicId {
        TopicId::new(self.clock.now(), self.chance.bytes())
    }

    /// Names a conversation, or says what goes with its messages (UI-15), also of one that holds
    /// nothing yet.
    pub async fn change_conversation(
        &self,
        workspace: &Workspace,
        id: TopicId,
        change: TopicChange,
    ) -> Result<(), AppError> {
        let topics = self.store.topics(workspace).await?;
        if !topics.iter().any(|topic| topic.id == id) {
            self.store.put_topic(workspace, &self.new_chat(id)).await?;
        }
        self.change_topic(workspace, id, change).await
    }

    /// Deletes a conversation with its pairs, as one step (HIS-9b).
    pub async fn delete_conversation(
        &self,
        workspace: &Workspace,
        id: TopicId,
    ) -> Result<Deleted, AppError> {
        let topics = self.store.topics(workspace).await?;
        let topic = topics.iter().find(|topic| topic.id == id);
        let words = topic.ok_or(StoreError::NotFound(Noun::Topic))?.name.clone();
        let what = || Deletable::Conversation(id);
        let (deleted, _) = match self.put_aside(workspace, what(), words.clone()).await {
            Err(AppError::Store(StoreError::Busy { pair, .. })) => {
                // A pair that is being sent is stopped first (REL-6).
                self.end_of(workspace, pair).await?;
                self.put_aside(workspace, what(), words).await?
            }
            deleted => deleted?,
        };
        self.events.publish(workspace, Progress::Removed(Vec::new()));
        self.events.publish(workspace, Progress::Topics);
        Ok(deleted)
    }

    /// Writes down the conversation that a message begins, with its first words as the title.
    /// Says whether it was not there before.
    pub(crate) async fn begin_conversation(&self, prepared: &Prepared) -> Result<bool, AppError> {
        let (at, topic) = (&prepared.workspace, &prepared.topic);
        let again = matches!(prepared.purpose, Purpose::Regenerate(_) | Purpose::Summarise);
        if again || topic.named || !self.store.rows_of(at, topic.id).await?.is_empty() {
            return Ok(false);
        }
        let topics = self.store.topics(at).await?;
        let known = topics.iter().any(|known| known.id == topic.id);
        let titled = Topic { name: title_of(&prepared.text), ..topic.clone() };
        self.store.put_topic(at, &titled).await?;
        self.events.publish(at, Progress::Topics);
        Ok(!known)
    }
}
