//! What a font says of its letters: which they are, and how wide.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Encoding, Object};

use super::{standard, to_unicode::ToUnicode};

/// More widths than this are not read.
const MOST: usize = 70_000;

/// Letters that are written as one are two to everyone who searches.
const LIGATURES: [(char, &str); 5] =
    [('ﬀ', "ff"), ('ﬁ', "fi"), ('ﬂ', "fl"), ('ﬃ', "ffi"), ('ﬄ', "ffl")];

/// A font as far as text needs it.
pub(super) struct Font {
    letters: Letters,
    /// Widths by code, in parts of the letters' size.
    widths: HashMap<u32, f32>,
    /// The width of all others, if that is known.
    usual: Option<f32>,
}

enum Letters {
    /// A code has one byte.
    Narrow(Vec<String>),
    /// A code has two bytes, and a table says what they stand for.
    Wide(ToUnicode),
    /// A code is UTF-16.
    Utf16,
}

impl Font {
    /// Reads a font; none if its letters cannot be told. `table` is its `ToUnicode`.
    pub(super) fn read(
        document: &Document,
        font: &Dictionary,
        table: Option<&[u8]>,
    ) -> Option<Self> {
        let array = |dictionary: &Dictionary, key: &[u8]| {
            let found = document.dereference(dictionary.get(key).ok()?).ok()?.1.as_array().ok()?;
            Some(found.clone())
        };
        let table = table.map(ToUnicode::read).filter(|table| !table.is_empty());
        let below = array(font, b"DescendantFonts").and_then(|fonts| fonts.first().cloned());
        if let Some(below) = below.as_ref().and_then(|below| dictionary(document, below)) {
            let encoding = font.get_deref(b"Encoding", document).and_then(Object::as_name);
            let encoding = String::from_utf8_lossy(encoding.unwrap_or_default());
            let letters = match table {
                Some(table) => Letters::Wide(table),
                None if encoding.contains("UCS2") || encoding.contains("UTF16") => Letters::Utf16,
                None => return None,
            };
            let usual = below.get_deref(b"DW", document).and_then(Object::as_float);
            let usual = Some(usual.unwrap_or(1000.0) / 1000.0);
            let mut read = Self { letters, widths: HashMap::new(), usual };
            read.composite(document, &array(below, b"W").unwrap_or_default());
            return Some(read);
        }
        let letters = narrow(document, font, table.as_ref());
        let mut read =
            Self { letters: Letters::Narrow(letters), widths: HashMap::new(), usual: None };
        if let Some(widths) = array(font, b"Widths") {
            let first = font.get_deref(b"FirstChar", document).and_then(Object::as_float);
            let first = (first.unwrap_or(0.0) as u32).min(0xffff);
            // A font that is drawn says how its units become those of the page.
            let unit = array(font, b"FontMatrix").and_then(|matrix| {
                matrix.first().map(|unit| number(document, unit).abs()).filter(|unit| *unit > 0.0)
            });
            let unit = unit.unwrap_or(0.001);
            let widths = widths.iter().take(256).map(|width| number(document, width) * unit);
            read.widths = (first..).zip(widths).collect();
            read.usual = Some(0.5);
        } else if let Ok(name) = font.get_deref(b"BaseFont", document).and_then(Object::as_name) {
            read.widths = standard::widths(name);
            read.usual = (!read.widths.is_empty()).then_some(0.5);
        }
        Some(read)
    }

    /// The table of a composite font: `first [width width …]` or `first last width`.
    fn composite(&mut self, document: &Document, table: &[Object]) {
        let mut rest = table;
        // Ranges may lie over each other, so what is written is counted, not what is there.
        let mut written = 0;
        while let [first, second, tail @ ..] = rest {
            let first = (number(document, first) as u32).min(0xffff);
            let list = document.dereference(second).ok().and_then(|(_, list)| list.as_array().ok());
            if let Some(list) = list {
                let widths = list.iter().map(|width| number(document, width) / 1000.0);
                written += list.len();
                self.widths.extend((first..).zip(widths).take(MOST));
                rest = tail;
            } else if let [width, tail @ ..] = tail {
                let last = (number(document, second) as u32).min(0xffff);
                let width = number(document, width) / 1000.0;
                written += last.saturating_sub(first) as usize + 1;
                self.widths.extend((first..=last).map(|code| (code, width)));
                rest = tail;
            } else {
                return;
            }
            if written > MOST {
                return;
            }
        }
    }

    fn codes(&self, bytes: &[u8]) -> Vec<u32> {
        let size = match &self.letters {
            Letters::Narrow(_) => 1,
            Letters::Wide(table) if table.narrow => 1,
            Letters::Wide(_) | Letters::Utf16 => 2,
        };
        let code = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        bytes.chunks(size).map(code).collect()
    }

    /// What a string says.
    pub(super) fn letters(&self, bytes: &[u8]) -> String {
        let codes = self.codes(bytes);
        match &self.letters {
            Letters::Narrow(letters) => codes
                .iter()
                .filter_map(|code| letters.get(*code as usize).map(String::as_str))
                .collect(),
            Letters::Wide(table) => {
                codes.iter().filter_map(|code| table.letters(*code)).map(split_up).collect()
            }
            Letters::Utf16 => char::decode_utf16(codes.iter().map(|code| *code as u16))
                .filter_map(Result::ok)
                .collect(),
        }
    }

    /// How wide a string is, at size 1, and how many letters it has. None where the font
    /// does not say.
    pub(super) fn width(&self, bytes: &[u8]) -> (Option<f32>, usize) {
        let codes = self.codes(bytes);
        let width = self.usual.map(|usual| {
            codes.iter().map(|code| self.widths.get(code).copied().unwrap_or(usual)).sum()
        });
        (width, codes.len())
    }
}

/// What each of the 256 codes of a simple font stands for. Its `ToUnicode` knows best; for
/// what that lacks the font's encoding is asked.
fn narrow(document: &Document, font: &Dictionary, table: Option<&ToUnicode>) -> Vec<String> {
    let mut plain = font.clone();
    plain.remove(b"ToUnicode");
    // Without the table there is nothing to unpack.
    let encoding = plain.get_font_encoding_with_limit(document, 0);
    let encoding = encoding.unwrap_or(Encoding::SimpleEncoding(b"WinAnsiEncoding"));
    let letters = |code: u8| {
        let known = table.and_then(|table| table.letters(u32::from(code)));
        let letters = known.filter(|letters| !letters.contains('\u{fffd}'));
        let letters = letters.or_else(|| encoding.bytes_to_string(&[code]).ok());
        let visible = |letter: &char| !letter.is_control() && *letter != '\u{fffd}';
        split_up(letters.unwrap_or_default().chars().filter(visible).collect())
    };
    (0..=u8::MAX).map(letters).collect()
}

fn split_up(letters: String) -> String {
    let mut ligatures = LIGATURES.iter().filter(|(one, _)| letters.contains(*one));
    match ligatures.next() {
        None => letters,
        Some(_) => LIGATURES.iter().fold(letters, |letters, (one, two)| letters.replace(*one, two)),
    }
}

fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).ok()?.1.as_dict().ok()
}

fn number(document: &Document, object: &Object) -> f32 {
    let number = document.dereference(object).ok().and_then(|(_, number)| number.as_float().ok());
    number.filter(|number| number.is_finite()).unwrap_or(0.0)
}
