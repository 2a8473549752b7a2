//! What people type, as terms of FTS5. Every word is quoted, so that nothing is an operator.

use plimsoll_store::sql::memory::grams::{Stretch, is_spaceless, is_word, pairs, stretches, words};

/// More words than this are not looked for.
const MOST_TERMS: usize = 24;
/// Nor is what stands behind so many bytes of a query.
const LONGEST_QUERY: usize = 4096;

/// One thing that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// A word, by its stem.
    Word(String),
    /// The last word, which may be the beginning of one.
    Open(String),
    /// Words that stand together.
    Phrase(String),
    /// Characters of a script without spaces.
    Run(String),
}

impl Term {
    /// The term as FTS5 takes it; an open word as a whole one.
    pub(super) fn expression(&self) -> String {
        match self {
            Self::Word(text) | Self::Open(text) | Self::Phrase(text) => format!("\"{text}\""),
            Self::Run(run) => match pairs(run).collect::<Vec<_>>().join(" ") {
                single if single.is_empty() => format!("\"{run}\" *"),
                row => format!("\"{row}\""),
            },
        }
    }
}

/// The terms of a query; none if it has no word.
pub(super) fn terms(query: &str) -> Vec<Term> {
    let query = whole_words(query);
    let mut terms: Vec<Term> = Vec::new();
    let mut ends_open = false;
    for (place, part) in query.split('"').enumerate() {
        let quoted = place % 2 == 1 && !part.contains(is_spaceless);
        let found: Vec<&str> = words(part).collect();
        if found.is_empty() {
            continue;
        }
        if quoted {
            terms.push(Term::Phrase(found.join(" ")));
        } else {
            terms.extend(found.into_iter().flat_map(stretches).map(|stretch| match stretch {
                Stretch::Word(word) => Term::Word(word.to_owned()),
                Stretch::Run(run) => Term::Run(run.to_owned()),
            }));
        }
        ends_open = !quoted;
    }
    if ends_open
        && let Some(last) = terms.last_mut()
        && let Term::Word(word) = last
    {
        *last = Term::Open(std::mem::take(word));
    }
    let mut distinct: Vec<Term> = Vec::new();
    for term in terms {
        if distinct.len() < MOST_TERMS && !distinct.iter().any(|known| same(known, &term)) {
            distinct.push(term);
        }
    }
    distinct
}

/// The beginning of a query that is not too long, without the word that is cut.
fn whole_words(query: &str) -> &str {
    if query.len() <= LONGEST_QUERY {
        return query;
    }
    let head = &query[..query.floor_char_boundary(LONGEST_QUERY)];
    head.trim_end_matches(is_word)
}

/// A word is looked for once, whether it stands last or not.
fn same(a: &Term, b: &Term) -> bool {
    let text = |term: &Term| match term {
        Term::Word(text) | Term::Open(text) => (true, text.to_lowercase()),
        Term::Phrase(text) | Term::Run(text) => (false, text.to_lowercase()),
    };
    text(a) == text(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_query_is_an_operator() {
        let cases: [(&str, &[&str]); 10] = [
            ("ship", &["\"ship\""]),
            ("the ship The", &["\"the\"", "\"ship\""]),
            ("\"the ship\" sails", &["\"the ship\"", "\"sails\""]),
            ("\"half open", &["\"half open\""]),
            ("a AND NOT b*", &["\"a\"", "\"AND\"", "\"NOT\"", "\"b\""]),
            ("title:x ^y {z}", &["\"title\"", "\"x\"", "\"y\"", "\"z\""]),
            ("東京都", &["\"東京 京都\""]),
            ("都", &["\"都\" *"]),
            ("東京tower", &["\"東京\"", "\"tower\""]),
            ("  \"\" -- * ( ", &[]),
        ];
        for (query, expected) in cases {
            let found: Vec<String> = terms(query).iter().map(Term::expression).collect();
            assert_eq!(found, expected, "{query}");
        }
        assert_eq!(terms(&"word ".repeat(4000)).len(), 1);
    }

    #[test]
    fn only_the_last_word_is_open() {
        assert_eq!(terms("a b")[1], Term::Open("b".to_owned()));
        assert_eq!(terms("\"a b\"")[0], Term::Phrase("a b".to_owned()));
        assert_eq!(terms("b \"a\"")[0], Term::Word("b".to_owned()));
    }
}
