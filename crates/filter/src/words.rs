//! Words that are no atoms. A filter is written in single letters, so a plain word is
//! easily typed by mistake; it is refused as a whole and never taken for its letters.

use crate::{
    ast::Span,
    error::{ErrorKind, FilterError, quoted},
    hints::is_compared_name,
    parser::Parser,
    scan::is_quote,
};

/// The letters that atoms start with.
pub(crate) const LETTERS: &str = "tsrbgmcdeiaokxpy";
/// Those that may stand alone.
pub(crate) const BARE: &str = "tbgmeiaoxpy";
/// As many different bare letters may follow each other; with more, or with one twice, it
/// reads as a word.
const LONGEST_RUN: usize = 3;
/// The same after a bare `m` or `t` and white space, where people mean a name.
const LONGEST_RUN_AFTER_BARE: usize = 1;
/// What could stand where something unknown does.
pub(crate) const A_TERM: &str =
    "a term: t s r b g m c d e i a o k x p, @name, `!` or a parenthesis";

impl Parser<'_> {
    /// Refuses the run of letters that starts here if it is no sequence of atoms.
    pub(crate) fn check_word(&mut self) -> Result<(), FilterError> {
        let start = self.scan.at;
        // The middle of a run has been checked with its start.
        if start < self.words_checked {
            return Ok(());
        }
        let rest = self.scan.rest();
        let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let run = &rest[..length];
        let owner = self.bare_before(start).filter(|letter| matches!(letter, 'm' | 't'));
        let after = &rest[length..];
        if is_atoms(run, after, owner.is_some()) && !is_compared_name(run, after) {
            self.words_checked = start + length;
            return Ok(());
        }
        let word = &rest[..word_length(rest)];
        let span = Span::new(start, start + word.len());
        let lower = run.to_lowercase();
        let single = run.chars().nth(1).is_none();
        if lower != run && is_atoms(&lower, after, owner.is_some()) {
            let term = format!("{lower}{}", argument(after));
            let expected = "a lower-case letter";
            let error = FilterError::new(ErrorKind::UpperCase, span, quoted(word), expected);
            let hint = self.suggest([term, lower]);
            return Err(match hint {
                Some(hint) if single => error.hint(hint),
                Some(hint) => {
                    error.hint(format!("{hint}, or {} for the text", quoted(&format!("c'{word}'"))))
                }
                None => error.hint("write it in lower case"),
            });
        }
        let kind = if single { ErrorKind::UnknownLetter } else { ErrorKind::StrayWord };
        let error = FilterError::new(kind, span, quoted(word), A_TERM);
        Err(error.hint(self.meant_by_word(run, word, owner)))
    }
}

/// Whether a run of letters is atoms side by side. The last one may have an argument in
/// `after`; the ones before it have none.
fn is_atoms(run: &str, after: &str, follows_bare: bool) -> bool {
    let Some(last) = run.chars().next_back() else { return false };
    if !run.chars().all(|c| LETTERS.contains(c)) {
        return false;
    }
    let single = run.len() == last.len_utf8();
    // Too many words are made with these: api, box, my, top.
    if !single && run.contains(['x', 'p', 'y']) {
        return false;
    }
    let bare = if takes_argument(last, after) { &run[..run.len() - 1] } else { run };
    // A letter that lacks its argument gets a message of its own.
    let complete = single || bare.chars().all(|c| BARE.contains(c));
    let longest = if follows_bare { LONGEST_RUN_AFTER_BARE } else { LONGEST_RUN };
    let distinct = |(at, c): (usize, char)| !bare[..at].contains(c);
    complete && bare.len() <= longest && bare.char_indices().all(distinct)
}

/// Whether what follows a letter is its number, comparator, text or dots.
pub(crate) fn takes_argument(letter: char, after: &str) -> bool {
    let after = after.trim_start();
    let next = after.chars().next().unwrap_or_default();
    let digit = next.is_ascii_digit();
    match letter {
        't' => is_quote(next) || digit || after.starts_with("..") || next == '…',
        'm' | 'c' => is_quote(next),
        's' | 'k' | 'd' => {
            digit || matches!(next, '<' | '>' | '=' | '≤' | '≥') || after.starts_with("!=")
        }
        'r' | 'o' => digit,
        _ => false,
    }
}

/// How far a word reaches, as people see it: `gpt-4.1` is one.
pub(crate) fn word_length(text: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let end = text.find(|c| !inside(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['-', '_', '.', '/']).len()
}

/// What belongs to a letter, roughly: enough to repeat it in a suggestion.
pub(crate) fn argument(after: &str) -> &str {
    let end = match after.chars().next() {
        Some(quote) if is_quote(quote) => after[1..].find(quote).map_or(0, |at| at + 2),
        _ => {
            let inside =
                |c: char| c.is_ascii_alphanumeric() || matches!(c, '<' | '>' | '=' | '-' | '.');
            after.find(|c| !inside(c)).unwrap_or(after.len())
        }
    };
    &after[..end]
}

/// The candidate that a mistyped word is closest to, if any is close.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Only short words are compared, so that the cost does not depend on the input.
    let word: Vec<char> = word.chars().take(32).collect();
    let (distance, best) = candidates
        .into_iter()
        .map(|candidate| (distance(&word, candidate), candidate))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 2 && distance < best.chars().count()).then_some(best)
}

/// How many characters have to be put in, taken out or replaced.
fn distance(word: &[char], other: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (index, c) in other.chars().enumerate() {
        let mut diagonal = index;
        row[0] = index + 1;
        for at in 0..word.len() {
            let replaced = diagonal + usize::from(word[at] != c);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[word.len()]
}
