//! Where a growing text can be cut: what stands before is rendered once and kept.

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use crate::{limits::MAX_MARKDOWN_BYTES, markdown, math::Aside, text};

/// The place in a growing text before which nothing changes any more, whatever arrives
/// after it. It is the start of a line, and
/// `render(before) + render(after) == render(whole)`.
///
/// It is careful: a cut is only made after an empty line, before a line that is complete
/// and starts at the margin, and not past the first brackets that a later line could
/// still make a link of, nor past a definition that a later line could still use.
///
/// What is left can be asked again on its own, so a page keeps what is stable and gives
/// only the tail, however long the answer grows.
pub fn stable_prefix(markdown: &str) -> usize {
    // The last line may still become anything, so it counts as absent.
    let lines = markdown.rfind('\n').map_or("", |at| &markdown[..=at]);
    if lines.len() > MAX_MARKDOWN_BYTES {
        return 0;
    }
    let clean = text::without_marks(lines);
    if !matches!(markdown::flatten(&clean), std::borrow::Cow::Borrowed(_)) {
        return 0;
    }
    let aside = Aside::new(&clean);
    let Some(cut) = last_cut(&aside.text, |_| true) else { return 0 };
    let cut = aside.original_offset(cut);
    // The formulas were looked for in the original, so it must be cut there, too.
    match aside.is_changed() {
        true => {
            last_cut(&clean, |place| place <= cut).map_or(0, |own| if own == cut { cut } else { 0 })
        }
        false => cut,
    }
}

/// The start of the last block at the margin that may be cut off.
fn last_cut(text: &str, accept: impl Fn(usize) -> bool) -> Option<usize> {
    let parser = Parser::new_ext(text, markdown::options());
    let definitions = parser.reference_definitions().iter().map(|(_, d)| d.span.start).min();
    let end = definitions.unwrap_or(text.len());
    let mut depth = 0_usize;
    let mut cut = None;
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
                    if start > end {
                        break;
                    }
                    // A block that starts elsewhere in its line follows a carriage return.
                    if start == range.start && is_cut(text, start) && accept(start) {
                        cut = Some(start);
                    }
                }
                let reference = match tag {
                    Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => !matches!(
                        link_type,
                        LinkType::Inline | LinkType::Autolink | LinkType::Email
                    ),
                    _ => false,
                };
                if reference {
                    break;
                }
                depth += 1;
                if matches!(tag, Tag::CodeBlock(_)) {
                    // Brackets in code are no link, now or later.
                    depth += CODE;
                }
            }
            Event::End(end) => {
                depth -= 1;
                if matches!(end, TagEnd::CodeBlock) {
                    depth -= CODE;
                }
            }
            // A definition that is yet to come may make a link of these.
            Event::Text(words) if depth < CODE && words.contains([']', '[']) => break,
            _ => {}
        }
    }
    cut
}

/// More than any text can nest.
const CODE: usize = 1 << 40;

/// Whether the text may be cut at the start of this line.
fn is_cut(text: &str, start: usize) -> bool {
    let margin = text[start..].starts_with(|c: char| !c.is_whitespace());
    let before = text[..start].strip_suffix('\n').unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    start > 0 && margin && line.trim_matches([' ', '\t', '\r']).is_empty()
}

#[cfg(test)]
#[path = "stable_tests.rs"]
mod tests;
