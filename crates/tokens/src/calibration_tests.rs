use proptest::prelude::*;

use super::*;
use crate::Basis;

fn learned(reports: impl IntoIterator<Item = (u64, u64)>) -> Calibration {
    let mut calibration = Calibration::default();
    for (text, reported) in reports {
        calibration.observe(text.into(), reported);
    }
    calibration
}

#[test]
fn nothing_learned_is_no_correction() {
    assert_eq!(Calibration::default().correction(), Correction::NONE);
    assert_eq!(learned([(0, 10), (10, 0)]).correction(), Correction::NONE);
    assert_eq!(learned([(0, 10), (10, 0)]).spread(), None);
}

/// EST-6, the way it was seen: short chats on a template of 25 tokens leave a file what it is.
#[test]
fn est_6_short_chats_do_not_make_a_file_heavier() {
    for chats in 1..=3 {
        let correction = learned(std::iter::repeat_n((2, 27), chats)).correction();
        assert_eq!((correction.offset(), correction.slope()), (25, 1.0));
        assert_eq!(correction.request(3178), 3203, "after {chats}");
    }
}

#[test]
fn est_6_only_the_offset_moves_with_few_reports_or_one_size() {
    let few = learned([(100, 160), (4000, 6000)]).correction();
    assert_eq!(few.slope(), 1.0);
    let alike = learned([(1000, 1300), (1100, 1430), (1500, 1950), (1990, 2587)]).correction();
    assert_eq!((alike.offset(), alike.slope()), (200, 1.0), "within a factor of 2");
    let lone = learned([(2, 27), (5, 30), (9, 34), (3000, 9000)]).correction();
    assert_eq!((lone.offset(), lone.slope()), (25, 1.0), "one long text is not believed alone");
    let two = learned([(2, 27), (5, 30), (9, 34), (3000, 4225), (1000, 1425)]).correction();
    assert!((two.slope() - 1.4).abs() < 0.01, "{two:?}");
}

/// The overhead of messages is the catalog's: it is neither scaled nor learned.
#[test]
fn est_6_the_overhead_of_messages_stays_apart() {
    let mut calibration = Calibration::default();
    for (text, overhead) in [(20, 40), (300, 4), (900, 80), (2000, 8), (4000, 400)] {
        let reported = 30 + text * 3 / 2 + overhead;
        calibration.observe(RawTokens { text, overhead }, reported);
    }
    let correction = calibration.correction();
    assert_eq!(correction.offset(), 30);
    assert!((correction.slope() - 1.5).abs() < 1e-6, "{correction:?}");
    assert_eq!(correction.request(RawTokens { text: 1000, overhead: 12 }), 1542);
}

#[test]
fn est_6_what_long_texts_taught_outlives_many_short_ones() {
    let mut calibration = learned([(800, 1210), (3000, 4510), (6000, 9010)]);
    for turn in 0..500 {
        calibration.observe((2 + turn % 3).into(), 10 + (2 + turn % 3) * 3 / 2);
    }
    assert!((calibration.correction().slope() - 1.5).abs() < 0.01);
    assert!(calibration.reports().len() <= KEPT);
}

#[test]
fn state_survives_storing() {
    let calibration = learned([(10, 40), (900, 1100), (3000, 3600)]);
    let stored = calibration.reports().to_vec();
    assert_eq!(Calibration::from_reports(stored), calibration);
}

/// Tokens of a message between "hello" and 14 KB; short and long ones are about as frequent.
fn size() -> impl Strategy<Value = u64> {
    (0.6f64..8.2).prop_map(|log| log.exp() as u64)
}

/// Ten sends of mixed sizes: three short ones, three long ones and four of any size.
fn mixed() -> impl Strategy<Value = Vec<u64>> {
    let of = |size| prop::collection::vec(size, 3);
    (of(2u64..60), of(200u64..3600), prop::collection::vec(size(), 4))
        .prop_map(|(short, long, any)| [short, long, any].concat())
        .prop_shuffle()
}

/// VAL-1: ten sends of which one alone was long teach no slope; the constant that is learned
/// instead is far too large for a text of one token, and the band says so.
#[test]
fn val_1_a_tiny_message_is_not_refused_for_what_longer_ones_taught() {
    let texts = [1, 1, 40, 1, 52, 361, 27, 38, 51, 1];
    let calibration = learned(texts.map(|text| (text, (text as f64 * 1.586).round() as u64)));
    let said = calibration.correction().request(1);
    let low = Basis::of_reports(&calibration).band(said, 0).low;
    assert!(low <= 2, "{said}, not less than {low}, would be refused where 2 fits");
}

proptest! {
    #[test]
    fn the_correction_stays_in_bounds(
        reports in prop::collection::vec((0u64.., 0u64.., 0u64..), 0..60),
    ) {
        let mut calibration = Calibration::default();
        for (text, overhead, reported) in reports {
            calibration.observe(RawTokens { text, overhead }, reported);
        }
        let correction = calibration.correction();
        prop_assert!((MIN_SLOPE..=MAX_SLOPE).contains(&correction.slope()));
        prop_assert!(correction.offset() <= MAX_OFFSET as u64);
    }

    /// EST-6: after ten mixed sends the sum of the next twenty is within 3 %, and of these
    /// nothing that fits is refused (VAL-1), even where one of the ten reports was nonsense.
    #[test]
    fn est_6_ten_mixed_sends_are_enough(
        offset in 0u64..=60,
        slope in 0.6f64..=1.6,
        first in mixed(),
        then in prop::collection::vec(size(), 20),
        noise in prop::collection::vec(-0.01f64..0.01, 30),
        nonsense in prop::option::of((0usize..10, prop_oneof![0.2f64..0.5, 2.0f64..5.0])),
    ) {
        let truth = |text: u64, noise: f64| {
            (offset as f64 + slope * text as f64 * (1.0 + noise)).round() as u64
        };
        let mut calibration = Calibration::default();
        for (turn, text) in first.iter().enumerate() {
            let odd = nonsense.filter(|(at, _)| *at == turn).map_or(1.0, |(_, by)| by);
            calibration.observe((*text).into(), (truth(*text, noise[turn]) as f64 * odd) as u64);
        }
        let correction = calibration.correction();
        let (mut estimated, mut real) = (0, 0);
        for (text, noise) in then.iter().zip(&noise[10..]) {
            let (said, is) = (correction.request(*text), truth(*text, *noise));
            let low = Basis::of_reports(&calibration).band(said, 0).low;
            prop_assert!(low <= is, "{said} of {is} would be refused where {is} fits");
            estimated += said;
            real += is;
        }
        // Numbers are whole: of twenty tiny requests each may be a token off.
        let allowed = (real as f64 * 0.03).max(then.len() as f64);
        let error = estimated.abs_diff(real);
        prop_assert!(error as f64 <= allowed, "{error} of {real} off: {correction:?}");
    }

    /// VAL-1: whatever the first sends were, short ones alone too, a message that fits is not
    /// refused where an estimate alone would not have refused it.
    #[test]
    fn val_1_what_fits_is_not_refused_after_any_ten_sends(
        offset in 0u64..=60,
        slope in 0.9f64..=1.6,
        sizes in prop::collection::vec(size(), 30),
        noise in prop::collection::vec(-0.01f64..0.01, 30),
    ) {
        let mut calibration = Calibration::default();
        for (turn, (text, noise)) in sizes.iter().zip(&noise).enumerate() {
            let is = (offset as f64 + slope * *text as f64 * (1.0 + noise)).round() as u64;
            if turn < 10 {
                calibration.observe((*text).into(), is);
                continue;
            }
            let said = calibration.correction().request(*text);
            let low = Basis::of_reports(&calibration).band(said, 0).low;
            prop_assert!(low <= is, "{said} of {is} would be refused where {is} fits");
        }
    }

    #[test]
    fn applying_grows_with_the_sum(
        slope in 0.5f64..2.0, a in 0u64..1_000_000, b in 0u64..1_000_000,
    ) {
        let correction = Correction::new(10.0, slope);
        prop_assert!(correction.apply(a.min(b)) <= correction.apply(a.max(b)));
    }
}
