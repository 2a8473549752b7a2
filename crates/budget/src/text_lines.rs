//! The lines of a text, for who reads it part by part.

use plimsoll_tokens::cut_at_word;

/// The longest line in bytes. What is longer counts as several lines, so that every part of
/// any text can be asked for with a small budget.
pub const LONGEST_LINE: usize = 400;

/// A text and where its lines begin. Lines are counted from 1.
#[derive(Clone, Debug)]
pub struct TextLines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> TextLines<'t> {
    /// The lines of a text; an empty one has one line.
    pub fn of(text: &'t str) -> Self {
        let mut starts = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let mut rest = line;
            while rest.trim_end_matches(['\n', '\r']).len() > LONGEST_LINE {
                starts.push(at + line.len() - rest.len());
                let head = match cut_at_word(rest, LONGEST_LINE) {
                    "" => rest.floor_char_boundary(LONGEST_LINE),
                    head => head.len(),
                };
                rest = &rest[head..];
            }
            starts.push(at + line.len() - rest.len());
            at += line.len();
        }
        if starts.is_empty() {
            starts.push(0);
        }
        Self { text, starts }
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that a byte of the text stands in.
    pub fn line_at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).max(1)
    }

    /// So many lines from one on, as they stand in the text, without the break at their end.
    pub fn part(&self, from: usize, lines: usize) -> &'t str {
        let start = |line: usize| self.starts.get(line - 1).copied().unwrap_or(self.text.len());
        let from = from.max(1);
        let part = &self.text[start(from)..start(from.saturating_add(lines))];
        let part = part.strip_suffix('\n').unwrap_or(part);
        part.strip_suffix('\r').unwrap_or(part)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let lines = TextLines::of("one\ntwo\r\n\nfour");
        assert_eq!(lines.count(), 4);
        assert_eq!((lines.part(1, 1), lines.part(2, 1), lines.part(3, 1)), ("one", "two", ""));
        assert_eq!(lines.part(2, 9), "two\r\n\nfour");
        assert_eq!((lines.part(5, 1), lines.part(1, 0)), ("", ""));
        assert_eq!((lines.line_at(0), lines.line_at(4), lines.line_at(99)), (1, 2, 4));
        assert_eq!(TextLines::of("").count(), 1);
    }

    #[test]
    fn a_long_line_is_several() {
        let words = "harbour ".repeat(200);
        let lines = TextLines::of(&words);
        assert_eq!(lines.count(), 5);
        assert!(lines.part(1, 1).ends_with("harbour"));
        assert_eq!(TextLines::of(&"x".repeat(1000)).count(), 3, "and so is one long word");
    }

    proptest! {
        /// Read one by one, they are the whole text.
        #[test]
        fn no_line_is_lost(text in "([a-zé語🚢]{0,900}[ \n]{0,2}|\r\n){0,9}") {
            let lines = TextLines::of(&text);
            let mut at = 0;
            for line in 1..=lines.count() {
                let part = lines.part(line, 1);
                prop_assert!(part.len() <= LONGEST_LINE);
                prop_assert!(text[at..].starts_with(part), "{line}");
                prop_assert_eq!(lines.line_at(at), line);
                at = lines.starts.get(line).copied().unwrap_or(text.len());
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
