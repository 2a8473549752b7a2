//! Cutting a text short without cutting a character, a word or a line in two.

/// The longest head of `text` of at most `max_bytes` that ends where a word ends.
/// It is empty when not even the first word fits, be it an address or an encoded
/// file of any length.
pub fn cut_at_word(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let mut end = text.floor_char_boundary(max_bytes);
    loop {
        let (before, after) = (text[..end].chars().next_back(), text[end..].chars().next());
        match (before, after) {
            (Some(before), Some(after)) if !parts(before, after) => end -= before.len_utf8(),
            _ => return text[..end].trim_end(),
        }
    }
}

/// Whether a word ends between two characters. Some scripts put no space between
/// words; there every character may be the last.
fn parts(before: char, after: char) -> bool {
    let spaceless = |c: char| {
        matches!(u32::from(c),
            0x0e00..=0x0eff // Thai, Lao
            | 0x1000..=0x109f // Myanmar
            | 0x1780..=0x17ff // Khmer
            | 0x2e80..=0xa4cf // CJK, Kana, Yi
            | 0xf900..=0xfaff
            | 0xff00..=0xff65
            | 0x20000..=0x3ffff)
    };
    before.is_whitespace() || after.is_whitespace() || spaceless(before) || spaceless(after)
}

/// The longest head of `text` of at most `max_bytes` that ends with a line, or, if
/// the first line is longer than that, at a character (LIM-3).
pub fn cut_at_line(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let head = &text[..text.floor_char_boundary(max_bytes)];
    match head.rfind('\n') {
        Some(line_end) => &head[..=line_end],
        None => head,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_stay_whole() {
        for (text, max, expected) in [
            ("one two three", 13, "one two three"),
            ("one two three", 12, "one two"),
            ("one two three", 7, "one two"),
            ("one two three", 6, "one"),
            ("one two three", 2, ""),
            ("日本 語", 7, "日本"),
            ("日本 語", 5, "日"),
            ("日本 語", 2, ""),
            ("abc日本", 8, "abc日"),
            ("abc日本", 2, ""),
        ] {
            assert_eq!(cut_at_word(text, max), expected, "{text:?} to {max}");
        }
    }

    #[test]
    fn lines_stay_whole_where_they_can() {
        assert_eq!(cut_at_line("a\nbcd\nefg", 6), "a\nbcd\n");
        assert_eq!(cut_at_line("a\nbcd\nefg", 5), "a\n");
        assert_eq!(cut_at_line("日本語", 4), "日");
        assert_eq!(cut_at_line("short", 99), "short");
    }

    proptest! {
        #[test]
        fn a_cut_is_a_head_that_fits(text in "(\\PC|\n| ){0,60}", max in 0usize..80) {
            for cut in [cut_at_word(&text, max), cut_at_line(&text, max)] {
                prop_assert!(cut.len() <= max.max(text.len().min(max)));
                prop_assert!(text.starts_with(cut));
            }
        }
    }
}
