//! The table of a font that says which letters its codes stand for (`ToUnicode`).
//!
//! It is a small program in PostScript's words, of which only `bfchar` and `bfrange` matter.
//! Whatever else stands there is passed over.

use std::collections::HashMap;

/// More entries than this are not read.
const MOST: usize = 70_000;
/// No code stands for more letters.
const LETTERS: usize = 16;

/// Which letters codes stand for.
#[derive(Debug, Default)]
pub(super) struct ToUnicode {
    one: HashMap<u32, String>,
    /// First code, last code, letter of the first.
    ranges: Vec<(u32, u32, u32)>,
    /// Whether all its codes have one byte.
    pub(super) narrow: bool,
}

#[derive(Debug, PartialEq)]
enum Token<'a> {
    /// Digits between angle brackets: the bytes that they are.
    Code(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

impl ToUnicode {
    pub(super) fn read(text: &[u8]) -> Self {
        let mut table = Self { narrow: true, ..Self::default() };
        let mut tokens = Tokens { rest: text };
        let mut entries = 0;
        while let Some(token) = tokens.next() {
            let Token::Word(word) = token else { continue };
            let range = match word {
                b"beginbfchar" => false,
                b"beginbfrange" => true,
                _ => continue,
            };
            while let Some(Token::Code(first)) = tokens.next() {
                entries += 1;
                if entries > MOST {
                    return table;
                }
                table.narrow &= first.len() == 1;
                let first = code(&first);
                let last = match (range, range.then(|| tokens.next()).flatten()) {
                    (false, _) => first,
                    (true, Some(Token::Code(last))) => code(&last),
                    (true, _) => break,
                };
                match tokens.next() {
                    Some(Token::Code(letters)) => table.insert(first, last, &letters),
                    Some(Token::Open) => {
                        let mut code = first;
                        while let Some(Token::Code(letters)) = tokens.next() {
                            entries += 1;
                            if entries > MOST {
                                return table;
                            }
                            table.insert(code, code, &letters);
                            code = code.saturating_add(1);
                        }
                    }
                    _ => break,
                }
            }
        }
        table
    }

    fn insert(&mut self, first: u32, last: u32, letters: &[u8]) {
        let letters = utf16(letters);
        let mut chars = letters.chars();
        match (chars.next(), chars.next()) {
            (Some(letter), None) if first < last => {
                self.ranges.push((first, last, u32::from(letter)));
            }
            // The last letter counts up; few tables have such a range, and none a long one.
            (Some(_), Some(_)) if first < last => {
                let head: String = letters.chars().take(letters.chars().count() - 1).collect();
                let tail = letters.chars().last().map_or(0, u32::from);
                for (step, code) in (first..=last.min(first.saturating_add(255))).enumerate() {
                    let letter = char::from_u32(tail.saturating_add(step as u32));
                    let letters = head.chars().chain(letter).collect();
                    self.one.insert(code, letters);
                }
            }
            _ => {
                self.one.insert(first, letters);
            }
        }
    }

    /// The letters of a code, where the table has it.
    pub(super) fn letters(&self, code: u32) -> Option<String> {
        if let Some(letters) = self.one.get(&code) {
            return Some(letters.clone());
        }
        let within = |range: &&(u32, u32, u32)| (range.0..=range.1).contains(&code);
        let (first, _, letter) = self.ranges.iter().find(within)?;
        char::from_u32(letter.checked_add(code - first)?).map(String::from)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.one.is_empty() && self.ranges.is_empty()
    }
}

fn code(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn utf16(bytes: &[u8]) -> String {
    let unit = |pair: &[u8]| pair.iter().fold(0, |sum: u16, byte| sum << 8 | u16::from(*byte));
    let units = bytes.chunks(2).take(LETTERS).map(unit);
    char::decode_utf16(units).filter_map(Result::ok).filter(|letter| *letter != '\0').collect()
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            let (first, after) = self.rest.split_first()?;
            match first {
                b'%' => {
                    let end = after.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    self.rest = after.get(end?..)?;
                }
                b'[' | b']' => {
                    self.rest = after;
                    return Some(if *first == b'[' { Token::Open } else { Token::Close });
                }
                b'<' if after.first() != Some(&b'<') => {
                    let end = after.iter().position(|byte| *byte == b'>')?;
                    let digits = after.get(..end)?;
                    self.rest = after.get(end + 1..)?;
                    return Some(Token::Code(hexadecimal(digits)));
                }
                _ => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"[]<%/".contains(byte);
                    let end = after.iter().position(ends).unwrap_or(after.len()) + 1;
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
            }
        }
    }
}

fn hexadecimal(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .map(|digit| digit as u8)
        .take(4 * LETTERS)
        .collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum << 4 | digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_codes_are_found() {
        let table = ToUnicode::read(
            b"/CIDInit /ProcSet findresource begin % <00> no\n1 begincodespacerange <0000><ffff> \
              endcodespacerange 2 beginbfchar <0003> <0020> <0010> <00660069> endbfchar\n\
              3 beginbfrange <0020> <0022> <0041>\n<0030><0031>[<0058> <d83dde00>]\n\
              <0040><0042><00660069>endbfrange endcmap",
        );
        for (code, letters) in [
            (3, Some(" ")),
            (0x10, Some("fi")),
            (0x22, Some("C")),
            (0x23, None),
            (0x30, Some("X")),
            (0x31, Some("😀")),
            (0x41, Some("fj")),
            (0x99, None),
        ] {
            assert_eq!(table.letters(code).as_deref(), letters, "{code:x}");
        }
        assert!(!table.narrow);
        assert!(ToUnicode::read(b"1 beginbfchar <41> <0042>").narrow);
    }

    #[test]
    fn sec_5_a_broken_or_endless_table_is_bounded() {
        for bad in [
            &b"1 beginbfrange <00> <ff"[..],
            b"beginbfchar <",
            b"beginbfrange <0000> <ffffffff> [ <41>",
            b"beginbfrange ] ] [",
            b"%",
            b"<< >> <<<<",
        ] {
            ToUnicode::read(bad);
        }
        let wide = ToUnicode::read(b"beginbfrange <0000> <ffffffff> <00660069> endbfrange");
        assert_eq!(wide.one.len(), 256);
        let many: Vec<u8> = [&b"beginbfchar "[..], &b"<41><0042>".repeat(100_000)].concat();
        assert_eq!(ToUnicode::read(&many).letters(0x41).as_deref(), Some("B"));
    }
}
