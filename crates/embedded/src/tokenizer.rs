//! The model's own tokenizer, built from the metadata of its file.
//!
//! SmolLM2 splits digits one by one, then words as GPT-2 does, and merges bytes. Special
//! tokens are never read out of a text: whoever wants one asks for it by name. So
//! nothing that a user writes can open or close a message.

use std::collections::{HashMap, HashSet};

use tokenizers::{
    models::bpe::{BPE, Vocab},
    tokenizer::Model,
};

use crate::{
    gguf::{Gguf, GgufError, Value},
    split::Splitter,
};

/// The kind of a token that steers and is not text.
const CONTROL: i64 = 3;

/// Turns texts into tokens and tokens into bytes.
pub(crate) struct Tokenizer {
    merger: BPE,
    splitter: Splitter,
    /// The letter of each byte in the vocabulary.
    letters: [char; 256],
    /// The bytes of each token; those of control tokens are empty.
    bytes: Vec<Vec<u8>>,
    controls: HashMap<String, u32>,
}

impl Tokenizer {
    /// Builds the tokenizer that the file describes.
    pub(crate) fn new(gguf: &Gguf) -> Result<Self, GgufError> {
        let model = gguf.value("tokenizer.ggml.model", Value::text)?;
        let pre = gguf.value("tokenizer.ggml.pre", Value::text)?;
        if (model, pre) != ("gpt2", "smollm") {
            return Err(GgufError::Unsupported(format!("its tokenizer is {model}, {pre}")));
        }
        let tokens = gguf.value("tokenizer.ggml.tokens", Value::texts)?;
        let kinds = gguf.value("tokenizer.ggml.token_type", Value::integers)?;
        let merges = gguf.value("tokenizer.ggml.merges", Value::texts)?;
        if tokens.len() != kinds.len() {
            return Err(GgufError::Damaged("its tokens and their kinds do not match"));
        }
        let letters = std::array::from_fn(|byte| letter(byte as u8));
        let of_letter: HashMap<char, u8> = letters.into_iter().zip(0..=u8::MAX).collect();
        let mut bytes = Vec::with_capacity(tokens.len());
        let mut controls = HashMap::new();
        for (id, (token, kind)) in (0u32..).zip(tokens.iter().zip(kinds)) {
            if *kind == CONTROL {
                controls.insert(token.clone(), id);
                bytes.push(Vec::new());
            } else {
                bytes.push(
                    token.chars().filter_map(|letter| of_letter.get(&letter).copied()).collect(),
                );
            }
        }
        let merger = merger(tokens, merges)?;
        let splitter =
            Splitter::new().map_err(|error| GgufError::Unsupported(error.to_string()))?;
        Ok(Self { merger, splitter, letters, bytes, controls })
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The tokens of a text; none of them is a control token.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>, GgufError> {
        let mut ids = Vec::with_capacity(text.len() / 3);
        let mut word = String::new();
        self.splitter.split(text, |piece| {
            word.clear();
            word.extend(piece.bytes().map(|byte| self.letters[usize::from(byte)]));
            let tokens = self.merger.tokenize(&word);
            let tokens = tokens.map_err(|error| GgufError::Unsupported(error.to_string()))?;
            ids.extend(tokens.into_iter().map(|token| token.id));
            Ok::<(), GgufError>(())
        })?;
        Ok(ids)
    }

    /// The control token of this name.
    pub(crate) fn control(&self, name: &str) -> Result<u32, GgufError> {
        let id = self.controls.get(name).copied();
        id.ok_or_else(|| GgufError::Unsupported(format!("it has no token {name}")))
    }

    /// Whether a token steers and is not text.
    pub(crate) fn is_control(&self, id: u32) -> bool {
        self.bytes(id).is_empty()
    }

    /// The bytes that a token stands for; they may be a part of a character.
    pub(crate) fn bytes(&self, id: u32) -> &[u8] {
        self.bytes.get(id as usize).map_or(&[], Vec::as_slice)
    }
}

/// The merging part. Its builder trusts merges to make known tokens, so that is seen to
/// first.
fn merger(tokens: &[String], merges: &[String]) -> Result<BPE, GgufError> {
    let known: HashSet<&str> = tokens.iter().map(String::as_str).collect();
    let mut pairs = Vec::with_capacity(merges.len());
    for merge in merges {
        let (left, right) =
            merge.split_once(' ').ok_or(GgufError::Damaged("a merge in it is not a pair"))?;
        let joined = format!("{left}{right}");
        if ![left, right, &joined].iter().all(|token| known.contains(token)) {
            return Err(GgufError::Damaged("a merge in it is of unknown tokens"));
        }
        pairs.push((left.to_owned(), right.to_owned()));
    }
    BPE::builder()
        .vocab_and_merges(tokens.iter().cloned().zip(0u32..).collect::<Vocab>(), pairs)
        .build()
        .map_err(|error| GgufError::Unsupported(error.to_string()))
}

/// The letter that stands for a byte in byte-level vocabularies: itself where it can be
/// seen, otherwise the next one from U+0100 on.
pub(crate) fn letter(byte: u8) -> char {
    let seen = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if seen(byte) {
        return char::from(byte);
    }
    let hidden_before = (0..byte).filter(|other| !seen(*other)).count() as u32;
    char::from_u32(0x100 + hidden_before).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_letters_of_their_own() {
        let letters: HashSet<char> = (0..=u8::MAX).map(letter).collect();
        assert_eq!(letters.len(), 256);
        assert_eq!((letter(b' '), letter(b'\n'), letter(b'a')), ('Ġ', 'Ċ', 'a'));
        assert_eq!((letter(0x7f), letter(0xad)), ('ġ', 'Ń'));
    }

    #[test]
    fn merges_that_make_unknown_tokens_are_refused() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let tokens = texts(&["a", "b", "ab"]);
        assert!(merger(&tokens, &texts(&["a b"])).is_ok());
        // Left to itself the builder would panic over the first of these.
        for merge in ["ab ab", "a c", "ab"] {
            assert!(merger(&tokens, &texts(&[merge])).is_err(), "{merge}");
        }
    }
}
