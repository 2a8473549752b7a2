//! Lines out of bytes, none longer than a bound. What is longer is passed over up to its
//! end, and only its beginning is kept.

use memchr::memchr;

/// As much as is kept of a line that is too long.
pub(super) const HEAD: usize = 256;

/// A line without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// All of it.
    Whole(Vec<u8>),
    /// The beginning of one that is too long.
    TooLong(Vec<u8>),
}

/// Cuts bytes into lines as they come.
#[derive(Debug)]
pub(super) struct Lines {
    most: usize,
    buffer: Vec<u8>,
    /// How much of the buffer is known to hold no end of a line.
    searched: usize,
    /// Whether the rest of a line that was too long is still coming.
    skipping: bool,
}

impl Lines {
    /// Lines of at most so many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { most, buffer: Vec::new(), searched: 0, skipping: false }
    }

    /// Takes bytes in.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line, if all of it is there or too much of it.
    pub(super) fn next(&mut self) -> Option<Line> {
        loop {
            let found = memchr(b'\n', &self.buffer[self.searched..]).map(|at| at + self.searched);
            let Some(end) = found else {
                if self.skipping {
                    self.buffer.clear();
                }
                self.searched = self.buffer.len();
                if self.buffer.len() <= self.most {
                    return None;
                }
                self.skipping = true;
                let mut head = std::mem::take(&mut self.buffer);
                self.searched = 0;
                head.truncate(HEAD);
                return Some(Line::TooLong(head));
            };
            let rest = self.buffer.split_off(end + 1);
            let mut line = std::mem::replace(&mut self.buffer, rest);
            line.truncate(end);
            self.searched = 0;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.len() > self.most {
                line.truncate(HEAD);
                return Some(Line::TooLong(line));
            }
            return Some(Line::Whole(line));
        }
    }

    /// What stands behind the last end of a line, once nothing more comes.
    pub(super) fn rest(&mut self) -> Option<Line> {
        self.searched = 0;
        let rest = std::mem::take(&mut self.buffer);
        let skipped = std::mem::take(&mut self.skipping);
        (!skipped && !rest.is_empty()).then_some(Line::Whole(rest))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(most: usize, pieces: &[&[u8]]) -> Vec<Line> {
        let mut lines = Lines::new(most);
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece);
            found.extend(std::iter::from_fn(|| lines.next()));
            assert!(lines.buffer.len() <= most, "no more is kept than a line may have");
        }
        found.extend(lines.rest());
        found
    }

    #[test]
    fn a_line_that_is_too_long_costs_itself_alone() {
        let whole = |text: &str| Line::Whole(text.into());
        let long = |text: &str| Line::TooLong(text.into());
        let found = cut(4, &[b"ab\n", b"cdefg", b"hi", b"jk\nlm\n\nno"]);
        assert_eq!(found, [whole("ab"), long("cdefg"), whole("lm"), whole(""), whole("no")]);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_the_pieces(
            pieces in prop::collection::vec(prop::collection::vec(0_u8..14, 0..20), 0..12),
            most in 0_usize..30,
        ) {
            let byte = |b: &u8| if *b < 11 { b'a' + *b } else { b'\n' };
            let pieces: Vec<Vec<u8>> =
                pieces.iter().map(|piece| piece.iter().map(byte).collect()).collect();
            let parts: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            let kinds = |lines: Vec<Line>| -> Vec<Option<Vec<u8>>> {
                let kind = |line| match line {
                    Line::Whole(line) => Some(line),
                    Line::TooLong(_) => None,
                };
                lines.into_iter().map(kind).collect()
            };
            let all = pieces.concat();
            let mut expected: Vec<Option<Vec<u8>>> = all
                .split(|b| *b == b'\n')
                .map(|line| (line.len() <= most).then(|| line.to_vec()))
                .collect();
            // Behind the last end of a line there is a line only if something stands there.
            if expected.last() == Some(&Some(Vec::new())) {
                expected.pop();
            }
            prop_assert_eq!(kinds(cut(most, &parts)), expected);
        }
    }
}
