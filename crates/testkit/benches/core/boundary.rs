//! Row 2: the boundary with cached counts.

use plimsoll_budget::{Boundary, BoundaryInput, Load, LoadSums};

use plimsoll_testkit::report::Table;

use crate::{Effort, select::INPUT};

const SIZES: [(usize, &str); 4] =
    [(1_000, "1k"), (10_000, "10k"), (100_000, "100k"), (1_000_000, "1M")];

/// A name, the tokens of a pair, the window.
const SHAPES: [(&str, u64, u64); 2] =
    [("pairs of 400 tokens, 128K", 400, 128_000), ("pairs of 10 tokens, 1M", 10, 1_000_000)];

pub(crate) fn run(effort: Effort, table: &mut Table) {
    for (shape, tokens, limit) in SHAPES {
        let input = BoundaryInput { limit, ..INPUT };
        let mut at_1k = 0.0;
        for (count, size) in SIZES {
            let counts = vec![tokens; count];
            let load = |at: usize| Load::of(counts[at]);
            let mut sums = LoadSums::new(count);
            Boundary::compute(&mut sums, load, &[], &input);
            let again =
                effort.measure_many(200, || Boundary::compute(&mut sums, load, &[], &input));
            let changed = effort.measure_many(200, || {
                sums.forget(count - 1);
                Boundary::compute(&mut sums, load, &[], &input)
            });
            let fresh =
                effort.measure(|| Boundary::compute(&mut LoadSums::new(count), load, &[], &input));
            if count == 1_000 {
                at_1k = again;
            }
            table.row(&format!("boundary, {shape}"), size, again * 1e6, "µs");
            table.ratio(format!(
                "{:.2} × 1k; one pair changed {:.2} µs; from nothing {:.1} µs",
                again / at_1k,
                changed * 1e6,
                fresh * 1e6
            ));
            table.goal("≤ 10 µs", again <= 10e-6 && changed <= 10e-6);
        }
    }
}
