//! What an estimate rests on, and how far it may be off (EST-9).

use serde::{Deserialize, Serialize};

use crate::calibration::SMALL_REQUEST;
use crate::{Calibration, commas};

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// Tokenizer and chat template are ours.
    Exact,
    /// The model's own vocabulary; its template is not known.
    Tokenizer,
    /// An estimate, and what the model's reports taught about it.
    Learned {
        /// How many reports.
        answers: usize,
        /// Within which share of the estimate 95 % of them were.
        spread: f64,
        /// Tokens of the largest request but one that was reported: one alone may be odd.
        largest: u64,
    },
    /// An estimate alone.
    Approx,
}

/// The least that a band with a template or an estimator of ours is wide, in tokens.
const LEAST: u64 = 16;

/// The least share of a learned band: that of a known vocabulary.
const LEAST_LEARNED: f64 = 0.02;

/// What an estimate alone may be off.
const APPROX: f64 = 0.15;

/// What an estimate of CJK, of encoded bytes or of a picture may be off.
const ODD: f64 = 0.4;

/// The two ends between which the true number is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Band {
    /// Not less.
    pub low: u64,
    /// Not more.
    pub high: u64,
}

impl Band {
    /// ` ± 4 %` around an estimate, or nothing where there is no doubt. Of a small number the
    /// tokens say more.
    pub fn plus_minus(self, tokens: u64) -> String {
        match self.high.saturating_sub(tokens) {
            0 => String::new(),
            wide if wide.saturating_mul(4) > tokens => format!(" ± {}", commas(wide)),
            wide => {
                let percent = (wide as f64 / tokens as f64 * 100.0).round().max(1.0);
                format!(" ± {percent:.0} %")
            }
        }
    }
}

impl Basis {
    /// The basis of an estimate that reports may have taught.
    pub fn of_reports(calibration: &Calibration) -> Self {
        let Some(spread) = calibration.spread() else { return Self::Approx };
        let reports = calibration.reports();
        let mut sizes: Vec<u64> = reports.iter().map(|report| report.reported).collect();
        sizes.sort_unstable();
        let largest = sizes.iter().rev().nth(1).copied().unwrap_or(0);
        Self::Learned { answers: reports.len(), spread, largest }
    }

    /// The word used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Tokenizer => "tokenizer",
            Self::Learned { .. } => "learned",
            Self::Approx => "approx",
        }
    }

    /// The band of an estimate. `odd` is what of it is CJK, encoded bytes or pictures, which
    /// widen it by their own.
    pub fn band(self, tokens: u64, odd: u64) -> Band {
        let wide = self.half_width(tokens, odd);
        Band { low: tokens.saturating_sub(wide), high: tokens.saturating_add(wide) }
    }

    fn half_width(self, tokens: u64, odd: u64) -> u64 {
        let odd = odd.min(tokens);
        let share = |part: u64, share: f64| (part as f64 * share).ceil() as u64;
        let plain = |of: f64| share(tokens - odd, of).saturating_add(share(odd, of.max(ODD)));
        match self {
            Self::Exact => 0,
            // What pictures and tools weigh is a price list's word, not the vocabulary's.
            Self::Tokenizer => {
                share(tokens - odd, LEAST_LEARNED).max(LEAST).saturating_add(share(odd, ODD))
            }
            Self::Learned { spread, largest, .. } => {
                let small = share(SMALL_REQUEST, spread);
                let learned = plain(spread.max(LEAST_LEARNED)).max(small).max(LEAST);
                // Reports say little about what is beyond the largest of them.
                let beyond = share(tokens.saturating_sub(largest), APPROX);
                learned
                    .saturating_add(beyond)
                    .min(learned.max(Self::Approx.half_width(tokens, odd)))
            }
            Self::Approx => plain(APPROX).max(LEAST),
        }
    }

    /// What it rests on, for people: `learned from 42 answers`.
    pub fn words(self) -> String {
        match self {
            Self::Exact => "exact".to_owned(),
            Self::Tokenizer => "by the model's own tokenizer".to_owned(),
            Self::Learned { answers, .. } => {
                format!("learned from {} answers", commas(answers as u64))
            }
            Self::Approx => "a rough estimate".to_owned(),
        }
    }

    /// An estimate with its band and its basis: `3,100 ± 4 %, learned from 42 answers`.
    pub fn told(self, tokens: u64, odd: u64) -> String {
        format!("{}{}, {}", commas(tokens), self.band(tokens, odd).plus_minus(tokens), self.words())
    }
}

/// How much of a text an estimator may misjudge by far: CJK and runs of encoded bytes. In
/// bytes of the text.
pub fn odd_bytes(text: &str) -> usize {
    /// A word of letters and digits this long is no word.
    const ENCODED: usize = 64;
    let is_cjk = |c: char| {
        matches!(u32::from(c), 0x2e80..=0xa4cf | 0xac00..=0xd7af | 0xf900..=0xfaff
            | 0xff00..=0xff65 | 0x20000..=0x3ffff)
    };
    let cjk: usize = text.chars().filter(|c| is_cjk(*c)).map(char::len_utf8).sum();
    let encoded = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let runs = text.as_bytes().split(|byte| !encoded(*byte));
    let encoded: usize = runs.map(<[u8]>::len).filter(|length| *length >= ENCODED).sum();
    cjk + encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EST-9: the widths of the rule.
    #[test]
    fn est_9_each_basis_has_its_band() {
        let learned = Basis::Learned { answers: 42, spread: 0.04, largest: 4000 };
        for (basis, tokens, odd, low, high) in [
            (Basis::Exact, 3100, 0, 3100, 3100),
            (Basis::Tokenizer, 3100, 0, 3038, 3162),
            (Basis::Tokenizer, 100, 0, 84, 116),
            (Basis::Tokenizer, 3100, 1000, 2658, 3542),
            (learned, 3100, 0, 2976, 3224),
            (learned, 10_000, 0, 8700, 11_300),
            (Basis::Approx, 1000, 0, 850, 1150),
            (Basis::Approx, 20, 0, 4, 36),
            (Basis::Approx, 1000, 1000, 600, 1400),
            (Basis::Approx, 1000, 500, 725, 1275),
        ] {
            assert_eq!(basis.band(tokens, odd), Band { low, high }, "{basis:?} {tokens} {odd}");
        }
        assert_eq!(Basis::Approx.band(u64::MAX, 0).high, u64::MAX);
    }

    #[test]
    fn est_9_an_estimate_is_told_with_its_band_and_basis() {
        let learned = Basis::Learned { answers: 42, spread: 0.04, largest: 4000 };
        assert_eq!(learned.told(3100, 0), "3,100 ± 4 %, learned from 42 answers");
        assert_eq!(Basis::Exact.told(3100, 0), "3,100, exact");
        assert_eq!(Basis::Approx.told(20, 0), "20 ± 16, a rough estimate");
    }

    #[test]
    fn est_9_cjk_and_encoded_bytes_are_seen() {
        assert_eq!(odd_bytes("plain words, and 12345 numbers"), 0);
        assert_eq!(odd_bytes("日本 and more"), 6);
        assert_eq!(odd_bytes(&format!("see {}", "QUJD".repeat(30))), 120);
    }
}
