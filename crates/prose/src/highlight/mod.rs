//! Colours for code: a small lexer with a table of languages.
//!
//! It knows comments, strings, numbers, keywords, types and calls, and not grammar.
//! Measured in the same minute on one machine beside the usual library of grammars
//! (syntect with its regular expressions in Rust), this is about forty times as fast,
//! and a few kilobytes of tables stand for its megabytes. A word with a wrong colour
//! here and there is the price.
//!
//! The classes are the whole contract with the style sheet, see [`Class`].

mod data;
mod languages;
mod lexer;
mod markup;

pub(crate) use languages::language;

use crate::text::{self, Place};

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Plain,
    /// `hl-k`: keywords.
    Keyword,
    /// `hl-t`: types.
    Type,
    /// `hl-f`: functions where they are called or defined.
    Function,
    /// `hl-s`: strings and characters.
    String,
    /// `hl-n`: numbers and constants such as `true`.
    Number,
    /// `hl-c`: comments.
    Comment,
    /// `hl-a`: attributes, decorators, tags, keys of data.
    Attribute,
    /// `hl-v`: variables that carry a mark, such as `$HOME`.
    Variable,
    /// `hl-i`: lines that a patch adds.
    Inserted,
    /// `hl-d`: lines that a patch takes away.
    Deleted,
}

/// All classes that highlighting writes.
pub(crate) const CLASSES: [&str; 10] =
    ["hl-k", "hl-t", "hl-f", "hl-s", "hl-n", "hl-c", "hl-a", "hl-v", "hl-i", "hl-d"];

impl Class {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Keyword => Some("hl-k"),
            Self::Type => Some("hl-t"),
            Self::Function => Some("hl-f"),
            Self::String => Some("hl-s"),
            Self::Number => Some("hl-n"),
            Self::Comment => Some("hl-c"),
            Self::Attribute => Some("hl-a"),
            Self::Variable => Some("hl-v"),
            Self::Inserted => Some("hl-i"),
            Self::Deleted => Some("hl-d"),
        }
    }
}

/// How a language is read.
pub(crate) enum Language {
    /// Words, strings and comments, as a table says.
    Words(&'static lexer::Words),
    /// Tags and attributes.
    Markup,
    /// The lines of a patch.
    Patch,
}

/// Appends code with its colours.
pub(crate) fn push(out: &mut String, source: &str, language: &Language) {
    pieces(source, language, &mut |class, piece| match class.name() {
        Some(name) => {
            out.push_str("<span class=\"");
            out.push_str(name);
            out.push_str("\">");
            text::push(out, piece, Place::Code);
            out.push_str("</span>");
        }
        None => text::push(out, piece, Place::Code),
    });
}

/// Hands out code piece by piece, each with its class; neighbours of one class are one piece.
pub(crate) fn pieces(source: &str, language: &Language, emit: &mut dyn FnMut(Class, &str)) {
    let mut colours = Spans { emit, source, done: 0, class: Class::Plain, from: 0 };
    match language {
        Language::Words(words) => lexer::run(words, source, &mut colours),
        Language::Markup => markup::run(source, &mut colours),
        Language::Patch => patch(source, &mut colours),
    }
    colours.finish();
}

/// Pieces of code in order.
pub(crate) struct Spans<'a> {
    emit: &'a mut dyn FnMut(Class, &str),
    source: &'a str,
    /// All before this is written.
    from: usize,
    /// All before this has a class.
    done: usize,
    class: Class,
}

impl Spans<'_> {
    /// Gives a class to everything up to a place.
    pub(crate) fn upto(&mut self, end: usize, class: Class) {
        if end <= self.done {
            return;
        }
        if class != self.class {
            self.write();
            self.class = class;
        }
        self.done = end;
    }

    fn write(&mut self) {
        let piece = &self.source[self.from..self.done];
        self.from = self.done;
        if !piece.is_empty() {
            (self.emit)(self.class, piece);
        }
    }

    fn finish(mut self) {
        self.upto(self.source.len(), Class::Plain);
        self.write();
    }
}

fn patch(source: &str, spans: &mut Spans<'_>) {
    let mut end = 0;
    for line in source.split_inclusive('\n') {
        end += line.len();
        let class = match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") => Class::Attribute,
            Some(b'+') => Class::Inserted,
            Some(b'-') => Class::Deleted,
            Some(b'@') => Class::Keyword,
            _ if line.starts_with("diff ") || line.starts_with("index ") => Class::Comment,
            _ => Class::Plain,
        };
        spans.upto(end, class);
    }
}

#[cfg(test)]
#[path = "highlight_tests.rs"]
mod tests;
