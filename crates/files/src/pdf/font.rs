//! What a font says of its letters: which they are, and how wide.

use std::collections::HashMap;

use lopdf::{Dictionary, Document, Encoding, Object};

/// More widths than this are not read.
const MOST: usize = 70_000;

/// A font as far as text needs it.
pub(super) struct Font<'a> {
    encoding: Encoding<'a>,
    /// Widths by code, in thousandths of the letters' size.
    widths: HashMap<u32, f32>,
    /// The width of all others, if that is known.
    usual: Option<f32>,
    /// Whether a code has two bytes.
    wide: bool,
}

impl<'a> Font<'a> {
    /// Reads a font; none if its letters cannot be told.
    pub(super) fn read(
        document: &'a Document,
        font: &'a Dictionary,
        unpacked: usize,
    ) -> Option<Self> {
        let encoding = font.get_font_encoding_with_limit(document, unpacked).ok()?;
        let array = |dictionary: &'a Dictionary, key: &[u8]| {
            dictionary.get_deref(key, document).ok()?.as_array().ok()
        };
        let mut read = Self { encoding, widths: HashMap::new(), usual: None, wide: false };
        let below = array(font, b"DescendantFonts").and_then(|fonts| fonts.first());
        if let Some(below) = below.and_then(|below| dictionary(document, below)) {
            read.wide = true;
            let usual = below.get_deref(b"DW", document).and_then(Object::as_float);
            read.usual = Some(usual.unwrap_or(1000.0));
            read.composite(document, array(below, b"W").map_or(&[], Vec::as_slice));
        } else if let Some(widths) = array(font, b"Widths") {
            let first = font.get_deref(b"FirstChar", document).and_then(Object::as_float);
            let first = (first.unwrap_or(0.0) as u32).min(0xffff);
            let widths = widths.iter().take(256).map(|width| number(document, width));
            read.widths = (first..).zip(widths).collect();
            read.usual = Some(500.0);
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
                let widths = list.iter().map(|width| number(document, width));
                written += list.len();
                self.widths.extend((first..).zip(widths).take(MOST));
                rest = tail;
            } else if let [width, tail @ ..] = tail {
                let last = (number(document, second) as u32).min(0xffff);
                let width = number(document, width);
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

    pub(super) fn letters(&self, bytes: &[u8]) -> Option<String> {
        let letters = self.encoding.bytes_to_string(bytes).ok()?;
        // Letters that are written as one are two to everyone who searches.
        Some(match letters.contains(['ﬀ', 'ﬁ', 'ﬂ', 'ﬃ', 'ﬄ']) {
            false => letters,
            true => [('ﬀ', "ff"), ('ﬁ', "fi"), ('ﬂ', "fl"), ('ﬃ', "ffi"), ('ﬄ', "ffl")]
                .iter()
                .fold(letters, |letters, (one, two)| letters.replace(*one, two)),
        })
    }

    /// How wide a string is, at size 1, and how many letters it has. None where the font
    /// does not say.
    pub(super) fn width(&self, bytes: &[u8]) -> (Option<f32>, usize) {
        let codes: Vec<u32> = match self.wide {
            true => bytes
                .chunks(2)
                .map(|code| code.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
                .collect(),
            false => bytes.iter().map(|byte| u32::from(*byte)).collect(),
        };
        let width = self.usual.map(|usual| {
            codes.iter().map(|code| self.widths.get(code).copied().unwrap_or(usual) / 1000.0).sum()
        });
        (width, codes.len())
    }
}

fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).ok()?.1.as_dict().ok()
}

fn number(document: &Document, object: &Object) -> f32 {
    let number = document.dereference(object).ok().and_then(|(_, number)| number.as_float().ok());
    number.filter(|number| number.is_finite()).unwrap_or(0.0)
}
