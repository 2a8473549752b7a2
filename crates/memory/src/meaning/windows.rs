//! The texts of a note that become vectors.

/// Bytes of a window: about 200 tokens of English, with a title less than the model reads.
const WINDOW: usize = 800;

/// Windows of a note at most. What comes later is found by its words.
const MOST: usize = 3;

/// Says which of these rules a vector was made by; a new one makes all vectors anew.
pub(super) const RULES: u32 = 1;

/// The title with each part of the text: a part alone often does not say what it is about. Other
/// sizes may find more; whoever tries holds them against the questions of `quality/`.
pub(super) fn windows(title: &str, content: &str) -> Vec<String> {
    let mut windows = Vec::new();
    let mut rest = content.trim();
    loop {
        let (window, after) = split(rest);
        windows.push(format!("{title}\n{window}"));
        rest = after;
        if rest.is_empty() || windows.len() == MOST {
            return windows;
        }
    }
}

/// The first window and what is after it: cut at the end of a line or between words, where
/// there is such a place in the second half.
fn split(text: &str) -> (&str, &str) {
    if text.len() <= WINDOW {
        return (text, "");
    }
    let most = text.floor_char_boundary(WINDOW);
    let half = text.floor_char_boundary(WINDOW / 2);
    let second = &text[half..most];
    let place = second.rfind('\n').or_else(|| second.rfind(char::is_whitespace));
    let (window, after) = text.split_at(place.map_or(most, |place| half + place));
    (window.trim_end(), after.trim_start())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_note_is_one_window_with_its_title() {
        assert_eq!(windows("Ports", "Below 7411 are taken."), ["Ports\nBelow 7411 are taken."]);
        assert_eq!(windows("Ports", " "), ["Ports\n"]);
    }

    #[test]
    fn a_long_note_is_cut_at_lines() {
        let line = "a word ".repeat(80);
        let found = windows("T", &format!("{line}\n{line}\n{line}\n{line}\n{line}"));
        assert_eq!(found.len(), MOST);
        assert!(found.iter().all(|window| *window == format!("T\n{}", line.trim())), "{found:?}");
    }

    proptest! {
        #[test]
        fn windows_are_bounded_and_begin_with_the_note(
            content in "(\\PC{1,30}\\s?){0,80}",
        ) {
            let found = windows("T", &content);
            prop_assert!((1..=MOST).contains(&found.len()));
            prop_assert!(found.iter().all(|window| window.len() <= WINDOW + 2));
            let begins: String =
                found.concat().replace("T\n", "").split_whitespace().collect();
            let whole: String = content.split_whitespace().collect();
            prop_assert!(whole.replace('T', "").starts_with(&begins.replace('T', "")));
        }
    }
}
