//! Cutting a text into the pieces inside which the tokenizer merges.
//!
//! Digits stand alone; everything else is cut as GPT-2 does. One forward scan without
//! backtracking, so that a text of any length and kind costs time in proportion.

use regex::Regex;

/// The cuts of GPT-2, but for one rule that needs to look ahead: see [`Splitter::cut`].
const WORDS: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+";

/// Cuts texts.
pub(crate) struct Splitter {
    words: Regex,
}

impl Splitter {
    pub(crate) fn new() -> Result<Self, regex::Error> {
        Ok(Self { words: Regex::new(WORDS)? })
    }

    /// Hands every piece of the text to `each`, in order.
    pub(crate) fn split<'t, E>(
        &self,
        text: &'t str,
        mut each: impl FnMut(&'t str) -> Result<(), E>,
    ) -> Result<(), E> {
        for run in text.split_inclusive(char::is_numeric) {
            let digit = run.chars().next_back().filter(|last| last.is_numeric());
            let (words, digit) = run.split_at(run.len() - digit.map_or(0, char::len_utf8));
            self.cut(words, &mut each)?;
            if !digit.is_empty() {
                each(digit)?;
            }
        }
        Ok(())
    }

    /// Cuts a text without digits. White space before a word leaves its last character
    /// to the word, which takes it along if it is a space.
    fn cut<'t, E>(
        &self,
        text: &'t str,
        each: &mut impl FnMut(&'t str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut at = 0;
        while let Some(found) = self.words.find_at(text, at) {
            let mut end = found.end();
            if end < text.len() && found.as_str().chars().all(char::is_whitespace) {
                let last = found.as_str().chars().next_back().map_or(0, char::len_utf8);
                if last < found.len() {
                    end -= last;
                }
            }
            each(&text[found.start()..end])?;
            at = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokenizers::{
        OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer,
        pre_tokenizers::{byte_level::ByteLevel, digits::Digits},
    };

    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut pieces = Vec::new();
        let keep = |piece| {
            pieces.push(piece);
            Ok::<(), ()>(())
        };
        Splitter::new().unwrap().split(text, keep).unwrap();
        pieces
    }

    #[test]
    fn words_take_one_space_along_and_digits_stand_alone() {
        for (text, expected) in [
            ("", vec![]),
            ("Hello world", vec!["Hello", " world"]),
            ("it's  fine", vec!["it", "'s", " ", " fine"]),
            ("a 12", vec!["a", " ", "1", "2"]),
            ("a\t\tb", vec!["a", "\t", "\t", "b"]),
            ("x \n", vec!["x", " \n"]),
            ("½!?", vec!["½", "!?"]),
        ] {
            assert_eq!(pieces(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_runs_of_space_are_one_piece() {
        let text = " ".repeat(3_000_000) + "x";
        let found = pieces(&text);
        assert_eq!((found.len(), found[0].len()), (2, 2_999_999));
    }

    /// The same cuts by the crate that the model was trained with.
    fn pieces_of_others(text: &str) -> Vec<String> {
        let mut pieces = PreTokenizedString::from(text);
        Digits::new(true).pre_tokenize(&mut pieces).unwrap();
        ByteLevel::new(false, true, true).pre_tokenize(&mut pieces).unwrap();
        let pieces = pieces.get_splits(OffsetReferential::Original, OffsetType::Byte);
        pieces.iter().map(|(_, (start, end), _)| text[*start..*end].to_owned()).collect()
    }

    proptest! {
        #[test]
        fn the_cuts_are_those_of_the_training(text in "([ \\t\\n]|'s|[a-z]|[0-9]|\\PC|[éß你ด़\u{301}½]){0,40}") {
            prop_assert_eq!(pieces(&text), pieces_of_others(&text));
        }

        #[test]
        fn nothing_is_lost(text in any::<String>()) {
            prop_assert_eq!(pieces(&text).concat(), text);
        }
    }
}
