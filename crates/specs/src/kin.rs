//! How near a text is to what someone is about to do: shared words, nothing cleverer.

use std::collections::BTreeSet;

/// Words that say nothing about a subject.
const EMPTY: [&str; 24] = [
    "the", "and", "for", "with", "that", "this", "from", "into", "when", "are", "was", "not",
    "all", "add", "new", "use", "make", "should", "change", "will", "can", "has", "have", "its",
];

/// The words of a text that say something, without their endings.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() > 2 && !EMPTY.contains(&word.as_str()))
        .map(|word| stem(&word).to_owned())
        .take(2_000)
        .collect()
}

/// How many words two texts share.
pub(crate) fn shared(wanted: &BTreeSet<String>, text: &str) -> usize {
    words(text).intersection(wanted).count()
}

/// `tokens`, `token` and `tokening` are one word here.
fn stem(word: &str) -> &str {
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() > 3) {
            return stem;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shared_whatever_their_endings() {
        let wanted = words("Add refresh tokens to the login");
        assert_eq!(shared(&wanted, "Login with a token that refreshed"), 3);
        assert_eq!(shared(&wanted, "the and with add"), 0);
        assert_eq!(shared(&wanted, ""), 0);
    }
}
