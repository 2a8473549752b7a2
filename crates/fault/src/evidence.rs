//! Everything a rule may look at, laid out once: the words in lower case, the codes,
//! the status, the message and the wait.

use std::time::Duration;

use crate::{
    ProviderFailure,
    escapes::{decode_entities, decode_percent},
    extract::{Extracted, Field, extract_fields},
    lex::{Token, lex},
    message, page,
    phrases::{CODE_KEYS, ECHO_KEYS, entries, lists},
    retry,
    speech::{folded, last_error, push_words, without_advice},
    status::is_status,
};

/// Of a longer body only the head and the tail are read: errors come first in a
/// response and last in the stderr of a program.
const HEAD: usize = 192 * 1024;
const TAIL: usize = 64 * 1024;
/// A longer string is an echo of the request; its ends are enough.
const PIECE_HEAD: usize = 6 * 1024;
const PIECE_TAIL: usize = 2 * 1024;
/// The most that is searched for phrases.
const HAY_HEAD: usize = 48 * 1024;
const HAY_TAIL: usize = 16 * 1024;

/// What is known about a failure.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// The status of the response, or the one that the text names.
    pub(crate) status: Option<u16>,
    /// The words in lower case without addresses; one line for each string.
    pub(crate) hay: String,
    /// The same with `_` and `-` read as blanks.
    pub(crate) flat: String,
    /// `hay` without advice, which names what could be smaller and not what was too large.
    pub(crate) statement: String,
    /// The codes, letters and digits only, each with a bar before and after.
    pub(crate) codes: String,
    /// The message for people.
    pub(crate) message: String,
    /// The wait that was asked for.
    pub(crate) retry_after: Option<Duration>,
    /// Whether a header asks to wait, which rules out an overflow.
    pub(crate) waits: bool,
    /// Whether the transport failed.
    pub(crate) broken: bool,
    /// The code that came beside the body.
    given_code: Option<String>,
    fields: Vec<Field>,
}

impl Evidence {
    /// Lays out a failure.
    pub(crate) fn gather(failure: &ProviderFailure) -> Self {
        let body = ends(&failure.body, HEAD, TAIL);
        let body = readable(&body);
        let is_page = page::is_page(&body) && !body.trim_start().starts_with(['{', '[']);
        let found = extract_fields(&if is_page { page::page_text(&body) } else { body.clone() });
        let mut message = message::pick(&body, &found);
        let transport = failure.transport.as_deref().map(str::trim).filter(|text| !text.is_empty());
        if let (true, Some(transport)) = (message.is_empty(), transport) {
            message = transport.to_owned();
        }
        message = ends(&message, PIECE_HEAD, PIECE_TAIL);
        let hay = haystack(&found, transport);
        let codes = codes(failure.code.as_deref(), &found.fields);
        let text_wait = retry::from_text(&hay);
        Self {
            status: failure.status.or_else(|| told_status(failure.code.as_deref(), &found)),
            flat: hay.replace(['_', '-'], " "),
            statement: without_advice(&hay),
            hay,
            codes,
            message,
            retry_after: retry::from_headers(&failure.headers).or(text_wait),
            waits: retry::has_header(&failure.headers) || text_wait.is_some(),
            broken: failure.transport.is_some(),
            given_code: failure.code.clone(),
            fields: found.fields,
        }
    }

    /// A code as the provider spelled it, from the letters that a rule matched.
    pub(crate) fn spelled(&self, matched: &str) -> Option<&str> {
        let told = self.fields.iter().filter(|field| is_code(field)).map(|field| &field.value);
        let mut codes = self.given_code.iter().chain(told);
        codes.find(|code| squash(code).contains(matched)).map(String::as_str)
    }

    /// The whole number under a key.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let mut under = self.fields.iter().filter(|field| field.key == key);
        under.find_map(|field| field.value.parse().ok())
    }

    /// The first code of a table that was given; a `$` at the end asks for the whole code.
    pub(crate) fn code(&self, table: &'static str) -> Option<&'static str> {
        let given = |code: &&str| match code.strip_suffix('$') {
            Some(whole) => self.codes.contains(&format!("|{whole}|")),
            None => self.codes.contains(*code),
        };
        entries(table).find(given).map(|code| code.trim_end_matches('$'))
    }
}

/// The head and the tail of a text that is too long, cut between characters.
fn ends(text: &str, head: usize, tail: usize) -> String {
    if text.len() <= head + tail {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(head);
    let tail = text.ceil_char_boundary(text.len() - tail);
    format!("{}\n{}", &text[..head], &text[tail..])
}

/// Undoes what was done to the body as a whole. Inside a well-formed body such signs
/// belong to the message and stay: the message is shown unchanged.
fn readable(body: &str) -> String {
    let body = decode_percent(body);
    if ["{&quot;", "{&#34;", "{&#39;"].iter().any(|open| body.contains(open)) {
        return decode_entities(&body).into_owned();
    }
    if body.contains("{\u{201C}") {
        return body.replace(['\u{201C}', '\u{201D}'], "\"");
    }
    body.into_owned()
}

fn haystack(found: &Extracted, transport: Option<&str>) -> String {
    let mut hay = String::new();
    // A type is a code and not a phrase: pydantic's `extra_forbidden` forbids nobody.
    let spoken =
        |field: &&Field| !(lists(ECHO_KEYS, &field.key) || field.key == "type" && is_code(field));
    let strings = found.fields.iter().filter(spoken).map(|field| &*field.value);
    for piece in strings.chain([last_error(&found.prose)]).chain(transport) {
        if piece.chars().any(char::is_alphabetic) {
            let piece = ends(piece, PIECE_HEAD, PIECE_TAIL);
            let piece = if page::is_page(&piece) { page::page_text(&piece) } else { piece };
            push_words(&mut hay, &piece);
            hay.push('\n');
        }
    }
    ends(&hay, HAY_HEAD, HAY_TAIL)
}

fn codes(given: Option<&str>, fields: &[Field]) -> String {
    let told = fields.iter().filter(|field| is_code(field)).map(|field| {
        // What was blocked was blocked, for whatever reason.
        let name = if field.key.starts_with("block") { field.key.as_str() } else { "" };
        format!("{name}{}", field.value)
    });
    let codes = given.map(ToOwned::to_owned).into_iter().chain(told).take(100);
    codes.fold("|".to_owned(), |all, code| all + &squash(&code) + "|")
}

/// Letters and digits in lower case: codes are spelled in every style.
fn squash(code: &str) -> String {
    let letters = code.chars().filter(char::is_ascii_alphanumeric).take(80);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a field holds a code: one word under a key for codes.
fn is_code(field: &Field) -> bool {
    lists(CODE_KEYS, &field.key) && !field.value.trim().contains(' ')
}

/// The HTTP status that a body names, for bodies that come without one.
fn told_status(code: Option<&str>, found: &Extracted) -> Option<u16> {
    let keys = ["status", "status_code", "statuscode", "http_status", "httpstatuscode", "code"];
    let told = found.fields.iter().filter(|field| keys.contains(&field.key.as_str()));
    let told = told.filter_map(|field| field.value.parse().ok());
    let mut told = code.and_then(|code| code.parse().ok()).into_iter().chain(told);
    told.find(|status| (400..600).contains(status)).or_else(|| {
        let prose = folded(&ends(&found.prose, PIECE_HEAD, PIECE_TAIL)).to_ascii_lowercase();
        let tokens = lex(&prose);
        (0..tokens.len()).find_map(|at| match tokens[at] {
            Token::Number(Some(value)) if is_status(&tokens, at) => u16::try_from(value).ok(),
            _ => None,
        })
    })
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
