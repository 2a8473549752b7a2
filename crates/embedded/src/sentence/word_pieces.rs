//! Texts as the sentence model reads them: lower case, without accents, words cut into pieces
//! that it knows.

use tokenizers::{
    Model, NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString,
    PreTokenizer,
    models::{bpe::Vocab, wordpiece::WordPiece},
    normalizers::BertNormalizer,
    pre_tokenizers::bert::BertPreTokenizer,
};

use super::{SentenceError, bert::LONGEST, tensors::damaged};

/// Bytes of a text that are looked at. The tokens that the model reads are fewer than these in
/// any language; a text of 64 KB would be cut into words for nothing.
const LONGEST_TEXT: usize = 16 * LONGEST;

/// The vocabulary and the marks around each text.
pub(super) struct WordPieces {
    pieces: WordPiece,
    count: usize,
    begin: u32,
    end: u32,
}

impl WordPieces {
    /// Reads a vocabulary: one piece a line, in the order of the tokens.
    pub(super) fn new(lines: &str) -> Result<Self, SentenceError> {
        let vocabulary: Vocab = lines.lines().map(str::to_owned).zip(0u32..).collect();
        let count = vocabulary.len();
        let pieces = WordPiece::builder()
            .vocab(vocabulary)
            .unk_token("[UNK]".to_owned())
            .build()
            .map_err(|error| damaged(&error.to_string()))?;
        let mark = |name: &str| {
            pieces.token_to_id(name).ok_or_else(|| damaged(&format!("it has no word {name}")))
        };
        let (begin, end) = (mark("[CLS]")?, mark("[SEP]")?);
        mark("[UNK]")?;
        Ok(Self { pieces, count, begin, end })
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The tokens of a text between their two marks, at most [`LONGEST`]. No text becomes a
    /// mark.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, SentenceError> {
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        let failed = |error: tokenizers::Error| damaged(&error.to_string());
        let mut normal = NormalizedString::from(text);
        BertNormalizer::default().normalize(&mut normal).map_err(failed)?;
        let mut words = PreTokenizedString::from(normal);
        BertPreTokenizer.pre_tokenize(&mut words).map_err(failed)?;
        let mut tokens = vec![self.begin];
        for (word, ..) in words.get_splits(OffsetReferential::Normalized, OffsetType::None) {
            let pieces = self.pieces.tokenize(word).map_err(failed)?;
            tokens.extend(pieces.into_iter().map(|piece| piece.id));
            if tokens.len() >= LONGEST {
                break;
            }
        }
        tokens.truncate(LONGEST - 1);
        tokens.push(self.end);
        Ok(tokens)
    }
}
