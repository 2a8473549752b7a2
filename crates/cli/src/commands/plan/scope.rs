//! What a filter may ask: the clock, the calendar, and the file's topics and models.

use std::{collections::HashMap, ops::Range};

use plimsoll_app::Clock;
use plimsoll_domain::Timestamp;
use plimsoll_filter::{Date, Scope, TopicNode};

use crate::{
    args::PlanArgs, context::Context, failure::Failure, machine::MachineClock, pairs::LineError,
};

/// No tree of topics is deeper; a path that claims to be would fill the memory.
const DEEPEST_TOPIC: usize = 64;

pub(crate) struct PlanScope {
    now: Timestamp,
    clock: MachineClock,
    topics: Vec<TopicNode>,
    /// By parent and name in lower case.
    topic_index: HashMap<(Option<u32>, String), u32>,
    models: Vec<String>,
    model_by_id: HashMap<String, u32>,
    selected_topic: Option<u32>,
    selected_model: Option<String>,
}

impl PlanScope {
    pub(crate) fn new(args: &PlanArgs, context: &Context) -> Result<Self, Failure> {
        let clock = MachineClock::new(context.settings.time_zone())?;
        let mut scope = Self {
            now: clock.now(),
            clock,
            topics: Vec::new(),
            topic_index: HashMap::new(),
            models: Vec::new(),
            model_by_id: HashMap::new(),
            selected_topic: None,
            selected_model: args.model.clone(),
        };
        if let Some(path) = &args.topic {
            scope.selected_topic = scope
                .topic(path)
                .map_err(|error| Failure::usage(format!("--topic: {}", error.0)))?;
        }
        Ok(scope)
    }

    /// The index of a topic by its path, with all the topics above it. Names have no
    /// case, as in filters.
    pub(crate) fn topic(&mut self, path: &str) -> Result<Option<u32>, LineError> {
        let mut at: Option<u32> = None;
        let names = path.split(['/', '>']).map(str::trim).filter(|name| !name.is_empty());
        for (depth, name) in names.enumerate() {
            if depth == DEEPEST_TOPIC {
                return Err(LineError(format!("topic is deeper than {DEEPEST_TOPIC} levels")));
            }
            let key = (at, name.to_lowercase());
            at = Some(match self.topic_index.get(&key) {
                Some(known) => *known,
                None => {
                    let index = u32::try_from(self.topics.len())
                        .map_err(|_| LineError("there are too many topics".to_owned()))?;
                    let parent = at.map(|index| index as usize);
                    self.topics.push(TopicNode { parent, name: name.to_owned() });
                    self.topic_index.insert(key, index);
                    index
                }
            });
        }
        Ok(at)
    }

    /// Whether a topic is the selected one or stands below it.
    pub(crate) fn is_selected(&self, topic: u32) -> bool {
        let above = |index: &usize| self.topics.get(*index).and_then(|node| node.parent);
        let mut chain = std::iter::successors(Some(topic as usize), above);
        self.selected_topic.is_some_and(|selected| chain.any(|index| index == selected as usize))
    }

    /// The index of a model by its id.
    pub(crate) fn model(&mut self, id: &str) -> u32 {
        if let Some(known) = self.model_by_id.get(id) {
            return *known;
        }
        let index = u32::try_from(self.models.len()).unwrap_or(u32::MAX);
        self.models.push(id.to_owned());
        self.model_by_id.insert(id.to_owned(), index);
        index
    }
}

impl Scope for PlanScope {
    fn now(&self) -> Timestamp {
        self.now
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
        self.selected_topic.map(|index| index as usize)
    }

    fn selected_model(&self) -> Option<&str> {
        self.selected_model.as_deref()
    }

    /// Saved filters live in the store, which a plan from a file does not open.
    fn saved(&self, _name: &str) -> Option<&str> {
        None
    }
}
