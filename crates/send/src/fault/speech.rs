//! What a text says, as against what it carries along: advice, addresses, the frames
//! of stack traces and the chatter of a program before its error.

use std::borrow::Cow;

use super::escapes::decode_entities;

/// Adds a text in lower case, without addresses: a path in a URL says nothing about
/// the failure (`…/settings/billing` stands in rate limits).
pub(super) fn push_words(hay: &mut String, piece: &str) {
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
    let is_frame = |line: &str| {
        let line = line.trim_start();
        line.starts_with("File \"") || (line.starts_with("at ") && line.contains(['(', ':']))
    };
    if !piece.lines().skip(1).any(is_frame) {
        return Cow::Borrowed(piece);
    }
    let kept: Vec<&str> = piece.lines().filter(|line| !is_frame(line)).collect();
    Cow::Owned(kept.join("\n"))
}

/// Makes every run of blanks one blank. A single line break is one too: terminals and
/// mailers wrap sentences wherever the width ends. Only an empty line and a bullet
/// start something new.
fn folded(piece: &str) -> String {
    let mut out = String::with_capacity(piece.len());
    let mut gap = false;
    for line in piece.lines() {
        let mut words = line.split_whitespace().peekable();
        let Some(first) = words.peek() else {
            gap = true;
            continue;
        };
        if !out.is_empty() {
            out.push(if gap || matches!(*first, "*" | "•") { '\n' } else { ' ' });
        }
        gap = false;
        for (at, word) in words.enumerate() {
            if at > 0 {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}

/// Verbs with which a provider starts to give advice.
const ADVICE: [&str; 23] = [
    "please", "try", "reduce", "consider", "lower", "decrease", "shorten", "increase", "set",
    "use", "make", "start", "provide", "upgrade", "adjust", "truncate", "remove", "either",
    "contact", "you can", "you may", "reload", "leave",
];

/// Drops each sentence from where it turns into advice.
pub(super) fn without_advice(hay: &str) -> String {
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
        ADVICE.iter().any(|verb| text.starts_with(verb) && follows(verb))
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
pub(super) fn last_error(output: &str) -> &str {
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
    let mut at = 0;
    let mut last = None;
    for line in output.split_inclusive('\n') {
        if is_error(line) {
            last = Some(at);
        }
        at += line.len();
    }
    &output[last.unwrap_or(0)..]
}

#[cfg(test)]
#[path = "speech_tests.rs"]
mod tests;
