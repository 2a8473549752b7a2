//! What a filter may ask: the clock, the calendar, and the file's topics and models.

use std::{collections::HashMap, ops::Range};

use jiff::{Timestamp as Instant, civil, tz::TimeZone};
use plimsoll_domain::Timestamp;
use plimsoll_filter::{Date, Scope, TopicNode};

use crate::{args::PlanArgs, context::Context, failure::Failure};

pub(crate) struct PlanScope {
    now: Timestamp,
    zone: TimeZone,
    topics: Vec<TopicNode>,
    topic_by_path: HashMap<String, u32>,
    models: Vec<String>,
    model_by_id: HashMap<String, u32>,
    selected_topic: Option<u32>,
    selected_model: Option<String>,
}

impl PlanScope {
    pub(crate) fn new(args: &PlanArgs, context: &Context) -> Result<Self, Failure> {
        let zone = match context.settings.time_zone() {
            None => TimeZone::system(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                Failure::usage(format!("timeZone '{name}' is not known"))
                    .hint("use a name such as Europe/Lisbon or UTC")
            })?,
        };
        let mut scope = Self {
            now: Timestamp::from_millis(Instant::now().as_millisecond()),
            zone,
            topics: Vec::new(),
            topic_by_path: HashMap::new(),
            models: Vec::new(),
            model_by_id: HashMap::new(),
            selected_topic: None,
            selected_model: args.model.clone(),
        };
        scope.selected_topic = args.topic.as_deref().and_then(|path| scope.topic(path));
        Ok(scope)
    }

    /// The index of a topic by its path, with all the topics above it.
    pub(crate) fn topic(&mut self, path: &str) -> Option<u32> {
        if let Some(known) = self.topic_by_path.get(path) {
            return Some(*known);
        }
        let mut at: Option<u32> = None;
        let mut walked = String::new();
        for name in path.split('/').map(str::trim).filter(|name| !name.is_empty()) {
            walked.push('/');
            walked.push_str(name);
            at = Some(match self.topic_by_path.get(&walked) {
                Some(known) => *known,
                None => {
                    let index = u32::try_from(self.topics.len()).ok()?;
                    let parent = at.map(|index| index as usize);
                    self.topics.push(TopicNode { parent, name: name.to_owned() });
                    self.topic_by_path.insert(walked.clone(), index);
                    index
                }
            });
        }
        if let Some(index) = at {
            self.topic_by_path.insert(path.to_owned(), index);
        }
        at
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

    fn start_of(&self, day: civil::Date) -> Option<Timestamp> {
        let start = day.to_zoned(self.zone.clone()).ok()?;
        Some(Timestamp::from_millis(start.timestamp().as_millisecond()))
    }
}

impl Scope for PlanScope {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn day(&self, date: Date) -> Range<Timestamp> {
        let bounds = || {
            let (year, month, day) =
                (i16::try_from(date.year).ok()?, date.month.cast_signed(), date.day.cast_signed());
            let day = civil::Date::new(year, month, day).ok()?;
            Some(self.start_of(day)?..self.start_of(day.tomorrow().ok()?)?)
        };
        // A day outside the calendar of the time zone library is a day without pairs.
        bounds().unwrap_or(Timestamp::from_millis(i64::MAX)..Timestamp::from_millis(i64::MAX))
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
