//! How Markdown is read: which dialect, and how deep a line may nest.

use std::borrow::Cow;

use pulldown_cmark::Options;

use crate::{footnotes, limits::MAX_MARKERS_PER_LINE};

/// CommonMark with the tables, strikethrough and task lists of GitHub. Its footnotes,
/// heading attributes and metadata would take ids and names from the text.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Stands before a marker that shall open nothing. It is a noncharacter, is replaced in
/// what comes from outside, and is never written.
pub(crate) const HALT: char = '\u{fdd2}';

/// A text in which no line opens more than a few quotes and lists: before the marker
/// after the last permitted one comes a halt, and with it the line is text from there. A halt
/// also keeps a footnote from being read as the address of a link, which is not shown.
pub(crate) fn flatten(text: &str) -> Cow<'_, str> {
    let mut flat = String::new();
    let mut done = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(at) = too_deep(line).or_else(|| footnotes::note_in(line)) {
            flat.push_str(&text[done..start + at]);
            flat.push(HALT);
            done = start + at;
        }
        start += line.len();
    }
    if flat.is_empty() {
        return Cow::Borrowed(text);
    }
    flat.push_str(&text[done..]);
    Cow::Owned(flat)
}

/// Where in a line the first marker stands that is one too many. Two columns of
/// indentation count as a marker, for a list inside a list needs no less.
fn too_deep(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut columns = 0;
    let mut markers = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let spaced = bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        let marker = match byte {
            b' ' => {
                columns += 1;
                continue;
            }
            b'\t' => {
                columns += 4;
                continue;
            }
            b'0'..=b'9' => false,
            b'>' => true,
            b'-' | b'+' | b'*' => spaced,
            b'.' | b')' => spaced && before.is_some_and(|b| b.is_ascii_digit()),
            _ => return None,
        };
        if marker {
            markers += 1;
            if markers + columns / 2 > 2 * MAX_MARKERS_PER_LINE || markers > MAX_MARKERS_PER_LINE {
                // A rule of many dashes or stars is one thing, however long it is.
                let rule =
                    byte != b'>' && bytes.iter().all(|b| *b == byte || b.is_ascii_whitespace());
                return (!rule).then_some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_texts_are_left_alone() {
        let dashes = "- ".repeat(500) + "\n";
        let line = "-".repeat(100) + " a\n";
        let dots = ".".repeat(100);
        for text in ["a\n> b\n> > - c\n", "1. a\n2. b", &dashes, &line, &dots, ""] {
            assert!(matches!(flatten(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn sec_5_a_line_opens_so_many_containers_and_no_more() {
        let flat = flatten(&">".repeat(100)).into_owned();
        assert_eq!(flat.find(HALT), Some(MAX_MARKERS_PER_LINE));
        for deep in ["- ".repeat(100) + "a", "1. ".repeat(100), " ".repeat(200) + "- a"] {
            assert!(flatten(&format!("x\n{deep}\ny")).contains(HALT), "{deep}");
        }
    }
}
