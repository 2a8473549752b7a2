//! Standard output: buffered, and an error when it is gone.

use std::io::{BufWriter, Stdout, Write};

use serde::Serialize;

use crate::failure::Failure;

pub(crate) struct Output {
    out: BufWriter<Stdout>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { out: BufWriter::with_capacity(64 * 1024, std::io::stdout()) }
    }

    /// Writes text as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(|error| Failure::writing(&error))
    }

    /// Writes one JSON document on a line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        match serde_json::to_writer(&mut self.out, value) {
            Ok(()) => self.text("\n"),
            Err(error) => Err(Failure::writing(&error.into())),
        }
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Failure::writing(&error))
    }
}

/// Columns of the terminal that standard output is; none where it is none.
pub(crate) fn columns() -> Option<usize> {
    size().map(|(columns, _)| usize::from(columns))
}

/// Its rows.
pub(crate) fn rows() -> Option<usize> {
    size().map(|(_, rows)| usize::from(rows))
}

fn size() -> Option<(u16, u16)> {
    let (columns, rows) = terminal_size::terminal_size_of(std::io::stdout())?;
    // A terminal that does not know its size says 0.
    (columns.0 > 0 && rows.0 > 0).then_some((columns.0, rows.0))
}

/// Whether a terminal understands codes that make words bold or move the cursor.
pub(crate) fn takes_codes() -> bool {
    std::env::var_os("TERM").is_none_or(|value| value != "dumb")
}

/// Whether colours are wanted where they can be seen.
pub(crate) fn wants_colours() -> bool {
    takes_codes() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Text of several lines for a terminal. What a model writes is hostile: of all control
/// characters only line breaks and tabs reach the terminal, and nothing turns the
/// direction of what follows.
pub(crate) fn neutral(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .filter(|c| *c != '\r' && !turns(*c))
        .map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c })
        .collect()
}

/// A terminal as it is written to by those who hand over bytes: text of several lines reaches it
/// as [`neutral`] leaves it. A character may come in two writes.
pub(crate) struct Neutral<W: Write> {
    inner: W,
    begun: Vec<u8>,
}

impl<W: Write> Neutral<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, begun: Vec::new() }
    }
}

impl<W: Write> Write for Neutral<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        let text = neutral(&String::from_utf8_lossy(&self.begun[..whole]));
        self.begun.drain(..whole);
        self.inner.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Text for a terminal or a table: control characters of file names and messages
/// must not reach it.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        let hostile = "a\x1b[2J\u{9b}31m\x07b\r\nc\td\u{202e}e\x7f";
        assert_eq!(neutral(hostile), "a\u{fffd}[2J\u{fffd}31m\u{fffd}b\nc\tde\u{fffd}");
        let every: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        assert!(neutral(&every).chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
    }

    #[test]
    fn what_comes_in_pieces_is_neutral_too() {
        let hostile = "ä\x1b[2Jß\u{9b}31m€\u{202e}";
        for cut in 0..hostile.len() {
            let mut out = Neutral::new(Vec::new());
            out.write_all(&hostile.as_bytes()[..cut]).unwrap();
            out.write_all(&hostile.as_bytes()[cut..]).unwrap();
            assert_eq!(String::from_utf8(out.inner).unwrap(), neutral(hostile), "{cut}");
        }
    }
}
