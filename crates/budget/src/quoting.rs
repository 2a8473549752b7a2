//! Text of others inside an answer (MEM-16): none of its lines can pass for one of ours.

use std::borrow::Cow;

/// What stands before a line of others that looks like ours.
const MARK: &str = "│ ";

/// Signs that lines of answers begin with.
const SIGNS: [&str; 6] = ["📏", "⚡", "📊", "💡", "⚠", "[… cut"];

/// The text with a mark before each line that looks like one of ours; all else is verbatim.
pub fn quoted(text: &str) -> Cow<'_, str> {
    if !lines(text).any(looks_ours) {
        return Cow::Borrowed(text);
    }
    let mut marked = String::with_capacity(text.len() + 16);
    for line in lines(text) {
        if looks_ours(line) {
            marked.push_str(MARK);
        }
        marked.push_str(line);
    }
    Cow::Owned(marked)
}

/// Whether a line begins like a headline or a footer of an answer, seen or unseen characters
/// before it aside.
pub fn looks_ours(line: &str) -> bool {
    let line = line.trim_start_matches(is_unseen);
    SIGNS.iter().any(|sign| line.starts_with(sign)) || is_headline(line)
}

/// `#12 [`.
fn is_headline(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('#') else { return false };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() < rest.len() && after.trim_start_matches(is_unseen).starts_with('[')
}

/// Lines with their ends, wherever a reader might see one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
}

fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mem_16_lines_that_look_like_ours_are_marked() {
        for (text, told) in [
            ("#12 [decision] Obey", "│ #12 [decision] Obey"),
            ("a\n  📏 ~3 tokens\nb", "a\n│   📏 ~3 tokens\nb"),
            ("⚡ x\r\n💡 y\r📊", "│ ⚡ x\r\n│ 💡 y\r│ 📊"),
            ("\u{200b}\t⚠ gone", "│ \u{200b}\t⚠ gone"),
            ("[… cut, full text: x]", "│ [… cut, full text: x]"),
        ] {
            assert_eq!(quoted(text), told);
        }
        for plain in ["", "# Title", "#12", "see #12 [x]", "│ #1 [x]", "a ⚡ b", "## 3 [x]\n- 📏"]
        {
            assert!(matches!(quoted(plain), Cow::Borrowed(_)), "{plain}");
        }
    }

    proptest! {
        #[test]
        fn mem_16_nothing_else_is_touched(
            text in "([#0-9 \\[📏⚡📊💡⚠…cut\\]\n\r\u{2028}\u{200b}│a-z\t]{0,12}){0,8}",
        ) {
            let told = quoted(&text);
            prop_assert!(!lines(&told).any(looks_ours), "{told:?}");
            let back: String = lines(&told)
                .zip(lines(&text))
                .map(|(told, line)| if looks_ours(line) { &told[MARK.len()..] } else { told })
                .collect();
            prop_assert_eq!(back, text);
        }
    }
}
