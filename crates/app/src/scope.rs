//! What a filter may ask of a workspace besides its rows: topics, models, saved filters,
//! the selectors and the calendar.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use plimsoll_domain::{Timestamp, Topic, TopicId};
use plimsoll_filter::{Date, Scope, TopicNode};
use plimsoll_store::SavedFilter;

use crate::Clock;

/// The scope of a workspace. Models are numbered as they are met.
pub(crate) struct WorkspaceScope {
    clock: Arc<dyn Clock>,
    topics: Vec<TopicNode>,
    topic_index: HashMap<TopicId, u32>,
    models: Vec<String>,
    model_index: HashMap<Arc<str>, u32>,
    saved: HashMap<String, String>,
    selected_topic: Option<usize>,
    pub(crate) selected_model: Option<String>,
}

impl WorkspaceScope {
    pub(crate) fn new(clock: &Arc<dyn Clock>, topics: &[Topic], saved: Vec<SavedFilter>) -> Self {
        let topic_index: HashMap<TopicId, u32> =
            topics.iter().zip(0u32..).map(|(topic, at)| (topic.id, at)).collect();
        let node = |topic: &Topic| TopicNode {
            parent: topic.parent.and_then(|id| topic_index.get(&id)).map(|at| *at as usize),
            name: topic.name.clone(),
        };
        Self {
            clock: Arc::clone(clock),
            topics: topics.iter().map(node).collect(),
            topic_index,
            models: Vec::new(),
            model_index: HashMap::new(),
            saved: saved.into_iter().map(|filter| (filter.name, filter.text)).collect(),
            selected_topic: None,
            selected_model: None,
        }
    }

    /// What a bare `t` means from now on. A conversation that begins is written down with its first
    /// message; until then nothing is in it, which is no mistake of a filter.
    pub(crate) fn select_topic(&mut self, topic: &Topic) {
        let next = u32::try_from(self.topics.len()).unwrap_or(u32::MAX);
        let at = *self.topic_index.entry(topic.id).or_insert(next);
        if at == next {
            self.topics.push(TopicNode { parent: None, name: topic.name.clone() });
        }
        self.selected_topic = Some(at as usize);
    }

    /// The number of a topic.
    pub(crate) fn topic(&self, id: TopicId) -> Option<u32> {
        self.topic_index.get(&id).copied()
    }

    /// The number of a model.
    pub(crate) fn model(&mut self, name: &Arc<str>) -> u32 {
        if let Some(known) = self.model_index.get(name) {
            return *known;
        }
        let number = u32::try_from(self.models.len()).unwrap_or(u32::MAX);
        self.models.push(name.to_string());
        self.model_index.insert(Arc::clone(name), number);
        number
    }

    /// The names of the saved filters, in order.
    pub(crate) fn saved_names(&self) -> Vec<String> {
        let names: HashSet<&String> = self.saved.keys().collect();
        let mut names: Vec<String> = names.into_iter().cloned().collect();
        names.sort();
        names
    }
}

impl Scope for WorkspaceScope {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }
    fn day(&self, date: Date) -> Range<Timestamp> {
        self.clock.day(date)
    }
    fn topics(&self) -> &[TopicNode] {
        &self.topics
    }
    fn models(&self) -> &[String] {
        &self.models
    }
    fn selected_topic(&self) -> Option<usize> {
        self.selected_topic
    }
    fn selected_model(&self) -> Option<&str> {
        self.selected_model.as_deref()
    }
    fn saved(&self, name: &str) -> Option<&str> {
        self.saved.get(name).map(String::as_str)
    }
}
