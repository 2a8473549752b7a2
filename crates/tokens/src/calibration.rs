//! Calibration (EST-6): what a model's own reports say about our estimates.
//!
//! `reported ≈ offset + slope × text + overhead`. A chat template adds its words once to each
//! request, whatever its size: that is the offset. A tokenizer that is not ours cuts every
//! text a little differently: that is the slope. Learned as one factor the first of them
//! would make every file look larger than it is.

use crate::RawTokens;

/// Beyond this a constant is no chat template.
const MAX_OFFSET: f64 = 200.0;

/// Slopes outside this range say that something else is wrong.
const MIN_SLOPE: f64 = 0.5;
const MAX_SLOPE: f64 = 2.0;

/// How many reports are kept.
const KEPT: usize = 50;

/// With fewer reports, or with sizes closer together, only the offset moves.
const REPORTS_FOR_SLOPE: usize = 3;
const SPREAD_FOR_SLOPE: u64 = 2;

/// A text of this many tokens or more says something about the slope. One such report alone
/// may be a mistake, so it takes two.
const TELLING_TEXT: u64 = 64;
const TELLING_REPORTS: usize = 2;

/// Errors of smaller requests are measured as shares of this many tokens, so that one token
/// more or less in "hello" is not a large error. Their bands are as wide as such a share.
pub(crate) const SMALL_REQUEST: u64 = 64;
const SMALL: f64 = SMALL_REQUEST as f64;

/// What turns raw tokens into those of a model. The offset is counted once for each request,
/// as a part of the prelude; the slope applies to sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correction {
    offset: u64,
    slope: f64,
}

impl Default for Correction {
    fn default() -> Self {
        Self::NONE
    }
}

impl Correction {
    /// No correction.
    pub const NONE: Self = Self { offset: 0, slope: 1.0 };

    /// A correction, brought into bounds; what is no number corrects nothing.
    pub fn new(offset: f64, slope: f64) -> Self {
        let offset = if offset.is_finite() { offset.clamp(0.0, MAX_OFFSET) } else { 0.0 };
        let slope = if slope.is_finite() { slope.clamp(MIN_SLOPE, MAX_SLOPE) } else { 1.0 };
        Self { offset: offset.round() as u64, slope }
    }

    /// Tokens that each request has once.
    pub fn offset(self) -> u64 {
        self.offset
    }

    /// What texts are multiplied with.
    pub fn slope(self) -> f64 {
        self.slope
    }

    /// The corrected sum without the offset, rounded up. It grows with the raw sum.
    pub fn apply(self, raw: impl Into<RawTokens>) -> u64 {
        let raw = raw.into();
        self.scaled(raw.text).saturating_add(raw.overhead)
    }

    /// A whole request: the corrected sum and the offset.
    pub fn request(self, raw: impl Into<RawTokens>) -> u64 {
        self.apply(raw).saturating_add(self.offset)
    }

    fn scaled(self, text: u64) -> u64 {
        if self.slope == 1.0 { text } else { (text as f64 * self.slope).ceil() as u64 }
    }
}

/// One success: what was sent, as it was counted, and the prompt tokens that came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was counted.
    pub raw: RawTokens,
    pub reported: u64,
}

impl Report {
    fn text(&self) -> f64 {
        self.raw.text as f64
    }

    /// What the provider reported apart from the overhead that the catalog states.
    fn apart(&self) -> f64 {
        self.reported as f64 - self.raw.overhead as f64
    }

    /// How far a line is off here, against the size of the request.
    fn share_off(&self, line: Line) -> f64 {
        let off = line.offset + line.slope * self.text() - self.apart();
        off.abs() / (self.reported as f64).max(SMALL)
    }
}

/// A correction before it is rounded.
#[derive(Clone, Copy)]
struct Line {
    offset: f64,
    slope: f64,
}

/// What was learned about one model at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    reports: Vec<Report>,
}

impl Calibration {
    /// State from stored reports, oldest first.
    pub fn from_reports(reports: impl IntoIterator<Item = Report>) -> Self {
        let mut calibration = Self::default();
        for report in reports {
            calibration.push(report);
        }
        calibration
    }

    /// The state, for storing, oldest first.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Learns from one success. Zeroes teach nothing.
    pub fn observe(&mut self, raw: RawTokens, reported: u64) {
        self.push(Report { raw, reported });
    }

    /// The correction as learned so far.
    pub fn correction(&self) -> Correction {
        let line = fit(&self.reports);
        Correction::new(line.offset, line.slope)
    }

    /// EST-9: within which share of an estimate 95 % of the reports were; none before there
    /// are five of them.
    pub fn spread(&self) -> Option<f64> {
        const ENOUGH: usize = 5;
        if self.reports.len() < ENOUGH {
            return None;
        }
        let line = fit(&self.reports);
        let mut shares: Vec<f64> =
            self.reports.iter().map(|report| report.share_off(line)).collect();
        shares.sort_by(f64::total_cmp);
        let at = (shares.len() * 95).div_ceil(100).clamp(1, shares.len()) - 1;
        // The line was drawn through these very reports; the next ones are a little further
        // from it, the fewer reports the more.
        let unseen = 1.0 + ENOUGH as f64 / shares.len() as f64;
        shares.get(at).map(|share| share * unseen)
    }

    /// When there are too many, the oldest of the most frequent size goes: a hundred short
    /// messages do not push out what the long ones taught.
    fn push(&mut self, report: Report) {
        if report.raw.text == 0 || report.reported == 0 {
            return;
        }
        self.reports.push(report);
        if self.reports.len() <= KEPT {
            return;
        }
        let size = |report: &Report| report.raw.text.ilog2() as usize;
        let mut sizes = [0usize; 64];
        for report in &self.reports {
            sizes[size(report)] += 1;
        }
        let most = sizes.iter().copied().max().unwrap_or(0);
        if let Some(at) = self.reports.iter().position(|report| sizes[size(report)] == most) {
            self.reports.remove(at);
        }
    }
}

/// The line through reports. Medians throughout, so that a few reports that are far from the
/// others do not move it.
fn fit(reports: &[Report]) -> Line {
    let slope = slope_of(reports).unwrap_or(1.0).clamp(MIN_SLOPE, MAX_SLOPE);
    let offset = offset_of(reports, slope);
    Line { offset: offset.clamp(0.0, MAX_OFFSET), slope }
}

/// The median of the slopes between any two reports whose sizes differ enough (Theil and Sen).
/// Two short ones say little: one token more or less is much between them.
fn slope_of(reports: &[Report]) -> Option<f64> {
    let telling = reports.iter().filter(|report| report.raw.text >= TELLING_TEXT).count();
    if reports.len() < REPORTS_FOR_SLOPE || telling < TELLING_REPORTS {
        return None;
    }
    let mut slopes = Vec::new();
    for (at, one) in reports.iter().enumerate() {
        for other in &reports[at + 1..] {
            let (less, more) =
                if one.raw.text < other.raw.text { (one, other) } else { (other, one) };
            if more.raw.text > less.raw.text.saturating_mul(SPREAD_FOR_SLOPE) {
                let apart = more.text() - less.text();
                let slope = (more.apart() - less.apart()) / apart;
                slopes.push((slope, apart / (more.text() + SMALL)));
            }
        }
    }
    median(slopes)
}

/// The median of what is left when the texts are taken away. An error is a share of its
/// request, so the small ones tell the offset.
fn offset_of(reports: &[Report], slope: f64) -> f64 {
    let left = reports.iter().map(|report| {
        let weight = 1.0 / (report.reported as f64).max(SMALL);
        (report.apart() - slope * report.text(), weight)
    });
    median(left.collect()).unwrap_or(0.0)
}

/// The value with half of the weight on either side; between two where the halves are equal.
fn median(mut weighted: Vec<(f64, f64)>) -> Option<f64> {
    weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = weighted.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (at, (value, weight)) in weighted.iter().enumerate() {
        below += weight;
        if (below - half).abs() <= half * 1e-9 {
            return weighted.get(at + 1).map(|(next, _)| (value + next) / 2.0).or(Some(*value));
        }
        if below > half {
            return Some(*value);
        }
    }
    None
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
