//! The prediction boundary: which of the visible pairs are included (BND-1 to BND-8).

use plimsoll_tokens::{Correction, RawTokens};

use crate::{Load, LoadSums, Suffix};

/// How much of the window is kept for the answer (BND-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReplyReserve {
    /// `min(800, ML / 8)`, or the topic's largest answer.
    #[default]
    Auto,
    /// This many tokens.
    Tokens(u64),
}

impl ReplyReserve {
    /// The reserve in tokens. An answer that is not drawn from the same window needs
    /// none.
    pub fn resolve(self, limit: u64, topic_max_output: Option<u64>, shared_window: bool) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::Auto if !shared_window => 0,
            Self::Auto => topic_max_output.unwrap_or_else(|| (limit / 8).min(800)),
        }
    }
}

/// What the boundary depends on, apart from the pairs. Typing changes none of it
/// (BND-4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryInput {
    /// ML, the model limit.
    pub limit: u64,
    /// URA, the allowance for the message that is still being written.
    pub allowance: u64,
    /// Raw tokens of the system message and the files section.
    pub raw_prelude: RawTokens,
    /// Tokens kept for the answer.
    pub reply_reserve: u64,
    /// What makes tokens of the model of raw ones.
    pub correction: Correction,
}

impl BoundaryInput {
    /// The prelude in tokens of the model, with what each request has once (EST-6).
    pub fn prelude(&self) -> u64 {
        self.correction.request(self.raw_prelude)
    }

    /// Whether a history of this raw sum fits.
    pub fn fits(&self, raw_history: RawTokens) -> bool {
        self.fits_within(raw_history, self.limit)
    }

    /// ML less everything but the history: `maxUsableRaw` of receipts.
    pub fn max_usable(&self) -> i128 {
        i128::from(self.limit)
            - i128::from(self.allowance)
            - i128::from(self.prelude())
            - i128::from(self.reply_reserve)
    }

    fn fits_within(&self, raw_history: RawTokens, limit: u64) -> bool {
        let needed = u128::from(self.correction.apply(raw_history))
            + u128::from(self.allowance)
            + u128::from(self.prelude())
            + u128::from(self.reply_reserve);
        needed <= u128::from(limit)
    }
}

/// Where the load line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Position of the oldest visible pair that the walk of BND-1 reached; Y when it reached none.
    /// Pins right above it stay above it.
    pub start: usize,
    /// X: how many pairs are included, pins and all.
    pub included: usize,
    /// How many of them are pinned and stand before `start`.
    pub pinned_above: usize,
    /// Y: how many are visible.
    pub visible: usize,
    /// The raw sum over X.
    pub raw_history: RawTokens,
    /// The same in tokens of the model.
    pub predicted_history_tokens: u64,
    /// That and URA: a planning envelope.
    pub predicted_total_tokens: u64,
}

impl Boundary {
    /// The pins, and the longest run of the newest other visible pairs that fits beside them.
    /// `pins` are the positions of the pairs that are pinned, in order. `load` is asked only
    /// for those and for the pairs that the walk reaches.
    pub fn compute(
        sums: &mut LoadSums,
        mut load: impl FnMut(usize) -> Load,
        pins: &[usize],
        input: &BoundaryInput,
    ) -> Self {
        let pinned = Pinned::of(pins, &mut load);
        let suffix = sums.longest_suffix(load, |sum| input.fits(sum + pinned.tokens));
        Self::new(suffix, pinned, sums.len(), input)
    }

    /// BND-6: like [`compute`](Self::compute), but the line stays where it was while
    /// that still fits, and when it must move it frees about a fifth of the window,
    /// so that the provider's prefix cache keeps hitting for many sends.
    pub fn compute_stepped(
        sums: &mut LoadSums,
        mut load: impl FnMut(usize) -> Load,
        pins: &[usize],
        input: &BoundaryInput,
        previous_start: Option<usize>,
    ) -> Self {
        let pinned = Pinned::of(pins, &mut load);
        let longest = sums.longest_suffix(&mut load, |sum| input.fits(sum + pinned.tokens));
        let marked = |before: usize| load(before) == Load::BEFORE_THE_LINE;
        // All that may go fits: there is nothing to step over.
        if longest.start.checked_sub(1).is_none_or(marked) {
            return Self::new(longest, pinned, sums.len(), input);
        }
        let lowered = input.limit - input.limit / 5;
        let fits = |sum| input.fits_within(sum + pinned.tokens, lowered);
        let target = sums.longest_suffix(&mut load, fits);
        // A line that leaves more room than a fresh step would is out of date: a heavy
        // pair went away, or the model has a larger window.
        let suffix = match previous_start {
            Some(previous) if (longest.start..=target.start).contains(&previous) => {
                sums.suffix_from(previous, load)
            }
            _ => target,
        };
        Self::new(suffix, pinned, sums.len(), input)
    }

    fn new(suffix: Suffix, pinned: Pinned, visible: usize, input: &BoundaryInput) -> Self {
        let raw_history = suffix.tokens + pinned.tokens;
        let history = input.correction.apply(raw_history);
        let start = pinned.passed_by(suffix.start);
        Self {
            start,
            included: suffix.sendable + pinned.positions.len(),
            pinned_above: pinned.positions.partition_point(|at| *at < start),
            visible,
            raw_history,
            predicted_history_tokens: history,
            predicted_total_tokens: history.saturating_add(input.allowance),
        }
    }

    /// Whether the visible pair at a position is included, given its load.
    pub fn includes(&self, position: usize, load: Load) -> bool {
        load.sendable && (load.pinned || position >= self.start)
    }
}

/// The pairs that go before all others (BND-8).
struct Pinned {
    positions: Vec<usize>,
    tokens: RawTokens,
}

impl Pinned {
    /// Those of the pins that may be sent.
    fn of(pins: &[usize], load: &mut impl FnMut(usize) -> Load) -> Self {
        let mut pinned =
            Self { positions: Vec::with_capacity(pins.len()), tokens: RawTokens::ZERO };
        for (at, load) in pins.iter().map(|at| (*at, load(*at))).filter(|(_, load)| load.pinned) {
            pinned.positions.push(at);
            pinned.tokens += load.tokens;
        }
        pinned
    }

    /// Where the line is drawn for a walk that reached so far: the pins that it passed over last
    /// stay above it.
    fn passed_by(&self, start: usize) -> usize {
        let above = self.positions.iter().skip_while(|at| **at < start).zip(start..);
        if start == 0 { 0 } else { start + above.take_while(|(pin, at)| **pin == *at).count() }
    }
}

#[cfg(test)]
#[path = "boundary_tests.rs"]
mod tests;
