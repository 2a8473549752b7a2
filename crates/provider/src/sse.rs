//! Server-sent events, from bytes in any split.
//!
//! The parser is pulled: bytes go in, events come out one at a time, so a burst of
//! bytes never becomes a pile of events. It forgives what real servers do: any line
//! ending, comments, no space after the colon, no blank line at the end, bytes that are
//! not UTF-8. What it does not take is a line without an end.

/// The longest line, and the longest event, in bytes.
pub(crate) const MAX_LINE: usize = 8 * 1024 * 1024;

/// What came out of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SseItem {
    Event(SseEvent),
    /// A comment; servers send them to keep a connection alive.
    Comment,
    /// A line that is no part of any event.
    Stray(String),
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Its name; empty where it has none.
    pub(crate) name: String,
    /// Its data, lines joined.
    pub(crate) data: String,
}

/// A line or an event is longer than [`MAX_LINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a line of the stream is longer than {} bytes", MAX_LINE)]
pub(crate) struct LineTooLong;

/// The parser.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    /// Bytes that arrived.
    bytes: Vec<u8>,
    /// How many of them were read as lines.
    start: usize,
    /// How far they are known to hold no line ending.
    searched: usize,
    /// A line ended with a carriage return, so a line feed that follows belongs to it.
    after_return: bool,
    /// The first line may begin with a byte order mark.
    begun: bool,
    event: SseEvent,
    has_data: bool,
}

impl SseParser {
    /// Takes bytes, in any split.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next item that is complete, if there is one. It is asked until it has none
    /// before more bytes are pushed, which is what keeps memory bounded.
    pub(crate) fn next(&mut self) -> Result<Option<SseItem>, LineTooLong> {
        while let Some(line) = self.take_line()? {
            if let Some(item) = self.line(&line)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// What is left when the stream has ended: a last line without an end, and an
    /// event without the blank line after it.
    pub(crate) fn finish(&mut self) -> Result<Option<SseItem>, LineTooLong> {
        if self.start < self.bytes.len() {
            let rest = self.text(self.start..self.bytes.len());
            self.start = self.bytes.len();
            if let Some(item) = self.line(&rest)? {
                return Ok(Some(item));
            }
        }
        Ok(self.dispatch())
    }

    fn take_line(&mut self) -> Result<Option<String>, LineTooLong> {
        if self.after_return && self.start < self.bytes.len() {
            self.after_return = false;
            self.start += usize::from(self.bytes[self.start] == b'\n');
        }
        let from = self.searched.max(self.start);
        let found = memchr::memchr2(b'\n', b'\r', &self.bytes[from..]).map(|at| from + at);
        self.searched = found.unwrap_or(self.bytes.len());
        if self.searched - self.start > MAX_LINE {
            return Err(LineTooLong);
        }
        let Some(end) = found else { return Ok(None) };
        let line = self.text(self.start..end);
        self.start = end + 1;
        self.after_return = self.bytes[end] == b'\r';
        Ok(Some(line))
    }

    fn text(&mut self, line: std::ops::Range<usize>) -> String {
        let line = &self.bytes[line];
        let first = !std::mem::replace(&mut self.begun, true);
        let line = if first { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        String::from_utf8_lossy(line).into_owned()
    }

    fn line(&mut self, line: &str) -> Result<Option<SseItem>, LineTooLong> {
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => return Ok(Some(SseItem::Comment)),
            "data" => {
                if self.event.data.len() + value.len() > MAX_LINE {
                    return Err(LineTooLong);
                }
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event.name),
            "id" | "retry" => {}
            _ => return Ok(Some(SseItem::Stray(line.to_owned()))),
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<SseItem> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(SseItem::Event(event))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn items(pieces: &[&[u8]]) -> Vec<SseItem> {
        let mut parser = SseParser::default();
        let mut items = Vec::new();
        for piece in pieces {
            parser.push(piece);
            while let Some(item) = parser.next().unwrap() {
                items.push(item);
            }
        }
        while let Some(item) = parser.finish().unwrap() {
            items.push(item);
        }
        items
    }

    fn event(name: &str, data: &str) -> SseItem {
        SseItem::Event(SseEvent { name: name.into(), data: data.into() })
    }

    #[test]
    fn what_servers_send_is_read() {
        let stray = SseItem::Stray("<html>".into());
        for (bytes, expected) in [
            (&b"data: a\n\ndata: b\n\n"[..], vec![event("", "a"), event("", "b")]),
            (b"data:a\n\n", vec![event("", "a")]),
            (b"data:  a\n\n", vec![event("", " a")]),
            (b"data: a\r\n\r\ndata: b\r\n\r\n", vec![event("", "a"), event("", "b")]),
            (b"data: a\r\rdata: b\r\r", vec![event("", "a"), event("", "b")]),
            (b"data: a\ndata: b\n\n", vec![event("", "a\nb")]),
            (b"event: ping\ndata: {}\n\n", vec![event("ping", "{}")]),
            (b"event: lost\n\ndata: a\n\n", vec![event("", "a")]),
            (b": hello\n\ndata: a\n\n", vec![SseItem::Comment, event("", "a")]),
            (b"id: 7\nretry: 10\ndata: a\n\n", vec![event("", "a")]),
            (b"data\n\n", vec![event("", "")]),
            (b"data: a\n", vec![event("", "a")]),
            (b"data: a", vec![event("", "a")]),
            (b"\xef\xbb\xbfdata: a\n\n", vec![event("", "a")]),
            (b"data: caf\xe9\n\n", vec![event("", "caf\u{fffd}")]),
            (b"<html>\n", vec![stray]),
            (b"\n\n\n", vec![]),
            (b"", vec![]),
        ] {
            assert_eq!(items(&[bytes]), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut parser = SseParser::default();
        let piece = vec![b'x'; 1024 * 1024];
        let mut outcome = Ok(None);
        for _ in 0..9 {
            parser.push(&piece);
            outcome = parser.next();
            if outcome.is_err() {
                break;
            }
        }
        assert_eq!(outcome, Err(LineTooLong));
        assert!(parser.bytes.len() <= MAX_LINE + piece.len());
    }

    #[test]
    fn an_event_of_endless_lines_is_refused() {
        let mut parser = SseParser::default();
        let line = format!("data: {}\n", "x".repeat(1024 * 1024));
        let outcome = (0..9).find_map(|_| {
            parser.push(line.as_bytes());
            parser.next().err()
        });
        assert_eq!(outcome, Some(LineTooLong));
    }

    proptest! {
        #[test]
        fn any_split_reads_the_same(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "data: {\"a\":1}", "data:é✓ 漢字", "", "event: x", ": c", "stray", "data", "id: 1",
                ]),
                0..24,
            ),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 24),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let whole: String =
                lines.iter().zip(&ends).flat_map(|(line, end)| [*line, *end]).collect();
            let whole = whole.into_bytes();
            let mut cuts: Vec<usize> =
                cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &whole[cut[0]..cut[1]]).collect();
            prop_assert_eq!(items(&pieces), items(&[&whole]));
            let single: Vec<&[u8]> = whole.chunks(1).collect();
            prop_assert_eq!(items(&single), items(&[&whole]));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            items(&[&bytes]);
        }
    }
}
