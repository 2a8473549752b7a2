//! What a text says, as against what it carries along: advice, addresses, the frames
//! of stack traces and the chatter of a program before its error.

use std::borrow::Cow;

use crate::{
    escapes::decode_entities,
    phrases::{ADVICE, entries},
};

/// Adds a text in lower case, without addresses: a path in a URL says nothing about
/// the failure (`…/settings/billing` stands in rate limits).
pub(crate) fn push_words(hay: &mut String, piece: &str) {
    let piece = decode_entities(piece);
    let piece = folded(&without_frames(&piece));
    let lower = piece.to_ascii_lowercase().replace(['\u{2019}', '\u{2018}'], "'");
    let mut rest = lower.as_str();
    while let Some(at) = rest.find("://") {
        let scheme = rest[..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |i| i + rest[i..].chars().next().map_or(1, char::len_utf8));
        hay.push_str(&rest[..scheme]);
        // Gemini tells its rate limits from its bills only by the page it links to.
        let address = &rest[at..];
        let end =
            address.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '>' | ','));
        let end = end.unwrap_or(address.len());
        if address[..end].contains("/rate-limits") {
            hay.push_str("rate limits page");
        }
        rest = &address[end..];
    }
    hay.push_str(rest);
}

/// Drops the frames of a stack trace: the names of functions are not what went wrong.
fn without_frames(piece: &str) -> Cow<'_, str> {
    // A wrapped sentence may go on with `at least 5 tokens (…`.
    let is_place = |place: &str| {
        let is_amount = place.starts_with("least ") || place.starts_with("most ");
        place.contains(['(', ':']) && !is_amount
    };
    let is_frame = |line: &str| {
        let line = line.trim_start();
        line.starts_with("File \"") || line.strip_prefix("at ").is_some_and(is_place)
    };
    if !piece.lines().skip(1).any(is_frame) {
        return Cow::Borrowed(piece);
    }
    let kept: Vec<&str> = piece.lines().filter(|line| !is_frame(line)).collect();
    Cow::Owned(kept.join("\n"))
}

/// Makes every run of blanks one blank. A single line break is one too: terminals and
/// mailers wrap a sentence wherever the width ends. What does start something new is
/// an empty line, a bullet, and a line of a log that is not set in.
pub(crate) fn folded(piece: &str) -> String {
    let mut out = String::with_capacity(piece.len());
    let mut margin = 0;
    let mut gap = false;
    for line in piece.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else {
            gap = true;
            continue;
        };
        let set_in = indent(line) > margin;
        let goes_on = match first {
            "*" | "•" => false,
            // Terminals fill lines with blanks, and then the next may come out empty.
            _ if gap => set_in && first.starts_with(|c: char| c.is_ascii_lowercase()),
            _ => set_in || !is_record(first),
        };
        gap = false;
        if out.is_empty() || !goes_on {
            margin = indent(line);
        }
        if !out.is_empty() {
            out.push(if goes_on { ' ' } else { '\n' });
        }
        out.push_str(first);
        for word in words {
            out.push(' ');
            out.push_str(word);
        }
    }
    out
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line with this first word is a record of its own: `Status: 404`,
/// `error: …`, `[warn] …`, `2026-01-02T03:04:05 …`. A small `size:` may be the second
/// half of a wrapped `Max size:`.
fn is_record(first: &str) -> bool {
    let labels = ["error", "fatal", "warning", "warn", "info", "debug", "message", "name"];
    let label = first.strip_suffix(':').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_uppercase() || c == '$') || labels.contains(&name)
    });
    let mut chars = first.chars();
    let bracket = chars.next() == Some('[') && chars.next().is_some_and(char::is_alphabetic);
    let date = matches!(
        first.as_bytes(),
        [b'1'..=b'2', b'0'..=b'9', _, _, b'-', _, _, b'-', b'0'..=b'3', b'0'..=b'9', ..]
    );
    label || bracket || date
}

/// Drops each sentence from where it turns into advice.
pub(crate) fn without_advice(hay: &str) -> String {
    let mut out = String::with_capacity(hay.len());
    for line in hay.lines() {
        let mut start = 0;
        for (at, _) in line.match_indices(['.', '!', '?']).chain([(line.len(), "")]) {
            let end = (at + 1).min(line.len());
            let ends_here = line[end..].starts_with(char::is_whitespace) || end == line.len();
            if ends_here && end > start {
                out.push_str(statement_of(&line[start..end]).trim_end_matches(['.', '!', '?']));
                out.push_str(". ");
                start = end;
            }
        }
        out.push('\n');
    }
    out
}

fn statement_of(sentence: &str) -> &str {
    let advises = |text: &str| {
        let text = text.trim_start_matches([' ', '(', '-', '"', '\'', '`', '>', '·', '•', '*']);
        let follows = |verb: &str| text[verb.len()..].starts_with([' ', ',']);
        entries(ADVICE).any(|verb| text.starts_with(verb) && follows(verb))
    };
    if advises(sentence) {
        return "";
    }
    let mut clauses = sentence.match_indices([',', ';', '(']);
    let advice = clauses.find(|(at, _)| advises(&sentence[at + 1..]));
    &sentence[..advice.map_or(sentence.len(), |(at, _)| at)]
}

/// The last error in the output of a program, with what follows it. A program may
/// print greetings, warnings and the whole prompt before it fails.
pub(crate) fn last_error(output: &str) -> &str {
    const SHORT: usize = 6;
    if output.lines().nth(SHORT).is_none() {
        return output;
    }
    let is_error = |line: &str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        let head: String = line.chars().take(80).collect::<String>().to_ascii_lowercase();
        let starts = ["error", "fatal", "api error", "failed", "exception", "request failed"];
        starts.iter().any(|word| head.starts_with(word))
            || head.contains("error:")
            || head.contains("exception:")
    };
    let margin = output.lines().find(|line| !line.trim().is_empty()).map_or(0, indent);
    let mut at = 0;
    let mut last = None;
    let mut gap = true;
    for line in output.split_inclusive('\n') {
        // What is set in under a line of prose goes on with it, whatever its words.
        let starts_text = line.trim_start().starts_with(char::is_alphanumeric);
        let goes_on = !gap && starts_text && indent(line) > margin;
        if !goes_on && is_error(line) {
            last = Some(at);
        }
        gap = line.trim().is_empty();
        at += line.len();
    }
    &output[last.unwrap_or(0)..]
}

#[cfg(test)]
#[path = "speech_tests.rs"]
mod tests;
