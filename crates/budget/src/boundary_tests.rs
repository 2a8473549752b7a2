use proptest::prelude::*;

use super::*;

fn input(limit: u64, allowance: u64) -> BoundaryInput {
    BoundaryInput {
        limit,
        allowance,
        raw_prelude: RawTokens::ZERO,
        reply_reserve: 0,
        correction: Correction::NONE,
    }
}

fn compute(loads: &[Load], input: &BoundaryInput) -> Boundary {
    let pins: Vec<usize> = (0..loads.len()).filter(|at| loads[*at].pinned).collect();
    Boundary::compute(&mut LoadSums::new(loads.len()), |at| loads[at], &pins, input)
}

#[test]
fn bnd_1_plain_ura_rule() {
    let loads: Vec<Load> = [400u64, 300, 200, 100].map(Load::of).into();
    for (limit, x, history) in [
        (1100, 4, 1000),
        (1099, 3, 600),
        (700, 3, 600),
        (699, 2, 300),
        (200, 1, 100),
        (199, 0, 0),
        (0, 0, 0),
    ] {
        let boundary = compute(&loads, &input(limit, 100));
        assert_eq!(
            (boundary.included, boundary.predicted_history_tokens),
            (x, history),
            "ML {limit}"
        );
        assert_eq!(boundary.predicted_total_tokens, history + 100, "BND-2");
    }
}

#[test]
fn bnd_1_what_is_not_sendable_is_passed_over_and_weighs_nothing() {
    let loads = [Load::of(50), Load::NOT_SENDABLE, Load::of(50), Load::NOT_SENDABLE];
    let boundary = compute(&loads, &input(200, 100));
    assert_eq!((boundary.included, boundary.visible, boundary.start), (2, 4, 0));
    let aboard: Vec<usize> = (0..4).filter(|at| boundary.includes(*at, loads[*at])).collect();
    assert_eq!(aboard, [0, 2]);
}

#[test]
fn bnd_8_pins_go_first_and_the_line_is_drawn_at_the_walk() {
    let (small, pin) = (Load::of(100), Load::of(200).pin());
    for (loads, limit, included, start) in [
        // The room beside the pin is for the newest.
        (vec![pin, small, small, small], 500, vec![0, 2, 3], 2),
        // A pin right above the walk stays above the line, and so does one before it.
        (vec![small, pin, pin, small], 600, vec![1, 2, 3], 3),
        // A pin that the walk passes over stands below it.
        (vec![small, small, pin, small], 500, vec![1, 2, 3], 1),
        (vec![pin, small], 400, vec![0, 1], 0),
        // Pins that do not fit are included all the same, alone: people are asked.
        (vec![small, pin, pin, small], 300, vec![1, 2], 4),
        // The context begins behind the mark, apart from pins.
        (vec![pin, Load::BEFORE_THE_LINE, small], 1000, vec![0, 2], 2),
        (vec![small, Load::BEFORE_THE_LINE, pin, small], 1000, vec![2, 3], 3),
    ] {
        let boundary = compute(&loads, &input(limit, 100));
        let aboard: Vec<usize> =
            (0..loads.len()).filter(|at| boundary.includes(*at, loads[*at])).collect();
        assert_eq!((aboard.len(), boundary.start), (boundary.included, start), "{loads:?}");
        assert_eq!(aboard, included, "{loads:?}");
    }
}

#[test]
fn bnd_7_x_may_be_zero() {
    let boundary = compute(&[Load::of(10), Load::of(5000)], &input(4096, 100));
    assert_eq!(
        (boundary.included, boundary.start, boundary.visible),
        (0, 2, 2),
        "nothing is skipped over"
    );
}

#[test]
fn bnd_3_the_reserve() {
    let auto = ReplyReserve::Auto;
    assert_eq!(auto.resolve(4096, None, true), 512);
    assert_eq!(auto.resolve(131_072, None, true), 800);
    assert_eq!(auto.resolve(131_072, Some(2000), true), 2000);
    assert_eq!(auto.resolve(131_072, Some(2000), false), 0);
    assert_eq!(ReplyReserve::Tokens(7).resolve(4096, Some(9), false), 7);
}

#[test]
fn bnd_6_the_line_moves_in_blocks_and_then_stays() {
    let input = input(10_000, 0);
    let mut loads = vec![Load::of(100); 100];
    let start_of = |loads: &[Load], previous| {
        let mut sums = LoadSums::new(loads.len());
        Boundary::compute_stepped(&mut sums, |at| loads[at], &[], &input, previous).start
    };
    assert_eq!(start_of(&loads, None), 0, "all fit");
    loads.push(Load::of(100));
    let moved = start_of(&loads, Some(0));
    assert_eq!(moved, 21, "a fifth of the window is freed");
    let mut moves = 0;
    let mut at = moved;
    for _ in 0..60 {
        loads.push(Load::of(100));
        let next = start_of(&loads, Some(at));
        moves += usize::from(next != at);
        at = next;
    }
    assert_eq!(moves, 2, "sixty sends move the line twice, not sixty times");
}

#[test]
fn bnd_6_a_line_that_is_out_of_date_does_not_stick() {
    let input = input(1500, 0);
    let stepped = |loads: &[Load], previous| {
        let mut sums = LoadSums::new(loads.len());
        Boundary::compute_stepped(&mut sums, |at| loads[at], &[], &input, previous)
    };
    let mut loads = vec![Load::of(200); 10];
    loads.push(Load::of(5000));
    let blocked = stepped(&loads, None);
    assert_eq!((blocked.included, blocked.start), (0, 11));
    loads.pop();
    assert_eq!(
        stepped(&loads, Some(blocked.start)).included,
        6,
        "a fifth of the window stays free"
    );
}

proptest! {
    /// BND-8: INCLUDED is the pins and the longest suffix of the rest that fits beside them.
    #[test]
    fn bnd_8_included_is_the_pins_and_the_maximal_suffix_of_the_rest(
        pairs in prop::collection::vec((0u64..400, 0u8..8), 0..300),
        mark in 0usize..400,
        limit in 0u64..30_000,
        slope in 0.5f64..2.0,
    ) {
        let load = |(at, (tokens, kind)): (usize, &(u64, u8))| match kind {
            0 => Load::NOT_SENDABLE,
            1 | 2 => Load::of(*tokens).pin(),
            _ if at + 100 < mark => Load::BEFORE_THE_LINE,
            _ => Load::of(*tokens),
        };
        let loads: Vec<Load> = pairs.iter().enumerate().map(load).collect();
        let input = BoundaryInput { correction: Correction::new(0.0, slope), ..input(limit, 100) };
        // By the words of the rule: the pins, then one more of the rest as long as it fits.
        let pins = (0..loads.len()).filter(|at| loads[*at].pinned);
        let mut expected: Vec<usize> = pins.collect();
        let sum = |these: &[usize]| these.iter().map(|at| loads[*at].tokens).sum::<RawTokens>();
        for at in (0..loads.len()).rev() {
            if loads[at] == Load::BEFORE_THE_LINE {
                break;
            }
            if loads[at].pinned || !loads[at].sendable {
                continue;
            }
            let more = [expected.as_slice(), &[at]].concat();
            if !input.fits(sum(&more)) {
                break;
            }
            expected = more;
        }
        expected.sort_unstable();
        let boundary = compute(&loads, &input);
        let aboard: Vec<usize> =
            (0..loads.len()).filter(|at| boundary.includes(*at, loads[*at])).collect();
        prop_assert_eq!(&aboard, &expected);
        prop_assert_eq!(boundary.included, expected.len());
        prop_assert_eq!(boundary.raw_history, sum(&expected));
        let above = expected.iter().filter(|at| **at < boundary.start).count();
        prop_assert_eq!(boundary.pinned_above, above, "only pins are included above the line");
        if boundary.start > 0 && boundary.start < loads.len() {
            prop_assert!(!loads[boundary.start].pinned, "the line is drawn at the walk");
        }
    }
}

proptest! {
    /// The suffix is maximal, and X, tokens and membership agree with it.
    #[test]
    fn the_boundary_is_the_maximal_suffix(
        tokens in prop::collection::vec(prop::option::of(0u64..400), 0..300),
        limit in 0u64..30_000,
        allowance in 0u64..300,
        prelude in 0u64..300,
        reply_reserve in 0u64..300,
        offset in 0.0f64..200.0,
        slope in 0.5f64..2.0,
    ) {
        let loads: Vec<Load> =
            tokens.iter().map(|tokens| tokens.map_or(Load::NOT_SENDABLE, Load::of)).collect();
        let correction = Correction::new(offset, slope);
        let raw_prelude = RawTokens { text: prelude, overhead: 4 };
        let input = BoundaryInput { limit, allowance, raw_prelude, reply_reserve, correction };
        let boundary = compute(&loads, &input);
        let raw = |from: usize| loads[from..].iter().map(|load| load.tokens).sum::<RawTokens>();
        if boundary.start < loads.len() {
            prop_assert!(input.fits(raw(boundary.start)), "what is aboard fits");
        }
        if boundary.start > 0 {
            prop_assert!(!input.fits(raw(boundary.start - 1)), "one more would not");
        }
        let aboard: Vec<usize> = (0..loads.len())
            .filter(|at| boundary.includes(*at, loads[*at]))
            .collect();
        prop_assert_eq!(aboard.len(), boundary.included);
        let history = input.correction.apply(raw(boundary.start));
        prop_assert_eq!(boundary.predicted_history_tokens, history);
        if boundary.included > 0 {
            prop_assert!(history as i128 <= input.max_usable());
        }
    }
}

proptest! {
    /// UI-17: what stands before the mark is not sent, whatever the room, and the line is at
    /// the mark where all that follows fits; stepping does not move it further.
    #[test]
    fn ui_17_the_walk_ends_at_the_mark(
        tokens in proptest::collection::vec(1u64..200, 0..40),
        mark in 0usize..45,
        limit in 100u64..4000,
    ) {
        let load = |at: usize| match at < mark {
            true => Load::BEFORE_THE_LINE,
            false => Load::of(tokens[at]),
        };
        let all = |from: usize| tokens.iter().skip(from).sum::<u64>();
        let input = input(limit, 100);
        let drawn = Boundary::compute(&mut LoadSums::new(tokens.len()), load, &[], &input);
        prop_assert!(drawn.start >= mark.min(tokens.len()));
        let fits = all(mark) + 100 <= limit;
        prop_assert_eq!(drawn.start == mark.min(tokens.len()), fits || tokens.len() <= mark);
        if fits {
            let stepped =
                Boundary::compute_stepped(&mut LoadSums::new(tokens.len()), load, &[], &input, None);
            prop_assert_eq!(stepped, drawn);
        }
    }
}
