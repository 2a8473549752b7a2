use proptest::prelude::*;

use super::*;

/// BND-1 word for word: walk newest to oldest, stop before what would not fit.
fn naive(loads: &[Load], room: Option<u64>) -> Suffix {
    let mut taken = Suffix { start: loads.len(), tokens: RawTokens::ZERO, sendable: 0 };
    let Some(room) = room else { return taken };
    for (position, load) in loads.iter().enumerate().rev() {
        if (taken.tokens + load.tokens).total() > room {
            break;
        }
        taken.start = position;
        taken.tokens += load.tokens;
        taken.sendable += usize::from(load.sendable);
    }
    taken
}

fn fits(room: Option<u64>) -> impl Fn(RawTokens) -> bool {
    move |sum| room.is_some_and(|room| sum.total() <= room)
}

fn loads() -> impl Strategy<Value = Vec<Load>> {
    let load = prop_oneof![
        4 => (0u64..500).prop_map(Load::of),
        1 => Just(Load::NOT_SENDABLE),
        1 => Just(Load::of(u64::MAX / 3)),
    ];
    // Runs longer than a block, so that whole blocks are stepped over.
    (prop::collection::vec(load, 0..40), 1usize..40).prop_map(|(loads, times)| loads.repeat(times))
}

proptest! {
    #[test]
    fn bnd_1_equals_the_naive_walk(loads in loads(), room in prop::option::of(0u64..200_000)) {
        let mut sums = LoadSums::new(loads.len());
        let expected = naive(&loads, room);
        prop_assert_eq!(sums.longest_suffix(|at| loads[at], fits(room)), expected);
        // A second walk uses what the first remembered.
        prop_assert_eq!(sums.longest_suffix(|at| loads[at], fits(room)), expected);
    }

    #[test]
    fn bnd_5_changes_redo_only_what_they_must(
        loads in loads(),
        changes in prop::collection::vec((0usize..4000, 0u64..900), 0..12),
        room in 0u64..200_000,
    ) {
        let mut loads = loads;
        let mut sums = LoadSums::new(loads.len());
        for (at, tokens) in changes {
            sums.longest_suffix(|at| loads[at], fits(Some(room)));
            if loads.is_empty() || at % 3 == 0 {
                loads.push(Load::of(tokens));
                sums.push();
            } else {
                let at = at % loads.len();
                loads[at] = Load::of(tokens);
                sums.forget(at);
            }
            let expected = naive(&loads, Some(room));
            prop_assert_eq!(sums.longest_suffix(|at| loads[at], fits(Some(room))), expected);
        }
    }

    #[test]
    fn a_suffix_from_a_position_sums_what_is_there(loads in loads(), start in 0usize..2000) {
        let mut sums = LoadSums::new(loads.len());
        sums.longest_suffix(|at| loads[at], fits(Some(50_000)));
        let start = start.min(loads.len());
        let tail = &loads[start..];
        let expected = Suffix {
            start,
            tokens: tail.iter().map(|load| load.tokens).sum(),
            sendable: tail.iter().filter(|load| load.sendable).count(),
        };
        prop_assert_eq!(sums.suffix_from(start, |at| loads[at]), expected);
    }
}

#[test]
fn bnd_5_only_the_pairs_that_are_taken_are_touched() {
    let mut touched = Vec::new();
    let mut sums = LoadSums::new(100_000);
    let walk = |sums: &mut LoadSums, touched: &mut Vec<usize>| {
        touched.clear();
        sums.longest_suffix(
            |at| {
                touched.push(at);
                Load::of(10)
            },
            |sum| sum.total() <= 9_995,
        )
    };
    let first = walk(&mut sums, &mut touched);
    assert_eq!(first.sendable, 999);
    assert_eq!(touched.len(), 1000, "X + 1 pairs");
    walk(&mut sums, &mut touched);
    assert!(touched.len() <= BLOCK, "the whole blocks are remembered");
    sums.forget(99_999);
    walk(&mut sums, &mut touched);
    assert!(touched.len() <= 2 * BLOCK, "one changed pair costs one block");
}
