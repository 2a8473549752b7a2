//! Our own export: a document whose lists are read record by record.

use std::{cell::RefCell, io::Read, ops::ControlFlow};

use plimsoll_domain::{HistoryScope, TopicTree};
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    Format, Record,
    json::{Elements, Reading, STOPPED, bounded},
};
use crate::{
    LeftOut, Place, ReadError,
    own::{MARK, OwnFilter, OwnPair, OwnTopic, VERSION},
    own_extras::{OwnDraft, OwnMark, OwnSnippet},
    own_file::OwnFile,
};

pub(super) fn read(text: impl Read, reading: &mut Reading<'_>) -> Result<(), ReadError> {
    reading.summary.format = Some(Format::Plimsoll);
    let mut from = serde_json::Deserializer::from_reader(text);
    let mut at = Place::Topic(1);
    let mut newer = None;
    let document = Document { reading: &mut *reading, at: &mut at, newer: &mut newer };
    let parsed = from.deserialize_map(document).and_then(|()| from.end());
    if let Some(version) = newer {
        return Err(ReadError::Newer(version));
    }
    match parsed {
        Ok(()) => Ok(()),
        Err(error) if error.is_data() && error.to_string().starts_with(STOPPED) => {
            Err(ReadError::Stopped)
        }
        Err(error) => Err(reading.broken(at, &error)),
    }
}

struct Document<'a, 'r> {
    reading: &'a mut Reading<'r>,
    at: &'a mut Place,
    newer: &'a mut Option<u64>,
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an export of Plimsoll")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reading, at, newer } = self;
        let mut pairs = false;
        let tree = RefCell::new(TopicTree::default());
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                MARK => {
                    let version: u64 = map.next_value()?;
                    if version > VERSION {
                        *newer = Some(version);
                        return Err(A::Error::custom("it is newer"));
                    }
                }
                // A pair is brought in where its topic and its files are, so they come before.
                "topics" | "savedFilters" | "files" | "snippets" | "drafts" | "contextFrom"
                    if pairs =>
                {
                    return Err(A::Error::custom(format!("'{name}' stands after the pairs")));
                }
                "topics" => {
                    let place = Place::Topic;
                    let make = |topic: OwnTopic| {
                        let topic = topic.check()?;
                        let added = tree.borrow_mut().add(topic.clone());
                        added.map_err(|error| error.to_string())?;
                        Ok(Record::Topic(topic))
                    };
                    map.next_value_seed(Elements(each(reading, at, place, make)))?;
                }
                "savedFilters" => {
                    let make = |filter: OwnFilter| Ok(Record::Filter(filter.into()));
                    map.next_value_seed(Elements(each(reading, at, Place::Filter, make)))?;
                }
                // What was looked at says how the file came to be; all of it is brought in.
                "scope" => {
                    let scope: String = map.next_value()?;
                    if HistoryScope::parse(&scope).is_none() {
                        return Err(A::Error::custom("its scope is none"));
                    }
                }
                "snippets" => {
                    let make = |snippet: OwnSnippet| Ok(Record::Snippet(snippet.check()?));
                    map.next_value_seed(Elements(each(reading, at, Place::Snippet, make)))?;
                }
                "drafts" => {
                    let make = |draft: OwnDraft| {
                        let (conversation, draft) = draft.check()?;
                        Ok(Record::Draft(conversation, draft))
                    };
                    map.next_value_seed(Elements(each(reading, at, Place::Draft, make)))?;
                }
                "contextFrom" => {
                    let make = |mark: OwnMark| {
                        let (conversation, mark) = mark.check()?;
                        Ok(Record::Mark(conversation, mark))
                    };
                    map.next_value_seed(Elements(each(reading, at, Place::Mark, make)))?;
                }
                "files" => {
                    let make = |file: OwnFile| Ok(Record::File(file.check()?));
                    map.next_value_seed(Elements(each(reading, at, Place::File, make)))?;
                }
                "pairs" => {
                    pairs = true;
                    let make = |pair: OwnPair| {
                        let pair = pair.check()?;
                        match tree.borrow().get(pair.pair.topic_id) {
                            Some(_) => Ok(Record::Pair(Box::new(pair))),
                            None => Err("its topic is not in the file".to_owned()),
                        }
                    };
                    map.next_value_seed(Elements(each(reading, at, Place::Pair, make)))?;
                }
                _ => return Err(A::Error::custom("it has a field that no export has")),
            };
        }
        Ok(())
    }
}

/// Reads each element of a list as one kind of record.
fn each<'a, T: DeserializeOwned>(
    reading: &'a mut Reading<'_>,
    at: &'a mut Place,
    place: fn(u64) -> Place,
    make: impl Fn(T) -> Result<Record, String> + 'a,
) -> impl FnMut(&RawValue) -> ControlFlow<()> {
    let mut count = 1;
    *at = place(count);
    move |raw| {
        let read = bounded(raw.get())
            .and_then(|raw| serde_json::from_str::<T>(raw).map_err(|error| error.to_string()));
        let made = read.and_then(&make).map(|record| (record, LeftOut::default()));
        reading.hand_over(*at, made)?;
        count += 1;
        *at = place(count);
        reading.progress()
    }
}
