//! Formulas: found before Markdown is read, put aside, and put back as MathML.
//!
//! Markdown would take the underscores, stars and backslashes of a formula for its own,
//! so each formula is replaced by a mark that Markdown has no opinion about. Two
//! noncharacters make the mark; they are replaced in what comes from outside, so nobody
//! else can write one.

mod aliases;
mod find;
mod mathml;
mod rules;

use std::{borrow::Cow, collections::HashMap, ops::Range};

pub(crate) use mathml::{is_attribute, is_class, is_element, push as push_mathml};

use crate::limits::MAX_MATH_TOTAL;

const MARK: char = '\u{fdd0}';
const MARK_END: char = '\u{fdd1}';

/// A formula as it stood in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Formula {
    /// With its delimiters.
    pub(crate) source: String,
    /// Between its delimiters.
    pub(crate) body: String,
    /// On lines of its own.
    pub(crate) display: bool,
}

/// A text whose formulas are put aside.
pub(crate) struct Aside<'a> {
    pub(crate) text: Cow<'a, str>,
    formulas: Vec<Formula>,
    /// Where formulas stood in the original, and their marks in `text`.
    moved: Vec<(Range<usize>, Range<usize>)>,
}

/// A piece of a text with marks.
pub(crate) enum Piece<'t> {
    Text(&'t str),
    Formula(&'t Formula),
}

impl<'a> Aside<'a> {
    /// Puts the formulas of a text aside that holds no marks yet.
    pub(crate) fn new(clean: &'a str) -> Self {
        let found = find::formulas(clean);
        if found.is_empty() {
            return Self { text: Cow::Borrowed(clean), formulas: Vec::new(), moved: Vec::new() };
        }
        let mut aside = Self { text: Cow::Borrowed(""), formulas: Vec::new(), moved: Vec::new() };
        let mut text = String::with_capacity(clean.len());
        // The same formula gets the same mark: as the label of a link it must be equal.
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut total = 0;
        let mut done = 0;
        for place in found {
            total += place.whole.len();
            if total > MAX_MATH_TOTAL {
                break;
            }
            text.push_str(&clean[done..place.whole.start]);
            let mark = text.len();
            let source = &clean[place.whole.clone()];
            let number = *known.entry(source.to_owned()).or_insert_with(|| {
                aside.formulas.push(Formula {
                    source: source.to_owned(),
                    body: rules::without_quote_markers(&clean[place.body.clone()]),
                    display: place.display,
                });
                aside.formulas.len() - 1
            });
            text.push_str(&format!("{MARK}{number}{MARK_END}"));
            done = place.whole.end;
            aside.moved.push((place.whole, mark..text.len()));
        }
        text.push_str(&clean[done..]);
        aside.text = Cow::Owned(text);
        aside
    }

    /// The pieces of a text that may hold marks.
    pub(crate) fn pieces<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Piece<'t>> {
        let mut rest = text;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            if let Some(marked) = rest.strip_prefix(MARK)
                && let Some((number, after)) = marked.split_once(MARK_END)
                && let Some(formula) = number.parse().ok().and_then(|n: usize| self.formulas.get(n))
            {
                rest = after;
                return Some(Piece::Formula(formula));
            }
            // A mark that is cut in two by the Markdown around it is text like any other.
            let skip = rest.chars().next().map_or(0, char::len_utf8);
            let end = rest[skip..].find(MARK).map_or(rest.len(), |at| at + skip);
            let (piece, after) = rest.split_at(end);
            rest = after;
            Some(Piece::Text(piece))
        })
    }

    /// A text with each mark replaced by what stood there.
    pub(crate) fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.formulas.is_empty() || !text.contains(MARK) {
            return Cow::Borrowed(text);
        }
        let mut restored = String::with_capacity(text.len());
        for piece in self.pieces(text) {
            restored.push_str(match piece {
                Piece::Text(text) => text,
                Piece::Formula(formula) => &formula.source,
            });
        }
        Cow::Owned(restored)
    }

    /// Whether any formula was put aside.
    pub(crate) fn is_changed(&self) -> bool {
        !self.moved.is_empty()
    }

    /// The place in the original for a place in the text with marks.
    pub(crate) fn original_offset(&self, offset: usize) -> usize {
        match self.moved.iter().rev().find(|(_, mark)| mark.end <= offset) {
            Some((whole, mark)) => whole.end + (offset - mark.end),
            None => offset,
        }
    }
}
