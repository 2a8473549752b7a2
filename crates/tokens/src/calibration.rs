//! Calibration (EST-6): a model's factor, learned from what its provider reports.
//!
//! The state is a short window of log ratios (reported / raw estimate). The factor
//! is the mean of their middle half, so that one odd report moves nothing, drawn a
//! little toward 1 while there are few of them.

/// Ratios outside this range say that something else is wrong.
const MIN_FACTOR: f64 = 0.5;
const MAX_FACTOR: f64 = 2.0;

/// How many of the newest reports count.
const WINDOW: usize = 20;

/// What the prior of no correction weighs against the square of the number of
/// reports: half of a first report, half a percent of ten.
const PRIOR_WEIGHT: f64 = 0.5;

/// What raw sums are multiplied with. Always within 0.5 and 2.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Factor(f64);

impl Default for Factor {
    fn default() -> Self {
        Self::ONE
    }
}

impl Factor {
    /// No correction.
    pub const ONE: Self = Self(1.0);

    /// A factor, brought into bounds; what is no number is no correction.
    pub fn new(factor: f64) -> Self {
        if factor.is_finite() { Self(factor.clamp(MIN_FACTOR, MAX_FACTOR)) } else { Self::ONE }
    }

    /// The factor itself.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The corrected sum, rounded up. It grows with the raw sum.
    pub fn apply(self, raw: u64) -> u64 {
        if self == Self::ONE { raw } else { (raw as f64 * self.0).ceil() as u64 }
    }

    /// Whether this moved by more than 1 % from another: a boundary trigger (BND-4).
    pub fn moved_from(self, other: Self) -> bool {
        (self.0 / other.0 - 1.0).abs() > 0.01
    }
}

/// What was learned about one model.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Calibration {
    /// Log ratios, oldest first, at most [`WINDOW`].
    recent: Vec<f64>,
}

impl Calibration {
    /// State from stored log ratios; what is no number is dropped.
    pub fn from_log_ratios(ratios: impl IntoIterator<Item = f64>) -> Self {
        let mut calibration = Self::default();
        for ratio in ratios {
            calibration.push(ratio);
        }
        calibration
    }

    /// The state, for storing.
    pub fn log_ratios(&self) -> &[f64] {
        &self.recent
    }

    /// Learns from one success: the raw estimate of what was sent, and the prompt
    /// tokens that the provider reported. Zeroes teach nothing.
    pub fn observe(&mut self, raw_estimate: u64, reported: u64) {
        if raw_estimate > 0 && reported > 0 {
            self.push((reported as f64 / raw_estimate as f64).ln());
        }
    }

    /// The factor as learned so far.
    pub fn factor(&self) -> Factor {
        let mut sorted = self.recent.clone();
        sorted.sort_by(f64::total_cmp);
        // From three reports on, the largest and the smallest never count.
        let quarter = if sorted.len() < 3 { 0 } else { (sorted.len() / 4).max(1) };
        let middle = &sorted[quarter..sorted.len() - quarter];
        if middle.is_empty() {
            return Factor::ONE;
        }
        let mean = middle.iter().sum::<f64>() / middle.len() as f64;
        let evidence = (self.recent.len() * self.recent.len()) as f64;
        let trust = evidence / (evidence + PRIOR_WEIGHT);
        Factor::new((mean * trust).exp())
    }

    fn push(&mut self, log_ratio: f64) {
        if log_ratio.is_nan() {
            return;
        }
        if self.recent.len() == WINDOW {
            self.recent.remove(0);
        }
        self.recent.push(log_ratio.clamp(MIN_FACTOR.ln(), MAX_FACTOR.ln()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_learned_is_no_correction() {
        assert_eq!(Calibration::default().factor(), Factor::ONE);
        let mut calibration = Calibration::default();
        calibration.observe(0, 10);
        calibration.observe(10, 0);
        assert_eq!(calibration.factor(), Factor::ONE);
    }

    #[test]
    fn one_outlier_among_ten_moves_almost_nothing() {
        let mut calibration = Calibration::default();
        for _ in 0..10 {
            calibration.observe(1000, 1200);
        }
        let before = calibration.factor();
        calibration.observe(1000, 90_000);
        let moved = (calibration.factor().value() / before.value() - 1.0).abs();
        assert!(moved < 0.01, "moved by {moved}");
    }

    #[test]
    fn one_outlier_among_three_moves_nothing() {
        let mut calibration = Calibration::default();
        for reported in [1000, 9000, 1000] {
            calibration.observe(1000, reported);
        }
        assert_eq!(calibration.factor(), Factor::ONE);
    }

    #[test]
    fn state_survives_storing() {
        let mut calibration = Calibration::default();
        for reported in [900, 1100, 1300] {
            calibration.observe(1000, reported);
        }
        let stored = calibration.log_ratios().to_vec();
        assert_eq!(Calibration::from_log_ratios(stored), calibration);
        let hostile = Calibration::from_log_ratios([f64::NAN, f64::INFINITY, -1e300]);
        assert_eq!(hostile.log_ratios().len(), 2);
    }

    proptest! {
        #[test]
        fn the_factor_stays_in_bounds(reports in prop::collection::vec((0u64.., 0u64..), 0..60)) {
            let mut calibration = Calibration::default();
            for (raw, reported) in reports {
                calibration.observe(raw, reported);
                let factor = calibration.factor().value();
                prop_assert!((MIN_FACTOR..=MAX_FACTOR).contains(&factor));
            }
        }

        /// EST-6: after ten sends of one kind of text the error of the sum is at most 5 %,
        /// even where every report leans the same way by up to 4 %.
        #[test]
        fn ten_reports_of_one_kind_are_enough(
            bias in 0.52f64..1.95,
            noise in prop::collection::vec(-0.04f64..0.04, 10),
            outlier in prop::option::of((0usize..10, 0.1f64..9.0)),
        ) {
            let mut calibration = Calibration::default();
            for (turn, noise) in noise.iter().enumerate() {
                let odd = outlier.filter(|(at, _)| *at == turn).map_or(1.0, |(_, by)| by);
                let reported = 2000.0 * bias * (1.0 + noise) * odd;
                calibration.observe(2000, reported as u64);
            }
            let sum = calibration.factor().apply(100_000) as f64;
            let error = (sum / (100_000.0 * bias) - 1.0).abs();
            prop_assert!(error <= 0.05, "bias {bias}: off by {error}");
        }

        #[test]
        fn applying_grows_with_the_sum(factor in 0.5f64..2.0, a in 0u64..1_000_000, b in 0u64..1_000_000) {
            let factor = Factor::new(factor);
            prop_assert!(factor.apply(a.min(b)) <= factor.apply(a.max(b)));
        }
    }
}
