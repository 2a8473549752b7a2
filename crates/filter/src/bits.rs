//! A set of row or topic numbers, one bit each.

/// So many candidates in a word are tested one by one.
const FEW: u32 = 16;

/// Numbers below a fixed length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    pub(crate) fn none(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(64)], length }
    }

    pub(crate) fn all(length: usize) -> Self {
        let mut bits = Self { words: vec![u64::MAX; length.div_ceil(64)], length };
        bits.keep_range(0, length);
        bits
    }

    pub(crate) fn of(length: usize, members: impl Iterator<Item = usize>) -> Self {
        let mut bits = Self::none(length);
        members.for_each(|member| bits.set(member));
        bits
    }

    pub(crate) fn get(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub(crate) fn set(&mut self, index: usize) {
        if index < self.length
            && let Some(word) = self.words.get_mut(index / 64)
        {
            *word |= 1 << (index % 64);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    pub(crate) fn remove(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, less)| *word &= !less);
    }

    /// Keeps the numbers from `start` up to, not including, `end`.
    pub(crate) fn keep_range(&mut self, start: usize, end: usize) {
        for (index, word) in self.words.iter_mut().enumerate() {
            let base = index * 64;
            *word &= low_bits(end.saturating_sub(base)) & !low_bits(start.saturating_sub(base));
        }
    }

    /// Keeps the numbers that `test` accepts. Only numbers that are in the set are
    /// handed to it, so that a costly test is asked as seldom as possible.
    pub(crate) fn retain(&mut self, test: impl Fn(usize) -> bool) {
        for (index, word) in self.words.iter_mut().enumerate() {
            let mut left = *word;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                if !test(index * 64 + bit) {
                    *word &= !(1 << bit);
                }
                left &= left - 1;
            }
        }
    }

    /// The same for a cheap test on as many rows. Testing all rows of a word without a
    /// branch is faster than looking for the ones that count, unless they are few.
    pub(crate) fn retain_rows<T>(&mut self, rows: &[T], test: impl Fn(&T) -> bool) {
        for (word, chunk) in self.words.iter_mut().zip(rows.chunks(64)) {
            let mut hits = 0;
            if word.count_ones() <= FEW {
                let mut left = *word;
                while left != 0 {
                    let bit = left.trailing_zeros() as usize;
                    hits |= u64::from(chunk.get(bit).is_some_and(&test)) << bit;
                    left &= left - 1;
                }
            } else {
                for (bit, row) in chunk.iter().enumerate() {
                    hits |= u64::from(test(row)) << bit;
                }
            }
            *word &= hits;
        }
    }

    /// Appends the numbers in ascending order, counted from `start`.
    pub(crate) fn append_to(&self, start: usize, out: &mut Vec<u32>) {
        for (index, word) in self.words.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let row = start + index * 64 + left.trailing_zeros() as usize;
                // More rows than that do not fit in the memory of any machine.
                out.push(u32::try_from(row).unwrap_or(u32::MAX));
                left &= left - 1;
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn to_vec(&self) -> Vec<u32> {
        let mut out = Vec::new();
        self.append_to(0, &mut out);
        out
    }
}

/// A word whose lowest `count` bits are set.
fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_tests_narrow_the_set() {
        for length in [0, 1, 63, 64, 65, 200] {
            for (start, end) in [(0, length), (1, 64), (60, 70), (70, 60), (500, 900)] {
                let mut bits = Bits::all(length);
                bits.keep_range(start, end);
                let expected: Vec<u32> = (start..end.min(length)).map(|n| n as u32).collect();
                assert_eq!(bits.to_vec(), expected, "{length} {start}..{end}");
            }
        }
        let rows: Vec<usize> = (0..200).collect();
        let mut by_index = Bits::all(200);
        by_index.retain(|index| index % 3 == 0);
        let mut by_row = Bits::all(200);
        by_row.retain_rows(&rows, |row| row % 3 == 0);
        assert_eq!(by_index, by_row);
        by_row.retain_rows(&rows, |row| row % 9 == 0);
        by_row.retain_rows(&rows, |row| row % 2 == 0);
        by_index.retain(|index| index % 18 == 0);
        assert_eq!(by_index, by_row);
        assert!(by_row.get(198) && !by_row.get(199) && !by_row.get(100_000));
    }

    #[test]
    fn a_number_beyond_the_length_is_never_in_the_set() {
        let mut bits = Bits::none(10);
        bits.set(10);
        bits.set(1_000);
        assert!(bits.is_empty());
        bits.add(&Bits::of(10, [1, 2].into_iter()));
        bits.remove(&Bits::of(10, [2].into_iter()));
        assert_eq!(bits.to_vec(), [1]);
    }
}
