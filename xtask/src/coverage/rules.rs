//! The list of rules: an id, a title in our own words, a state, a note.

use std::collections::BTreeSet;

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: String,
    pub title: String,
    pub state: State,
    pub note: String,
}

/// How far tests show a rule. It is said by people, and held against what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Shown,
    Partly,
    NotYet,
}

/// Reads `id`, `title`, `state` and `note`, with tabs between; the first line names them.
pub fn parse(text: &str) -> Result<Vec<Rule>, String> {
    let mut rules: Vec<Rule> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let wrong = |what: &str| format!("docs/spec-rules.tsv, line {number}: {what}");
        let cells: Vec<&str> = line.split('\t').collect();
        let [id, title, state, note] = cells[..] else {
            return Err(wrong("four cells are needed"));
        };
        let (prefix, rest) = id.split_once('-').unwrap_or_default();
        if prefix.is_empty() || !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(wrong("this is no id of a rule"));
        }
        if rules.iter().any(|rule| rule.id == id) {
            return Err(wrong("this id was there before"));
        }
        let state = match state {
            "shown" => State::Shown,
            "partly" => State::Partly,
            "not yet" => State::NotYet,
            _ => return Err(wrong("the state is shown, partly or not yet")),
        };
        let (id, title, note) = (id.to_owned(), title.to_owned(), note.to_owned());
        rules.push(Rule { id, title, state, note });
    }
    Ok(rules)
}

/// The words that ids begin with, such as `EST`.
pub fn prefixes(rules: &[Rule]) -> BTreeSet<String> {
    let prefix = |rule: &Rule| rule.id.split('-').next().map(ToOwned::to_owned);
    rules.iter().filter_map(prefix).collect()
}
