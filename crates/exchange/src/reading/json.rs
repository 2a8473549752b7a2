//! One JSON text: a list, a document of ours, or one object a line. Records are taken
//! out one at a time; the whole is never in memory.

use std::{
    io::{BufRead, BufReader, Read},
    ops::ControlFlow,
};

use plimsoll_domain::json_tree_fits;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    Format, LONGEST_RECORD, Record, Sink, Summary,
    bytes::{Meter, Metered, TooMuch, Utf8},
    chatgpt, claude,
    messages::Messages,
    own_export,
};
use crate::{BadRecord, Conversation, LeftOut, Place, ReadError, own::MARK};

/// What the values of one record may take beside their texts, in bytes, and twice as much as the
/// record has: several times what the longest conversations take.
const SMALL_VALUES: usize = 32 << 20;

/// What a reader works with.
pub(super) struct Reading<'r> {
    pub(super) sink: &'r mut dyn Sink,
    pub(super) meter: &'r Meter,
    pub(super) summary: Summary,
}

impl Reading<'_> {
    pub(super) fn progress(&mut self) -> ControlFlow<()> {
        self.meter.next_record();
        self.summary.replaced = self.meter.replaced();
        // An archive may hold more than it says.
        self.sink.progress(self.meter.done().min(self.meter.total), self.meter.total)
    }

    /// Hands over what came of a record, good or bad.
    pub(super) fn hand_over(
        &mut self,
        place: Place,
        made: Result<(Record, LeftOut), String>,
    ) -> ControlFlow<()> {
        match made {
            Ok((record, left_out)) => {
                self.summary.left_out.add(left_out);
                self.sink.record(record)
            }
            Err(problem) => self.sink.bad(BadRecord { place, problem }),
        }
    }

    /// What an error of the parser means here.
    pub(super) fn broken(&self, place: Place, error: &serde_json::Error) -> ReadError {
        match self.meter.stopped() {
            Some(TooMuch::Record) => ReadError::RecordTooLarge { place, limit: LONGEST_RECORD },
            Some(TooMuch::File) => ReadError::TooLarge(self.meter.file_until()),
            None => ReadError::Broken { place, problem: error.to_string() },
        }
    }
}

/// Reads one text to its end.
pub(super) fn read(source: &mut dyn Read, reading: &mut Reading<'_>) -> Result<(), ReadError> {
    let metered = Metered { inner: source, meter: reading.meter };
    let mut text = BufReader::with_capacity(64 * 1024, Utf8::new(metered, reading.meter));
    let lines_before = skip_blank(&mut text, reading)?;
    let mut head = Vec::new();
    text.by_ref().take(512).read_to_end(&mut head).map_err(|error| failed(reading, error))?;
    let opening = head.first().copied();
    let ours = is_ours(&head);
    let mut text = std::io::Cursor::new(head).chain(text);
    match opening {
        None => Ok(()),
        Some(b'[') => array(text, reading),
        Some(b'{') if ours => own_export::read(text, reading),
        Some(b'{') => lines(&mut text, lines_before, reading),
        Some(_) => Err(ReadError::Unrecognised),
    }
}

/// A record that can be read without taking much more memory than its text has (REL-7).
pub(super) fn bounded(raw: &str) -> Result<&str, String> {
    let most = SMALL_VALUES.saturating_add(raw.len().saturating_mul(2));
    if json_tree_fits(raw.as_bytes(), most) {
        Ok(raw)
    } else {
        Err("it holds more small values than any conversation, and would fill the memory"
            .to_owned())
    }
}

fn failed(reading: &Reading<'_>, error: std::io::Error) -> ReadError {
    match reading.meter.stopped() {
        Some(_) => ReadError::TooLarge(reading.meter.file_until()),
        None => ReadError::Io(error),
    }
}

/// Passes by white space and the mark that some editors put first; counts lines.
fn skip_blank(text: &mut impl BufRead, reading: &Reading<'_>) -> Result<u64, ReadError> {
    let mut lines = 0;
    let mut first = true;
    loop {
        let piece = text.fill_buf().map_err(|error| failed(reading, error))?;
        let mark = if first && piece.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
        first = false;
        let blank = |byte: &&u8| byte.is_ascii_whitespace();
        let count = mark + piece[mark..].iter().take_while(blank).count();
        lines += piece[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
        let ended = piece.is_empty() || count < piece.len();
        text.consume(count);
        if ended {
            return Ok(lines);
        }
        reading.meter.next_record();
    }
}

/// Our export says so in its first field.
fn is_ours(head: &[u8]) -> bool {
    let inside = head.strip_prefix(b"{").unwrap_or_default().trim_ascii_start();
    let name = inside.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(MARK.as_bytes()));
    name.is_some_and(|rest| rest.starts_with(b"\""))
}

/// One list, of which each element is handed over as text that is known to be JSON.
pub(super) struct Elements<F>(pub(super) F);

impl<'de, F: FnMut(&RawValue) -> ControlFlow<()>> DeserializeSeed<'de> for Elements<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&RawValue) -> ControlFlow<()>> Visitor<'de> for Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self::Value, A::Error> {
        while let Some(element) = list.next_element::<Box<RawValue>>()? {
            if self.0(&element).is_break() {
                // The rest is not read, so the parser cannot go on behind the list.
                return Err(A::Error::custom(STOPPED));
            }
        }
        Ok(())
    }
}

/// What the parser is told when the sink has enough.
pub(super) const STOPPED: &str = "it was stopped";

fn array(text: impl Read, reading: &mut Reading<'_>) -> Result<(), ReadError> {
    let mut from = serde_json::Deserializer::from_reader(text);
    let mut count = 0;
    let mut format = None;
    let mut messages = Messages::default();
    let mut ended: Option<ReadError> = None;
    let elements = Elements(|raw: &RawValue| {
        count += 1;
        let place = Place::Conversation(count);
        let Some(known) = format.or_else(|| recognise(raw.get())) else {
            ended = Some(ReadError::Unrecognised);
            return ControlFlow::Break(());
        };
        format = Some(known);
        reading.summary.format = Some(known);
        let went = match known {
            Format::ChatGpt => reading.hand_over(place, foreign(known, chatgpt::read(raw.get()))),
            Format::Claude => reading.hand_over(place, foreign(known, claude::read(raw.get()))),
            Format::Messages | Format::Plimsoll => messages.take(place, count, raw.get(), reading),
        };
        went?;
        reading.progress()
    });
    let parsed = elements.deserialize(&mut from).and_then(|()| from.end());
    if let Some(error) = ended {
        return Err(error);
    }
    match parsed {
        Ok(()) => finish(messages, reading),
        Err(error) if error.is_data() && error.to_string().starts_with(STOPPED) => {
            Err(ReadError::Stopped)
        }
        Err(error) => {
            // What stands before the break is whole, and may be all there is.
            let broken = reading.broken(Place::Conversation(count + 1), &error);
            finish(messages, reading)?;
            Err(broken)
        }
    }
}

fn foreign(
    format: Format,
    made: Result<(Conversation, LeftOut), String>,
) -> Result<(Record, LeftOut), String> {
    made.map(|(conversation, left_out)| (Record::Conversation(format, conversation), left_out))
}

fn finish(messages: Messages, reading: &mut Reading<'_>) -> Result<(), ReadError> {
    let went = match messages.finish() {
        Some(rest) => reading.sink.record(Record::Conversation(Format::Messages, rest)),
        None => ControlFlow::Continue(()),
    };
    match went.is_break() || reading.progress().is_break() {
        true => Err(ReadError::Stopped),
        false => Ok(()),
    }
}

/// Whose conversation an element is, by the fields that it has.
pub(super) fn recognise(raw: &str) -> Option<Format> {
    #[derive(serde::Deserialize)]
    struct Probe {
        mapping: Option<IgnoredAny>,
        chat_messages: Option<IgnoredAny>,
        messages: Option<IgnoredAny>,
        role: Option<IgnoredAny>,
    }
    let probe: Probe = serde_json::from_str(raw).ok()?;
    if probe.mapping.is_some() {
        Some(Format::ChatGpt)
    } else if probe.chat_messages.is_some() {
        Some(Format::Claude)
    } else if probe.messages.is_some() || probe.role.is_some() {
        Some(Format::Messages)
    } else {
        None
    }
}

/// One object a line: messages, lists of them, or whole conversations of somebody else.
fn lines(
    text: &mut impl BufRead,
    lines_before: u64,
    reading: &mut Reading<'_>,
) -> Result<(), ReadError> {
    let mut number = lines_before;
    let mut messages = Messages::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        number += 1;
        let place = Place::Line(number);
        let read = text.read_until(b'\n', &mut line);
        read.map_err(|error| match reading.meter.stopped() {
            Some(TooMuch::Record) => ReadError::RecordTooLarge { place, limit: LONGEST_RECORD },
            _ => failed(reading, error),
        })?;
        if line.is_empty() {
            break;
        }
        // All that comes through the reader is UTF-8.
        let text = std::str::from_utf8(&line).unwrap_or_default().trim();
        if !text.is_empty() {
            let format = recognise(text);
            if let (None, Some(format)) = (reading.summary.format, format) {
                reading.summary.format = Some(format);
            }
            let went = match format {
                Some(format @ Format::ChatGpt) => {
                    reading.hand_over(place, foreign(format, chatgpt::read(text)))
                }
                Some(format @ Format::Claude) => {
                    reading.hand_over(place, foreign(format, claude::read(text)))
                }
                _ if reading.summary.format.is_none() => return Err(ReadError::Unrecognised),
                _ => messages.take(place, number, text, reading),
            };
            if went.is_break() || reading.progress().is_break() {
                return Err(ReadError::Stopped);
            }
        }
    }
    finish(messages, reading)
}
