//! How files are spoken of: labels, sizes, ages, and text of strangers in quotes.

use plimsoll_domain::Timestamp;
pub(crate) use plimsoll_domain::visible;
pub use plimsoll_domain::{file_label, parse_file_id, quoted};
pub use plimsoll_tokens::size_words;

/// The most characters of an upload context that a listing shows (FIL-2).
pub const CONTEXT_CHARS: usize = 120;

/// `just now`, `5 min ago`, `2 h ago`, `3 d ago`. What is yet to come is now.
pub fn age_words(then: Timestamp, now: Timestamp) -> String {
    let minutes = now.millis().saturating_sub(then.millis()).max(0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}

/// At most `chars` characters, the last of them … where something was cut.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
            format!("{}…", &text[..end])
        }
    }
}

/// A name as a listing shows it: as it is when it is plain, else in quotes.
pub(crate) fn name_words(name: &str) -> String {
    let short = shortened(name, CONTEXT_CHARS);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | ' ');
    let tidy = !short.is_empty() && short.trim() == short && !short.starts_with('-');
    if tidy && short.chars().all(plain) && !short.contains("  ") { short } else { quoted(&short) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fil_3_ages_are_short() {
        let now = Timestamp::from_millis(1_000_000_000_000);
        for (seconds, words) in [
            (-5, "just now"),
            (59, "just now"),
            (60, "1 min ago"),
            (3599, "59 min ago"),
            (7200, "2 h ago"),
            (86_399, "23 h ago"),
            (3 * 86_400, "3 d ago"),
        ] {
            let then = Timestamp::from_millis(now.millis() - seconds * 1000);
            assert_eq!(age_words(then, now), words);
        }
        let (first, last) = (Timestamp::from_millis(i64::MIN), Timestamp::from_millis(i64::MAX));
        assert!(age_words(first, last).ends_with(" d ago"));
        assert_eq!(age_words(last, first), "just now");
    }

    #[test]
    fn fil_2_contexts_are_cut_with_an_ellipsis() {
        assert_eq!(shortened("short", 120), "short");
        assert_eq!(shortened(&"é".repeat(120), 120), "é".repeat(120));
        let cut = shortened(&"é".repeat(121), 120);
        assert_eq!((cut.chars().count(), cut.chars().last()), (120, Some('…')));
    }

    #[test]
    fn plain_names_stand_bare_and_others_in_quotes() {
        assert_eq!(name_words("my photo-1.jpg"), "my photo-1.jpg");
        assert_eq!(name_words("übung.pdf"), "übung.pdf");
        assert_eq!(name_words("a (1).jpg"), "\"a (1).jpg\"");
        assert_eq!(name_words(""), "\"\"");
        assert_eq!(name_words("- x"), "\"- x\"");
    }
}
