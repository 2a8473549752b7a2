//! The `fast` estimator (EST-4): one pass that adds up the probability of a token
//! boundary before each byte, given the byte before it and the kind of the byte after it.
//!
//! The table has eight parts, one for each kind of the byte after; a part has 256 rows (the
//! byte before, 0 at the start) of 256 columns (the byte), each a probability in 255ths. It
//! takes 512 KB, of which a text touches little, so that stays in the cache.

use std::sync::LazyLock;

/// Probabilities of a token boundary between two bytes.
pub struct PairTable {
    /// Indexed by `prev + 256 * byte + 65536 * kind`: the first two are the number that a
    /// little-endian read of the two bytes gives, so that the hot loop needs no swap.
    by_pair: Box<[u8]>,
}

const PAIRS: usize = 256 * 256;

/// What stands after a byte says whether a word goes on.
const KINDS: usize = 8;

const TABLE_SIZE: usize = KINDS * PAIRS;

/// Stands for the byte after the last one.
const END: u8 = b' ';

/// Fitted to o200k on mixed prose, code, data and scripts; see `assets/README.md`.
static O200K: &[u8; TABLE_SIZE] = include_bytes!("../assets/boundaries_o200k.bin");

static DEFAULT: LazyLock<PairTable> = LazyLock::new(|| PairTable::from_rows(O200K));

/// The kind of each byte, already where the index wants it.
static KIND: [u32; 256] = {
    let mut shifted = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        shifted[byte] = (kind_of(byte as u8) * PAIRS) as u32;
        byte += 1;
    }
    shifted
};

const fn kind_of(byte: u8) -> usize {
    match byte {
        b' ' | b'\t' => 1,
        b'\n' | b'\r' => 2,
        b'0'..=b'9' => 3,
        b'a'..=b'z' => 4,
        b'A'..=b'Z' => 5,
        0x80..=0xbf => 6,
        0xc0..=0xff => 7,
        _ => 0,
    }
}

impl PairTable {
    /// The bytes of a table's file.
    pub const SIZE: usize = TABLE_SIZE;

    /// The table that Plimsoll ships.
    pub fn shipped() -> &'static Self {
        &DEFAULT
    }

    /// Where a table's file has the probability of a boundary between `prev` and `byte`, with
    /// `next` after them: row by row, one kind after the other.
    pub fn place(prev: u8, byte: u8, next: Option<u8>) -> usize {
        kind_of(next.unwrap_or(END)) * PAIRS + 256 * usize::from(prev) + usize::from(byte)
    }

    /// A table from its file form.
    fn from_rows(rows: &[u8; TABLE_SIZE]) -> Self {
        let mut by_pair = vec![0; TABLE_SIZE].into_boxed_slice();
        for (part, rows) in by_pair.chunks_mut(PAIRS).zip(rows.chunks(PAIRS)) {
            for prev in 0..256 {
                for byte in 0..256 {
                    part[prev + 256 * byte] = rows[256 * prev + byte];
                }
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
        let second = bytes.get(1).copied().unwrap_or(END);
        let sum = self.at([0, *first], second) + self.sum_pairs(bytes);
        ((sum + 127) / 255).max(1)
    }

    fn at(&self, pair: [u8; 2], next: u8) -> u64 {
        let place = u32::from(u16::from_le_bytes(pair)) | KIND[usize::from(next)];
        u64::from(self.by_pair[place as usize])
    }

    /// The sum over all neighbours. Ten bytes are eight pairs with what follows them; their
    /// look-ups do not depend on each other, so the processor overlaps them.
    fn sum_pairs(&self, bytes: &[u8]) -> u64 {
        let Ok(table) = <&[u8; TABLE_SIZE]>::try_from(&*self.by_pair) else { return 0 };
        // The mask changes nothing; it spares the check of the bounds.
        let look = |pair: u64, next: u64| {
            let place = (pair & 0xffff) as u32 | KIND[(next & 0xff) as usize];
            u32::from(table[place as usize & (TABLE_SIZE - 1)])
        };
        let mut total = 0;
        let mut at = 0;
        while let Some(block) = bytes.get(at..at + 10) {
            let (Some(low), Some(high)) = (block.first_chunk::<8>(), block.last_chunk::<8>())
            else {
                break;
            };
            let (low, high) = (u64::from_le_bytes(*low), u64::from_le_bytes(*high));
            let even = look(low, high) + look(low >> 16, high >> 16);
            let odd = look(low >> 8, high >> 8) + look(low >> 24, high >> 24);
            let later_even = look(low >> 32, high >> 32) + look(low >> 48, high >> 48);
            let later_odd = look(low >> 40, high >> 40) + look(high >> 40, high >> 56);
            total += u64::from(even + odd + later_even + later_odd);
            at += 8;
        }
        let tail = &bytes[at..];
        let pairs = tail.windows(2).enumerate().map(|(place, pair)| {
            let next = tail.get(place + 2).copied().unwrap_or(END);
            self.at([pair[0], pair[1]], next)
        });
        total + pairs.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, without tricks.
    fn reference(rows: &[u8; TABLE_SIZE], text: &str) -> u64 {
        let bytes = text.as_bytes();
        let mut prev = 0;
        let mut sum = 0u64;
        for (at, byte) in bytes.iter().enumerate() {
            sum += u64::from(rows[PairTable::place(prev, *byte, bytes.get(at + 1).copied())]);
            prev = *byte;
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
        assert!(PairTable::from_file_bytes(&[0; 65_536]).is_none());
        assert!(PairTable::from_file_bytes(&[0; TABLE_SIZE]).is_some());
    }

    proptest! {
        #[test]
        fn the_fast_loop_equals_its_definition(text in "(\\PC|\n| ){0,80}") {
            prop_assert_eq!(PairTable::shipped().count(&text), reference(O200K, &text));
        }
    }
}
