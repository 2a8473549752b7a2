//! Reading a history line by line.

use std::{
    borrow::Cow,
    io::{BufRead, Read},
};

use crate::pairs::{LineError, PairLine};

/// No line is longer; one that claims to be would fill the memory.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Why a history could not be read.
#[derive(Debug)]
pub enum PairsError {
    /// The file cannot be read.
    Reading(std::io::Error),
    /// A line is not a pair.
    Line {
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        error: LineError,
    },
}

/// Hands every pair of a history to `each`. Blank lines are passed over. Gives how many lines
/// held bytes that are not UTF-8; they were read with U+FFFD.
pub fn read_pairs(
    mut input: impl BufRead,
    mut each: impl FnMut(PairLine<'_>) -> Result<(), LineError>,
) -> Result<u64, PairsError> {
    let mut line = Vec::new();
    let mut number = 0;
    let mut lossy = 0;
    loop {
        line.clear();
        let mut limited = (&mut input).take(LONGEST_LINE);
        let read = limited.read_until(b'\n', &mut line).map_err(PairsError::Reading)? as u64;
        if read == 0 {
            return Ok(lossy);
        }
        number += 1;
        let at_line = |error| PairsError::Line { number, error };
        if read == LONGEST_LINE && !line.ends_with(b"\n") {
            return Err(at_line(LineError("the line is longer than 64 MB".to_owned())));
        }
        let text = String::from_utf8_lossy(&line);
        lossy += u64::from(matches!(text, Cow::Owned(_)));
        // A byte order mark at the head of a file is no part of its first line.
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        if !text.trim().is_empty() {
            let mended = mend_surrogates(text);
            lossy += u64::from(matches!(mended, Cow::Owned(_)));
            let pair = PairLine::parse(&mended).map_err(at_line)?;
            each(pair).map_err(at_line)?;
        }
    }
}

/// JSON may escape half of a character, as other programs do when they cut a text in
/// the wrong place. Such halves become U+FFFD like any other bytes that are no text.
fn mend_surrogates(line: &str) -> Cow<'_, str> {
    if !line.contains("\\ud") && !line.contains("\\uD") {
        return Cow::Borrowed(line);
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(step) = line[at..].find('\\') {
        at += step;
        at += match (unit_at(line, at), unit_at(line, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&line[copied..at]);
                out.push('\u{fffd}');
                copied = at + 6;
                6
            }
            (Some(_), _) => 6,
            // Any other escape is a backslash and one character.
            (None, _) => 1 + line[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    out.push_str(&line[copied..]);
    Cow::Owned(out)
}

/// The number of the `\uXXXX` escape that starts here.
fn unit_at(line: &str, at: usize) -> Option<u32> {
    let digits = line.get(at..at + 6)?.strip_prefix("\\u")?;
    let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids, and how many lines were not UTF-8.
    type Read = (Vec<String>, u64);

    fn ids(input: &[u8]) -> Result<Read, (u64, String)> {
        let mut ids = Vec::new();
        let lossy = read_pairs(input, |pair| {
            ids.push(pair.id.into_owned());
            Ok(())
        });
        match lossy {
            Ok(lossy) => Ok((ids, lossy)),
            Err(PairsError::Line { number, error }) => Err((number, error.0)),
            Err(PairsError::Reading(error)) => Err((0, error.to_string())),
        }
    }

    fn line(id: &str) -> String {
        format!("{{\"id\":\"{id}\",\"userText\":\"\",\"createdAt\":\"2026-11-15T09:30:00Z\"}}")
    }

    #[test]
    fn blank_lines_and_a_missing_last_break_are_fine() {
        let text = format!("\u{feff}{}\r\n\n  \n{}", line("a"), line("b"));
        let (ids, lossy) = ids(text.as_bytes()).unwrap();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(lossy, 0);
        assert_eq!(super::tests::ids(b"").unwrap().0, [""; 0]);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        let text = format!("{}\n\n{{oops\n", line("a"));
        let (number, error) = ids(text.as_bytes()).unwrap_err();
        assert_eq!(number, 3);
        assert!(error.starts_with("not a JSON object"), "{error}");
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced_and_counted() {
        let mut text = line("a").into_bytes();
        text[7] = 0xff;
        let (ids, lossy) = ids(&text).unwrap();
        assert_eq!((ids[0].as_str(), lossy), ("\u{fffd}", 1));
    }
}
