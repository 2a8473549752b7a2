//! The mark: where somebody said that the context begins (UI-17).

use crate::{PairId, Timestamp};

/// Where the context begins. It names a pair by its place in the order of HIS-2, so that it
/// stands even when that pair is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextMark {
    /// When the pair was written.
    pub created_at: Timestamp,
    pub pair: PairId,
    /// Whether the context begins behind the pair instead of with it.
    pub after: bool,
}

impl ContextMark {
    /// Whether a pair with this order key stands before the mark, and is not sent.
    pub fn excludes(&self, key: (Timestamp, PairId)) -> bool {
        let own = (self.created_at, self.pair);
        key < own || self.after && key == own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_17_a_mark_parts_the_pairs_by_their_order() {
        let id = |random: u8| PairId::new(Timestamp::from_millis(5), [random; 10]);
        let (low, high) = (id(1), id(2));
        let at = Timestamp::from_millis;
        let mark = ContextMark { created_at: at(5), pair: low, after: false };
        assert!(mark.excludes((at(4), high)));
        assert!(!mark.excludes((at(5), low)));
        assert!(!mark.excludes((at(5), high)));
        let behind = ContextMark { after: true, ..mark };
        assert!(behind.excludes((at(5), low)));
        assert!(!behind.excludes((at(5), high)));
        assert!(!behind.excludes((at(6), low)));
    }
}
