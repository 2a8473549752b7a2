//! The blocks of a text, one under the other: paragraphs, lists, quotes, code, tables.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Tag, TagEnd};

use super::{
    TerminalLook,
    table::{Table, head},
    words::{CYAN, Look, Span, columns, harmless, styled, wrap},
};
use crate::{code::language_name, highlight, limits::MAX_HIGHLIGHT_BYTES};

/// However deep a block stands, so many columns are left for it.
const FEWEST_COLUMNS: usize = 10;

/// How long a line across the terminal is.
const RULE: usize = 40;

/// How long the line above and below code is.
const CODE_RULE: usize = 8;

/// What stands before the lines of a list item or a quote.
struct Margin {
    /// Before its first line, until that was written.
    first: Option<String>,
    rest: String,
}

pub(super) struct Blocks {
    look: TerminalLook,
    lines: Vec<String>,
    margins: Vec<Margin>,
    /// The next block stands apart from what was written last.
    apart: bool,
    /// The words of the block that is being read.
    spans: Vec<Span>,
    looks: Vec<Look>,
    /// Numbers of the next items of the open lists; none where they have bullets.
    lists: Vec<Option<u64>>,
    /// Where the words of open links begin, and where they lead.
    links: Vec<(usize, String)>,
    /// The language and the lines of the open code block.
    code: Option<(String, String)>,
    table: Option<Table>,
}

impl Blocks {
    pub(super) fn new(look: TerminalLook) -> Self {
        Self {
            look,
            lines: Vec::new(),
            margins: Vec::new(),
            apart: false,
            spans: Vec::new(),
            looks: Vec::new(),
            lists: Vec::new(),
            links: Vec::new(),
            code: None,
            table: None,
        }
    }

    pub(super) fn finish(mut self) -> Vec<String> {
        self.flush();
        self.lines
    }

    pub(super) fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text),
            },
            Event::Code(code) => self.inline_code(&code),
            Event::SoftBreak => self.push(" "),
            Event::HardBreak => self.push("\n"),
            Event::Rule => {
                self.begin();
                self.line(&"─".repeat(self.room().min(RULE)));
                self.apart = true;
            }
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }),
            Event::Html(text) | Event::InlineHtml(text) => self.push(&text),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin(),
            Tag::Heading { level, .. } => {
                self.begin();
                let colour = self.look.colours.then_some(CYAN);
                let underlined = level == HeadingLevel::H1;
                self.looks.push(Look { bold: true, underlined, colour, ..Look::default() });
            }
            Tag::BlockQuote(_) => {
                self.begin();
                self.margins.push(Margin { first: None, rest: "│ ".to_owned() });
            }
            Tag::CodeBlock(kind) => {
                self.begin();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => language_name(&info),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.begin();
                self.lists.push(first);
            }
            Tag::Item => {
                self.begin();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                let rest = " ".repeat(columns(&mark));
                self.margins.push(Margin { first: Some(mark), rest });
            }
            Tag::Table(alignments) => {
                self.begin();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                if self.table.as_ref().is_some_and(|table| table.rows.len() == 1) {
                    self.change_look(head);
                } else {
                    self.change_look(|look| look);
                }
            }
            Tag::Emphasis => self.change_look(|look| Look { italic: true, ..look }),
            Tag::Strong => self.change_look(|look| Look { bold: true, ..look }),
            Tag::Strikethrough => self.change_look(|look| Look { struck: true, ..look }),
            Tag::Link { dest_url, .. } => {
                self.open_link(dest_url);
                self.change_look(|look| Look { underlined: true, ..look });
            }
            Tag::Image { dest_url, .. } => {
                self.push("image: ");
                self.open_link(dest_url);
                self.change_look(|look| Look { italic: true, ..look });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush();
                self.apart = true;
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.looks.pop();
                self.apart = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.margins.pop();
                self.apart = true;
            }
            TagEnd::CodeBlock => self.write_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                // Inside an item, what follows a list stands right under it.
                self.apart = self.lists.is_empty();
            }
            TagEnd::Item => {
                if self.margins.last().is_some_and(|margin| margin.first.is_some())
                    && self.spans.is_empty()
                {
                    self.line("");
                }
                self.flush();
                self.margins.pop();
            }
            TagEnd::TableCell => {
                self.looks.pop();
                let cell = std::mem::take(&mut self.spans);
                let row = self.table.as_mut().and_then(|table| table.rows.last_mut());
                if let Some(row) = row {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let table = self.table.take().unwrap_or_default();
                for line in table.lines(self.room()) {
                    self.line(&line);
                }
                self.apart = true;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.looks.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.looks.pop();
                self.close_link();
            }
            _ => {}
        }
    }

    fn look(&self) -> Look {
        self.looks.last().copied().unwrap_or_default()
    }

    fn change_look(&mut self, change: impl Fn(Look) -> Look) {
        self.looks.push(change(self.look()));
    }

    fn push(&mut self, text: &str) {
        let look = self.look();
        self.spans.push((harmless(text), look));
    }

    /// Code in a sentence has a colour, or the marks that it was written with.
    fn inline_code(&mut self, code: &str) {
        if !self.look.colours {
            return self.push(&format!("`{code}`"));
        }
        let look = Look { colour: Some(CYAN), ..self.look() };
        self.spans.push((harmless(code), look));
    }

    fn open_link(&mut self, address: CowStr<'_>) {
        self.links.push((self.spans.len(), address.into_string()));
    }

    /// The address stands behind the words, for a terminal hides it otherwise.
    fn close_link(&mut self) {
        let Some((start, address)) = self.links.pop() else { return };
        let words: String = self.spans[start.min(self.spans.len())..]
            .iter()
            .map(|(text, _)| text.as_str())
            .collect();
        let same = address.strip_prefix("mailto:").unwrap_or(&address) == words;
        if !same && !address.is_empty() {
            let look = Look { faint: true, ..Look::default() };
            self.spans.push((harmless(&format!(" ({address})")), look));
        }
    }

    /// A block begins: words before it are a block of their own, and what stands apart has an
    /// empty line before it.
    fn begin(&mut self) {
        self.flush();
        if std::mem::take(&mut self.apart) {
            let margins: String = self.margins.iter().map(|margin| margin.rest.as_str()).collect();
            self.lines.push(margins.trim_end().to_owned());
        }
    }

    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.iter().all(|(text, _)| text.trim().is_empty()) {
            return;
        }
        for line in wrap(&spans, self.room()) {
            self.line(&styled(&line));
        }
    }

    fn write_code(&mut self) {
        let (language, code) = self.code.take().unwrap_or_default();
        let code = harmless(&code.replace('\t', "    "));
        let code = code.strip_suffix('\n').unwrap_or(&code);
        let faint = |text: String| styled(&[(text, Look { faint: true, ..Look::default() })]);
        let rule = "─".repeat(CODE_RULE);
        self.line(&faint(format!("{rule} {language}").trim_end().to_owned()));
        let mut spans: Vec<Span> = Vec::new();
        let known = highlight::language(&language).filter(|_| code.len() <= MAX_HIGHLIGHT_BYTES);
        match known.filter(|_| self.look.colours) {
            Some(language) => highlight::pieces(code, language, &mut |class, piece| {
                spans.push((piece.to_owned(), Look::of_code(class)));
            }),
            None => spans.push((code.to_owned(), Look::default())),
        }
        for line in split_lines(&spans) {
            self.line(&styled(&line));
        }
        self.line(&faint(rule));
        self.apart = true;
    }

    /// Columns that are left beside the margins.
    fn room(&self) -> usize {
        let margins: usize = self.margins.iter().map(|margin| columns(&margin.rest)).sum();
        self.look.width.saturating_sub(margins).max(FEWEST_COLUMNS)
    }

    fn line(&mut self, line: &str) {
        let mut whole = String::new();
        for margin in &mut self.margins {
            whole.push_str(&margin.first.take().unwrap_or_else(|| margin.rest.clone()));
        }
        whole.push_str(line);
        self.lines.push(whole.trim_end().to_owned());
    }
}

/// Pieces that reach over line ends, line by line.
fn split_lines(spans: &[Span]) -> Vec<Vec<Span>> {
    let mut lines = vec![Vec::new()];
    for (text, look) in spans {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                line.push((part.to_owned(), *look));
            }
        }
    }
    lines
}
