//! Why a filter is refused, and where (FLT-4).

use thiserror::Error;

use crate::{
    ast::Span,
    width::{columns, is_direction},
};

/// How many columns of a long source [`FilterError::caret`] shows.
const WINDOW: usize = 80;
/// How many marks on one character it shows; a source could be made of nothing else.
const MARKS: usize = 4;
/// How many characters of what was found a message repeats.
const FOUND_LIMIT: usize = 32;

/// What sort of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A single letter that is no atom.
    UnknownLetter,
    /// A plain word. A caller may offer to search for it (HIS-7).
    StrayWord,
    /// An atom in upper case.
    UpperCase,
    /// A character that starts nothing.
    UnexpectedCharacter,
    /// An atom without the number or text that it needs.
    MissingArgument,
    /// A number that is too large or out of range.
    BadNumber,
    /// Something that looks like a comparator and is none.
    BadComparator,
    /// An age that is none, or that is compared with `=`.
    BadAge,
    /// A day that is not in the calendar.
    BadDate,
    /// A topic path that cannot be read.
    BadPath,
    /// A quote that is never closed.
    UnterminatedQuote,
    /// A backslash before a character that needs none.
    UnknownEscape,
    /// Quotes with nothing in between.
    EmptyText,
    /// An opening parenthesis without its partner.
    UnclosedParenthesis,
    /// A closing parenthesis without its partner, or with nothing before it.
    UnexpectedParenthesis,
    /// An operator with nothing on one side.
    DanglingOperator,
    /// More than [`MAX_DEPTH`](crate::MAX_DEPTH) levels.
    TooDeep,
    /// More text than the limits allow.
    TooLong,
    /// An `o` that is not a top-level AND term.
    MisplacedBoundary,
    /// `t` or `m` while nothing is selected.
    NothingSelected,
    /// No saved filter has this name.
    UnknownSavedFilter,
    /// A saved filter that uses itself, or that holds a mistake.
    BadSavedFilter,
    /// No command has this name.
    UnknownCommand,
    /// A command with arguments that it does not take.
    BadCommand,
    /// `:delete` on a filter whose meaning moves.
    MovingFilter,
}

impl ErrorKind {
    /// The words that a message starts with.
    fn headline(self) -> &'static str {
        match self {
            Self::UnknownLetter => "unknown letter",
            Self::StrayWord => "a stray word",
            Self::UpperCase => "letters are lower case",
            Self::UnexpectedCharacter => "unexpected character",
            Self::MissingArgument => "something is missing",
            Self::BadNumber => "the number does not fit",
            Self::BadComparator => "not a comparator",
            Self::BadAge => "not an age",
            Self::BadDate => "not a date",
            Self::BadPath => "not a topic path",
            Self::UnterminatedQuote => "the quote is not closed",
            Self::UnknownEscape => "unknown escape",
            Self::EmptyText => "the text is empty",
            Self::UnclosedParenthesis => "the parenthesis is not closed",
            Self::UnexpectedParenthesis => "unexpected parenthesis",
            Self::DanglingOperator => "the operator joins nothing",
            Self::TooDeep => "nested too deeply",
            Self::TooLong => "too long",
            Self::MisplacedBoundary => "`o` cannot stand here",
            Self::NothingSelected => "nothing is selected",
            Self::UnknownSavedFilter => "unknown saved filter",
            Self::BadSavedFilter => "the saved filter cannot be used",
            Self::UnknownCommand => "unknown command",
            Self::BadCommand => "the command cannot be read",
            Self::MovingFilter => "the meaning of this filter moves",
        }
    }
}

/// A mistake in a filter or a command: where it is, what was found, what was expected
/// and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.message())]
pub struct FilterError {
    /// What sort of mistake it is.
    pub kind: ErrorKind,
    /// Where it starts, in bytes from the start of the text.
    pub position: usize,
    /// How many bytes it covers; none at the end of the text.
    pub length: usize,
    /// What stands there.
    pub found: String,
    /// What could stand there.
    pub expected: String,
    /// What to do about it.
    pub suggestion: Option<String>,
}

impl FilterError {
    pub(crate) fn new(
        kind: ErrorKind,
        span: Span,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let length = span.end.saturating_sub(span.start);
        let (found, expected) = (found.into(), expected.into());
        Self { kind, position: span.start, length, found, expected, suggestion: None }
    }

    pub(crate) fn hint(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    fn message(&self) -> String {
        match &self.suggestion {
            Some(suggestion) => format!("{}; {suggestion}", self.problem()),
            None => self.problem(),
        }
    }

    /// What is wrong, without the suggestion, for those who show that apart.
    pub fn problem(&self) -> String {
        let headline = self.kind.headline();
        format!("{headline}: found {}, expected {}", self.found, self.expected)
    }

    /// Two lines: the source, and carets under the characters at fault. Line breaks and
    /// other control characters are shown as one space, so that the columns agree; of a
    /// long source only the surroundings are shown.
    pub fn caret(&self, source: &str) -> String {
        // Going by start offsets works for any source, also one that the error does not
        // belong to, where slicing could split a character.
        let end = self.position.saturating_add(self.length);
        let (mut total, mut column, mut end_column) = (0, 0, 0);
        for (at, c) in source.char_indices() {
            let width = columns(plain(c));
            total += width;
            column += if at < self.position { width } else { 0 };
            end_column += if at < end { width } else { 0 };
        }
        let first =
            if total <= WINDOW { 0 } else { column.saturating_sub(WINDOW / 2).min(total - WINDOW) };
        let last = total.min(first + WINDOW);

        let mut shown = String::new();
        let mut indent = column.saturating_sub(first);
        if first > 0 {
            shown.push('…');
            indent += 1;
        }
        let (mut at, mut marks) = (0, 0);
        for c in source.chars().map(plain) {
            let width = columns(c);
            marks = if width == 0 { marks + 1 } else { 0 };
            let cut = |edge: usize| at < edge && edge < at + width;
            if first <= at && at + width <= last && marks <= MARKS {
                shown.push(c);
            } else if cut(first) || cut(last) {
                // Half of a wide character keeps the columns in step.
                shown.push(' ');
            }
            at += width;
        }
        if last < total {
            shown.push('…');
        }
        let width = end_column.min(last).saturating_sub(column).max(1);
        format!("{shown}\n{}{}", " ".repeat(indent), "^".repeat(width))
    }
}

/// What was found, in back quotes, on one line, and not too long.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    for (count, c) in text.chars().enumerate() {
        if count == FOUND_LIMIT {
            out.push('…');
            break;
        }
        out.push(plain(c));
    }
    out.push('`');
    out
}

/// A character that moves nothing but the column.
fn plain(c: char) -> char {
    let moves = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_direction(c);
    if moves { ' ' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(position: usize, length: usize) -> FilterError {
        let span = Span::new(position, position + length);
        FilterError::new(ErrorKind::BadNumber, span, "`9`", "a digit")
    }

    #[test]
    fn the_message_is_one_line_with_the_suggestion_last() {
        let error = error(1, 1).hint("try `s3`");
        let message = "the number does not fit: found `9`, expected a digit; try `s3`";
        assert_eq!(error.to_string(), message, "FLT-4");
        assert_eq!(quoted(&"x\ny".repeat(99)).chars().count(), FOUND_LIMIT + 3);
    }

    #[test]
    fn carets_stand_under_columns_not_bytes() {
        let check = |source: &str, position, length, expected: &str| {
            assert_eq!(error(position, length).caret(source), expected, "{source:?}");
        };
        check("b s9", 3, 1, "b s9\n   ^");
        check("t'é' s99", 7, 2, "t'é' s99\n      ^^");
        check("a\n\tb", 3, 1, "a  b\n   ^");
        check("b", 1, 0, "b\n ^");
        check("t'漢字' s9", 11, 1, "t'漢字' s9\n         ^");
        check("t'漢字' s9", 2, 6, "t'漢字' s9\n  ^^^^");
        check("t'🦀' s9", 9, 1, "t'🦀' s9\n       ^");
        check("t'e\u{301}' s9", 8, 1, "t'e\u{301}' s9\n      ^");
        check("t'\u{202e}' s9", 8, 1, "t' ' s9\n      ^");
        check("", 0, 0, "\n^");
        // A source that the error does not belong to is shown all the same.
        check("é", 1, 9, "é\n ^");
    }

    #[test]
    fn of_a_long_source_the_surroundings_are_shown() {
        let source = format!("{}!{}", "b".repeat(500), "g".repeat(500));
        let caret = error(500, 1).caret(&source);
        let (shown, mark) = caret.split_once('\n').unwrap();
        assert_eq!(shown.chars().count(), WINDOW + 2);
        let at = mark.chars().count() - 1;
        assert_eq!(shown.chars().nth(at), Some('!'));
        assert!(shown.starts_with('…') && shown.ends_with('…'));

        let caret = error(1_001, 0).caret(&source);
        let (shown, mark) = caret.split_once('\n').unwrap();
        assert_eq!(mark.chars().count(), shown.chars().count() + 1);

        let wide = format!("x{}!", "漢".repeat(99));
        let caret = error(wide.len() - 1, 1).caret(&wide);
        let (shown, mark) = caret.split_once('\n').unwrap();
        assert_eq!(shown, format!("… {}!", "漢".repeat(39)));
        assert_eq!(mark.chars().count(), WINDOW + 1);
        let marked = format!("e{}", "\u{301}".repeat(999));
        assert!(error(0, 1).caret(&marked).chars().count() < 9);
    }
}
