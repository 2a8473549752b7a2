//! Finding the fields of whatever a provider sent (FAU-3).
//!
//! What is JSON as a whole is read as JSON. One tolerant scanner serves everything else:
//! bodies that are cut or wrapped, Python reprs, keyword arguments, SSE lines and logs with
//! JSON behind a prefix. It does not parse: it looks for quoted strings in places where
//! structured data has them, tells keys from values by the colon that follows, and calls
//! everything else prose.
//!
//! Each byte is looked at a bounded number of times: brackets are counted rather
//! than nested, and strings inside strings are opened to a fixed level.

use serde_json::Value;

use crate::{
    escapes::unescape,
    json,
    phrases::{MESSAGE_KEYS, lists},
};

/// How many strings inside strings are opened.
const MAX_LEVELS: u8 = 5;
/// More fields than this are an answer or an echo, not an error.
const MAX_FIELDS: usize = 2_000;
/// No key of interest is longer.
const MAX_KEY_CHARS: usize = 64;

/// A value with the key it stood under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The key in lower case; empty where there is none.
    pub(crate) key: String,
    /// The value, decoded.
    pub(crate) value: String,
}

/// What was found in a body.
#[derive(Debug, Default)]
pub(crate) struct Extracted {
    /// Keys with their values, in the order of the text.
    pub(crate) fields: Vec<Field>,
    /// What is outside of every string; nothing where the text is JSON as a whole.
    pub(crate) prose: String,
}

/// Finds the strings, numbers and prose of a text.
pub(crate) fn extract_fields(text: &str) -> Extracted {
    let mut fields = Vec::new();
    // A log may show its JSON with the quotes escaped and no string around it.
    let escaped = text.contains("{\\\"") && !text.contains("{\"");
    let prose = read(&if escaped { unescape(text) } else { text.into() }, 0, &mut fields);
    Extracted { fields, prose }
}

/// Reads JSON as JSON and everything else as it comes; gives back the prose.
fn read(text: &str, level: u8, fields: &mut Vec<Field>) -> String {
    let starts_json = text.trim_start().starts_with(['{', '[']);
    let Some(scalars) = starts_json.then(|| json::scalars(text)).flatten() else {
        return scan(text, level, fields);
    };
    for (key, value) in scalars {
        let key = short_key(&key);
        match value {
            // Backspace and form feed are blanks, as they are to `unescape`.
            Value::String(text) => {
                add_string(&key, &text.replace(['\u{8}', '\u{c}'], " "), level, fields);
            }
            bare => add(fields, &key, &bare.to_string()),
        }
    }
    String::new()
}

/// One tolerant pass over one text; gives back the prose.
fn scan(text: &str, level: u8, fields: &mut Vec<Field>) -> String {
    let bytes = text.as_bytes();
    let mut prose = String::new();
    let mut prose_from = 0;
    let mut at = 0;
    let mut before = 0;
    let mut depth: usize = 0;
    let mut key = String::new();
    let mut quotes = QuoteMatcher::default();
    while at < bytes.len() {
        let byte = bytes[at];
        if is_quote(byte) && (opens_string(before) || opens_bytes(bytes, at)) {
            let may_be_key = !matches!(before, b':' | b'=' | b'[');
            let closed = quotes.close(bytes, at + 1, byte, may_be_key);
            // Outside of brackets an unclosed quote is an apostrophe; inside, the
            // body was cut in the middle of the string.
            if closed.is_some() || depth > 0 {
                prose.push_str(&text[prose_from..at]);
                let end = closed.unwrap_or(bytes.len());
                let raw = &text[at + 1..end];
                at = (end + 1).min(bytes.len());
                let colon = skip_blanks(bytes, at);
                if may_be_key && bytes.get(colon) == Some(&b':') {
                    key = short_key(raw);
                    before = b':';
                    at = bare_value(text, colon + 1, &key, fields);
                } else {
                    before = byte;
                    add_string(&key, &unescape(raw), level, fields);
                }
                prose_from = at;
                // The scanner took something out; the prose must not grow together.
                prose.push(' ');
                continue;
            }
        }
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            b'=' => key = short_key(last_word(&text[..at])),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    prose.push_str(&text[prose_from..]);
    prose
}

/// Remembers for which quotes the search for an end has failed, so that a text full
/// of unclosed quotes is not searched to its end again and again.
#[derive(Default)]
struct QuoteMatcher {
    single: bool,
    double: bool,
}

impl QuoteMatcher {
    /// Where the string that starts at `start` ends: at a quote that is followed by
    /// something that can follow a string.
    fn close(&mut self, bytes: &[u8], start: usize, quote: u8, may_be_key: bool) -> Option<usize> {
        let known = if quote == b'"' { &mut self.double } else { &mut self.single };
        if *known {
            return None;
        }
        let mut at = start;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                byte if byte == quote => match bytes.get(skip_blanks(bytes, at + 1)) {
                    None | Some(b',' | b'}' | b']' | b')' | b';') => return Some(at),
                    Some(b'\n' | b'\r') if !sentence_goes_on(bytes, at + 1) => return Some(at),
                    Some(b':') if may_be_key => return Some(at),
                    Some(_) => {}
                },
                _ => {}
            }
            at += 1;
        }
        *known = true;
        None
    }
}

/// Reads a number or a word right after a key; gives the byte to go on from.
fn bare_value(text: &str, start: usize, key: &str, fields: &mut Vec<Field>) -> usize {
    let bytes = text.as_bytes();
    let from = skip_white(bytes, start);
    let length = bytes[from.min(bytes.len())..]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.' | b'_'))
        .count();
    if length == 0 {
        return start;
    }
    add(fields, key, &text[from..from + length]);
    from + length
}

/// Adds a decoded string, or what is inside of it where it holds keys and values itself.
fn add_string(key: &str, value: &str, level: u8, fields: &mut Vec<Field>) {
    let structure = ["{\"", "{'", "{\\\"", "{\n", "{ \"", "{ '"];
    if level >= MAX_LEVELS || !structure.iter().any(|mark| value.contains(mark)) {
        return add(fields, key, value);
    }
    let first = fields.len();
    let prose = read(value, level + 1, fields);
    let found_message = fields[first..].iter().any(|field| is_message_key(&field.key));
    if found_message {
        add(fields, "", &prose);
    } else {
        // The braces were part of a sentence; the whole of it is the message.
        add(fields, key, value);
    }
}

fn add(fields: &mut Vec<Field>, key: &str, value: &str) {
    if fields.len() < MAX_FIELDS && !value.trim().is_empty() {
        fields.push(Field { key: key.to_owned(), value: value.to_owned() });
    }
}

/// Whether a key's value is meant for people.
pub(crate) fn is_message_key(key: &str) -> bool {
    lists(MESSAGE_KEYS, key)
}

fn opens_string(before: u8) -> bool {
    matches!(before, 0 | b'{' | b'[' | b'(' | b',' | b':' | b'=')
}

/// `b'{…}'`: a byte string of Python that holds structure. Before anything else the
/// quote may be the apostrophe of a plan b's limits.
fn opens_bytes(bytes: &[u8], at: usize) -> bool {
    let holds = matches!(bytes.get(at + 1), Some(b'{' | b'[' | b'"'));
    let prefix = at.checked_sub(1).map(|i| bytes[i]) == Some(b'b');
    let before = at.checked_sub(2).map(|i| bytes[i]);
    holds && prefix && before.is_none_or(|b| !b.is_ascii_alphanumeric())
}

/// Whether the next line starts with a plain small word, so that the quote before it
/// closed a name inside a wrapped sentence.
fn sentence_goes_on(bytes: &[u8], at: usize) -> bool {
    let from = skip_white(bytes, at);
    let letters = bytes[from..].iter().take_while(|b| b.is_ascii_lowercase()).count();
    letters > 0 && matches!(bytes.get(from + letters), None | Some(b' ' | b'.' | b',' | b'\n'))
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

fn skip_white(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The word at the end of a text, which is the name in `name="value"`.
fn last_word(text: &str) -> &str {
    let bytes = text.as_bytes();
    let tail = bytes.iter().rev().take(MAX_KEY_CHARS);
    let length = tail.take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    &text[text.len() - length..]
}

fn short_key(raw: &str) -> String {
    raw.chars().take(MAX_KEY_CHARS).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
