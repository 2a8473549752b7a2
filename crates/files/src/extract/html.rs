//! The text of a web page: words, headings, lists, tables, addresses of links. Marks are
//! taken one by one and no tree is built, so no nesting costs anything.

use std::cell::{Cell, RefCell};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};

use super::{
    NoText,
    bounds::{Bounds, TEXT_BYTES},
    out::Out,
};

/// How much of the beginning is looked at for the name of the encoding.
const HEAD: usize = 2048;
/// So many bytes are taken at a time, between looks at the clock.
const PART: usize = 64 << 10;
/// A longer address is left out.
const ADDRESS: usize = 200;

pub(super) fn read(bytes: &[u8], bounds: &Bounds) -> Result<Out, NoText> {
    let page = to_text(bytes, bounds);
    let mut out = Out::default();
    if let Some(title) = page.title.filter(|title| page.heading.as_ref() != Some(title)) {
        out.line(&title);
        out.line("");
    }
    out.lines(&page.text);
    if page.cut {
        out.cut();
    }
    Ok(out)
}

/// What a page says.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) title: Option<String>,
    /// The first heading.
    pub(super) heading: Option<String>,
    pub(super) cut: bool,
}

pub(super) fn to_text(bytes: &[u8], bounds: &Bounds) -> Page {
    let (text, _, _) = encoding(bytes).decode(bytes);
    let sink = Sink::default();
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let mut rest = &*text;
    while !rest.is_empty() && !bounds.is_late() && !tokenizer.sink.full() {
        let (part, after) = rest.split_at(rest.ceil_char_boundary(PART.min(rest.len())));
        queue.push_back(StrTendril::from_slice(part));
        let _ = tokenizer.feed(&queue);
        rest = after;
    }
    tokenizer.end();
    let cut = !rest.is_empty();
    let Sink { writer, title, heading, .. } = tokenizer.sink;
    let named = |text: RefCell<String>| {
        let text = text.into_inner().split_whitespace().collect::<Vec<_>>().join(" ");
        Some(text).filter(|text| !text.is_empty())
    };
    Page { text: writer.into_inner().text, title: named(title), heading: named(heading), cut }
}

/// The encoding that a page says it has, by its mark or its head; else UTF-8 if it is that.
fn encoding(bytes: &[u8]) -> &'static Encoding {
    if let Some((marked, _)) = Encoding::for_bom(bytes) {
        return marked;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let head = bytes.get(..HEAD.min(bytes.len())).unwrap_or_default().to_ascii_lowercase();
    let at = head.windows(8).position(|window| window == b"charset=" as &[u8]);
    let at = at.map(|at| at + 8).or_else(|| {
        head.windows(9).position(|window| window == b"encoding=" as &[u8]).map(|at| at + 9)
    });
    let label = at.and_then(|at| head.get(at..)).unwrap_or_default();
    let label = label.trim_ascii_start();
    let label = label.strip_prefix(b"\"").or(label.strip_prefix(b"'")).unwrap_or(label);
    let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"-_:.".contains(byte);
    let label = label.get(..label.iter().position(ends).unwrap_or(label.len()));
    label.and_then(Encoding::for_label).unwrap_or(WINDOWS_1252)
}

/// The marks whose inside is no text for people.
const SILENT: [&str; 8] =
    ["script", "style", "template", "noscript", "svg", "math", "iframe", "object"];

#[derive(Default)]
struct Sink {
    writer: RefCell<Writer>,
    title: RefCell<String>,
    heading: RefCell<String>,
    in_title: Cell<bool>,
    in_heading: Cell<bool>,
    /// The silent mark that is open, and how often.
    silent: RefCell<Option<(String, usize)>>,
    link: RefCell<Option<String>>,
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Whether white space waits to be written.
    space: bool,
    lists: usize,
    verbatim: usize,
    cells: usize,
}

impl Writer {
    fn words(&mut self, words: &str) {
        if self.verbatim > 0 {
            self.text.push_str(words);
            return;
        }
        for letter in words.chars() {
            if letter.is_whitespace() {
                self.space = true;
                continue;
            }
            if self.space && !self.text.is_empty() && !self.text.ends_with(['\n', ' ']) {
                self.text.push(' ');
            }
            self.space = false;
            self.text.push(letter);
        }
    }

    fn new_line(&mut self) {
        self.space = false;
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn new_paragraph(&mut self) {
        self.new_line();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }
}

impl Sink {
    fn full(&self) -> bool {
        self.writer.borrow().text.len() > TEXT_BYTES
    }

    fn text(&self, text: &str) {
        if self.silent.borrow().is_some() || self.full() {
            return;
        }
        if self.in_title.get() {
            if self.title.borrow().len() < 1024 {
                self.title.borrow_mut().push_str(text);
            }
            return;
        }
        let first = self.heading.borrow().len() < 1024;
        if self.in_heading.get() && first {
            self.heading.borrow_mut().push_str(text);
        }
        self.writer.borrow_mut().words(text);
    }

    fn start(&self, tag: &Tag) {
        let name = &*tag.name;
        let mut writer = self.writer.borrow_mut();
        let attribute = |name: &str| {
            let mut found = tag.attrs.iter().filter(|attribute| &*attribute.name.local == name);
            found.next().map(|attribute| attribute.value.to_string())
        };
        match name {
            "title" => self.in_title.set(self.title.borrow().is_empty()),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                writer.new_paragraph();
                let level = name.bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                writer.text.push_str(&"#".repeat(level));
                writer.text.push(' ');
                self.in_heading.set(self.heading.borrow().is_empty());
            }
            "br" => {
                writer.text.push('\n');
                writer.space = false;
            }
            "hr" | "p" | "blockquote" | "table" | "dl" | "figure" => writer.new_paragraph(),
            "ul" | "ol" => {
                writer.lists += 1;
                writer.new_line();
            }
            "li" => {
                writer.new_line();
                let depth = writer.lists.clamp(1, 8) - 1;
                writer.text.push_str(&"  ".repeat(depth));
                writer.text.push_str("- ");
            }
            "tr" => {
                writer.new_line();
                writer.cells = 0;
            }
            "td" | "th" => {
                if writer.cells > 0 {
                    writer.text.push_str(" | ");
                }
                writer.cells += 1;
                writer.space = false;
            }
            "pre" | "textarea" => {
                writer.new_line();
                writer.verbatim += 1;
            }
            "img" => {
                let words = attribute("alt").filter(|words| !words.trim().is_empty());
                if let Some(words) = words.filter(|words| words.len() < 1024) {
                    writer.words(&format!(" [picture: {}] ", words.trim()));
                }
            }
            "a" => {
                let outward = |address: &String| {
                    address.len() <= ADDRESS
                        && (address.starts_with("https://") || address.starts_with("http://"))
                };
                *self.link.borrow_mut() = attribute("href").filter(outward);
            }
            _ if is_block(name) => writer.new_line(),
            _ => {}
        }
    }

    fn end(&self, tag: &Tag) {
        let name = &*tag.name;
        let mut writer = self.writer.borrow_mut();
        match name {
            "title" => self.in_title.set(false),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.in_heading.set(false);
                writer.new_line();
            }
            "p" | "blockquote" | "table" | "dl" | "figure" => writer.new_paragraph(),
            "ul" | "ol" => {
                writer.lists = writer.lists.saturating_sub(1);
                writer.new_line();
            }
            "pre" | "textarea" => {
                writer.verbatim = writer.verbatim.saturating_sub(1);
                writer.new_line();
            }
            "a" => {
                if let Some(address) = self.link.borrow_mut().take()
                    && !writer.text.ends_with(&address)
                {
                    writer.words(&format!(" ({address})"));
                }
            }
            _ if is_block(name) => writer.new_line(),
            _ => {}
        }
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "main"
            | "nav"
            | "aside"
            | "form"
            | "tr"
            | "li"
            | "dt"
            | "dd"
            | "figcaption"
            | "address"
            | "details"
            | "summary"
            | "fieldset"
            | "option"
            | "caption"
            | "body"
    )
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::CharacterTokens(text) => self.text(&text),
            Token::TagToken(tag) => return self.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Sink {
    fn tag(&self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        let mut silent = self.silent.borrow_mut();
        match (&mut *silent, tag.kind) {
            (Some((open, times)), TagKind::StartTag) => {
                *times += usize::from(open == name && !tag.self_closing);
                return TokenSinkResult::Continue;
            }
            (Some((open, times)), TagKind::EndTag) => {
                *times -= usize::from(open == name);
                if *times == 0 {
                    *silent = None;
                }
                return TokenSinkResult::Continue;
            }
            (None, TagKind::StartTag) if SILENT.contains(&name) && !tag.self_closing => {
                *silent = Some((name.to_owned(), 1));
            }
            (None, TagKind::StartTag) => self.start(tag),
            (None, TagKind::EndTag) => self.end(tag),
        }
        // What stands in these is no HTML, and ends at their own end alone.
        match (tag.kind, name) {
            (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
            (TagKind::StartTag, "style" | "iframe") => TokenSinkResult::RawData(RawKind::Rawtext),
            (TagKind::StartTag, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}
