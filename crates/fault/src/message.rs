//! The provider's own words: which of the strings in a body is the message.

use crate::{
    extract::{Extracted, Field, is_message_key},
    page,
    phrases::{EMPTY_PHRASES, entries},
    speech::last_error,
};

/// Picks the message for people out of a body.
pub(crate) fn pick(body: &str, found: &Extracted) -> String {
    let said = |field: &&Field| is_message_key(&field.key) && speaks(&field.value);
    let telling = |field: &&Field| !is_empty_phrase(&field.value);
    let mut messages = found.fields.iter().filter(said);
    if let Some(field) = messages.clone().find(telling) {
        return clean(&field.value);
    }
    let others = ["error", "details", "reason", "raw", "body", "title", "cause"];
    let other = others.iter().find_map(|key| {
        let mut under = found.fields.iter().filter(|field| field.key == *key);
        under.find(|field| field.value.trim().contains([' ', '：', '，']) && telling(field))
    });
    if let Some(field) = other.or_else(|| messages.next()) {
        return clean(&field.value);
    }
    let heading = page::is_page(body).then(|| page::page_message(body)).flatten();
    heading
        .or_else(|| labelled_line(body).map(str::to_owned))
        .unwrap_or_else(|| clean(last_error(body)))
}

/// Whether a value has words rather than only a code or a number.
fn speaks(value: &str) -> bool {
    value.chars().any(char::is_alphabetic)
}

fn is_empty_phrase(value: &str) -> bool {
    let value = value.trim().trim_end_matches(['.', ':']);
    entries(EMPTY_PHRASES).any(|phrase| value.eq_ignore_ascii_case(phrase))
}

/// The line of an SDK's dump that starts with `message:`.
fn labelled_line(body: &str) -> Option<&str> {
    let name = "message:";
    body.lines().take(200).map(str::trim).find_map(|line| {
        let head = line.get(..name.len())?;
        head.eq_ignore_ascii_case(name).then(|| line[name.len()..].trim())
    })
}

/// Takes the status and the names of exceptions off the front. The sentence itself
/// stays as it is.
fn clean(text: &str) -> String {
    let mut text = text.trim();
    for _ in 0..6 {
        let shorter = without_status(text).or_else(|| without_exception(text));
        match shorter.map(str::trim_start).filter(|rest| speaks(rest)) {
            Some(rest) => text = rest,
            None => break,
        }
    }
    text.to_owned()
}

/// `413 Request too large` without the number.
fn without_status(text: &str) -> Option<&str> {
    let (number, rest) = text.split_at_checked(3)?;
    let is_status =
        number.bytes().all(|b| b.is_ascii_digit()) && matches!(number.as_bytes()[0], b'4' | b'5');
    (is_status && rest.starts_with(' ')).then_some(rest)
}

/// `openai.error.InvalidRequestError: Too long` without the name.
fn without_exception(text: &str) -> Option<&str> {
    let end = text.find([':', '\n', ' '])?;
    let (name, rest) = text.split_at(end);
    let named = name.ends_with("Error") || name.ends_with("Exception");
    let known =
        named && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
    (known && !rest.starts_with(' ')).then(|| &rest[1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::extract_fields;

    #[track_caller]
    fn check(body: &str, expected: &str) {
        assert_eq!(pick(body, &extract_fields(body)), expected, "{body:?}");
    }

    #[test]
    fn fau_3_the_message_is_found_behind_prefixes() {
        check("413 Request body too large", "Request body too large");
        check("ValidationException\nThe model returned: no", "The model returned: no");
        check("openai.error.InvalidRequestError: Too long", "Too long");
        check("name: X\nMessage: Slow down.\nok: no", "Slow down.");
        check("Error", "Error");
    }

    #[test]
    fn fau_3_a_wrapper_does_not_hide_the_message() {
        check(
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"detail\":\"Prompt is huge\"}"}}}"#,
            "Prompt is huge",
        );
        check(r#"{"error":{"message":"Provider returned error"}}"#, "Provider returned error");
        check(r#"{"error":"the input is long"}"#, "the input is long");
    }
}
