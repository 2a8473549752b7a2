//! A small model that takes the likeliest token may run in circles, and then does so to
//! the end of its window: minutes of the same words.

/// So many tokens of one circle are no text any more. Rules, tables and lists repeat
/// themselves too, but not for so long.
const LONG: usize = 256;

/// A circle of several tokens, a sentence, is seen sooner: after so many rounds, or tokens.
const ROUNDS: usize = 8;
const SENTENCES: usize = 96;

/// The longest circle that is looked for.
const WIDEST: usize = 64;

/// How often it is looked, in tokens.
const LOOKS: usize = 16;

/// Looks out for circles among the tokens of an answer.
#[derive(Default)]
pub(crate) struct Circles {
    said: Vec<u32>,
}

impl Circles {
    /// Hears the next token; whether the end of what was said is one circle again and
    /// again.
    pub(crate) fn closed_by(&mut self, token: u32) -> bool {
        self.said.push(token);
        // Now and then is enough; a circle does not run away.
        self.said.len().is_multiple_of(LOOKS) && self.goes_round()
    }

    fn goes_round(&self) -> bool {
        (1..=WIDEST).any(|width| {
            let long = match width {
                // A rule, or cells of zeros.
                1..=3 => LONG,
                _ => (width * ROUNDS).clamp(SENTENCES, LONG),
            };
            let start = self.said.len().checked_sub(long);
            start.is_some_and(|start| {
                let end = &self.said[start..];
                let repeats = |width: usize| end[width..] == end[..long - width];
                // A rule repeats itself after four tokens as well; it is still a rule.
                repeats(width) && (width <= 3 || !(1..=3).any(repeats))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn closes(tokens: impl IntoIterator<Item = u32>) -> bool {
        let mut circles = Circles::default();
        tokens.into_iter().any(|token| circles.closed_by(token))
    }

    #[test]
    fn a_list_that_counts_and_a_rule_of_dashes_are_no_circles() {
        assert!(!closes((0..4000).map(|n| if n % 8 == 0 { n } else { n % 8 })));
        assert!(!closes(std::iter::repeat_n(7, 200).chain(0..200)));
    }

    proptest! {
        /// Whatever was said before, a circle is seen within a few more rounds.
        #[test]
        fn a_circle_is_seen(
            before in prop::collection::vec(0u32..50, 0..300),
            circle in prop::collection::vec(0u32..50, 1..=WIDEST),
        ) {
            let round = circle.iter().copied().cycle().take(LONG + WIDEST);
            prop_assert!(closes(before.into_iter().chain(round)));
        }

        /// Where no token comes twice within the widest circle, there is none.
        #[test]
        fn what_does_not_repeat_is_no_circle(start in any::<u16>(), length in 0u32..2000) {
            prop_assert!(!closes(u32::from(start)..u32::from(start) + length));
        }
    }
}
