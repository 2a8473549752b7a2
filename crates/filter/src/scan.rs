//! A place in a text that moves forward, and the strings of the language.

use crate::{
    ast::Span,
    error::{ErrorKind, FilterError, quoted},
    width::is_invisible,
};

/// One character of a string, after escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glyph {
    /// Itself.
    Char(char),
    /// A `*` that was not escaped.
    Star,
}

pub(crate) struct Quoted {
    pub(crate) glyphs: Vec<Glyph>,
    pub(crate) span: Span,
}

/// A text and how far it has been read. Offsets are those of the whole text.
#[derive(Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text from a place on, wherever the scanner stands.
    pub(crate) fn rest_from(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(crate) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    pub(crate) fn take_while(&mut self, keep: impl Fn(char) -> bool) -> Span {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        Span::new(start, self.at)
    }

    pub(crate) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Digits and their value; one that is too large is the largest there is, which no
    /// atom accepts.
    pub(crate) fn number(&mut self) -> (u64, Span) {
        let span = self.take_while(|c| c.is_ascii_digit());
        let value = self.slice(span).bytes().fold(0u64, |value, digit| {
            value.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        });
        (value, span)
    }

    /// The next character as a span, for an error message.
    pub(crate) fn next_span(&self) -> Span {
        Span::new(self.at, self.at + self.peek().map_or(0, char::len_utf8))
    }

    /// What stands here, for an error message.
    pub(crate) fn found(&self) -> String {
        match self.peek() {
            Some(c) if is_invisible(c) => format!("U+{:04X}", u32::from(c)),
            Some(_) => quoted(self.slice(self.next_span())),
            None => "the end of the text".to_owned(),
        }
    }

    /// A string whose opening quote stands here.
    pub(crate) fn quoted(&mut self) -> Result<Quoted, FilterError> {
        let start = self.at;
        let quote = self.bump().unwrap_or_default();
        let mut glyphs = Vec::new();
        loop {
            let at = self.at;
            match self.bump() {
                None => break,
                Some('\\') => {
                    let Some(escaped) = self.bump() else { break };
                    let span = Span::new(at, self.at);
                    glyphs.push(Glyph::Char(unescape(escaped).ok_or_else(|| {
                        FilterError::new(
                            ErrorKind::UnknownEscape,
                            span,
                            quoted(self.slice(span)),
                            r#"one of `\\` `\'` `\"` `\n` `\t` `\*`"#,
                        )
                        .hint(format!(
                            "for a backslash itself write {}",
                            quoted(&format!(r"\\{escaped}"))
                        ))
                    })?));
                }
                Some('*') => glyphs.push(Glyph::Star),
                Some(c) if c == quote => {
                    let span = Span::new(start, self.at);
                    if glyphs.is_empty() {
                        let found = quoted(self.slice(span));
                        let error =
                            FilterError::new(ErrorKind::EmptyText, span, found, "some text");
                        return Err(error.hint("write at least one character, or `*` for any"));
                    }
                    return Ok(Quoted { glyphs, span });
                }
                Some(c) => glyphs.push(Glyph::Char(c)),
            }
        }
        let span = Span::new(start, start + quote.len_utf8());
        let found = "the end of the text";
        let error = FilterError::new(
            ErrorKind::UnterminatedQuote,
            span,
            found,
            format!("a closing `{quote}`"),
        );
        Err(error.hint(format!("close it with `{quote}`")))
    }
}

pub(crate) fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
}

fn unescape(c: char) -> Option<char> {
    match c {
        '\\' | '\'' | '"' | '*' => Some(c),
        'n' => Some('\n'),
        't' => Some('\t'),
        _ => None,
    }
}

/// Where the command starts: the first `:` outside quotes (FLT-5).
pub(crate) fn command_colon(text: &str) -> Option<usize> {
    let mut open = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match open {
            Some(_) if c == '\\' => {
                chars.next();
            }
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None if is_quote(c) => open = Some(c),
            None if c == ':' => return Some(at),
            None => {}
        }
    }
    None
}
