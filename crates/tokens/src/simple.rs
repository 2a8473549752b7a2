//! The two formulas that need no table: characters and bytes.

/// Characters to a token unless a setting or a model says otherwise (EST-1).
pub const DEFAULT_CHARS_PER_TOKEN: f64 = 3.5;

/// EST-1: `ceil(chars / chars_per_token)`, 0 for empty text.
pub fn heuristic(text: &str, chars_per_token: f64) -> u64 {
    let chars = count_chars(text);
    if chars == 0 {
        return 0;
    }
    // A ratio that is no ratio must not make a text weightless.
    let ratio = if chars_per_token.is_finite() && chars_per_token > 0.0 {
        chars_per_token
    } else {
        DEFAULT_CHARS_PER_TOKEN
    };
    ((chars as f64 / ratio).ceil() as u64).max(1)
}

/// EST-2: a quarter of the bytes, at least 1 for non-empty text. It looks at the
/// length alone, so a budget check costs nothing.
pub fn bytes4(text: &str) -> u64 {
    bytes4_of_length(text.len() as u64)
}

/// The same for a text of which only the length is known, in bytes.
pub fn bytes4_of_length(bytes: u64) -> u64 {
    if bytes == 0 { 0 } else { (bytes / 4).max(1) }
}

/// Unicode scalar values. Every byte but a continuation byte starts one.
pub fn count_chars(text: &str) -> u64 {
    text.as_bytes()
        .chunks(4096)
        .map(|chunk| {
            // A small counter lets the compiler add up many bytes at once.
            let starts: u32 = chunk.iter().map(|byte| u32::from((*byte as i8) >= -64)).sum();
            u64::from(starts)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn est_1_rounds_up_and_knows_emptiness() {
        for (text, cpt, tokens) in [
            ("", 3.5, 0),
            ("a", 3.5, 1),
            ("abcdefg", 3.5, 2),
            ("abcdefgh", 3.5, 3),
            ("日本語です", 3.5, 2),
            ("🚢🚢🚢🚢", 4.0, 1),
            ("abc", 0.5, 6),
            ("abc", 0.0, 1),
            ("abc", f64::NAN, 1),
        ] {
            assert_eq!(heuristic(text, cpt), tokens, "{text:?} at {cpt}");
        }
    }

    /// MBG-1: what the budgeted tools count with.
    #[test]
    fn est_2_is_a_quarter_of_the_bytes() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcdefg", 1), ("abcdefgh", 2), ("日本語", 2)]
        {
            assert_eq!(bytes4(text), tokens, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn chars_are_scalar_values(text in "\\PC*") {
            prop_assert_eq!(count_chars(&text), text.chars().count() as u64);
        }
    }
}
