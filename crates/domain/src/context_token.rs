//! Context tokens: the marks `<<context:kind:path>>>` that say where a file
//! belongs in a message (TOK-1 to TOK-3).
//!
//! Parsing is a single forward scan. Every opener is looked at once and its path
//! ends at the next `>>>` or the next opener, whichever comes first, so no input
//! makes it slower than linear.

use std::{borrow::Cow, ops::Range};

const OPEN: &str = "<<context:";
const CLOSE: &str = ">>>";

/// What a context token points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContextKind {
    /// A picture.
    Image,
    /// Text that may be put in place.
    Text,
    /// Anything else; read on demand.
    File,
}

impl ContextKind {
    /// The name that stands in the token.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Text => "text",
            Self::File => "file",
        }
    }

    /// The kind with this name, white space and case aside.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        [Self::Image, Self::Text, Self::File]
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(name))
    }
}

/// A parsed token: what it is and where it points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextToken<'a> {
    /// What it points at.
    pub kind: ContextKind,
    /// The path, trimmed and unescaped.
    pub path: Cow<'a, str>,
}

impl ContextToken<'_> {
    /// Whether the path is absolute, on Unix or on Windows. One that is not is
    /// still a token, but a broken one (TOK-2).
    pub fn is_absolute(&self) -> bool {
        let bytes = self.path.as_bytes();
        let drive = bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/');
        drive || self.path.starts_with('/') || self.path.starts_with("\\\\")
    }
}

/// What one stretch of a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentBody<'a> {
    /// Words.
    Text(&'a str),
    /// A file.
    Token(ContextToken<'a>),
}

/// A stretch of a message and the bytes it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub body: SegmentBody<'a>,
    /// Where it stands in the message.
    pub range: Range<usize>,
}

/// Splits a message into text and tokens, in order. The ranges follow each other
/// without a gap from the first byte to the last.
pub fn segments(message: &str) -> Vec<Segment<'_>> {
    let mut out = Vec::new();
    let mut text_start = 0;
    let mut scan = 0;
    while let Some(found) = message[scan..].find(OPEN) {
        let start = scan + found;
        let body = start + OPEN.len();
        match token_at(message, body) {
            Some((token, end)) => {
                push_text(&mut out, message, text_start..start);
                out.push(Segment { body: SegmentBody::Token(token), range: start..end });
                text_start = end;
                scan = end;
            }
            None => scan = body,
        }
    }
    push_text(&mut out, message, text_start..message.len());
    out
}

fn push_text<'a>(out: &mut Vec<Segment<'a>>, message: &'a str, range: Range<usize>) {
    if !range.is_empty() {
        let body = SegmentBody::Text(&message[range.clone()]);
        out.push(Segment { body, range });
    }
}

/// Reads `kind:path>>>` at `start`; gives the token and the byte after it.
fn token_at(message: &str, start: usize) -> Option<(ContextToken<'_>, usize)> {
    let rest = &message[start..];
    let kind_end = kind_length(rest)?;
    let kind = ContextKind::parse(&rest[..kind_end])?;
    let after_kind = kind_end + 1;
    let path_length = path_length(&rest[after_kind..])?;
    let raw = trim(&rest[after_kind..after_kind + path_length]);
    if raw.trim().is_empty() {
        return None;
    }
    let end = start + after_kind + path_length + CLOSE.len();
    Some((ContextToken { kind, path: unescape(raw) }, end))
}

/// The length of the kind, which ends at a colon. A kind is letters with white
/// space around, so the scan stops at the first other character.
fn kind_length(rest: &str) -> Option<usize> {
    let end = rest.find(|c: char| !(c.is_ascii_alphabetic() || c.is_whitespace()))?;
    rest[end..].starts_with(':').then_some(end)
}

/// The length of a path up to `>>>`; none if another opener comes first.
fn path_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(step) = rest[at..].find(['<', '>']) {
        at += step;
        if bytes[at..].starts_with(CLOSE.as_bytes()) {
            return Some(at);
        }
        if bytes[at..].starts_with(OPEN.as_bytes()) {
            return None;
        }
        at += 1;
    }
    None
}

/// Only these are trimmed off a path: they are what [`escape`] can protect.
fn trim(path: &str) -> &str {
    path.trim_matches([' ', '\t', '\n', '\r'])
}

/// Writes a token. The path comes back as it was from [`segments`], whatever it holds.
pub fn print_token(kind: ContextKind, path: &str) -> String {
    format!("{OPEN}{}:{}{CLOSE}", kind.name(), escape(path))
}

/// The characters that [`escape`] may write as `%XX`, which are the only ones that
/// [`unescape`] reads back. A path that merely holds a percent sign stays as it is, and
/// so does a `%20` inside it, which downloads are full of: white space is escaped, and
/// read back, at the two ends alone.
const ESCAPABLE: [(char, &str); 7] = [
    ('%', "%25"),
    ('<', "%3C"),
    ('>', "%3E"),
    ('\n', "%0A"),
    ('\r', "%0D"),
    ('\t', "%09"),
    (' ', "%20"),
];

fn escaped(c: char) -> Option<&'static str> {
    ESCAPABLE.iter().find(|(plain, _)| *plain == c).map(|(_, code)| *code)
}

fn escape(path: &str) -> Cow<'_, str> {
    let angles = path.contains(CLOSE) || path.ends_with('>') || path.contains(OPEN);
    // White space at either end would be trimmed away by the reader.
    let inner_start = path.len() - path.trim_start_matches([' ', '\t', '\n', '\r']).len();
    let inner_end = inner_start + trim(path).len();
    let needs = |at: usize, c: char| match c {
        '\n' | '\r' => true,
        '<' | '>' => angles,
        '%' => decoded_at(&path[at..]).is_some(),
        ' ' | '\t' => at < inner_start || at >= inner_end,
        _ => false,
    };
    if !path.char_indices().any(|(at, c)| needs(at, c)) {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len() + 8);
    for (at, c) in path.char_indices() {
        match escaped(c) {
            Some(code) if needs(at, c) => out.push_str(code),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('%') {
        return Cow::Borrowed(raw);
    }
    // Line breaks are escaped everywhere; at the ends they stand among the others.
    let is_edge = |c: &char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let is_space = |c: &char| matches!(c, ' ' | '\t');
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(space) = decoded_at(rest).filter(is_edge) {
        out.push(space);
        rest = &rest[3..];
    }
    let mut tail = Vec::new();
    while let Some(at) = rest.len().checked_sub(3)
        && let Some(space) = rest.get(at..).and_then(decoded_at).filter(is_edge)
    {
        tail.push(space);
        rest = &rest[..at];
    }
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let decoded = decoded_at(&rest[at..]).filter(|c| !is_space(c));
        out.push(decoded.unwrap_or('%'));
        rest = &rest[at + if decoded.is_some() { 3 } else { 1 }..];
    }
    out.push_str(rest);
    out.extend(tail.into_iter().rev());
    Cow::Owned(out)
}

/// The character that the `%XX` at the head of `text` stands for.
fn decoded_at(text: &str) -> Option<char> {
    let code = text.get(..3)?;
    ESCAPABLE.iter().find(|(_, known)| known.eq_ignore_ascii_case(code)).map(|(c, _)| *c)
}

/// A message without its tokens: the person's own words.
pub fn words_alone(message: &str) -> String {
    let words = segments(message).into_iter().filter_map(|segment| match segment.body {
        SegmentBody::Text(text) => Some(text),
        SegmentBody::Token(_) => None,
    });
    words.collect()
}

/// A message for people: a file's name stands where its token was, and no path (HIS-8). `name`
/// gives the name of the file that the token with this number stands for; without one it is the
/// last part of its path.
pub fn with_file_names(message: &str, name: impl Fn(usize) -> Option<String>) -> String {
    let mut tokens = 0;
    let mut told = String::with_capacity(message.len());
    for segment in segments(message) {
        match segment.body {
            SegmentBody::Text(text) => told.push_str(text),
            SegmentBody::Token(token) => {
                let last = || token.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
                told.push_str(&format!("[{}]", name(tokens).unwrap_or_else(last)));
                tokens += 1;
            }
        }
    }
    told
}

#[cfg(test)]
#[path = "context_token_tests.rs"]
mod tests;
