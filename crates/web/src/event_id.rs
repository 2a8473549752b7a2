//! The ids of events (API-2, TEA-6): `number.offset`, with which a client goes on at any node.
//!
//! `number` is that of the workspace's last change that was told with all that belongs to it,
//! `offset` how many bytes of the answer that grows were told. What may follow makes it exact: the
//! event's place in the log of one node, and for each answer that grows which send it is and how
//! much of it was told. A node that does not know the place reads the changes behind the number.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Where a client is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(crate) number: u64,
    /// How much of each answer that grows was told, by the epoch of its send.
    pub(crate) texts: BTreeMap<u64, usize>,
    /// Sends behind the number of which everything was told.
    pub(crate) over: BTreeSet<u64>,
    /// Of an answer whose send is not named.
    pub(crate) offset: Option<usize>,
    pub(crate) place: Option<LogPlace>,
}

/// A place in the log of one run of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogPlace {
    /// Tells the run from all others.
    pub(crate) run: String,
    pub(crate) event: u64,
}

/// What is written in the place of an offset where everything was told.
const OVER: &str = "all";

/// What is written where an event has no place in a log.
const NOWHERE: &str = "0-0";

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let newest = self.texts.values().next_back().copied().or(self.offset);
        write!(f, "{}.{}", self.number, newest.unwrap_or(0))?;
        match &self.place {
            Some(place) => write!(f, ".{}-{}", place.run, place.event)?,
            None if self.texts.is_empty() && self.over.is_empty() => {}
            None => write!(f, ".{NOWHERE}")?,
        }
        self.texts.iter().try_for_each(|(epoch, offset)| write!(f, ".{epoch}-{offset}"))?;
        self.over.iter().try_for_each(|epoch| write!(f, ".{epoch}-{OVER}"))
    }
}

impl EventId {
    /// Reads an id; none for what is no id of ours, such as the plain numbers of earlier versions.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let number = parts.next()?.parse().ok()?;
        let offset = parts.next()?.parse().ok()?;
        let place = match parts.next() {
            None | Some(NOWHERE) => None,
            Some(place) => {
                let (run, event) = place.split_once('-')?;
                Some(LogPlace { run: run.to_owned(), event: event.parse().ok()? })
            }
        };
        let (mut texts, mut over) = (BTreeMap::new(), BTreeSet::new());
        for part in parts {
            let (epoch, offset) = part.split_once('-')?;
            let epoch = epoch.parse().ok()?;
            if offset == OVER {
                over.insert(epoch);
            } else {
                texts.insert(epoch, offset.parse().ok()?);
            }
        }
        let plain = texts.is_empty() && over.is_empty() && place.is_none();
        let offset = Some(offset).filter(|_| plain);
        Some(Self { number, texts, over, offset, place })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tea_6_an_id_is_a_number_and_an_offset() {
        let plain = EventId { number: 17, offset: Some(120), ..EventId::default() };
        assert_eq!(plain.to_string(), "17.120");
        assert_eq!(EventId::parse("17.120"), Some(plain));
        let place = Some(LogPlace { run: "5f".to_owned(), event: 9 });
        let texts = BTreeMap::from([(15, 7), (16, 120)]);
        let over = BTreeSet::from([18]);
        let exact = EventId { number: 17, texts, over, offset: None, place };
        assert_eq!(exact.to_string(), "17.120.5f-9.15-7.16-120.18-all");
        for odd in
            ["", "17", "1732000000000", "a.b", "1.2.3", "1.2.x", "1.2.a-b", "1.2.a-3.4", "-1.0"]
        {
            assert_eq!(EventId::parse(odd), None, "{odd}");
        }
    }

    proptest! {
        #[test]
        fn tea_6_ids_are_read_as_they_were_written(
            number: u64,
            texts in prop::collection::btree_map(any::<u64>(), any::<usize>(), 0..4),
            over in prop::collection::btree_set(any::<u64>(), 0..4),
            place in prop::option::of(("[0-9a-f]{8}", 1u64..)),
        ) {
            let place = place.map(|(run, event)| LogPlace { run, event });
            let plain = texts.is_empty() && over.is_empty() && place.is_none();
            let id = EventId { number, texts, over, offset: plain.then_some(0), place };
            prop_assert_eq!(EventId::parse(&id.to_string()), Some(id));
        }

        #[test]
        fn tea_6_no_text_breaks_the_reader(text in "[-0-9a-f.]{0,20}") {
            let _ = EventId::parse(&text);
        }
    }
}
