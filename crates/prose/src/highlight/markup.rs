//! Tags, attributes, comments and entities of HTML, XML and their kin.

use super::{Class, Spans};

/// Reads a source to its end.
pub(crate) fn run(source: &str, spans: &mut Spans<'_>) {
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(found) = source[at..].find(['<', '&']) {
        let start = at + found;
        spans.upto(start, Class::Plain);
        let rest = &source[start..];
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(source.len(), |end| start + end + 3);
            spans.upto(at, Class::Comment);
        } else if let Some(end) = entity(rest) {
            at = start + end;
            spans.upto(at, Class::Number);
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) {
            at = tag(source, bytes, start, spans);
        } else {
            at = start + 1;
        }
    }
}

fn entity(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix('&')?;
    let end = name.bytes().take(32).position(|b| !b.is_ascii_alphanumeric() && b != b'#')?;
    (end > 0 && name.as_bytes()[end] == b';').then_some(end + 2)
}

/// One tag, up to its end; quotes keep an angle bracket inside it.
fn tag(source: &str, bytes: &[u8], start: usize, spans: &mut Spans<'_>) -> usize {
    let part = |b: u8| b.is_ascii_alphanumeric() || b"-_:./!?".contains(&b);
    let mut at = start + 1;
    while at < bytes.len() && part(bytes[at]) {
        at += 1;
    }
    spans.upto(at, Class::Keyword);
    while at < bytes.len() {
        match bytes[at] {
            b'>' => {
                at += 1;
                spans.upto(at, Class::Keyword);
                return at;
            }
            b'<' => return at,
            quote @ (b'"' | b'\'') => {
                let end = memchr::memchr(quote, &bytes[at + 1..]);
                at = end.map_or(source.len(), |end| at + 1 + end + 1);
                spans.upto(at, Class::String);
            }
            b if part(b) => {
                while at < bytes.len() && part(bytes[at]) {
                    at += 1;
                }
                spans.upto(at, Class::Attribute);
            }
            _ => {
                at = source.ceil_char_boundary(at + 1);
                spans.upto(at, Class::Plain);
            }
        }
    }
    at
}
