//! Sums over the visible pairs that make the boundary cheap (BND-5).
//!
//! Loads are asked for one pair at a time, newest first, and only as far as the
//! walk goes. The sum of each whole block that was walked is remembered, so the
//! next walk steps over it, and a changed pair costs one block.

use plimsoll_tokens::RawTokens;

/// What one visible pair adds to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Load {
    /// Its raw tokens; 0 when it is not sendable.
    pub tokens: RawTokens,
    /// Whether it may be sent at all (BND-1).
    pub sendable: bool,
    /// Whether it goes before all others do (BND-8); only what is sendable is.
    pub pinned: bool,
}

impl Load {
    /// A pair that is never sent and weighs nothing.
    pub const NOT_SENDABLE: Self = Self { tokens: RawTokens::ZERO, sendable: false, pinned: false };

    /// A pair before the mark of UI-17: it is never sent, and neither is anything older, so
    /// the walk ends here.
    pub const BEFORE_THE_LINE: Self =
        Self { tokens: RawTokens { text: u64::MAX, overhead: 0 }, sendable: false, pinned: false };

    /// A pair of this many tokens.
    pub fn of(tokens: impl Into<RawTokens>) -> Self {
        Self { tokens: tokens.into(), sendable: true, pinned: false }
    }

    /// The same, pinned if it may be sent.
    pub fn pin(self) -> Self {
        Self { pinned: self.sendable, ..self }
    }

    /// What the walk adds for it: pins were taken before the walk began, so it passes over them.
    fn in_walk(self) -> Self {
        if self.pinned { Self::NOT_SENDABLE } else { self }
    }
}

/// A run of the newest pairs, without those among them that are pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suffix {
    /// The position of its oldest pair; the number of pairs when it is empty.
    pub start: usize,
    /// The sum of the raw tokens.
    pub tokens: RawTokens,
    /// How many of its pairs are sendable and not pinned.
    pub sendable: usize,
}

const BLOCK: usize = 256;

#[derive(Clone, Copy, Default)]
struct BlockSum {
    tokens: RawTokens,
    sendable: usize,
}

/// Remembered block sums over `len` pairs, oldest first.
#[derive(Clone)]
pub struct LoadSums {
    len: usize,
    blocks: Vec<Option<BlockSum>>,
}

impl LoadSums {
    /// Nothing remembered about this many pairs.
    pub fn new(len: usize) -> Self {
        Self { len, blocks: vec![None; len.div_ceil(BLOCK)] }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A pair was added at the end.
    pub fn push(&mut self) {
        self.len += 1;
        self.blocks.resize(self.len.div_ceil(BLOCK), None);
        self.forget(self.len - 1);
    }

    /// The load of one pair changed.
    pub fn forget(&mut self, position: usize) {
        if let Some(block) = self.blocks.get_mut(position / BLOCK) {
            *block = None;
        }
    }

    /// The longest suffix whose tokens fit. `fits` must not fit a larger sum when it
    /// does not fit a smaller one. Empty when not even 0 tokens fit.
    pub fn longest_suffix(
        &mut self,
        mut load: impl FnMut(usize) -> Load,
        fits: impl Fn(RawTokens) -> bool,
    ) -> Suffix {
        let mut taken = Suffix { start: self.len, tokens: RawTokens::ZERO, sendable: 0 };
        if !fits(RawTokens::ZERO) {
            return taken;
        }
        for index in (0..self.blocks.len()).rev() {
            let first = index * BLOCK;
            if let Some(sum) = self.blocks[index]
                && let Some(tokens) = taken.tokens.checked_add(sum.tokens)
                && fits(tokens)
            {
                taken = Suffix { start: first, tokens, sendable: taken.sendable + sum.sendable };
                continue;
            }
            let before = taken;
            while taken.start > first {
                let next = load(taken.start - 1).in_walk();
                let tokens = taken.tokens + next.tokens;
                if !fits(tokens) {
                    return taken;
                }
                taken.start -= 1;
                taken.tokens = tokens;
                taken.sendable += usize::from(next.sendable);
            }
            self.blocks[index] = Some(BlockSum {
                tokens: taken.tokens - before.tokens,
                sendable: taken.sendable - before.sendable,
            });
        }
        taken
    }

    /// The suffix that starts at a position.
    pub fn suffix_from(&mut self, start: usize, mut load: impl FnMut(usize) -> Load) -> Suffix {
        let start = start.min(self.len);
        let mut suffix = Suffix { start: self.len, tokens: RawTokens::ZERO, sendable: 0 };
        let first_whole = start.div_ceil(BLOCK);
        for index in (first_whole..self.blocks.len()).rev() {
            let sum = self.block_sum(index, &mut load);
            suffix.tokens += sum.tokens;
            suffix.sendable += sum.sendable;
            suffix.start = index * BLOCK;
        }
        while suffix.start > start {
            suffix.start -= 1;
            let next = load(suffix.start).in_walk();
            suffix.tokens += next.tokens;
            suffix.sendable += usize::from(next.sendable);
        }
        suffix
    }

    fn block_sum(&mut self, index: usize, load: &mut impl FnMut(usize) -> Load) -> BlockSum {
        if let Some(sum) = self.blocks[index] {
            return sum;
        }
        let first = index * BLOCK;
        let mut sum = BlockSum::default();
        for position in first..(first + BLOCK).min(self.len) {
            let next = load(position).in_walk();
            sum.tokens += next.tokens;
            sum.sendable += usize::from(next.sendable);
        }
        self.blocks[index] = Some(sum);
        sum
    }
}

#[cfg(test)]
#[path = "sums_tests.rs"]
mod tests;
