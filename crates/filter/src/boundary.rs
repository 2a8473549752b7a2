//! The `o` terms. They ask which pairs are included in the next request, which is only
//! known once the other terms have been applied; so they come last, on their own.

use crate::Filter;

/// `o`, `oN`, `!o` or `!oN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundaryTerm {
    pub(crate) negated: bool,
    /// How many of the newest excluded pairs count as well.
    pub(crate) newest: u32,
}

impl Filter {
    /// Whether [`Filter::apply_boundary`] changes anything.
    pub fn has_boundary_terms(&self) -> bool {
        !self.boundary.is_empty()
    }

    /// Those of the visible rows that the `o` terms leave, in the same order. `included`
    /// says whether the pair at a position of `visible` is included.
    pub fn apply_boundary(&self, visible: &[u32], included: impl Fn(usize) -> bool) -> Vec<u32> {
        if !self.has_boundary_terms() {
            return visible.to_vec();
        }
        let mut newer_excluded = 0u32;
        let mut left = Vec::new();
        for (position, row) in visible.iter().enumerate().rev() {
            let is_included = included(position);
            let keeps =
                |term: &BoundaryTerm| (is_included || newer_excluded < term.newest) != term.negated;
            if self.boundary.iter().all(keeps) {
                left.push(*row);
            }
            if !is_included {
                newer_excluded = newer_excluded.saturating_add(1);
            }
        }
        left.reverse();
        left
    }
}

#[cfg(test)]
mod tests {
    use crate::{compile, parse, testing::World};

    /// Rows 0 to 5 are visible; 4 and 5 are included unless a test says otherwise.
    #[track_caller]
    fn check(text: &str, included: &[usize], expected: &[u32]) {
        let query = parse(text).unwrap();
        let filter = compile(query.expr.as_ref(), &World::small()).unwrap();
        assert!(filter.has_boundary_terms());
        let left = filter.apply_boundary(&[0, 1, 2, 3, 4, 5], |at| included.contains(&at));
        assert_eq!(left, expected, "FLT-3 {text}");
    }

    #[test]
    fn o_keeps_the_included_and_some_of_the_excluded() {
        check("o", &[4, 5], &[4, 5]);
        check("o0", &[4, 5], &[4, 5]);
        check("!o", &[4, 5], &[0, 1, 2, 3]);
        check("!!o", &[4, 5], &[4, 5]);
        check("o1", &[4, 5], &[3, 4, 5]);
        check("o99", &[4, 5], &[0, 1, 2, 3, 4, 5]);
        check("!o1", &[4, 5], &[0, 1, 2]);
        check("o2 !o", &[4, 5], &[2, 3]);
        check("!(o) b", &[], &[0, 1, 2, 3, 4, 5]);
        check("(b (g o))", &[], &[]);
    }

    #[test]
    fn pairs_that_are_included_out_of_order_count_too() {
        check("o1", &[1, 4], &[1, 4, 5]);
        check("o2", &[1, 4], &[1, 3, 4, 5]);
        check("!o1", &[1, 4], &[0, 2, 3]);
    }
}
