//! Which token comes next.

use crate::math::softmax;

/// Chooses tokens. Without a temperature the likeliest is taken, so answers repeat;
/// with one the same seed gives the same choices.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    temperature: Option<f32>,
    state: u64,
}

impl Sampler {
    pub(crate) fn new(temperature: Option<f32>, seed: u64) -> Self {
        let temperature = temperature.filter(|value| value.is_finite() && *value > 0.0);
        Self { temperature, state: seed }
    }

    /// Whether the likeliest is taken each time.
    pub(crate) fn is_greedy(&self) -> bool {
        self.temperature.is_none()
    }

    /// The index of the chosen score.
    pub(crate) fn choose(&mut self, scores: &mut [f32]) -> u32 {
        let Some(temperature) = self.temperature else { return likeliest(scores) };
        // A score that is not a number, from a file of nonsense, must not win.
        let clean = |score: f32| if score.is_nan() { f32::NEG_INFINITY } else { score };
        scores.iter_mut().for_each(|score| *score = clean(*score) / temperature);
        softmax(scores);
        let mut left = self.fraction();
        for (at, share) in (0u32..).zip(scores.iter()) {
            left -= share;
            if left < 0.0 {
                return at;
            }
        }
        // Rounding may leave a crumb.
        likeliest(scores)
    }

    /// A number from 0 to below 1, by SplitMix64.
    fn fraction(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// The first of the highest scores.
fn likeliest(scores: &[f32]) -> u32 {
    let mut best = (0, f32::NEG_INFINITY);
    for (at, score) in (0u32..).zip(scores) {
        if *score > best.1 {
            best = (at, *score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_greedy() {
        for temperature in [None, Some(0.0), Some(f32::NAN), Some(-1.0)] {
            let mut sampler = Sampler::new(temperature, 1);
            assert!(sampler.is_greedy(), "{temperature:?}");
            assert_eq!(sampler.choose(&mut [0.1, f32::NAN, 3.0, 3.0]), 2, "{temperature:?}");
        }
        assert_eq!(Sampler::new(None, 1).choose(&mut [f32::NAN; 3]), 0);
    }

    #[test]
    fn a_seed_repeats_and_shares_are_kept() {
        let draw = |seed| {
            let mut sampler = Sampler::new(Some(1.0), seed);
            // Shares of 1/4 and 3/4.
            (0..4000).map(|_| sampler.choose(&mut [0.0, 3f32.ln()])).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let ones = draw(7).iter().sum::<u32>();
        assert!((2850..3150).contains(&ones), "{ones}");
    }
}
