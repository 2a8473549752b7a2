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

/// Text for a terminal or a table: control characters of file names and messages
/// must not reach it.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
