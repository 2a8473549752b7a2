//! The end of an unfinished text, completed as far as it can be told.
//!
//! Only the last block is touched. Whatever is done here is done to Markdown, and the
//! result goes the same way as every other text, so nothing here can make it unsafe.

use pulldown_cmark::{Event, Parser, Tag};

use crate::markdown;

mod inline;
mod table;

/// A longer last block is left as it is.
const MAX_LAST_BLOCK: usize = 64 * 1024;

/// An unfinished text with its last block completed.
pub(crate) fn complete(markdown: &str) -> String {
    let text = without_begun_line(markdown);
    let start = match last_block(text) {
        Some((start, Kind::Words)) if text.len() - start <= MAX_LAST_BLOCK => start,
        _ => return text.to_owned(),
    };
    let (before, block) = text.split_at(start);
    let mut whole = before.to_owned();
    match table::complete(block) {
        Some(table) => whole.push_str(&table),
        None => whole.push_str(&inline::complete(block)),
    }
    whole
}

/// The text without a last line of which nothing can be told yet: a dash may become a
/// list, a rule, or make a heading of the line above.
fn without_begun_line(text: &str) -> &str {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].trim();
    let signs = line.chars().all(|c| "-=*_+#>~`|:\\ ".contains(c));
    let number = line.strip_suffix(['.', ')']).unwrap_or_default();
    let numbered = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    // A whole fence is begun, too, but it has a meaning already.
    let fence = line.starts_with("```") || line.starts_with("~~~");
    if (signs && !fence && !line.starts_with('|')) || numbered { &text[..start] } else { text }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Words,
    Other,
}

/// The block at the end of a text: where it starts, and whether it holds words.
fn last_block(text: &str) -> Option<(usize, Kind)> {
    let end = text.trim_end().len();
    let mut last = None;
    for (event, range) in Parser::new_ext(text, markdown::options()).into_offset_iter() {
        let Event::Start(tag) = event else { continue };
        let kind = match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::TableCell => Kind::Words,
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::TableRow => Kind::Other,
            _ => continue,
        };
        last = Some((range, kind));
    }
    let (range, kind) = last?;
    (range.end >= end).then_some((range.start, kind))
}

#[cfg(test)]
#[path = "partial_tests.rs"]
mod tests;
