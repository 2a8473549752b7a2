//! The small functions between the matrices.

/// Scales a vector to unit mean square and then by `weights`, in place.
pub(crate) fn normalise(vector: &mut [f32], weights: &[f32], epsilon: f32) {
    let mean = dot(vector, vector) / vector.len() as f32;
    let scale = 1.0 / (mean + epsilon).sqrt();
    for (value, weight) in vector.iter_mut().zip(weights) {
        *value *= scale * weight;
    }
}

/// The inner product, in sixteen lanes that the compiler can put side by side.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0f32; LANES];
    let (left, right) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (left, right) in left.zip(right) {
        for lane in 0..LANES {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

/// Adds `vector` times `factor` to `sum`.
pub(crate) fn add_scaled(sum: &mut [f32], vector: &[f32], factor: f32) {
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += value * factor;
    }
}

/// Turns scores into weights that add up to one.
pub(crate) fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for score in scores.iter_mut() {
        *score = exp(*score - largest);
    }
    let sum: f32 = scores.iter().sum();
    for score in scores.iter_mut() {
        *score /= sum;
    }
}

/// The gate of the feed-forward part: x · sigmoid(x).
pub(crate) fn silu(value: f32) -> f32 {
    value / (1.0 + exp(-value))
}

/// The exponential function to seven digits. The library's is exact but a call for each
/// number; over a long context that costs more than all matrices together. This one is
/// plain arithmetic, so the compiler computes several at once.
pub(crate) fn exp(value: f32) -> f32 {
    /// Adding this rounds to a whole number and leaves it in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let power = value.clamp(-87.0, 88.0) * std::f32::consts::LOG2_E;
    let rounded = power + ROUND;
    let rest = (power - (rounded - ROUND)) * std::f32::consts::LN_2;
    let whole = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127);
    // The series of the exponential function; |rest| is at most 0.35.
    let series = 1.0 / 720.0;
    let series = series * rest + 1.0 / 120.0;
    let series = series * rest + 1.0 / 24.0;
    let series = series * rest + 1.0 / 6.0;
    let series = series * rest + 0.5;
    let series = series * rest + 1.0;
    let series = series * rest + 1.0;
    series * f32::from_bits(whole << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_right_to_six_digits() {
        for step in -8700..8800 {
            let value = step as f32 / 100.0;
            let exact = f64::from(value).exp();
            let error = (f64::from(exp(value)) - exact).abs() / exact;
            assert!(error < 6e-6, "{value}: {error}");
        }
        assert!(exp(-1e9) < 1e-37);
        // A file of nonsense may bring nonsense here; it must only not panic.
        let _ = (exp(f32::NAN), exp(f32::INFINITY), exp(f32::NEG_INFINITY));
    }

    #[test]
    fn softmax_adds_up_to_one() {
        let mut scores = [1.0, 2.0, 3.0, -50.0];
        softmax(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((scores[2] / scores[1] - std::f32::consts::E).abs() < 1e-5);
    }

    #[test]
    fn dot_takes_the_rest_along() {
        let left: Vec<f32> = (0..21).map(|at| at as f32).collect();
        assert_eq!(dot(&left, &left), 2870.0);
    }

    #[test]
    fn a_normalised_vector_has_unit_mean_square() {
        let mut vector = [3.0, -4.0];
        normalise(&mut vector, &[1.0, 2.0], 0.0);
        let expected = [3.0 / 12.5f32.sqrt(), -8.0 / 12.5f32.sqrt()];
        assert!(vector.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
