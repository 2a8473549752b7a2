//! The lexer for languages of words. It reads each byte once and goes only forward.

use super::{Class, Spans};

/// A language as a table.
pub(crate) struct Words {
    /// What starts a comment to the end of the line.
    pub(crate) line: &'static [&'static str],
    /// What starts and ends a comment over lines.
    pub(crate) block: &'static [(&'static str, &'static str)],
    /// Strings, longer delimiters first.
    pub(crate) strings: &'static [Quote],
    /// Words of the language, with spaces between them; in lower case for [`Trait::AnyCase`].
    pub(crate) keywords: &'static str,
    pub(crate) types: &'static str,
    /// Words that are values.
    pub(crate) constants: &'static str,
    /// Characters that may be in a word beside letters, digits and underscores.
    pub(crate) in_words: &'static [u8],
    /// What else is special.
    pub(crate) traits: &'static [Trait],
}

/// A kind of string.
pub(crate) struct Quote {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) escapes: bool,
    pub(crate) lines: bool,
}

/// What is special about a language.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trait {
    /// Words with a capital first letter are types.
    CapitalTypes,
    /// A word before a round bracket is a function.
    Calls,
    /// Keywords may be written in any case.
    AnyCase,
    /// `@word` is a decorator.
    At,
    /// `#word` or `#[…]` is an attribute or a directive.
    Hash,
    /// `$word` and `${…}` are variables.
    Dollar,
    /// A quote may open a lifetime instead of a character.
    Lifetimes,
    /// A word or a string before a colon is a key.
    ColonKeys,
    /// A word before an equals sign at the start of a line is a key, and so is `[…]`.
    EqualKeys,
    /// A comment must stand at the start of a word.
    LooseHash,
    /// A word after a `!` or before one is a macro.
    Bang,
}

/// Keywords before the name of a function.
const DEFINES: [&str; 7] = ["fn", "def", "defp", "fun", "func", "function", "sub"];

/// Reads a source to its end.
pub(crate) fn run(words: &Words, source: &str, spans: &mut Spans<'_>) {
    let bytes = source.as_bytes();
    let mut lexer = Lexer { words, known: known(words), source, bytes, at: 0, defines: false };
    while lexer.at < lexer.bytes.len() {
        let class = lexer.next();
        spans.upto(lexer.at, class);
    }
}

/// The words of a language and what they are, sorted. It takes about a microsecond, once
/// for each code block.
fn known(words: &Words) -> Vec<(&'static str, Class)> {
    let class = |list: &'static str, class| list.split_ascii_whitespace().map(move |w| (w, class));
    let mut known: Vec<(&str, Class)> = class(words.keywords, Class::Keyword)
        .chain(class(words.types, Class::Type))
        .chain(class(words.constants, Class::Number))
        .collect();
    // Stable, so that of two equal words the first list's comes first.
    known.sort_by_key(|(word, _)| *word);
    known.dedup_by_key(|(word, _)| *word);
    known
}

struct Lexer<'a> {
    words: &'a Words,
    known: Vec<(&'static str, Class)>,
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The word before this one says that this is a function's name.
    defines: bool,
}

impl Lexer<'_> {
    fn has(&self, special: Trait) -> bool {
        self.words.traits.contains(&special)
    }

    fn rest(&self) -> &str {
        // Every step ends between characters, so this never falls back.
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Reads one piece and says what it is.
    fn next(&mut self) -> Class {
        let byte = self.bytes[self.at];
        // Anything but a name or a space after it: the function has none.
        self.defines &= byte.is_ascii_alphabetic() || byte == b'_' || byte == b' ' || byte >= 0x80;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                self.skip(|b| b.is_ascii_whitespace());
                return Class::Plain;
            }
            b'0'..=b'9' => return self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => return self.word(),
            _ if self.words.in_words.contains(&byte)
                && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_alphabetic) =>
            {
                return self.word();
            }
            _ => {}
        }
        self.comment()
            .or_else(|| self.lifetime())
            .or_else(|| self.string())
            .or_else(|| self.marked())
            .unwrap_or_else(|| {
                self.at += 1;
                Class::Plain
            })
    }

    fn skip(&mut self, accept: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&b| accept(b)) {
            self.at += 1;
        }
    }

    /// Goes behind the next place where a text stands, or to the end.
    fn behind(&mut self, text: &str) {
        self.at = self.rest().find(text).map_or(self.bytes.len(), |at| self.at + at + text.len());
    }

    fn comment(&mut self) -> Option<Class> {
        let blocks = self.words.block;
        if let Some((open, close)) = blocks.iter().find(|(open, _)| self.rest().starts_with(open)) {
            self.at += open.len();
            self.behind(close);
            return Some(Class::Comment);
        }
        let line = self.words.line.iter().any(|open| self.rest().starts_with(open));
        let loose = self.has(Trait::LooseHash)
            && self.at > 0
            && !self.bytes[self.at - 1].is_ascii_whitespace();
        if !line || loose {
            return None;
        }
        self.skip(|b| b != b'\n');
        Some(Class::Comment)
    }

    /// `'a` in a language where a quote is also a character's.
    fn lifetime(&mut self) -> Option<Class> {
        if self.bytes[self.at] != b'\'' || !self.has(Trait::Lifetimes) {
            return None;
        }
        let mut ahead = self.rest().chars().skip(1);
        let first = ahead.next()?;
        let named = first.is_alphabetic() || first == '_';
        if !named || ahead.next() == Some('\'') {
            return None;
        }
        self.at += 1;
        self.skip(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80);
        Some(Class::Type)
    }

    fn string(&mut self) -> Option<Class> {
        let quotes = self.words.strings;
        let quote = quotes.iter().find(|quote| self.rest().starts_with(quote.open))?;
        self.at += quote.open.len();
        while let Some(&byte) = self.bytes.get(self.at) {
            if self.bytes[self.at..].starts_with(quote.close.as_bytes()) {
                self.at += quote.close.len();
                break;
            }
            if byte == b'\n' && !quote.lines {
                break;
            }
            self.at += 1;
            if byte == b'\\' && quote.escapes {
                self.at = (self.at + 1).min(self.bytes.len());
            }
        }
        self.at = self.source.ceil_char_boundary(self.at);
        if self.has(Trait::ColonKeys) && self.follows(b':') {
            return Some(Class::Attribute);
        }
        Some(Class::String)
    }

    /// Words with a sign before them.
    fn marked(&mut self) -> Option<Class> {
        let next = self.bytes.get(self.at + 1).copied().unwrap_or(b' ');
        let named = next.is_ascii_alphabetic() || next == b'_';
        let class = match self.bytes[self.at] {
            b'$' if self.has(Trait::Dollar) && next == b'{' => {
                self.skip(|b| b != b'}' && b != b'\n');
                self.at += usize::from(self.bytes.get(self.at) == Some(&b'}'));
                return Some(Class::Variable);
            }
            b'$' if self.has(Trait::Dollar) && (named || next.is_ascii_digit()) => Class::Variable,
            b'@' if self.has(Trait::At) && named => Class::Attribute,
            b'#' if self.has(Trait::Hash) && (next == b'[' || next == b'!') => {
                self.skip(|b| b != b']' && b != b'\n');
                self.at += usize::from(self.bytes.get(self.at) == Some(&b']'));
                return Some(Class::Attribute);
            }
            b'#' if self.has(Trait::Hash) && named => Class::Attribute,
            b'[' if self.has(Trait::EqualKeys) && self.line_starts() => {
                self.skip(|b| b != b']' && b != b'\n');
                self.skip(|b| b == b']');
                return Some(Class::Type);
            }
            _ => return None,
        };
        self.at += 1;
        self.skip(|b| b.is_ascii_alphanumeric() || b == b'_');
        Some(class)
    }

    fn number(&mut self) -> Class {
        self.skip(|b| b.is_ascii_alphanumeric() || b == b'_');
        // A point belongs to the number when a digit follows it: `1.5`, not `1..5`.
        if self.bytes.get(self.at) == Some(&b'.')
            && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit)
        {
            self.at += 1;
            self.skip(|b| b.is_ascii_alphanumeric() || b == b'_');
        }
        Class::Number
    }

    fn word(&mut self) -> Class {
        let start = self.at;
        let extra = self.words.in_words;
        self.skip(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 || extra.contains(&b));
        let word = self.source.get(start..self.at).unwrap_or_default();
        if let Some(class) = self.prefixed(word) {
            return class;
        }
        if self.has(Trait::EqualKeys) && self.follows(b'=') && self.line_starts_before(start) {
            return Class::Attribute;
        }
        if self.has(Trait::ColonKeys) && self.follows(b':') {
            return Class::Attribute;
        }
        if let Some(class) = self.known(word) {
            self.defines = DEFINES.contains(&word);
            return class;
        }
        if std::mem::take(&mut self.defines) {
            return Class::Function;
        }
        if self.has(Trait::Bang)
            && self.bytes.get(self.at) == Some(&b'!')
            && self.bytes.get(self.at + 1).is_some_and(|b| b"([{".contains(b))
        {
            self.at += 1;
            return Class::Function;
        }
        if self.has(Trait::Calls) && self.bytes.get(self.at) == Some(&b'(') {
            return Class::Function;
        }
        match self.has(Trait::CapitalTypes) && word.starts_with(|c: char| c.is_ascii_uppercase()) {
            true => Class::Type,
            false => Class::Plain,
        }
    }

    /// A string with letters before it: `r#"…"#`, `b"…"`, `f'…'`.
    fn prefixed(&mut self, word: &str) -> Option<Class> {
        let next = self.bytes.get(self.at).copied()?;
        if word.len() > 2 || !(next == b'"' || next == b'\'' || next == b'#') {
            return None;
        }
        if self.has(Trait::Lifetimes) {
            if word.ends_with('r') || word == "b" && next == b'"' {
                let hashes = self.rest().bytes().take_while(|&b| b == b'#').count();
                if self.bytes.get(self.at + hashes) != Some(&b'"') || hashes > 8 {
                    return None;
                }
                if hashes == 0 && word == "b" {
                    return self.string();
                }
                self.at += hashes + 1;
                self.behind(&format!("\"{}", "#".repeat(hashes)));
                return Some(Class::String);
            }
            return None;
        }
        let prefix = word.bytes().all(|b| b"rRbBfFuUL".contains(&b));
        if prefix && next != b'#' { self.string() } else { None }
    }

    fn known(&self, word: &str) -> Option<Class> {
        let find = |word: &str| {
            let index = self.known.binary_search_by_key(&word, |(known, _)| known).ok()?;
            self.known.get(index).map(|(_, class)| *class)
        };
        match self.has(Trait::AnyCase) && word.bytes().any(|b| b.is_ascii_uppercase()) {
            true => find(&word.to_ascii_lowercase()),
            false => find(word),
        }
    }

    /// Whether a sign follows, with at most a few spaces before it, and not twice.
    fn follows(&self, sign: u8) -> bool {
        let ahead = &self.bytes[self.at..];
        let spaces = ahead.iter().take(16).take_while(|b| **b == b' ').count();
        ahead.get(spaces) == Some(&sign) && ahead.get(spaces + 1) != Some(&sign)
    }

    fn line_starts(&self) -> bool {
        self.line_starts_before(self.at)
    }

    fn line_starts_before(&self, at: usize) -> bool {
        let mut before = self.bytes[..at].iter().rev().take(64);
        before.find(|b| !matches!(b, b' ' | b'\t' | b'.')).is_none_or(|b| *b == b'\n')
    }
}
