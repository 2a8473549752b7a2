//! Where formulas are: a forward scan over the text outside of code.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::rules;
use crate::limits::MAX_MATH_BYTES;

/// A formula in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) whole: Range<usize>,
    pub(super) body: Range<usize>,
    pub(super) display: bool,
}

/// All formulas of a text, in order.
pub(super) fn formulas(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    if next_sign(text, 0).is_none() {
        return places;
    }
    let closed = not_for_math(text);
    let mut scan = Scan { text, closed: &closed, index: 0 };
    let mut at = 0;
    while let Some(sign) = next_sign(text, at) {
        if let Some(end) = scan.inside_closed(sign) {
            at = end;
        } else if let Some(place) = scan.formula_at(sign) {
            at = place.whole.end;
            places.push(place);
        } else {
            // Two dollars or a backslash and its bracket are passed over together.
            at = sign + if text[sign..].starts_with("$$") { 2 } else { 1 };
            if text.as_bytes()[sign] == b'\\' {
                at = sign + 1 + text[sign + 1..].chars().next().map_or(0, char::len_utf8);
            }
        }
    }
    places
}

/// The next dollar or backslash.
fn next_sign(text: &str, from: usize) -> Option<usize> {
    memchr::memchr2(b'$', b'\\', text.as_bytes().get(from..)?).map(|at| from + at)
}

/// What is code, raw HTML or an address: no formula begins there, ends there or holds it.
fn not_for_math(text: &str) -> Vec<Range<usize>> {
    let mut closed: Vec<Range<usize>> = Vec::new();
    // For each open link, where its words end.
    let mut links: Vec<usize> = Vec::new();
    for (event, range) in Parser::new_ext(text, crate::markdown::options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Code(_) => {
                closed.push(range.clone());
            }
            Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }) => {
                match link_type {
                    LinkType::Autolink | LinkType::Email => closed.push(range.clone()),
                    _ => links.push(range.start),
                }
                continue;
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                // An automatic link opened nothing here, and its words end past the
                // words of any link around it, so popping nothing is right for it.
                if closed.last().is_none_or(|last| *last != range)
                    && let Some(words) = links.pop()
                    && words < range.end
                {
                    closed.push(words..range.end);
                }
            }
            _ => {}
        }
        if let Some(words) = links.last_mut() {
            *words = (*words).max(range.end);
        }
    }
    closed.sort_by_key(|range| range.start);
    closed
}

struct Scan<'t> {
    text: &'t str,
    closed: &'t [Range<usize>],
    /// The first closed range that does not end before where the scan is.
    index: usize,
}

impl Scan<'_> {
    /// The end of the closed range that a place is in.
    fn inside_closed(&mut self, at: usize) -> Option<usize> {
        while self.closed.get(self.index).is_some_and(|range| range.end <= at) {
            self.index += 1;
        }
        self.closed.get(self.index).filter(|range| range.start <= at).map(|range| range.end)
    }

    fn formula_at(&mut self, at: usize) -> Option<Place> {
        let delimiter = rules::opening(self.text, at)?;
        let start = at + delimiter.open().len();
        // Code ends a formula's way as an empty line does.
        let code = self.closed.get(self.index).map_or(self.text.len(), |range| range.start);
        let limit = self.text.floor_char_boundary(code.min(start + MAX_MATH_BYTES));
        let length = rules::closing(self.text.get(start..limit)?, delimiter)?;
        let body = start..start + length;
        let end = body.end + delimiter.close().len();
        let after = self.text[end..].chars().next();
        rules::is_formula(&self.text[body.clone()], delimiter, after).then(|| Place {
            whole: at..end,
            body,
            display: delimiter.display(),
        })
    }
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
