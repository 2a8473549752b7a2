//! From Markdown's events to HTML, in one pass.

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Parser, Tag, TagEnd,
};

use crate::{
    code::{self, Colours},
    footnotes,
    html::{self, Html},
    links, markdown,
    math::{self, Aside, Formula, Piece},
    text::{self, Place},
};

/// A text on its way to HTML.
pub(crate) struct Prose<'a> {
    aside: &'a Aside<'a>,
    /// Whether a line break in the text is one on the page.
    line_breaks: bool,
    html: Html,
    /// Neighbouring texts, so that an address that Markdown cut in pieces is whole.
    words: String,
    /// Links and images around the place; only the outermost is written.
    links: usize,
    /// Where the words of the outermost image begin, and its address.
    image: Option<(usize, String)>,
    /// The code block in the making: its language and its text.
    block: Option<(String, String)>,
    /// Raw HTML is being read.
    raw: bool,
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
    colours: Colours,
}

/// Renders a text whose formulas are put aside.
pub(crate) fn render(aside: &Aside<'_>, line_breaks: bool) -> String {
    let mut prose = Prose {
        aside,
        line_breaks,
        html: Html::default(),
        words: String::new(),
        links: 0,
        image: None,
        block: None,
        raw: false,
        columns: Vec::new(),
        column: 0,
        in_head: false,
        colours: Colours::default(),
    };
    prose.html.out.reserve(aside.text.len() * 2);
    for event in Parser::new_ext(&aside.text, markdown::options()) {
        prose.event(event);
    }
    prose.flush();
    prose.html.finish()
}

impl Prose<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Text(text) = &event {
            match &mut self.block {
                Some((_, code)) => code.push_str(text),
                None => self.words.push_str(text),
            }
            return;
        }
        self.flush();
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Code(code) => self.inline_code(&code),
            Event::Html(html) if self.raw => {
                let html = self.aside.restore(&html);
                text::push(&mut self.html.out, &html, Place::Code);
            }
            Event::InlineHtml(html) | Event::Html(html) => self.inline_html(&html),
            Event::SoftBreak if self.line_breaks => self.html.out.push_str("<br>\n"),
            Event::SoftBreak => self.html.out.push('\n'),
            Event::HardBreak => self.html.out.push_str("<br>\n"),
            Event::Rule => self.html.out.push_str("<hr>\n"),
            Event::TaskListMarker(done) => self.html.out.push_str(match done {
                true => "<span class=\"task done\" role=\"img\" aria-label=\"done\"></span>",
                false => "<span class=\"task\" role=\"img\" aria-label=\"not done\"></span>",
            }),
            Event::InlineMath(math) | Event::DisplayMath(math) => self.words.push_str(&math),
            Event::FootnoteReference(name) => self.words.push_str(&name),
            Event::Text(_) => {}
        }
    }

    /// Writes the words that were gathered: formulas, bare addresses, and text.
    fn flush(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let opens = self.html.out.ends_with("<p>") || self.html.out.ends_with('\n');
        for (n, piece) in self.aside.pieces(&words).enumerate() {
            match piece {
                Piece::Formula(formula) => math::push_mathml(&mut self.html.out, formula),
                Piece::Text(prose) if self.links > 0 || !self.html.has_room(1) => {
                    text::push(&mut self.html.out, prose, Place::Prose);
                }
                Piece::Text(prose) => {
                    footnotes::push_prose(&mut self.html.out, prose, opens && n == 0);
                }
            }
        }
        self.words = words;
        self.words.clear();
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.html.open(&html::PARAGRAPH),
            // The page has headings of its own above these.
            Tag::Heading { level, .. } => self.html.open(match level {
                HeadingLevel::H1 => &html::H3,
                HeadingLevel::H2 => &html::H4,
                HeadingLevel::H3 => &html::H5,
                _ => &html::H6,
            }),
            Tag::BlockQuote(_) => self.html.open(&html::QUOTE),
            Tag::HtmlBlock => {
                self.raw = true;
                self.html.open(&html::RAW)
            }
            Tag::List(None) => self.html.open(&html::LIST),
            Tag::List(Some(first)) => self.numbered(first),
            Tag::Item => self.html.open(&html::ITEM),
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Indented => String::new(),
                    CodeBlockKind::Fenced(info) => self.aside.restore(&info).into_owned(),
                };
                self.block = Some((info, String::new()));
            }
            Tag::Table(columns) => {
                self.columns = columns;
                self.html.open(&html::TABLE)
            }
            Tag::TableHead => {
                self.in_head = true;
                self.column = 0;
                self.html.open(&html::HEAD)
            }
            Tag::TableRow => {
                self.column = 0;
                self.html.open(&html::ROW)
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.html.open(&html::EMPHASIS),
            Tag::Strong => self.html.open(&html::STRONG),
            Tag::Strikethrough => self.html.open(&html::STRUCK),
            Tag::Link { link_type, dest_url, .. } => self.link(link_type, &dest_url),
            Tag::Image { dest_url, .. } => self.image(&dest_url),
            // Not in our dialect; their text is kept.
            _ => self.html.pass(),
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::CodeBlock => {
                if let Some((info, source)) = self.block.take() {
                    self.code_block(&info, &source);
                }
                return;
            }
            TagEnd::HtmlBlock => self.raw = false,
            TagEnd::TableHead => self.in_head = false,
            TagEnd::Link => self.links = self.links.saturating_sub(1),
            TagEnd::Image => {
                self.links = self.links.saturating_sub(1);
                if self.links == 0
                    && let Some((start, address)) = self.image.take()
                    && self.html.out.len() == start
                {
                    text::push(&mut self.html.out, &address, Place::Prose);
                }
            }
            _ => {}
        }
        self.html.close();
    }

    fn numbered(&mut self, first: u64) {
        if self.html.try_open(&html::NUMBERED) {
            if first != 1 {
                self.html.out.push_str(&format!(" start=\"{first}\""));
            }
            self.html.out.push_str(">\n");
        }
    }

    fn cell(&mut self) {
        let element = if self.in_head { &html::TITLE_CELL } else { &html::CELL };
        if self.html.try_open(element) {
            self.html.out.push_str(match self.columns.get(self.column) {
                Some(Alignment::Center) => " class=\"center\">",
                Some(Alignment::Right) => " class=\"right\">",
                _ => ">",
            });
        }
        self.column += 1;
    }

    fn link(&mut self, link_type: LinkType, address: &str) {
        self.links += 1;
        let address = self.aside.restore(address).into_owned();
        let automatic = matches!(link_type, LinkType::Autolink | LinkType::Email);
        let target = match link_type {
            LinkType::Email => format!("mailto:{address}"),
            _ => address,
        };
        if self.links > 1 || !self.html.has_room(1) {
            self.html.pass();
        } else if links::open(&mut self.html.out, &target, None) {
            self.html.opened("</a>");
        } else if automatic {
            // What looks like `<kind:path>` may be one of our own context tokens.
            self.html.out.push_str("&lt;");
            self.html.opened("&gt;");
        } else {
            self.html.open(&html::NO_LINK);
        }
    }

    /// Nothing is loaded from where a text says: an image is a link to itself.
    fn image(&mut self, address: &str) {
        self.links += 1;
        let address = self.aside.restore(address).into_owned();
        if self.links > 1 || !self.html.has_room(1) {
            self.html.pass();
            return;
        }
        if links::open(&mut self.html.out, &address, Some("image")) {
            self.html.opened("</a>");
        } else {
            self.html.open(&html::NO_LINK);
        }
        let shown = if address.len() > 200 { "image".to_owned() } else { address };
        self.image = Some((self.html.out.len(), shown));
    }

    fn inline_code(&mut self, source: &str) {
        let source = self.aside.restore(source);
        let room = self.html.has_room(1);
        self.html.out.push_str(if room { "<code>" } else { "" });
        text::push(&mut self.html.out, &source, Place::Code);
        self.html.out.push_str(if room { "</code>" } else { "" });
    }

    /// Raw HTML is text, but for the line break that tables have no other way to say.
    fn inline_html(&mut self, source: &str) {
        let name = source.trim_matches(['<', '>', '/', ' ']);
        if name.eq_ignore_ascii_case("br") && source.len() <= "<br />".len() {
            self.html.out.push_str("<br>");
        } else {
            text::push(&mut self.html.out, &self.aside.restore(source), Place::Prose);
        }
    }

    fn code_block(&mut self, info: &str, source: &str) {
        let source = self.aside.restore(source);
        if info.trim() == "math" {
            let body = source.trim().to_owned();
            let formula = Formula { source: body.clone(), body, display: true };
            self.html.open(&html::PARAGRAPH);
            math::push_mathml(&mut self.html.out, &formula);
            self.html.close();
        } else if self.html.has_room(code::LEVELS) {
            code::push(&mut self.html.out, info, &source, &mut self.colours);
        } else {
            text::push(&mut self.html.out, &source, Place::Code);
        }
    }
}
