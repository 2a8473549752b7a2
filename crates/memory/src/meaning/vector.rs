//! A vector in eight bits a number, as it is kept and compared.
//!
//! Of a vector of length one, whose 384 numbers are small, this changes a product by less than
//! 0.002; it takes a quarter of the room and of the time.

/// A vector as whole numbers and what one step of them is worth.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SmallVector {
    pub(super) step: f32,
    pub(super) numbers: Vec<i8>,
}

impl SmallVector {
    pub(super) fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        // What is no number at all, or nothing but zeros, is close to nothing.
        let step = if largest.is_finite() { largest / f32::from(i8::MAX) } else { 0.0 };
        let small = |value: &f32| if step > 0.0 { (value / step).round() as i8 } else { 0 };
        Self { step, numbers: vector.iter().map(small).collect() }
    }
}

/// The vectors of one note as bytes: how many numbers each has, then the vectors.
pub(super) fn to_bytes(vectors: &[SmallVector]) -> Vec<u8> {
    let length = vectors.first().map_or(0, |vector| vector.numbers.len());
    let mut bytes = u16::try_from(length).unwrap_or(0).to_le_bytes().to_vec();
    for vector in vectors {
        bytes.extend(vector.step.to_le_bytes());
        bytes.extend(vector.numbers.iter().map(|number| number.to_le_bytes()[0]));
    }
    bytes
}

/// The vectors back; none of what is not ours.
pub(super) fn from_bytes(bytes: &[u8]) -> Vec<SmallVector> {
    let Some((length, vectors)) = bytes.split_first_chunk::<2>() else { return Vec::new() };
    let length = usize::from(u16::from_le_bytes(*length));
    if length == 0 || !vectors.len().is_multiple_of(4 + length) {
        return Vec::new();
    }
    let vector = |bytes: &[u8]| {
        let (step, numbers) = bytes.split_first_chunk::<4>()?;
        let step = Some(f32::from_le_bytes(*step)).filter(|step| step.is_finite())?;
        let numbers = numbers.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
        Some(SmallVector { step, numbers })
    };
    vectors.chunks_exact(4 + length).filter_map(vector).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn mem_10_eight_bits_are_close_enough(
            left in proptest::collection::vec(-1.0f32..1.0, 384),
            right in proptest::collection::vec(-1.0f32..1.0, 384),
        ) {
            let unit = |vector: &[f32]| -> Vec<f32> {
                let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
                vector.iter().map(|value| value / length).collect()
            };
            let (left, right) = (unit(&left), unit(&right));
            let exact: f32 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
            let (a, b) = (SmallVector::of(&left), SmallVector::of(&right));
            let whole: i32 =
                a.numbers.iter().zip(&b.numbers).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert!((whole as f32 * a.step * b.step - exact).abs() < 2e-3);
        }

        #[test]
        fn bytes_come_back(vectors in proptest::collection::vec(
            (0.0f32..1.0, proptest::collection::vec(any::<i8>(), 5)), 0..4,
        )) {
            let vectors: Vec<SmallVector> =
                vectors.into_iter().map(|(step, numbers)| SmallVector { step, numbers }).collect();
            prop_assert_eq!(from_bytes(&to_bytes(&vectors)), vectors);
        }

        #[test]
        fn no_bytes_make_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = from_bytes(&bytes);
        }
    }

    #[test]
    fn what_is_no_vector_is_close_to_nothing() {
        for odd in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [0.0, 0.0]] {
            let small = SmallVector::of(&odd);
            assert!(small.step.is_finite() && small.numbers.len() == 2, "{small:?}");
        }
        assert_eq!(SmallVector::of(&[0.0, 0.0]).numbers, [0, 0]);
    }
}
