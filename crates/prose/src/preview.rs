//! One line of a text, for lists.

use pulldown_cmark::{Event, Parser, TagEnd};

use crate::{
    markdown,
    text::{self, Place},
};

/// How much of a text is read for each character of its preview: enough for addresses
/// and markers that are not shown, and little for a text of megabytes.
const BYTES_READ_PER_CHAR: usize = 32;

/// The beginning of a text in one line without any markup, at most so many characters
/// long; a text that goes on ends in "…". It is text, not HTML: who puts it on a page
/// escapes it.
pub fn plain_preview(markdown: &str, max_chars: usize) -> String {
    let enough = max_chars.saturating_mul(BYTES_READ_PER_CHAR).saturating_add(1024);
    let head = &markdown[..markdown.floor_char_boundary(enough)];
    let clean = text::without_marks(head);
    let flat = markdown::flatten(&clean);
    let mut line = Line { text: String::new(), chars: 0, max: max_chars, space: false, cut: false };
    for event in Parser::new_ext(&flat, markdown::options()) {
        match event {
            Event::Text(text) | Event::Code(text) => line.push(&text),
            Event::Html(html) | Event::InlineHtml(html) => line.push(&html),
            Event::SoftBreak | Event::HardBreak | Event::Rule => line.space = true,
            Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image,
            ) => {}
            Event::End(_) => line.space = true,
            _ => {}
        }
        if line.cut {
            break;
        }
    }
    line.finish(head.len() < markdown.len())
}

struct Line {
    text: String,
    chars: usize,
    max: usize,
    space: bool,
    cut: bool,
}

impl Line {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = true;
                continue;
            }
            if c.is_control() || c == markdown::HALT || text::unseen(c, Place::Attribute) {
                continue;
            }
            let space = self.space && self.chars > 0;
            if self.chars + usize::from(space) + 1 > self.max {
                self.cut = true;
                return;
            }
            if space {
                self.text.push(' ');
                self.chars += 1;
            }
            self.space = false;
            self.text.push(c);
            self.chars += 1;
        }
    }

    fn finish(mut self, goes_on: bool) -> String {
        if (self.cut || goes_on) && self.max > 0 {
            if self.chars == self.max {
                self.text.pop();
            }
            self.text.truncate(self.text.trim_end().len());
            self.text.push('…');
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_preview_is_one_line_without_markup() {
        for (markdown, max, expected) in [
            (
                "# Title\n\nSome **bold** `code`\nand [more](https://a.org).",
                99,
                "Title Some bold code and more.",
            ),
            ("- a\n- b\n\n```rust\nfn x() {}\n```", 99, "a b fn x() {}"),
            ("| a | b |\n|---|---|\n| 1 | 2 |", 99, "a b 1 2"),
            ("hello world", 11, "hello world"),
            ("hello world", 8, "hello w…"),
            ("hello world", 7, "hello…"),
            ("hello", 0, ""),
            ("a\u{202e}b\0c", 9, "abc"),
            ("the `x` *in*side", 99, "the x inside"),
        ] {
            assert_eq!(plain_preview(markdown, max), expected, "{markdown:?}");
        }
    }

    #[test]
    fn a_long_text_is_not_read_to_its_end() {
        let preview = plain_preview(&"word ".repeat(1_000_000), 20);
        assert_eq!(preview, "word word word word…");
    }

    proptest! {
        #[test]
        fn a_preview_is_never_too_long(markdown in "[a-z #*`\\[\\]()>\n|é\u{202e}-]{0,200}", max in 0..40_usize) {
            let preview = plain_preview(&markdown, max);
            prop_assert!(preview.chars().count() <= max);
            let unwanted = preview.contains(['\n', '\u{202e}']);
            prop_assert!(!unwanted);
        }
    }
}
