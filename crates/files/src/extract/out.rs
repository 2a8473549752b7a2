//! The text that a reader makes, with its parts, cut where it grows too large.

use plimsoll_domain::{ExtractedText, TextPart};
use plimsoll_tokens::Estimator;

use super::{
    NoText,
    bounds::{PARTS, TEXT_BYTES},
    lasting,
};

/// The names of parts are cut here.
const NAME_CHARS: usize = 80;

/// A text on its way.
#[derive(Debug, Default)]
pub(super) struct Out {
    text: String,
    lines: u64,
    parts: Vec<TextPart>,
    /// How many parts the document has and what they are called, one and many.
    count: Option<(u64, &'static str, &'static str)>,
    /// What else is not there.
    missing: Vec<String>,
    words: bool,
    cut: bool,
}

impl Out {
    /// Whether there is room for more. Once a text is cut, nothing is added any more.
    pub(super) fn is_full(&self) -> bool {
        self.cut
    }

    pub(super) fn cut(&mut self) {
        self.cut = true;
    }

    /// A line, without its end. Lines of nothing follow no line of nothing.
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim_end();
        if self.cut || (line.is_empty() && (self.text.is_empty() || self.text.ends_with("\n\n"))) {
            return;
        }
        self.words |= line.chars().any(char::is_alphanumeric);
        self.push(line);
    }

    /// A line as it is.
    pub(super) fn verbatim(&mut self, line: &str) {
        if !self.cut {
            self.words |= line.chars().any(char::is_alphanumeric);
            self.push(line);
        }
    }

    /// All lines of a text.
    pub(super) fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    fn push(&mut self, line: &str) {
        let room = TEXT_BYTES.saturating_sub(self.text.len() + 1);
        let line = if line.len() > room {
            self.cut = true;
            line.get(..line.floor_char_boundary(room)).unwrap_or_default()
        } else {
            line
        };
        // What would look like nothing, or turn the direction of writing, is left out.
        let hidden = |c: char| c.is_control() && c != '\t' || matches!(c, '\u{feff}' | '\u{ad}');
        for piece in line.split(hidden) {
            self.text.push_str(piece);
        }
        self.text.push('\n');
        self.lines += 1;
    }

    /// A part begins: a page, a sheet, a chapter.
    pub(super) fn part(&mut self, kind: &str, name: &str) {
        if self.cut || self.parts.len() == PARTS {
            self.cut = true;
            return;
        }
        if !self.text.is_empty() {
            self.line("");
        }
        let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name: String = name.chars().take(NAME_CHARS).collect();
        let name = format!("{kind} {name}").trim().to_owned();
        self.parts.push(TextPart { name: name.clone(), line: self.lines + 1 });
        self.push(&format!("[{name}]"));
    }

    pub(super) fn count(&mut self, number: u64, one: &'static str, many: &'static str) {
        self.count = Some((number, one, many));
    }

    pub(super) fn missing(&mut self, words: String) {
        self.missing.push(words);
    }

    pub(super) fn has_words(&self) -> bool {
        self.words
    }

    pub(super) fn finish(self, lost: &str) -> Result<super::Extract, NoText> {
        if !self.words {
            return Err(lasting("there is no text in it"));
        }
        let lost = Some(lost).filter(|lost| !lost.is_empty());
        let mut lost: Vec<String> =
            lost.map(|lost| format!("without {lost}")).into_iter().collect();
        lost.extend(self.missing);
        let length = self.count.map(|(number, one, many)| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {many}"),
        });
        let text = self.text.trim_end().to_owned() + "\n";
        let facts = ExtractedText {
            bytes: text.len() as u64,
            tokens: Estimator::Fast.count(&text),
            length,
            parts: self.parts,
            lost: Some(lost.join("; ")).filter(|lost| !lost.is_empty()),
            cut: self.cut,
        };
        Ok(super::Extract { text, facts })
    }
}
