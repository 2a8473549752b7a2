//! Completion as you type (FLT-6): topics, models, saved names, commands and atoms.

use std::ops::Range;

use crate::{
    Scope,
    command::COMMANDS,
    pattern::{escape, fold},
    scan::is_quote,
    topics::path_of,
};

/// How many candidates are offered at once.
const MOST: usize = 50;

/// Examples of all atoms, with what they mean: for the help, and each for completion when what
/// was typed is the start of it.
pub const ATOMS: [(&str, &str); 31] = [
    ("t", "the selected topic"),
    ("t...", "the selected topic and all below it"),
    ("t10", "the newest 10 pairs of the selected topic"),
    ("t'", "a topic by name or path; * is a wildcard"),
    ("s3", "three stars"),
    ("s>=2", "two or more stars"),
    ("s<1", "no stars"),
    ("r10", "the newest 10 pairs"),
    ("b", "flagged blue"),
    ("g", "flagged grey"),
    ("m", "the selected model"),
    ("m'", "a model by id; * is a wildcard"),
    ("c'", "text in the message or the answer"),
    ("d<7d", "younger than 7 days"),
    ("d<=24h", "at most 24 hours old"),
    ("d>2w", "older than 2 weeks"),
    ("d>=1mo", "at least 30 days old"),
    ("d2025-09-01", "from that day"),
    ("e", "in error"),
    ("i", "with an image"),
    ("a", "with an attachment"),
    ("x", "left out by hand"),
    ("p", "pinned"),
    ("y", "a summary"),
    ("o", "included in the next request"),
    ("o5", "included, and the newest 5 that are not"),
    ("k>500", "more than 500 tokens"),
    ("k<=500", "at most 500 tokens"),
    ("@", "a saved filter"),
    ("!", "not"),
    ("(", "a group"),
];

/// What the arguments of the commands can be.
const ARGUMENTS: [(&str, &str, &str); 15] = [
    ("export", "json", "lossless, can be imported again"),
    ("export", "zip", "the same, with attached files"),
    ("export", "md", "Markdown"),
    ("export", "txt", "plain text"),
    ("export", "--filename=", "where to"),
    ("export", "--order=time", "oldest first"),
    ("export", "--order=topic", "topic by topic"),
    ("topic", "'", "a topic by name or path"),
    ("flag", "b", "blue"),
    ("flag", "g", "grey"),
    ("star", "3", "stars go from 0 to 3"),
    ("use", "auto", "sent where there is room"),
    ("use", "out", "left out by hand"),
    ("use", "pinned", "always sent, and never left out to make room"),
    ("delete", "--force", "also when there are many"),
];

/// Something that could stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What takes the place of [`Completions::replace`].
    pub insert: String,
    /// One line that says what it is.
    pub label: String,
}

impl Candidate {
    fn new(insert: impl Into<String>, label: impl Into<String>) -> Self {
        Self { insert: insert.into(), label: label.into() }
    }
}

/// What could stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The bytes of the text that a candidate replaces; it ends at the cursor.
    pub replace: Range<usize>,
    /// The best ones first.
    pub candidates: Vec<Candidate>,
}

/// What can be written at a cursor, in bytes, of a text. Any cursor is fine: one beyond
/// the end or within a character is moved back.
pub fn complete(
    text: &str,
    cursor: usize,
    scope: &dyn Scope,
    saved_names: &[String],
) -> Completions {
    let cursor = text.floor_char_boundary(cursor);
    let (before, after) = text.split_at(cursor);
    let (start, mut candidates) = match place(before) {
        Place::Quote { start, quote, letter } => {
            let typed = &before[start..];
            let closing = if after.starts_with(quote) { "" } else { quote_text(quote) };
            let found = match letter {
                Some('t') => topics(typed, scope),
                Some('m') => models(typed, scope),
                _ => Vec::new(),
            };
            let finish = |candidate: Candidate| Candidate {
                insert: requote(&candidate.insert, quote) + closing,
                ..candidate
            };
            (start, found.into_iter().map(finish).collect())
        }
        Place::Command { start, name } => {
            let typed = &before[start..];
            let offers = match name {
                None => starting(typed, COMMANDS),
                Some(name) => starting(
                    typed,
                    ARGUMENTS.into_iter().filter(|(of, ..)| *of == name).map(|(_, a, b)| (a, b)),
                ),
            };
            (start, offers)
        }
        Place::Saved { start } => {
            let typed = fold(&before[start..]);
            let matches = |name: &&String| fold(name).starts_with(&typed);
            let offer = |name: &String| Candidate::new(name.as_str(), format!("@{name}"));
            (start, saved_names.iter().filter(matches).take(MOST).map(offer).collect())
        }
        Place::Atom { start } => (start, starting(&before[start..], ATOMS)),
    };
    candidates.truncate(MOST);
    Completions { replace: start..cursor, candidates }
}

/// Where a cursor stands, and where what is being typed starts.
enum Place<'a> {
    /// Inside quotes, with the letter before them.
    Quote { start: usize, quote: char, letter: Option<char> },
    /// In the name of a command, or in the arguments of the one that is named.
    Command { start: usize, name: Option<&'a str> },
    /// After `@`.
    Saved { start: usize },
    /// Anywhere else.
    Atom { start: usize },
}

/// Reads the text before the cursor once, from its start.
fn place(before: &str) -> Place<'_> {
    let mut quote: Option<(char, usize, Option<char>)> = None;
    let mut command = None;
    let mut letter = None;
    let mut start = 0;
    let mut saved = false;
    let mut chars = before.char_indices();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        match quote {
            Some(_) if c == '\\' => {
                chars.next();
            }
            Some((open, ..)) if c == open => {
                quote = None;
                (letter, start) = (None, end);
            }
            Some(_) => {}
            None if is_quote(c) => quote = Some((c, end, letter)),
            None if c == ':' && command.is_none() => command = Some(end),
            None if c.is_whitespace() => {
                // White space may stand between a letter and its quote.
                (start, saved) = (end, false);
            }
            None if command.is_some() => letter = None,
            None => {
                match c {
                    '@' => (start, saved) = (end, true),
                    '|' | '+' | '&' | '(' | ')' => (start, saved) = (end, false),
                    '!' if !before[end..].starts_with('=') => (start, saved) = (end, false),
                    _ => {}
                }
                letter = Some(c).filter(|_| !saved);
            }
        }
    }
    if let Some((quote, start, letter)) = quote {
        let moving = command.is_some_and(|from| before[from..].trim_start().starts_with("topic"));
        return Place::Quote { start, quote, letter: if moving { Some('t') } else { letter } };
    }
    if let Some(from) = command {
        let name_start = from + (before[from..].len() - before[from..].trim_start().len());
        let typed = &before[name_start..];
        return match typed.find(char::is_whitespace) {
            None => Place::Command { start: name_start, name: None },
            Some(end) => Place::Command { start, name: Some(&typed[..end]) },
        };
    }
    if saved { Place::Saved { start } } else { Place::Atom { start } }
}

fn starting<'a>(
    typed: &str,
    offers: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<Candidate> {
    let matches = |(insert, _): &(&str, &str)| insert.starts_with(typed);
    offers
        .into_iter()
        .filter(matches)
        .map(|(insert, label)| Candidate::new(insert, label))
        .collect()
}

/// Topics whose path starts with what was typed, if that is a path; otherwise those
/// whose name starts with it, then those whose name holds it.
fn topics(typed: &str, scope: &dyn Scope) -> Vec<Candidate> {
    let topics = scope.topics();
    let typed = fold(typed.trim_start());
    if typed.starts_with('/') || typed.contains('>') {
        let wanted = as_path(&typed);
        let mut paths: Vec<String> =
            (0..topics.len()).map(|index| path_of(index, topics)).collect();
        paths.retain(|path| fold(path).starts_with(&wanted));
        paths.sort();
        let offered = paths.into_iter().take(MOST);
        return offered.map(|path| Candidate::new(escape(&path), path)).collect();
    }
    let mut found: Vec<(bool, &str, usize)> = Vec::new();
    for (index, topic) in topics.iter().enumerate() {
        let name = fold(&topic.name);
        if name.contains(&typed) {
            found.push((!name.starts_with(&typed), &topic.name, index));
        }
    }
    found.sort();
    // One name means all topics that have it, so that it is offered once.
    found.dedup_by_key(|(_, name, _)| *name);
    let offer = |(_, name, index)| Candidate::new(escape(name), path_of(index, topics));
    found.into_iter().take(MOST).map(offer).collect()
}

/// `a > b` as `/a/b`.
fn as_path(typed: &str) -> String {
    let names = typed.split(['>', '/']).map(str::trim).skip_while(|name| name.is_empty());
    names.fold(String::new(), |path, name| path + "/" + name)
}

fn models(typed: &str, scope: &dyn Scope) -> Vec<Candidate> {
    let typed = fold(typed);
    let mut found: Vec<(bool, &str)> = Vec::new();
    // The blank model of pairs without one cannot be named.
    for model in scope.models().iter().filter(|model| !model.is_empty()) {
        let id = fold(model);
        if id.contains(&typed) {
            found.push((!id.starts_with(&typed), model));
        }
    }
    found.sort();
    found.dedup();
    found.into_iter().take(MOST).map(|(_, id)| Candidate::new(escape(id), id)).collect()
}

fn quote_text(quote: char) -> &'static str {
    if quote == '"' { "\"" } else { "'" }
}

/// A text that is escaped for single quotes, escaped for these.
fn requote(text: &str, quote: char) -> String {
    if quote == '"' { text.replace('"', "\\\"") } else { text.to_owned() }
}

#[cfg(test)]
#[path = "complete_tests.rs"]
mod tests;
