//! Raw tokens: what was counted, before anything that was learned is applied.

use std::ops::{Add, AddAssign, Sub};

/// A sum as it was counted. The overhead of the chat format is the catalog's own number and
/// stays apart, because what is learned about a model's texts says nothing of it (EST-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawTokens {
    /// Texts, pictures and tools, by the estimator.
    pub text: u64,
    /// What the chat format adds to each message.
    pub overhead: u64,
}

impl RawTokens {
    /// Nothing.
    pub const ZERO: Self = Self { text: 0, overhead: 0 };

    /// A message of this weight with its overhead; one that weighs nothing is not emitted
    /// and has none.
    pub fn message(text: u64, overhead: u64) -> Self {
        if text == 0 { Self::ZERO } else { Self { text, overhead } }
    }

    /// The sum, unless it is too large to be one.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let text = self.text.checked_add(other.text)?;
        Some(Self { text, overhead: self.overhead.checked_add(other.overhead)? })
    }

    /// Both together.
    pub fn total(self) -> u64 {
        self.text.saturating_add(self.overhead)
    }
}

impl From<u64> for RawTokens {
    fn from(text: u64) -> Self {
        Self { text, overhead: 0 }
    }
}

impl Add for RawTokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            text: self.text.saturating_add(other.text),
            overhead: self.overhead.saturating_add(other.overhead),
        }
    }
}

impl AddAssign for RawTokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for RawTokens {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            text: self.text.saturating_sub(other.text),
            overhead: self.overhead.saturating_sub(other.overhead),
        }
    }
}

impl std::iter::Sum for RawTokens {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl<'a> std::iter::Sum<&'a RawTokens> for RawTokens {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.copied().sum()
    }
}
