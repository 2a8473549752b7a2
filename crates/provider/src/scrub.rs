//! Finding a key in a text, however it is written and in however many pieces it comes
//! (SEC-4, SEC-9). Servers echo what they were sent: in errors, in answers, in names.

use crate::Secret;

/// What stands where a key stood.
pub(crate) const MARK: &str = "[key]";

/// What becomes of a text from one place on.
pub(crate) enum Found {
    /// The key, up to here.
    Whole(usize),
    /// The text ends before it is known.
    Begun,
    /// Something else.
    Other,
}

/// One letter as a text writes it: its value and its end, nothing if it is cut off, or none.
enum Letter {
    Is(u8, usize),
    CutOff,
    None,
}

/// What is at a place of a text; most letters begin no key.
pub(crate) fn at_place(key: &[u8], text: &[u8], at: usize) -> Found {
    let byte = text[at];
    let may_begin = Some(&byte) == key.first() || matches!(byte, b'\\' | b'%' | b'&');
    if may_begin { found(key, text, at) } else { Found::Other }
}

/// A key where it begins at this place of a text, letter by letter.
fn found(key: &[u8], text: &[u8], at: usize) -> Found {
    let plain = plainly(key, text, at);
    if matches!(plain, Found::Whole(_)) {
        return plain;
    }
    match (written(key, text, at), plain) {
        (Found::Other, plain) => plain,
        (escaped, _) => escaped,
    }
}

fn plainly(key: &[u8], text: &[u8], at: usize) -> Found {
    let rest = &text[at..];
    if rest.starts_with(key) {
        return Found::Whole(at + key.len());
    }
    if key.starts_with(rest) { Found::Begun } else { Found::Other }
}

/// The same where letters may be escaped as JSON, addresses and HTML do it.
fn written(key: &[u8], text: &[u8], mut at: usize) -> Found {
    for &letter in key {
        let Some(&plain) = text.get(at) else { return Found::Begun };
        match escaped(text, at) {
            Letter::Is(value, end) if value == letter => at = end,
            Letter::CutOff => return Found::Begun,
            _ if plain == letter => at += 1,
            _ => return Found::Other,
        }
    }
    Found::Whole(at)
}

/// An escaped letter: `\u0073`, `\\u0073`, `\/`, `%73`, `&#115;` or `&#x73;`.
fn escaped(text: &[u8], at: usize) -> Letter {
    /// JSON in JSON in JSON doubles them.
    const MOST_BACKSLASHES: usize = 8;
    let rest = &text[at..];
    match rest.first() {
        Some(b'\\') => {
            let slashes = rest.iter().take(MOST_BACKSLASHES + 1);
            let slashes = slashes.take_while(|byte| **byte == b'\\').count();
            if slashes > MOST_BACKSLASHES {
                return Letter::None;
            }
            match rest.get(slashes) {
                None => Letter::CutOff,
                Some(b'u') => digits(rest, slashes + 1, 4, at),
                Some(&other) => Letter::Is(other, at + slashes + 1),
            }
        }
        Some(b'%') => digits(rest, 1, 2, at),
        Some(b'&') => entity(rest, at),
        _ => Letter::None,
    }
}

/// A value in so many hexadecimal digits, from a place of the rest on.
fn digits(rest: &[u8], from: usize, count: usize, at: usize) -> Letter {
    let there = &rest[from.min(rest.len())..(from + count).min(rest.len())];
    if !there.iter().all(u8::is_ascii_hexdigit) {
        return Letter::None;
    }
    if there.len() < count {
        return Letter::CutOff;
    }
    value(there, 16).map_or(Letter::None, |value| Letter::Is(value, at + from + count))
}

fn value(digits: &[u8], radix: u32) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?.trim_start_matches('0'), radix).ok()
}

fn entity(rest: &[u8], at: usize) -> Letter {
    /// With leading zeros.
    const MOST_DIGITS: usize = 8;
    let (from, radix) = match (rest.get(1), rest.get(2)) {
        (None, _) | (Some(b'#'), None) => return Letter::CutOff,
        (Some(b'#'), Some(b'x' | b'X')) => (3, 16),
        (Some(b'#'), Some(_)) => (2, 10),
        _ => return Letter::None,
    };
    let count = rest[from..].iter().take(MOST_DIGITS + 1);
    let count = count.take_while(|byte| byte.is_ascii_hexdigit()).count();
    match rest.get(from + count) {
        _ if count > MOST_DIGITS => Letter::None,
        None => Letter::CutOff,
        Some(b';') => value(&rest[from..from + count], radix)
            .map_or(Letter::None, |value| Letter::Is(value, at + from + count + 1)),
        Some(_) => Letter::None,
    }
}

/// A text that comes in pieces, without the key. As much is held back as could begin it.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The end of what came, as far as it could begin a key.
    held: String,
    /// As much of it was handed out already.
    out: usize,
}

impl Pieces {
    /// Takes a piece, and hands out what is safe to.
    pub(crate) fn push(&mut self, key: &Secret, piece: &str) -> String {
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        let (safe, held) = walk(key.expose().as_bytes(), &text, self.out);
        self.out = self.out.saturating_sub(held);
        self.held = text.split_off(held);
        safe
    }

    /// Hands out what was held back. Should more come, the key is still found across here, and
    /// its rest goes.
    pub(crate) fn flush(&mut self, key: &Secret) -> String {
        if self.out >= self.held.len() {
            return String::new();
        }
        let rest = begun(key, &self.held[self.out..]);
        self.out = self.held.len();
        rest
    }
}

/// A whole text without the key; none where it is not in it, as in nearly all.
pub(crate) fn whole(key: &Secret, text: &str) -> Option<String> {
    let bytes = key.expose().as_bytes();
    let may_be = |at: &usize| !matches!(at_place(bytes, text.as_bytes(), *at), Found::Other);
    let (before, rest) = text.split_at((0..text.len()).find(may_be)?);
    let (safe, held) = walk(bytes, rest, 0);
    let safe = format!("{before}{safe}{}", begun(key, &rest[held..]));
    (safe != text).then_some(safe)
}

/// The beginning of a key at the end of a text: most of a key is as good as all of it.
fn begun(key: &Secret, rest: &str) -> String {
    let key = key.expose().as_bytes();
    let most = told(key, rest.as_bytes()) * 2 >= key.len();
    if most { MARK.to_owned() } else { rest.to_owned() }
}

/// How many letters of a key a text begins with.
fn told(key: &[u8], text: &[u8]) -> usize {
    let mut at = 0;
    let next = |letter: &&u8| {
        match escaped(text, at.min(text.len())) {
            Letter::Is(value, end) if value == **letter => at = end,
            _ if text.get(at) == Some(*letter) => at += 1,
            _ => return false,
        }
        true
    };
    key.iter().take_while(next).count()
}

/// What can be handed out of a text after its first bytes, which already were, and from where
/// on it has to wait.
fn walk(key: &[u8], text: &str, out: usize) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut safe = String::with_capacity(text.len() - out);
    let (mut copied, mut at) = (out, 0);
    while at < bytes.len() {
        match at_place(key, bytes, at) {
            Found::Other => at += 1,
            Found::Whole(end) => {
                safe.push_str(text.get(copied..at).unwrap_or_default());
                safe.push_str(MARK);
                (copied, at) = (end.max(copied), end);
            }
            Found::Begun => {
                safe.push_str(text.get(copied..at).unwrap_or_default());
                return (safe, at);
            }
        }
    }
    safe.push_str(text.get(copied..).unwrap_or_default());
    (safe, bytes.len())
}

#[cfg(test)]
#[path = "scrub_tests.rs"]
mod tests;
