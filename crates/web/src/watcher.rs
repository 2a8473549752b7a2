//! One client that follows the events of a place: what of them it is told, and where it is then.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet, VecDeque},
};

use serde_json::Value;

use crate::{
    event_id::{EventId, LogPlace},
    event_log::{Event, TextStep},
    place::Place,
};

/// A client. Pages get text as HTML, programs as it is.
pub(crate) struct Watcher {
    place: Place,
    html: bool,
    number: u64,
    /// How much of each answer that grows it was told, by the epoch of its send.
    texts: BTreeMap<u64, usize>,
    /// Sends of which it was told everything, the newest last: a node may hear of an end later than
    /// a client that comes from another.
    over: VecDeque<u64>,
    /// Of the sends that began up to this change it was told everything, those aside which it
    /// follows and those that were under way when it came.
    settled: u64,
    under_way: HashSet<u64>,
}

/// So many ends are remembered; more sends are not under way in what one client sees.
const ENDS: usize = 64;

/// What a client is told: the id that it comes back with, and the data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told<'e> {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    pub(crate) data: Cow<'e, str>,
}

impl Watcher {
    pub(crate) fn new(place: Place, html: bool, number: u64) -> Self {
        Self {
            place,
            html,
            number,
            texts: BTreeMap::new(),
            over: VecDeque::new(),
            settled: 0,
            under_way: HashSet::new(),
        }
    }

    /// A client as its id says.
    pub(crate) fn at(place: Place, html: bool, id: &EventId) -> Self {
        let over = id.over.iter().copied().collect();
        Self { texts: id.texts.clone(), over, ..Self::new(place, html, id.number) }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn is_page(&self) -> bool {
        self.html
    }

    /// How much it was told of the answer of a send.
    pub(crate) fn told_of(&self, epoch: u64) -> Option<usize> {
        self.texts.get(&epoch).copied()
    }

    /// Whether it was told all of an answer.
    pub(crate) fn is_over(&self, epoch: u64) -> bool {
        let settled = epoch <= self.settled && !self.under_way.contains(&epoch);
        self.over.contains(&epoch) || (settled && !self.texts.contains_key(&epoch))
    }

    /// It was told everything up to its number, but for the answers that are under way.
    pub(crate) fn settle(&mut self, under_way: HashSet<u64>) {
        (self.settled, self.under_way) = (self.number, under_way);
    }

    /// It was told all of an answer; what comes of it is nothing new.
    pub(crate) fn ends(&mut self, epoch: u64) {
        self.texts.remove(&epoch);
        if !self.over.contains(&epoch) {
            self.over.push_back(epoch);
        }
        if self.over.len() > ENDS {
            self.over.pop_front();
        }
    }

    /// It knows so much of an answer from elsewhere.
    pub(crate) fn knows(&mut self, epoch: u64, offset: usize) {
        self.texts.insert(epoch, offset);
    }

    /// Everything up to a change was told.
    pub(crate) fn told_up_to(&mut self, number: u64) {
        self.number = self.number.max(number);
    }

    /// Forgets how much it was told: it reads everything anew.
    pub(crate) fn starts_over(&mut self, number: u64) {
        (self.number, self.texts) = (number, BTreeMap::new());
        self.over.clear();
    }

    /// What it is told of an event, if that is for it.
    pub(crate) fn hear<'e>(&mut self, event: &'e Event, place: LogPlace) -> Option<Told<'e>> {
        if !event.audience.includes(&self.place) {
            return None;
        }
        self.told_up_to(event.number.unwrap_or(0));
        let data = self.pass(event.name, Cow::Borrowed(&event.data), event.text)?;
        Some(Told { id: self.id(Some(place)), name: event.name, data })
    }

    /// The same for what is told to it alone, and stands in no log.
    pub(crate) fn hear_alone(
        &mut self,
        name: &'static str,
        data: String,
        text: TextStep,
    ) -> Option<Told<'static>> {
        let data = self.pass(name, Cow::Owned(data), text)?;
        Some(Told { id: self.id(None), name, data })
    }

    fn id(&self, place: Option<LogPlace>) -> String {
        let (number, texts) = (self.number, self.texts.clone());
        // What it was told of changes behind its number is told again elsewhere, but no text is.
        let over = self.over.iter().copied().filter(|epoch| *epoch > number).collect();
        EventId { number, texts, over, offset: None, place }.to_string()
    }

    /// Follows the texts. What was told of one is not told again.
    fn pass<'e>(
        &mut self,
        name: &'static str,
        data: Cow<'e, str>,
        text: TextStep,
    ) -> Option<Cow<'e, str>> {
        match text {
            TextStep::None => {}
            TextStep::Begins(epoch) if self.is_over(epoch) => {}
            TextStep::Begins(epoch) => {
                self.texts.entry(epoch).or_insert(0);
            }
            TextStep::Ends(epoch) => self.ends(epoch),
            TextStep::Grows { epoch, .. } if self.is_over(epoch) => return None,
            TextStep::Grows { html, .. } if html != self.html => return None,
            TextStep::Grows { epoch, from, to, html } => {
                let told = self.texts.insert(epoch, to).unwrap_or(from);
                if told > to || (told == to && !html) {
                    self.texts.insert(epoch, told);
                    return None;
                }
                // A page sees by itself that what it has ends elsewhere.
                if told > from && !html {
                    return cut(&data, told - from).map(Cow::Owned);
                }
            }
        }
        // Of the two forms of a thing each client gets one.
        let other = if self.html { ["delta", "tool"] } else { ["text", "toolcall"] };
        (!other.contains(&name)).then_some(data)
    }
}

/// A piece of text without its first bytes.
fn cut(data: &str, bytes: usize) -> Option<String> {
    let mut data: Value = serde_json::from_str(data).ok()?;
    let rest = data["text"].as_str()?.get(bytes..)?.to_owned();
    data["text"] = Value::from(rest);
    Some(data.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::event_log::Audience;

    fn event(id: u64, name: &'static str, data: &Value, text: TextStep) -> Event {
        let data = data.to_string();
        Event { id, audience: Audience::Everybody, name, data, number: Some(id), text }
    }

    fn place(event: u64) -> LogPlace {
        LogPlace { run: "a".to_owned(), event }
    }

    /// The events with which a node tells a text, cut into pieces as it arrived there.
    fn told(text: &str, cuts: &[usize]) -> Vec<Event> {
        let mut ends: Vec<usize> = cuts.iter().map(|at| text.floor_char_boundary(*at)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let mut events = vec![event(1, "started", &json!({}), TextStep::Begins(7))];
        let mut from = 0;
        for to in ends {
            let data = json!({ "text": &text[from..to] });
            let step = TextStep::Grows { epoch: 7, from, to, html: false };
            events.push(event(events.len() as u64 + 1, "delta", &data, step));
            from = to;
        }
        events.push(event(events.len() as u64 + 1, "ended", &json!({}), TextStep::Ends(7)));
        events
    }

    proptest! {
        /// Two nodes got the text in other pieces. However often a client changes between them,
        /// and wherever, it is told all of it once.
        #[test]
        fn tea_6_a_text_is_told_once_whichever_node_tells_it(
            text in "[a-zäß語 ]{0,60}",
            one in prop::collection::vec(0usize..120, 0..8),
            other in prop::collection::vec(0usize..120, 0..8),
            stays in prop::collection::vec(1usize..6, 1..8),
        ) {
            let nodes = [told(&text, &one), told(&text, &other)];
            let (mut heard, mut ended) = (String::new(), false);
            let mut id = EventId::default();
            for (visit, stay) in stays.iter().chain([&usize::MAX]).enumerate() {
                let mut watcher = Watcher::at(Place::default(), false, &id);
                // A node tells from its start whom it does not know.
                for event in nodes[visit % 2].iter().take(*stay) {
                    let begins = matches!(event.text, TextStep::Begins(_));
                    let Some(told) = watcher.hear(event, place(event.id)) else { continue };
                    if told.name == "delta" {
                        let data: Value = serde_json::from_str(&told.data).unwrap();
                        heard.push_str(data["text"].as_str().unwrap());
                    }
                    ended |= told.name == "ended";
                    if !begins || visit == 0 {
                        id = EventId::parse(&told.id).unwrap();
                    }
                }
                if ended {
                    break;
                }
            }
            prop_assert!(ended);
            prop_assert_eq!(heard, text);
        }
    }

    #[test]
    fn api_2_each_client_gets_its_form() {
        let delta = TextStep::Grows { epoch: 1, from: 0, to: 3, html: false };
        let html = TextStep::Grows { epoch: 1, from: 0, to: 3, html: true };
        let (delta, html) =
            (event(1, "delta", &json!({"text": "abc"}), delta), event(2, "text", &json!({}), html));
        for (page, events) in [(true, [&delta, &html]), (false, [&html, &delta])] {
            let mut watcher = Watcher::new(Place::default(), page, 0);
            assert_eq!(watcher.hear(events[0], place(1)), None);
            let told = watcher.hear(events[1], place(2)).unwrap();
            assert_eq!(watcher.told_of(1), Some(3));
            assert!(told.id.ends_with(".1-3"), "{}", told.id);
        }
    }

    /// A node may tell of an answer that ended before a client came from where that was told.
    #[test]
    fn tea_6_what_has_ended_does_not_grow_again() {
        let [begins, grows, ends] = [
            event(1, "started", &json!({}), TextStep::Begins(7)),
            event(
                2,
                "delta",
                &json!({"text": "abc"}),
                TextStep::Grows { epoch: 7, from: 0, to: 3, html: false },
            ),
            event(3, "ended", &json!({}), TextStep::Ends(7)),
        ];
        let mut watcher = Watcher::new(Place::default(), false, 0);
        for event in [&begins, &grows, &ends] {
            assert!(watcher.hear(event, place(event.id)).is_some());
        }
        watcher.hear(&begins, place(4));
        assert_eq!(watcher.hear(&grows, place(5)), None);
        assert!(watcher.hear(&ends, place(6)).is_some(), "the end may be told again");
    }

    /// A change that a client heard of before its number counts it is told again by another node,
    /// and its text is not.
    #[test]
    fn tea_6_an_end_behind_the_number_is_part_of_the_id() {
        let grows = TextStep::Grows { epoch: 7, from: 0, to: 3, html: false };
        let mut ended = event(1, "ended", &json!({}), TextStep::Ends(7));
        ended.number = Some(4);
        let mut watcher = Watcher::new(Place::default(), false, 4);
        let id = watcher.hear(&ended, place(1)).unwrap().id;
        let mut elsewhere = Watcher::at(Place::default(), false, &EventId::parse(&id).unwrap());
        let begins = elsewhere.hear_alone("started", "{}".to_owned(), TextStep::Begins(7));
        assert!(begins.is_some(), "the change is told again");
        assert_eq!(elsewhere.told_of(7), None);
        assert!(elsewhere.hear_alone("delta", json!({"text": "abc"}).to_string(), grows).is_none());
    }

    /// The same for a client that comes from another node: its number says what it was told.
    #[test]
    fn tea_6_a_node_that_is_behind_tells_no_text_again() {
        let grows = |epoch| {
            let step = TextStep::Grows { epoch, from: 0, to: 3, html: false };
            event(2, "delta", &json!({"text": "abc"}), step)
        };
        let id = EventId { number: 9, texts: BTreeMap::from([(8, 1)]), ..EventId::default() };
        let mut watcher = Watcher::at(Place::default(), false, &id);
        watcher.settle(HashSet::from([6, 8]));
        assert_eq!(watcher.hear(&grows(7), place(1)), None, "it ended before");
        let more = grows(8);
        let rest = watcher.hear(&more, place(2)).unwrap();
        assert!(rest.data.contains("\"bc\""), "{}", rest.data);
        assert!(watcher.hear(&grows(6), place(3)).is_some(), "it is under way");
        assert!(watcher.hear(&grows(10), place(4)).is_some(), "it began later");
    }

    #[test]
    fn api_2_what_concerns_others_is_not_told() {
        let elsewhere = plimsoll_store::Workspace::parse("else/where").unwrap();
        let mut other = event(5, "rows", &json!({}), TextStep::None);
        other.audience = Audience::from(&elsewhere);
        let mut watcher = Watcher::new(Place::default(), true, 3);
        assert_eq!(watcher.hear(&other, place(1)), None);
        assert_eq!(watcher.number, 3, "numbers of other workspaces say nothing here");
    }
}
