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

/// A report is left out when it is this far from what the others say, in both measures, and
/// the others agree at least twice as well without it.
const OUTLIER_SHARE: f64 = 0.2;
const OUTLIER_TOKENS: f64 = 16.0;

/// Small requests are measured against at least this much, so that one token more or less in
/// "hello" is not a large error.
const SMALL: f64 = 64.0;

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
    /// What the provider reported.
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

    /// How far a line is off here, in tokens.
    fn off(&self, line: Line) -> f64 {
        line.offset + line.slope * self.text() - self.apart()
    }

    /// The same against the size of the request.
    fn share_off(&self, line: Line) -> f64 {
        self.off(line).abs() / (self.reported as f64).max(SMALL)
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
        let line = self.line();
        Correction::new(line.offset, line.slope)
    }

    /// EST-9: within which share of an estimate 95 % of the reports were; none before there
    /// are five of them.
    pub fn spread(&self) -> Option<f64> {
        const ENOUGH: usize = 5;
        if self.reports.len() < ENOUGH {
            return None;
        }
        let line = self.line();
        let mut shares: Vec<f64> =
            self.reports.iter().map(|report| report.share_off(line)).collect();
        shares.sort_by(f64::total_cmp);
        let at = (shares.len() * 95).div_ceil(100).clamp(1, shares.len()) - 1;
        // The line was drawn through these very reports; the next ones are a little further
        // from it, the fewer reports the more.
        let unseen = 1.0 + ENOUGH as f64 / shares.len() as f64;
        shares.get(at).map(|share| share * unseen)
    }

    fn line(&self) -> Line {
        let mut kept = self.reports.clone();
        let least = kept.len().div_ceil(2).max(REPORTS_FOR_SLOPE);
        while kept.len() > least {
            let Some(odd) = outlier(&kept) else { break };
            kept.remove(odd);
        }
        fit(&kept)
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

/// The report without which the others agree best, if it is far from them.
fn outlier(reports: &[Report]) -> Option<usize> {
    let loss = |reports: &[Report], line: Line| {
        let squares = reports.iter().map(|report| report.share_off(line).powi(2)).sum::<f64>();
        // Of two lines that fit as well the one nearer to no correction is believed.
        squares + 1e-4 * line.slope.ln().powi(2)
    };
    let all = loss(reports, fit(reports));
    let mut best: Option<(f64, usize, Line)> = None;
    for at in 0..reports.len() {
        let others = [&reports[..at], &reports[at + 1..]].concat();
        let line = fit(&others);
        let rest = loss(&others, line);
        if best.is_none_or(|(least, ..)| rest < least) {
            best = Some((rest, at, line));
        }
    }
    let (rest, at, line) = best?;
    let far =
        reports[at].share_off(line) > OUTLIER_SHARE && reports[at].off(line).abs() > OUTLIER_TOKENS;
    (far && rest < all / 2.0).then_some(at)
}

/// The line through reports, larger ones counting more.
fn fit(reports: &[Report]) -> Line {
    let telling = reports.iter().filter(|report| report.raw.text >= TELLING_TEXT).count();
    let texts = reports.iter().map(|report| report.raw.text);
    let (least, most) = (texts.clone().min().unwrap_or(0), texts.max().unwrap_or(0));
    let free = reports.len() >= REPORTS_FOR_SLOPE
        && telling >= TELLING_REPORTS
        && most > least.saturating_mul(SPREAD_FOR_SLOPE);
    if !free {
        return Line { offset: offset_of(reports, 1.0), slope: 1.0 };
    }
    // Weighted least squares. An error grows with the size of a request, so its square is
    // divided by the size: a large request counts more than a small one, yet does not decide
    // alone.
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for report in reports {
        let (text, apart) = (report.text(), report.apart());
        let weight = 1.0 / (report.reported as f64).max(SMALL);
        w += weight;
        x += weight * text;
        y += weight * apart;
        xx += weight * text * text;
        xy += weight * text * apart;
    }
    let slope = (w * xy - x * y) / (w * xx - x * x);
    let offset = (y - slope * x) / w;
    if (0.0..=MAX_OFFSET).contains(&offset) && (MIN_SLOPE..=MAX_SLOPE).contains(&slope) {
        return Line { offset, slope };
    }
    // At a bound of the one the other is found anew.
    let offset = if offset.is_finite() { offset.clamp(0.0, MAX_OFFSET) } else { 0.0 };
    let slope = (xy - offset * x) / xx;
    let slope = if slope.is_finite() { slope.clamp(MIN_SLOPE, MAX_SLOPE) } else { 1.0 };
    Line { offset: offset_of(reports, slope), slope }
}

/// The median of what is left when the texts are taken away, within bounds.
fn offset_of(reports: &[Report], slope: f64) -> f64 {
    let mut left: Vec<f64> =
        reports.iter().map(|report| report.apart() - slope * report.text()).collect();
    left.sort_by(f64::total_cmp);
    match left.len() {
        0 => 0.0,
        n => ((left[(n - 1) / 2] + left[n / 2]) / 2.0).clamp(0.0, MAX_OFFSET),
    }
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
mod tests;
