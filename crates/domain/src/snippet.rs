//! The prompt library (UI-23): texts with a name and with places to fill in.
//!
//! A place is written `{{ship}}`, or `{{ship=Titanic}}` where it need not be filled in. What
//! stands behind the name of a snippet goes where `{{input}}` stands, else behind its text. The
//! page does the same before its message is sent; `tests/shared.json` holds both to it.

use thiserror::Error;

/// The place of the words that come with a snippet.
const INPUT: &str = "input";

/// No name is longer.
pub const LONGEST_SNIPPET_NAME: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Its name, as in `/name`.
    pub name: String,
    pub text: String,
}

/// A name that no snippet can have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no name for a snippet: small letters, digits, - and _, at most 64 of them")]
pub struct BadSnippetName(pub String);

/// What was given for the places of a snippet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fillings {
    pub values: Vec<(String, String)>,
    /// The words behind the name.
    pub input: String,
}

impl Snippet {
    /// Checks a name.
    pub fn check_name(name: &str) -> Result<(), BadSnippetName> {
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        let short = (1..=LONGEST_SNIPPET_NAME).contains(&name.len());
        match short && name.chars().all(good) {
            true => Ok(()),
            false => Err(BadSnippetName(name.to_owned())),
        }
    }

    /// The names of the places, `input` aside, in the order in which they come, each once.
    pub fn places(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in pieces(&self.text) {
            if let Piece::Place { name, .. } = piece
                && name != INPUT
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Reads what is typed behind the name: `place=value` at the start, with quotes around a
    /// value of several words, and then words.
    pub fn read_fillings(&self, typed: &str) -> Fillings {
        let places = self.places();
        let mut fillings = Fillings::default();
        let mut rest = typed.trim();
        while let Some((name, value, after)) = filling(rest)
            && places.contains(&name)
        {
            fillings.values.push((name.to_owned(), value.to_owned()));
            rest = after.trim_start();
        }
        fillings.input = rest.to_owned();
        fillings
    }

    /// The text with its places filled in, and the names of those that nothing was given for:
    /// they stay as they are written.
    pub fn expand(&self, fillings: &Fillings) -> (String, Vec<String>) {
        let (mut text, mut open, mut took_input) = (String::new(), Vec::new(), false);
        for piece in pieces(&self.text) {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::Place { name: INPUT, .. } => {
                    took_input = true;
                    text.push_str(&fillings.input);
                }
                Piece::Place { name, default, written } => {
                    let given = fillings.values.iter().rev().find(|(given, _)| given == name);
                    match given.map(|(_, value)| value.as_str()).or(default) {
                        Some(value) => text.push_str(value),
                        None => {
                            text.push_str(written);
                            if !open.iter().any(|known| known == name) {
                                open.push(name.to_owned());
                            }
                        }
                    }
                }
            }
        }
        if !took_input && !fillings.input.is_empty() {
            text = format!("{}\n\n{}", text.trim_end(), fillings.input);
        }
        (text, open)
    }
}

/// `name=value` at the start of a text, and what follows it.
fn filling(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('=')?;
    if !is_place(name) {
        return None;
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, after) = quoted.split_once('"')?;
        return Some((name, value, after));
    }
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    Some((name, &rest[..end], &rest[end..]))
}

fn is_place(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

enum Piece<'t> {
    Text(&'t str),
    Place { name: &'t str, default: Option<&'t str>, written: &'t str },
}

/// A text as words and places. What has braces and is no place is words.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut done, mut from) = (0, 0);
    while let Some(start) = text[from..].find("{{").map(|at| from + at) {
        let Some(end) = text[start..].find("}}").map(|at| start + at) else { break };
        let inner = &text[start + 2..end];
        let (name, default) = match inner.split_once('=') {
            Some((name, default)) => (name.trim(), Some(default.trim())),
            None => (inner.trim(), None),
        };
        if !is_place(name) {
            from = start + 2;
            continue;
        }
        found.push(Piece::Text(&text[done..start]));
        found.push(Piece::Place { name, default, written: &text[start..end + 2] });
        (done, from) = (end + 2, end + 2);
    }
    found.push(Piece::Text(&text[done..]));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str) -> Snippet {
        Snippet { name: "x".to_owned(), text: text.to_owned() }
    }

    #[track_caller]
    fn check(text: &str, typed: &str, expanded: &str, open: &[&str]) {
        let snippet = snippet(text);
        let (got, left) = snippet.expand(&snippet.read_fillings(typed));
        assert_eq!((got.as_str(), left), (expanded, open.iter().map(|s| s.to_string()).collect()));
    }

    #[test]
    fn ui_23_places_are_filled_in() {
        check("Say hello.", "", "Say hello.", &[]);
        check("Say hello.", "to me", "Say hello.\n\nto me", &[]);
        check("Sum up: {{input}}!", "the text", "Sum up: the text!", &[]);
        check("{{a}} and {{b=2}}, {{a}}", "a=1 rest", "1 and 2, 1\n\nrest", &[]);
        check("{{a}} and {{ b = x y }}", "", "{{a}} and x y", &["a"]);
        check("{{a}}", "a=\"two words\" c=3", "two words\n\nc=3", &[]);
        check("{{}} {{a b}} { {{ x", "", "{{}} {{a b}} { {{ x", &[]);
        check("{{not a {{place}}", "place=1", "{{not a 1", &[]);
        assert_eq!(snippet("{{b}}{{a}}{{input}}{{b}}").places(), ["b", "a"]);
    }

    #[test]
    fn names_are_words_that_can_be_typed() {
        for good in ["review", "a", "x-1_y"] {
            assert!(Snippet::check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "Review", "a b", "/a", &"x".repeat(65), "ä"] {
            assert!(Snippet::check_name(bad).is_err(), "{bad}");
        }
    }
}
