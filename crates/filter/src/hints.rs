//! What to write instead of a mistake (FLT-4). What is suggested has been tried: a
//! suggestion that is refused in its turn would be worse than none.

use crate::{
    ast::{Comparator, Span},
    error::{ErrorKind, FilterError, quoted},
    numbers::is_comparator,
    parser::{Parser, is_filter},
    scan::is_quote,
    width::is_invisible,
    words::{A_TERM, BARE, LETTERS, argument},
};

/// Words that people write for a letter.
const NAMES: [(&str, char); 34] = [
    ("topic", 't'),
    ("topics", 't'),
    ("star", 's'),
    ("stars", 's'),
    ("recent", 'r'),
    ("newest", 'r'),
    ("latest", 'r'),
    ("last", 'r'),
    ("blue", 'b'),
    ("grey", 'g'),
    ("gray", 'g'),
    ("model", 'm'),
    ("models", 'm'),
    ("text", 'c'),
    ("contains", 'c'),
    ("age", 'd'),
    ("date", 'd'),
    ("day", 'd'),
    ("error", 'e'),
    ("errors", 'e'),
    ("failed", 'e'),
    ("pin", 'p'),
    ("pinned", 'p'),
    ("pins", 'p'),
    ("out", 'x'),
    ("summary", 'y'),
    ("summaries", 'y'),
    ("image", 'i'),
    ("images", 'i'),
    ("attachment", 'a'),
    ("attachments", 'a'),
    ("included", 'o'),
    ("token", 'k'),
    ("tokens", 'k'),
];

impl Parser<'_> {
    /// The first of these that is a filter, as a suggestion.
    pub(crate) fn suggest(&self, candidates: impl IntoIterator<Item = String>) -> Option<String> {
        self.first_filter(candidates).map(|meant| try_this(&meant))
    }

    fn first_filter(&self, candidates: impl IntoIterator<Item = String>) -> Option<String> {
        // While a suggestion is tried, nobody reads what is suggested about it.
        if self.trial { None } else { candidates.into_iter().find(|text| is_filter(text)) }
    }

    /// What the word that stands here may be meant for. It starts with `run`, its letters;
    /// `owner` is a bare letter before it that may want it.
    pub(crate) fn meant_by_word(&self, run: &str, word: &str, owner: Option<char>) -> String {
        let lower = run.to_lowercase();
        match lower.as_str() {
            _ if run != word => {}
            "and" => return "write `&`, or nothing: terms side by side must all hold".to_owned(),
            "or" => return "write `|`".to_owned(),
            "not" => return "write `!`".to_owned(),
            _ => {}
        }
        let after = &self.scan.rest()[run.len()..];
        if let Some(owner) = owner {
            let fallback = format!("{owner}'{word}'");
            return self.suggest(meant(owner, word)).unwrap_or_else(|| try_this(&fallback));
        }
        let as_text = format!("c'{word}'");
        if let Some(letter) = named(&lower) {
            let candidates = meant(letter, after).into_iter().chain([example(letter)]);
            if let Some(term) = self.first_filter(candidates) {
                return format!("{}, or {} for the text", try_this(&term), quoted(&as_text));
            }
        }
        // An apostrophe is no quote, unless it has a partner.
        let rest = &self.scan.rest()[word.len()..];
        if let Some(tail) = rest.strip_prefix('\'') {
            let tail = &tail[..tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len())];
            if !tail.is_empty() && !rest[1 + tail.len()..].starts_with('\'') {
                return try_this(&format!("c\"{word}'{tail}\""));
            }
        }
        // A letter that is written together with its text.
        let mut letters = word.chars();
        let together = match (letters.next(), letters.next()) {
            (Some('c'), Some(_)) => Some('c'),
            (Some('t'), Some(second)) if second.is_uppercase() => Some('t'),
            (Some('m'), Some(_)) if word.contains(|c: char| c.is_ascii_digit()) => Some('m'),
            _ => None,
        };
        let together = together.and_then(|letter| self.first_filter(meant(letter, &word[1..])));
        match together {
            Some(term) => format!("{}, or {}", try_this(&as_text), quoted(&term)),
            None => try_this(&as_text),
        }
    }

    /// A character that starts no term.
    pub(crate) fn unexpected(&self) -> FilterError {
        let (span, found) = (self.scan.next_span(), self.scan.found());
        let error = FilterError::new(ErrorKind::UnexpectedCharacter, span, found, A_TERM);
        let c = self.scan.peek().unwrap_or_default();
        let rest = &self.scan.rest()[c.len_utf8().min(self.scan.rest().len())..];
        // `m=gpt-4`, `t/Sea` and `o-5` are meant for an argument.
        let joins = |letter: char| match c {
            '/' => letter == 't',
            '-' => rest.starts_with(|next: char| next.is_ascii_digit()),
            _ => is_comparator(c) || matches!(c, '~' | '#'),
        };
        if let Some(letter) = self.bare_before(span.start).filter(|letter| joins(*letter))
            && let Some(hint) = self.suggest(meant(letter, self.scan.rest()))
        {
            return error.hint(hint);
        }
        error.hint(match c {
            '‘' | '’' | '“' | '”' | '„' | '`' => {
                "use straight quotes: ' or \"".to_owned()
            }
            '*' => "for everything, leave the filter empty".to_owned(),
            '.' => "`...` follows `t` or a quoted topic: try `t...`".to_owned(),
            ',' | ';' => self.joined(span.start, rest),
            '-' | '~' | '¬' => match self.first_filter([format!("!{}", first_term(rest))]) {
                Some(negated) => format!("for not, write {}", quoted(&negated)),
                None => "for not, write `!`".to_owned(),
            },
            c if is_comparator(c) => "a comparator follows s, d or k: try `s>=2`".to_owned(),
            _ => "put text in quotes: try `c'text'`".to_owned(),
        })
    }

    /// What a comma can mean between the last term and what follows.
    fn joined(&self, comma: usize, rest: &str) -> String {
        let left = self.last.filter(|last| self.only_space(last.end, comma));
        let left = left.map_or("", |last| self.scan.slice(last));
        let right = first_term(rest);
        match self.first_filter([format!("{left} | {right}")]) {
            Some(either) => {
                let both = quoted(&format!("{left} & {right}"));
                format!("write {} for either, or {both} for both", quoted(&either))
            }
            None => "write `|` for either, or `&` for both".to_owned(),
        }
    }

    /// The same error, with a better hint where the cause lies before the atom or cannot
    /// be seen. The atom starts at `start`.
    pub(crate) fn explained(&self, error: FilterError, start: usize) -> FilterError {
        if self.trial {
            return error;
        }
        let at_fault = self.scan.rest_from(error.position).chars().next();
        if at_fault.is_some_and(is_invisible) {
            return error.hint("remove this character: it cannot be seen");
        }
        self.ended_early(start).unwrap_or(error)
    }

    /// What to say of `c'it's'`, where the apostrophe ends the text.
    fn ended_early(&self, start: usize) -> Option<FilterError> {
        let last = self.last.filter(|last| last.end == start)?;
        let written = self.scan.slice(last);
        let (letter, quote) = (written.chars().next()?, written.chars().next_back()?);
        let rest = self.scan.rest_from(start);
        if !is_quote(quote) || !rest.starts_with(char::is_alphabetic) {
            return None;
        }
        // A pair of quotes that follows is inside the text as well.
        let mut quotes = rest.match_indices(quote).map(|(at, _)| at);
        let (first, second) = (quotes.next()?, quotes.next());
        let pairs = second.is_some() && quotes.count() % 2 == 0;
        let tail = &rest[..second.filter(|_| pairs).unwrap_or(first)];
        // A quote behind a letter of its own opens the next text.
        let opens = rest[..first].strip_suffix(['t', 'm', 'c']).is_some_and(|before| {
            before.ends_with(|c: char| c.is_whitespace() || "|+&!(".contains(c))
        });
        if opens {
            return None;
        }
        let head = &written[written.find(quote)? + 1..written.len() - 1];
        let other = if quote == '"' { '\'' } else { '"' };
        let swapped = format!("{letter}{other}{head}{quote}{tail}{other}");
        let escaped_tail = tail.replace(quote, &format!("\\{quote}"));
        let escaped = format!("{letter}{quote}{head}\\{quote}{escaped_tail}{quote}");
        let meant: Vec<String> =
            [swapped, escaped].iter().filter(|text| is_filter(text)).map(|t| quoted(t)).collect();
        if meant.is_empty() {
            return None;
        }
        let span = Span::new(start - quote.len_utf8(), start);
        let (found, expected) = (quoted(self.scan.slice(span)), format!("`\\{quote}` in a text"));
        let error = FilterError::new(ErrorKind::UnexpectedCharacter, span, found, expected);
        Some(error.hint(format!("the text ended early: try {}", meant.join(" or "))))
    }

    /// The letter of the last atom, if it was one without an argument and only white
    /// space stands between it and this place.
    pub(crate) fn bare_before(&self, at: usize) -> Option<char> {
        let last = self.last.filter(|last| last.end == last.start + 1)?;
        let letter = self.scan.slice(last).chars().next()?;
        (BARE.contains(letter) && self.only_space(last.end, at)).then_some(letter)
    }

    fn only_space(&self, from: usize, to: usize) -> bool {
        self.scan.slice(Span::new(from, to)).chars().all(char::is_whitespace)
    }
}

/// The letter that a word is written for.
fn named(word: &str) -> Option<char> {
    NAMES.iter().find(|(name, _)| *name == word).map(|(_, letter)| *letter)
}

/// Whether letters that could be terms are a word that is compared with something.
pub(crate) fn is_compared_name(run: &str, after: &str) -> bool {
    run.len() > 1 && after.trim_start().starts_with(is_comparator) && named(run).is_some()
}

/// A hint for `m:gpt-4` and the like, where a colon stands for what quotes do.
pub(crate) fn meant_by_label(text: &str, colon: usize) -> Option<String> {
    let (before, after) = (&text[..colon], &text[colon + 1..]);
    let letters = |c: char| !c.is_alphabetic();
    let label = &before[before.rfind(letters).map_or(0, |at| before.ceil_char_boundary(at + 1))..];
    let single = || label.chars().next().filter(|c| label.len() == 1 && LETTERS.contains(*c));
    let letter = named(&label.to_lowercase()).or_else(single)?;
    // Letters that never have an argument stand before commands: `b:flag g`.
    if BARE.contains(letter) && !matches!(letter, 't' | 'm' | 'o') {
        return None;
    }
    meant(letter, after).into_iter().find(|meant| is_filter(meant)).map(|meant| try_this(&meant))
}

pub(crate) fn try_this(filter: &str) -> String {
    format!("try {}", quoted(filter))
}

/// What a letter may be meant to be with what follows it, where that is no argument as
/// the language writes them: `=gpt-4`, `/Sea/Ships`, ` > 2`.
pub(crate) fn meant(letter: char, after: &str) -> Vec<String> {
    let after = after.trim_start();
    let rest = after.trim_start_matches(|c| is_comparator(c) || matches!(c, ':' | '~' | '#'));
    let written = &after[..after.len() - rest.len()];
    let comparator = Comparator::ALL.into_iter().find(|c| c.symbol() == written);
    let symbol = comparator.map_or("", Comparator::symbol);
    let rest = rest.trim_start();
    if rest.starts_with(is_quote) {
        return vec![format!("{letter}{}", argument(rest))];
    }
    let inside = |c: char| !c.is_whitespace() && !r#"|&+()!'"\,;:"#.contains(c);
    let value = &rest[..rest.find(|c| !inside(c)).unwrap_or(rest.len())];
    let value = value.trim_matches(['‘', '’', '“', '”', '„', '`']);
    if value.is_empty() {
        return Vec::new();
    }
    let number = value.trim_start_matches('-');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    match letter {
        't' | 'o' | 'r' if is_number => vec![format!("{letter}{number}")],
        't' if value.contains('/') => vec![format!("t'/{}'", value.trim_matches('/'))],
        't' | 'm' | 'c' => vec![format!("{letter}'{value}'")],
        'd' => vec![format!("d{symbol}{value}"), format!("d<{value}")],
        's' | 'k' => vec![format!("{letter}{symbol}{number}")],
        _ if BARE.contains(letter) && letter != 'o' => vec![letter.to_string()],
        _ => Vec::new(),
    }
}

/// A filter for a letter when nothing is known of its argument.
fn example(letter: char) -> String {
    match letter {
        's' => "s>=2".to_owned(),
        'r' => "r10".to_owned(),
        'c' => "c'text'".to_owned(),
        'd' => "d<7d".to_owned(),
        'k' => "k>500".to_owned(),
        bare => bare.to_string(),
    }
}

/// The term at the start of a text, roughly.
fn first_term(text: &str) -> String {
    let text = text.trim_start();
    let letters = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    format!("{}{}", &text[..letters], argument(&text[letters..]))
}
