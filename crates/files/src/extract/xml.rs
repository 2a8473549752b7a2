//! XML, piece by piece. Entities but the five of XML itself stand for nothing, so there is
//! nothing to fetch and nothing that grows.

use std::{borrow::Cow, io::BufRead, ops::ControlFlow};

use quick_xml::{
    Reader,
    escape::unescape,
    events::{BytesStart, Event},
};

use super::{
    NoText,
    bounds::{Bounds, DEPTH, Metered},
    lasting,
};

/// A piece of a part. Names are without their prefix.
pub(super) enum Piece<'a> {
    Start { name: &'a str, marks: Marks<'a> },
    End { name: &'a str },
    Text(&'a str),
}

/// The attributes of an element.
pub(super) struct Marks<'a>(&'a BytesStart<'a>);

impl Marks<'_> {
    /// The value of the attribute with this name, whatever its prefix.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let mut marks = self.0.attributes();
        let mut marks = marks.with_checks(false).flatten();
        let value = marks.find(|mark| mark.key.local_name().as_ref() == name.as_bytes())?.value;
        let value = String::from_utf8_lossy(&value);
        Some(unescape(&value).map_or_else(|_| value.to_string(), Cow::into_owned))
    }

    /// The same of one that has a prefix, where another without one has the same name.
    pub(super) fn prefixed(&self, name: &str) -> Option<String> {
        let mut marks = self.0.attributes();
        let fits = |key: &[u8]| {
            key.iter()
                .position(|byte| *byte == b':')
                .is_some_and(|colon| key.get(colon + 1..) == Some(name.as_bytes()))
        };
        let mut marks = marks.with_checks(false).flatten();
        let value = marks.find(|mark| fits(mark.key.as_ref()))?.value;
        Some(String::from_utf8_lossy(&value).into_owned())
    }

    /// A number, at most this one.
    pub(super) fn number(&self, name: &str, most: u64) -> Option<u64> {
        self.get(name)?.trim().parse::<u64>().ok().map(|number| number.min(most))
    }
}

/// Goes through a part until `each` has enough.
pub(super) fn walk(
    part: impl BufRead,
    bounds: &Bounds,
    each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
) -> Result<(), NoText> {
    let (metered, piece) = Metered::new(part, bounds);
    let mut reader = Reader::from_reader(metered);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut buffer = Vec::new();
    let mut depth = 0usize;
    loop {
        piece.set(0);
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let event = event.map_err(|error| NoText::Lasting(format!("it is damaged ({error})")))?;
        let on = match &event {
            Event::Start(start) => {
                depth += 1;
                if depth > DEPTH {
                    return Err(lasting("it is damaged: it is nested too deep"));
                }
                started(start, each)
            }
            Event::Empty(start) => match started(start, each) {
                ControlFlow::Continue(()) => ended(start.local_name().as_ref(), each),
                stop => stop,
            },
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                ended(end.local_name().as_ref(), each)
            }
            Event::Text(text) => each(Piece::Text(&String::from_utf8_lossy(text))),
            Event::CData(text) => each(Piece::Text(&String::from_utf8_lossy(text))),
            Event::GeneralRef(reference) => {
                let name = String::from_utf8_lossy(reference);
                each(Piece::Text(&unescape(&format!("&{name};")).unwrap_or_default()))
            }
            Event::Eof => return Ok(()),
            _ => ControlFlow::Continue(()),
        };
        if on.is_break() {
            return Ok(());
        }
    }
}

fn started(
    start: &BytesStart<'_>,
    each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let name = start.local_name();
    let name = std::str::from_utf8(name.as_ref()).unwrap_or_default();
    each(Piece::Start { name, marks: Marks(start) })
}

fn ended(name: &[u8], each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    each(Piece::End { name: std::str::from_utf8(name).unwrap_or_default() })
}
