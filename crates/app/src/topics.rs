//! Topics by their paths (HIS-3).

use std::collections::HashMap;

use plimsoll_budget::is_emitted;
use plimsoll_domain::{HistoryScope, Topic, TopicId};
use plimsoll_store::{Deletable, Workspace};

use crate::{App, AppError, Deleted, Progress, View};

/// The topic that pairs go to when nobody chose one.
pub const FIRST_TOPIC: &str = "General";

/// A topic to make, with all above it that are not there yet.
#[derive(Clone, Debug, Default)]
pub struct NewTopic {
    /// The path, `/A/B`.
    pub path: String,
    /// What is sent before the history; else a copy of the parent's.
    pub system_message: Option<String>,
    /// The model that new pairs start with.
    pub default_model: Option<String>,
}

/// What to change of a topic; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicChange {
    pub name: Option<String>,
    /// The path of another parent; empty for the root.
    pub parent: Option<String>,
    /// Another system message, or none.
    pub system_message: Option<Option<String>>,
    /// Another model, or none.
    pub default_model: Option<Option<String>>,
    /// Another temperature, or none.
    pub temperature: Option<Option<f32>>,
    /// Another longest answer, or none.
    pub max_output: Option<Option<u64>>,
}

/// The path of a topic, `/A/B`. Whoever asks for many asks [`TopicPaths`].
pub fn topic_path(topics: &[Topic], id: TopicId) -> String {
    path_of(id, topics.len(), |id| topics.iter().find(|topic| topic.id == id))
}

/// The paths of many topics: found by id, so that a thousand of them are not looked through
/// a thousand times (REL-9).
pub struct TopicPaths<'t> {
    by_id: HashMap<TopicId, &'t Topic>,
}

impl<'t> TopicPaths<'t> {
    /// Those of these topics.
    pub fn of(topics: &'t [Topic]) -> Self {
        Self { by_id: topics.iter().map(|topic| (topic.id, topic)).collect() }
    }

    /// The path of one, `/A/B`; empty where there is no such topic.
    pub fn path(&self, id: TopicId) -> String {
        path_of(id, self.by_id.len(), |id| self.by_id.get(&id).copied())
    }
}

/// What does not lead to the root, within as many steps as there are topics, has no path.
fn path_of<'t>(id: TopicId, most: usize, find: impl Fn(TopicId) -> Option<&'t Topic>) -> String {
    let mut names = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at {
        let Some(topic) = find(id).filter(|_| names.len() < most) else { return String::new() };
        names.push(topic.name.as_str());
        at = topic.parent;
    }
    names.iter().rev().fold(String::new(), |path, name| path + "/" + name)
}

/// The topic with an id, or at a path, names without case. A path of one name finds it at the root.
/// Of conversations with the same title it is the newest; people tell the others by their ids.
pub fn find_topic<'a>(topics: &'a [Topic], path: &str) -> Option<&'a Topic> {
    if let Some(id) = TopicId::parse(path.trim())
        && let Some(topic) = topics.iter().find(|topic| topic.id == id)
    {
        return Some(topic);
    }
    let mut found: Option<&Topic> = None;
    for name in path.split('/').map(str::trim).filter(|name| !name.is_empty()) {
        let parent = found.map(|topic| topic.id);
        let named = |topic: &&Topic| {
            topic.parent == parent && topic.name.to_lowercase() == name.to_lowercase()
        };
        found = Some(topics.iter().filter(named).max_by_key(|topic| (topic.named, topic.id))?);
    }
    found
}

impl App {
    /// The topic of a view, and all topics. The first one is made when there is none and none is
    /// named. A conversation that is not there holds nothing yet; it is written down when something
    /// is sent in it.
    pub(crate) async fn topic(
        &self,
        workspace: &Workspace,
        view: &View,
    ) -> Result<(Topic, Vec<Topic>), AppError> {
        let (topic, topics) = self.topic_of(workspace, view).await?;
        Ok((view.said.of(topic), topics))
    }

    async fn topic_of(
        &self,
        workspace: &Workspace,
        view: &View,
    ) -> Result<(Topic, Vec<Topic>), AppError> {
        let mut topics = self.store.topics(workspace).await?;
        let path = view.topic.as_deref();
        let new = match path {
            None if view.scope == HistoryScope::Conversation => Some(self.new_conversation()),
            // With none open a message begins one, where there is no first topic to go to (HIS-9).
            None if !topics.is_empty() && find_topic(&topics, FIRST_TOPIC).is_none() => {
                Some(self.new_conversation())
            }
            None => None,
            Some(path) if find_topic(&topics, path).is_some() => None,
            Some(path) => TopicId::parse(path),
        };
        if let Some(id) = new {
            return Ok((self.new_chat(id), topics));
        }
        if topics.is_empty() && path.is_none() {
            let id = TopicId::new(self.clock.now(), self.chance.bytes());
            self.store.put_topic(workspace, &Topic::new(id, None, FIRST_TOPIC)).await?;
            topics = self.store.topics(workspace).await?;
        }
        let found = match path {
            None => find_topic(&topics, FIRST_TOPIC),
            Some(path) => find_topic(&topics, path),
        };
        let unknown = || AppError::UnknownTopic(path.unwrap_or(FIRST_TOPIC).to_owned());
        let topic = found.cloned().ok_or_else(unknown)?;
        Ok((topic, topics))
    }

    /// Makes a topic, or changes what is given of the one at that path.
    pub async fn add_topic(&self, workspace: &Workspace, new: &NewTopic) -> Result<(), AppError> {
        self.open_workspace(workspace).await?;
        let names: Vec<&str> =
            new.path.split('/').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(AppError::UnknownTopic(new.path.clone()));
        }
        let mut walked = String::new();
        let mut topics = self.store.topics(workspace).await?;
        for (depth, name) in names.iter().enumerate() {
            let parent = find_topic(&topics, &walked).cloned();
            walked.push('/');
            walked.push_str(name);
            // A title that was made of a message is no name that somebody meant.
            let known = find_topic(&topics, &walked).filter(|topic| topic.named).cloned();
            let is_last = depth + 1 == names.len();
            if known.is_some() && !is_last {
                continue;
            }
            let mut topic = known.unwrap_or_else(|| {
                let id = TopicId::new(self.clock.now(), self.chance.bytes());
                let mut topic = Topic::new(id, parent.as_ref().map(|parent| parent.id), name);
                // A new child starts with a copy of its parent's system message (HIS-3).
                topic.system_message = match &parent {
                    Some(parent) => parent.system_message.clone(),
                    None => self.settings().default_system_message().map(ToOwned::to_owned),
                };
                topic
            });
            if is_last {
                topic.system_message = new.system_message.clone().or(topic.system_message);
                topic.default_model = new.default_model.clone().or(topic.default_model);
            }
            self.store.put_topic(workspace, &topic).await?;
            topics.push(topic);
        }
        self.events.publish(workspace, Progress::Topics);
        Ok(())
    }

    /// The system message of a topic as it is sent: none where it is empty or switched off
    /// (PAY-3).
    pub fn system_message<'t>(&self, topic: &'t Topic) -> Option<&'t str> {
        let text = topic.system_message.as_deref().filter(|text| is_emitted(text))?;
        self.settings().send_system_message().then_some(text)
    }

    /// A conversation that begins, with the system message that the settings give it (UI-23).
    pub(crate) fn new_chat(&self, id: TopicId) -> Topic {
        let system_message = self.settings().default_system_message().map(ToOwned::to_owned);
        Topic { system_message, ..Topic::new_chat(id) }
    }

    /// Renames, moves or changes a topic.
    pub async fn change_topic(
        &self,
        workspace: &Workspace,
        id: TopicId,
        change: TopicChange,
    ) -> Result<(), AppError> {
        let topics = self.store.topics(workspace).await?;
        let found = topics.iter().find(|topic| topic.id == id).cloned();
        let mut topic =
            found.ok_or(plimsoll_store::StoreError::NotFound(plimsoll_store::Noun::Topic))?;
        if let Some(path) = change.parent {
            topic.parent = match path.trim_matches('/').trim() {
                "" => None,
                _ => {
                    let parent = find_topic(&topics, &path);
                    Some(parent.ok_or(AppError::UnknownTopic(path.clone()))?.id)
                }
            };
        }
        if let Some(name) = change.name {
            (topic.name, topic.named) = (name, true);
        }
        topic.system_message = change.system_message.unwrap_or(topic.system_message);
        topic.default_model = change.default_model.unwrap_or(topic.default_model);
        topic.temperature = change.temperature.unwrap_or(topic.temperature);
        topic.max_output = change.max_output.unwrap_or(topic.max_output);
        self.store.put_topic(workspace, &topic).await?;
        self.events.publish(workspace, Progress::Topics);
        Ok(())
    }

    /// Removes a topic that holds nothing; it can be brought back (REC-5).
    pub async fn remove_topic(
        &self,
        workspace: &Workspace,
        id: TopicId,
    ) -> Result<Deleted, AppError> {
        let topics = self.store.topics(workspace).await?;
        let words = topic_path(&topics, id);
        let (deleted, _) = self.put_aside(workspace, Deletable::Topic(id), words).await?;
        self.events.publish(workspace, Progress::Topics);
        Ok(deleted)
    }
}
