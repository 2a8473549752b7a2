//! Whether a text ends in a circle: the same words again and again, as small models write them.

/// The longest circle that is looked for, in characters.
const WIDEST: usize = 240;

/// A text that goes round fewer times than this may mean it.
const ROUNDS: usize = 4;

/// So many characters of one circle are no text any more.
const LONG: usize = 160;

/// Whether the end of a text is one circle again and again. Where an answer was cut, that says
/// more than its length does.
pub fn ends_in_a_circle(text: &str) -> bool {
    let end: Vec<char> = text.trim_end().chars().rev().take(WIDEST * ROUNDS).collect();
    (1..=WIDEST).any(|width| {
        let long = LONG.max(width * ROUNDS);
        // What stands so far before the end is the same as the end.
        end.len() >= long && end[width..long] == end[..long - width]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_again_and_again_are_a_circle() {
        assert!(ends_in_a_circle(&format!("It is so. {}", "The server-memory. ".repeat(20))));
        assert!(ends_in_a_circle(&"ha".repeat(200)));
        // It may be cut in the middle of a round.
        assert!(ends_in_a_circle(&format!("{}The ser", "The server-memory. ".repeat(20))));
    }

    #[test]
    fn lists_rules_and_sentences_are_none() {
        let list: String = (0..100).map(|n| format!("- item {n} of the list\n")).collect();
        assert!(!ends_in_a_circle(&list));
        assert!(!ends_in_a_circle(&"-".repeat(80)));
        assert!(!ends_in_a_circle("no no no no no"));
        assert!(!ends_in_a_circle(""));
    }
}
