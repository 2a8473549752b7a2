//! The text of a page, with lines and spaces where its drawing puts them.
//!
//! A PDF says where glyphs stand, not where words and lines end. A move to another height
//! is a new line, a gap wider than a fraction of the letters' size is a space.

use std::collections::BTreeMap;

use lopdf::{
    Document, Error, Object,
    content::{Content, Operation},
};

use super::font::Font;

/// A gap of this part of the letters' size is a space.
const GAP: f32 = 0.22;
/// A letter of a font that does not say is taken to be this wide, give or take.
const WIDTH: f32 = 0.5;
const SLACK: f32 = 0.2;

/// What is left of the work that one call may make of a PDF, all its pages together: a small
/// file can unpack to a thousand times its size, and draw for minutes.
#[derive(Debug)]
pub(super) struct Effort {
    /// Bytes that streams of pages may unpack to.
    pub(super) unpacked: usize,
    pub(super) steps: usize,
}

/// The fonts of one page that are read, and what the table of one may unpack to.
const FONTS: usize = 64;
const FONT_BYTES: usize = 4 * 1024 * 1024;

/// The text of a page, up to `bytes` of it.
pub(super) fn of_page(
    document: &Document,
    page: lopdf::ObjectId,
    effort: &mut Effort,
    bytes: usize,
) -> Result<String, Error> {
    let fonts = document.get_page_fonts(page)?;
    let mut read = BTreeMap::new();
    for (name, font) in fonts.into_iter().take(FONTS) {
        let most = FONT_BYTES.min(effort.unpacked);
        if let Some(font) = Font::read(document, font, most) {
            read.insert(name, font);
        }
        // A table is not told apart from one that could not be read; each counts a little.
        effort.unpacked = effort.unpacked.saturating_sub(FONT_BYTES / 1024);
    }
    let content = document.get_page_content_with_limit(page, effort.unpacked)?;
    effort.unpacked = effort.unpacked.saturating_sub(content.len());
    let mut pen = Pen::new(&read);
    for operation in Content::decode_iter(&content) {
        // What was drawn before the damage is still the text of the page.
        let Ok(operation) = operation else { break };
        let Some(steps) = effort.steps.checked_sub(1) else {
            pen.text.push_str("\n[… the rest is not read: the PDF draws too much]");
            break;
        };
        effort.steps = steps;
        pen.draw(&operation);
        if pen.text.len() > bytes {
            pen.text.truncate(pen.text.floor_char_boundary(bytes));
            pen.text.push_str("\n[… the rest of this page is not read]");
            break;
        }
    }
    Ok(pen.text)
}

struct Pen<'a> {
    fonts: &'a BTreeMap<Vec<u8>, Font<'a>>,
    font: Option<&'a Font<'a>>,
    size: f32,
    leading: f32,
    /// How much the text matrix stretches.
    scale: (f32, f32),
    /// Where the line starts.
    line: (f32, f32),
    /// Where the next glyph stands.
    x: f32,
    /// Where the last glyph ended, and how sure that is.
    last: Option<(f32, f32, f32)>,
    /// What is put between letters, and between words besides.
    spacing: (f32, f32),
    text: String,
}

impl<'a> Pen<'a> {
    fn new(fonts: &'a BTreeMap<Vec<u8>, Font<'a>>) -> Self {
        Self {
            fonts,
            font: None,
            size: 0.0,
            leading: 0.0,
            scale: (1.0, 1.0),
            line: (0.0, 0.0),
            x: 0.0,
            last: None,
            spacing: (0.0, 0.0),
            text: String::new(),
        }
    }

    fn draw(&mut self, operation: &Operation) {
        let operands = &operation.operands;
        let number = |at: usize| {
            let number = operands.get(at).and_then(|operand| operand.as_float().ok());
            number.filter(|number| number.is_finite()).unwrap_or(0.0)
        };
        match operation.operator.as_str() {
            "BT" => self.place((1.0, 1.0), (0.0, 0.0)),
            "Tf" => {
                let name = operands.first().and_then(|name| name.as_name().ok());
                self.font = name.and_then(|name| self.fonts.get(name));
                self.size = number(1).abs();
            }
            "Tc" => self.spacing.0 = number(0),
            "Tw" => self.spacing.1 = number(0),
            "TL" => self.leading = number(0),
            "Td" => self.walk(number(0), number(1)),
            "TD" => {
                self.leading = -number(1);
                self.walk(number(0), number(1));
            }
            "T*" => self.walk(0.0, -self.leading),
            "Tm" => {
                let (across, along) = (number(0).hypot(number(1)), number(2).hypot(number(3)));
                self.place((across, along), (number(4), number(5)));
            }
            "Tj" => self.show(operands.first()),
            "'" => {
                self.walk(0.0, -self.leading);
                self.show(operands.first());
            }
            "\"" => {
                self.walk(0.0, -self.leading);
                self.show(operands.get(2));
            }
            "TJ" => {
                for part in
                    operands.first().and_then(|parts| parts.as_array().ok()).into_iter().flatten()
                {
                    match part.as_float() {
                        Ok(back) if back.is_finite() => {
                            self.x -= back / 1000.0 * self.size * self.scale.0;
                        }
                        _ => self.show(Some(part)),
                    }
                }
            }
            _ => {}
        }
    }

    fn place(&mut self, scale: (f32, f32), at: (f32, f32)) {
        (self.scale, self.line, self.x) = (scale, at, at.0);
    }

    fn walk(&mut self, x: f32, y: f32) {
        let at = (self.line.0 + x * self.scale.0, self.line.1 + y * self.scale.1);
        self.place(self.scale, at);
    }

    fn show(&mut self, string: Option<&Object>) {
        let Some(bytes) = string.and_then(|string| string.as_str().ok()) else { return };
        let Some(font) = self.font else { return };
        let Some(shown) = font.letters(bytes) else { return };
        // A size of nothing is a font that the page scales otherwise.
        let size = match self.size * self.scale.1 {
            size if size > 0.0 => size,
            _ => 1.0,
        };
        if let Some((x, y, slack)) = self.last {
            let apart = !self.text.ends_with([' ', '\n']) && !shown.starts_with(' ');
            if (y - self.line.1).abs() > size * 0.4 {
                self.text.push('\n');
            } else if (self.x - x).abs() > size * GAP + slack && apart {
                self.text.push(' ');
            }
        }
        let (width, letters) = font.width(bytes);
        let letters = letters as f32;
        let spaces = shown.matches(' ').count() as f32;
        let spacing = self.spacing.0 * letters + self.spacing.1 * spaces;
        self.text.push_str(&shown);
        self.x += (width.unwrap_or(letters * WIDTH) * self.size + spacing) * self.scale.0;
        let slack = if width.is_some() { 0.0 } else { letters * SLACK * size };
        self.last = Some((self.x, self.line.1, slack));
    }
}

#[cfg(test)]
mod tests {
    use lopdf::{Dictionary, Stream, dictionary};

    use super::*;

    /// Many pages that all draw one stream, which unpacks to far more than it is packed to.
    fn many_pages(pages: usize, drawn: &str) -> Document {
        let mut document = Document::with_version("1.7");
        let mut content = Stream::new(Dictionary::new(), drawn.as_bytes().to_vec());
        content.compress().unwrap();
        assert!(content.content.len() < drawn.len() / 50, "it is packed well");
        let content = document.add_object(content);
        let parent = document.new_object_id();
        let page = dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => content };
        let kids: Vec<Object> =
            (0..pages).map(|_| document.add_object(page.clone()).into()).collect();
        let tree = dictionary! { "Type" => "Pages", "Count" => pages as i64, "Kids" => kids };
        document.objects.insert(parent, tree.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
        document.trailer.set("Root", catalog);
        document
    }

    /// A PDF of 200 KB kept a processor busy for 24 s: each page could unpack and draw as much
    /// as the first. Now all pages of a call share what is allowed.
    #[test]
    fn sec_5_all_pages_together_unpack_and_draw_a_bounded_amount() {
        let document = many_pages(50, &"q Q\n".repeat(10_000));
        let mut effort = Effort { unpacked: 100_000, steps: 30_000 };
        let mut drawn = 0;
        for page in document.get_pages().into_values() {
            let before = effort.steps;
            let text = of_page(&document, page, &mut effort, 1000);
            drawn += before - effort.steps;
            if effort.steps == 0 && before > 0 {
                assert!(text.unwrap().contains("the PDF draws too much"));
            }
        }
        assert_eq!(drawn, 30_000, "of 1,000,000 steps");
        assert!(effort.unpacked < 40_000, "{effort:?}");
    }
}
