//! Words with a look, wrapped into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    highlight::Class,
    markdown::HALT,
    text::{self, Place},
};

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) bold: bool,
    pub(super) faint: bool,
    pub(super) italic: bool,
    pub(super) underlined: bool,
    pub(super) struck: bool,
    /// The number of a colour, as terminals count them.
    pub(super) colour: Option<u8>,
}

pub(super) const CYAN: u8 = 36;

impl Look {
    /// The colour of a piece of code. Eight colours are what every terminal has, in shades that
    /// its owner chose.
    pub(super) fn of_code(class: Class) -> Self {
        let colour = match class {
            Class::Plain => return Self::default(),
            Class::Comment => return Self { faint: true, ..Self::default() },
            Class::Keyword => 35,
            Class::Type | Class::Attribute => 33,
            Class::Function => 34,
            Class::String | Class::Inserted => 32,
            Class::Number | Class::Variable => CYAN,
            Class::Deleted => 31,
        };
        Self { colour: Some(colour), ..Self::default() }
    }

    fn codes(self) -> String {
        let switches = [
            (self.bold, 1),
            (self.faint, 2),
            (self.italic, 3),
            (self.underlined, 4),
            (self.struck, 9),
        ];
        let codes = switches.into_iter().filter(|(on, _)| *on).map(|(_, code)| code);
        let codes: Vec<String> = codes.chain(self.colour).map(|code| code.to_string()).collect();
        codes.join(";")
    }
}

/// A piece of text and how it looks.
pub(super) type Span = (String, Look);

/// Pieces as one line. Each look ends where its piece does, so that a line never reaches into
/// the next.
pub(super) fn styled(spans: &[Span]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some((_, look)) = spans.get(at) {
        let same = spans[at..].iter().take_while(|(_, other)| other == look).count();
        let text: String = spans[at..at + same].iter().map(|(text, _)| text.as_str()).collect();
        match look.codes() {
            codes if codes.is_empty() => out.push_str(&text),
            codes => out.push_str(&format!("\x1b[{codes}m{text}\x1b[0m")),
        }
        at += same;
    }
    out
}

/// A text of which nothing steers a terminal or turns the direction of what follows.
pub(super) fn harmless(text: &str) -> String {
    let shown = text.chars().filter(|c| *c != '\r' && *c != HALT);
    shown
        .map(|c| match c {
            '\n' => c,
            '\t' => ' ',
            c if c.is_control() || text::unseen(c, Place::Attribute) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Columns of a line, its codes aside.
pub(super) fn columns(line: &str) -> usize {
    let mut pieces = line.split('\x1b');
    let first = pieces.next().unwrap_or_default().width();
    let coded = pieces.map(|piece| piece.split_once('m').map_or(0, |(_, text)| text.width()));
    first + coded.sum::<usize>()
}

/// Wraps pieces into lines of at most so many columns. A word that is longer than a line is
/// broken; a line feed ends a line.
pub(super) fn wrap(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut wrapped = Wrapped { width: width.max(1), ..Wrapped::default() };
    for (text, look) in spans {
        for c in text.chars() {
            wrapped.take(c, *look);
        }
    }
    wrapped.end_line();
    wrapped.lines
}

#[derive(Default)]
struct Wrapped {
    width: usize,
    lines: Vec<Vec<Span>>,
    line: Vec<Span>,
    used: usize,
    /// The spaces between the line and the word.
    gap: Option<Look>,
    word: Vec<Span>,
    word_columns: usize,
}

impl Wrapped {
    fn take(&mut self, c: char, look: Look) {
        match c {
            '\n' => self.end_line(),
            ' ' => {
                self.end_word();
                self.gap = Some(look);
            }
            c => {
                let columns = c.width().unwrap_or(0);
                if self.word_columns + columns > self.width {
                    self.end_word();
                }
                self.word_columns += columns;
                match self.word.last_mut() {
                    Some((text, last)) if *last == look => text.push(c),
                    _ => self.word.push((c.to_string(), look)),
                }
            }
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let gap = self.gap.take().filter(|_| !self.line.is_empty());
        if self.used + usize::from(gap.is_some()) + self.word_columns > self.width {
            self.lines.push(std::mem::take(&mut self.line));
            self.used = 0;
        } else if let Some(look) = gap {
            self.line.push((" ".to_owned(), look));
            self.used += 1;
        }
        self.used += self.word_columns;
        self.word_columns = 0;
        self.line.append(&mut self.word);
    }

    fn end_line(&mut self) {
        self.end_word();
        self.lines.push(std::mem::take(&mut self.line));
        (self.used, self.gap) = (0, None);
    }
}
