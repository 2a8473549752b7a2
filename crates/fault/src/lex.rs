//! Words, numbers and signs of a lower-case text, for reading stated figures.
//!
//! What matters is what does not become a number: the digits of model names,
//! addresses, versions, dates and times are parts of words.

/// One piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Token<'a> {
    /// Letters, with the digits and connectors that belong to them.
    Word(&'a str),
    /// A whole number; `None` where its size is ambiguous (`128k`) or too big.
    Number(Option<u64>),
    /// A whole number below zero.
    Negative,
    /// The end of a sentence or of a line.
    Stop,
    /// A comparison, a comma, a bracket or a plus.
    Sign(&'a str),
}

/// Splits a text into tokens. Quotes and back-ticks leave no trace.
pub(crate) fn lex(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let (token, length) = next(rest, at.checked_sub(1).map(|i| bytes[i]));
        out.extend(token);
        at += length;
    }
    out
}

/// The token at the head of a text that is not empty, and the bytes it takes.
fn next(rest: &str, before: Option<u8>) -> (Option<Token<'_>>, usize) {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'0'..=b'9' => number(rest),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' => {
            let length = word_length(bytes);
            (Some(Token::Word(&rest[..length])), length)
        }
        b'-' if bytes.get(1).is_some_and(u8::is_ascii_digit) && starts_value(before) => {
            (Some(Token::Negative), 1 + word_length(&bytes[1..]))
        }
        b'.' if bytes.get(1).is_none_or(u8::is_ascii_whitespace) => (Some(Token::Stop), 1),
        b'\n' | b';' | b'!' | b'?' | b'{' | b'}' | b'|' => (Some(Token::Stop), 1),
        b'>' | b'<' | b'=' | b'.' => {
            // The stop after `<400>` is not part of the sign.
            let same = |b: &&u8| match bytes[0] {
                b'.' => **b == b'.',
                _ => matches!(**b, b'>' | b'<' | b'='),
            };
            let length = bytes.iter().take_while(same).count();
            (Some(Token::Sign(&rest[..length])), length)
        }
        b'+' | b'-' | b',' | b'(' | b')' | b'[' | b']' | b'%' | b'/' | b':' => {
            (Some(Token::Sign(&rest[..1])), 1)
        }
        0..=127 => (None, 1),
        _ => foreign(rest),
    }
}

/// A run of letters beyond ASCII is one word; a full stop of another script ends
/// the sentence.
fn foreign(rest: &str) -> (Option<Token<'_>>, usize) {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    match &rest[..first] {
        "。" | "；" | "！" => (Some(Token::Stop), first),
        "，" | "、" => (Some(Token::Sign(",")), first),
        "（" => (Some(Token::Sign("(")), first),
        "）" => (Some(Token::Sign(")")), first),
        _ => {
            let word = |c: char| !c.is_ascii() && c.is_alphanumeric();
            let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
            match length {
                0 => (None, first),
                _ => (Some(Token::Word(&rest[..length])), length),
            }
        }
    }
}

/// Before a minus sign these make it a sign of the number, not a dash.
fn starts_value(before: Option<u8>) -> bool {
    before.is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'(' | b':' | b'=' | b'[' | b'`'))
}

/// The length of a word: letters, digits and underscores, and connectors between
/// them. A colon connects only inside what looks like a model's name.
fn word_length(bytes: &[u8]) -> usize {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'#');
    let mut at = 0;
    let mut named = false;
    while at < bytes.len() {
        let byte = bytes[at];
        let goes_on = bytes.get(at + 1).is_some_and(|next| is_word(*next));
        match byte {
            b'-' | b'@' if goes_on && at > 0 => named = true,
            b'.' | b'/' if goes_on && at > 0 => {}
            b'\'' if goes_on && at > 0 && !bytes[at - 1].is_ascii_digit() => {}
            b':' if goes_on && named => {}
            _ if is_word(byte) => named |= byte.is_ascii_digit(),
            _ => break,
        }
        at += 1;
    }
    at
}

/// A number, if the digits stand alone: `131,072`, `1_000`, `200k`.
fn number(rest: &str) -> (Option<Token<'_>>, usize) {
    let bytes = rest.as_bytes();
    let mut digits = String::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            byte @ b'0'..=b'9' => digits.push(char::from(byte)),
            b',' | b'_' if group_follows(&bytes[at + 1..]) => {}
            _ => break,
        }
        at += 1;
    }
    let next = bytes.get(at).copied().unwrap_or(b' ');
    let after = bytes.get(at + 1).copied().unwrap_or(b' ');
    let value = digits.parse::<u64>().ok();
    if matches!(next, b'k' | b'K') && !after.is_ascii_alphanumeric() && after != b'-' {
        return (Some(Token::Number(value.and_then(thousands))), at + 1);
    }
    let hyphen_unit = rest[at..].starts_with("-token");
    let connects = match next {
        _ if hyphen_unit => false,
        b'.' | b'-' | b':' | b'_' => after.is_ascii_alphanumeric(),
        b'/' => after.is_ascii_alphabetic(),
        _ => false,
    };
    // `1.0` and `3.5s` are not counts, `2024-10-22` and `12:30` are dates and times.
    if next.is_ascii_alphabetic() || connects {
        let length = word_length(bytes).max(at + 1);
        return (Some(Token::Word(&rest[..length])), length);
    }
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    (Some(Token::Number(value.filter(|_| !leading_zero))), at)
}

/// `200k` is 200,000 whoever says it; `128k` may be 128,000 or 131,072.
fn thousands(value: u64) -> Option<u64> {
    value.is_multiple_of(100).then(|| value.checked_mul(1_000)).flatten()
}

/// Whether exactly three digits follow, as after a thousands separator.
fn group_follows(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    digits == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[u64]) {
        let values: Vec<u64> = lex(text)
            .into_iter()
            .filter_map(|token| match token {
                Token::Number(value) => value,
                _ => None,
            })
            .collect();
        assert_eq!(values, expected, "{text:?}");
    }

    #[test]
    fn fau_4_numbers_with_separators() {
        check(
            "131,072 and 1_000 and 200k (8192) [1, 6000]",
            &[131_072, 1_000, 200_000, 8192, 1, 6000],
        );
        check("128k 1.5k 32k-window", &[]);
        check("limit 12000,used 5,then", &[12_000, 5]);
        check(
            "n_ctx=4096, n_ctx:2048 200049>200000 1..4096",
            &[4096, 2048, 200_049, 200_000, 1, 4096],
        );
    }

    #[test]
    fn fau_4_digits_in_names_times_and_versions_are_not_numbers() {
        check("gpt-4-32k llama-3.1-8b claude-3-opus-20240229 v4-flash:0731", &[]);
        check("39.844s 9m38.016s 6ms 2024-05-01 12:30 10.0.0.1:8080 10ktpm-200rpm", &[]);
        check("req_011abc 0731 tokens[11].x", &[11]);
    }

    #[test]
    fn fau_4_a_number_beyond_64_bits_has_no_value() {
        assert_eq!(lex("99999999999999999999999"), [Token::Number(None)]);
        assert_eq!(lex("got -186"), [Token::Word("got"), Token::Negative]);
        assert_eq!(lex("超过 5"), [Token::Word("超过"), Token::Number(Some(5))]);
    }
}
