//! The `fast` estimator (EST-4): one pass that adds up the probability of a token
//! boundary before each byte, given the byte before it.
//!
//! The table has 256 rows (the byte before, 0 at the start) of 256 columns (the
//! byte), each a probability in 255ths. It takes 64 KB, so it stays in the cache.

use std::sync::LazyLock;

/// Probabilities of a token boundary between two bytes.
pub struct PairTable {
    /// Indexed by `prev + 256 * byte`: the number that a little-endian read of the
    /// two bytes gives, so that the hot loop needs no swap.
    by_pair: Box<[u8; TABLE_SIZE]>,
}

const TABLE_SIZE: usize = 256 * 256;

/// Fitted to o200k on mixed prose, code, data and scripts; see `assets/README.md`.
static O200K: &[u8; TABLE_SIZE] = include_bytes!("../assets/pairs_o200k.bin");

static DEFAULT: LazyLock<PairTable> = LazyLock::new(|| PairTable::from_rows(O200K));

impl PairTable {
    /// The table that Plimsoll ships.
    pub fn shipped() -> &'static Self {
        &DEFAULT
    }

    /// A table from its file form: row `prev`, column `byte`.
    pub fn from_rows(rows: &[u8; TABLE_SIZE]) -> Self {
        let mut by_pair = Box::new([0; TABLE_SIZE]);
        for prev in 0..256 {
            for byte in 0..256 {
                by_pair[prev + 256 * byte] = rows[256 * prev + byte];
            }
        }
        Self { by_pair }
    }

    /// A table from bytes read from a file; none if the size is wrong.
    pub fn from_file_bytes(bytes: &[u8]) -> Option<Self> {
        <&[u8; TABLE_SIZE]>::try_from(bytes).ok().map(Self::from_rows)
    }

    /// The estimated tokens of a text: 0 for empty text, else at least 1.
    pub fn count(&self, text: &str) -> u64 {
        let bytes = text.as_bytes();
        let Some(first) = bytes.first() else { return 0 };
        let sum = self.at([0, *first]) + self.sum_pairs(bytes);
        ((sum + 127) / 255).max(1)
    }

    fn at(&self, pair: [u8; 2]) -> u64 {
        u64::from(self.by_pair[usize::from(u16::from_le_bytes(pair))])
    }

    /// The sum over all neighbours. Nine bytes are eight pairs; their look-ups do
    /// not depend on each other, so the processor overlaps them.
    fn sum_pairs(&self, bytes: &[u8]) -> u64 {
        let table = &*self.by_pair;
        let look = |pair: u64| u32::from(table[(pair & 0xffff) as usize]);
        let mut total = 0;
        let mut at = 0;
        while let Some(block) = bytes.get(at..at + 9) {
            let (Some(low), Some(last)) = (block.first_chunk::<8>(), block.last_chunk::<2>())
            else {
                break;
            };
            let word = u64::from_le_bytes(*low);
            let even = look(word) + look(word >> 16) + look(word >> 32) + look(word >> 48);
            let odd = look(word >> 8) + look(word >> 24) + look(word >> 40);
            let bridge = u32::from(table[usize::from(u16::from_le_bytes(*last))]);
            total += u64::from(even + odd + bridge);
            at += 8;
        }
        let tail: u64 = bytes[at..].windows(2).map(|pair| self.at([pair[0], pair[1]])).sum();
        total + tail
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, without tricks.
    fn reference(rows: &[u8; TABLE_SIZE], text: &str) -> u64 {
        let mut prev = 0usize;
        let mut sum = 0u64;
        for byte in text.bytes() {
            sum += u64::from(rows[256 * prev + usize::from(byte)]);
            prev = usize::from(byte);
        }
        if text.is_empty() { 0 } else { ((sum + 127) / 255).max(1) }
    }

    #[test]
    fn est_4_weighs_plain_words_well() {
        let table = PairTable::shipped();
        assert_eq!(table.count(""), 0);
        assert_eq!(table.count("a"), 1);
        let text = "The quick brown fox jumps over the lazy dog, and then it sleeps.";
        let exact = crate::Tokenizer::O200k.count(text);
        let fast = table.count(text);
        assert!(fast.abs_diff(exact) <= 2, "fast {fast}, exact {exact}");
    }

    #[test]
    fn a_table_of_another_size_is_refused() {
        assert!(PairTable::from_file_bytes(&[0; 10]).is_none());
        assert!(PairTable::from_file_bytes(&[0; TABLE_SIZE]).is_some());
    }

    proptest! {
        #[test]
        fn the_fast_loop_equals_its_definition(text in "(\\PC|\n| ){0,80}") {
            prop_assert_eq!(PairTable::shipped().count(&text), reference(O200K, &text));
        }
    }
}
