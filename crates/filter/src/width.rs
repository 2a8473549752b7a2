//! How wide characters are on a terminal, so that carets stand where they should.

use std::sync::LazyLock;

use regex::Regex;

/// Marks that are drawn over the character before them, and characters without a shape.
const NO_COLUMN: &str = concat!(
    r"^[\p{Mn}\p{Me}\x{1160}-\x{11FF}\x{200B}-\x{200D}\x{2060}-\x{2064}",
    r"\x{206A}-\x{206F}\x{FEFF}\x{E0000}-\x{E0FFF}]",
);

/// East Asian wide characters and emoji. A letter of a flag is one column: two make one.
const TWO_COLUMNS: &str = concat!(
    r"^[[\p{Emoji_Presentation}&&[^\x{1F1E6}-\x{1F1FF}]]\x{1100}-\x{115F}\x{2329}\x{232A}",
    r"\x{2E80}-\x{303E}\x{3041}-\x{A4CF}\x{A960}-\x{A97F}\x{AC00}-\x{D7A3}\x{F900}-\x{FAFF}",
    r"\x{FE10}-\x{FE19}\x{FE30}-\x{FE6F}\x{FF01}-\x{FF60}\x{FFE0}-\x{FFE6}",
    r"\x{16FE0}-\x{18DFF}\x{1AFF0}-\x{1B2FF}\x{1F200}-\x{1F265}\x{20000}-\x{3FFFD}]",
);

/// How many columns a character takes.
pub(crate) fn columns(c: char) -> usize {
    // The tables of the regex engine serve here, so that none have to be kept.
    static CLASSES: LazyLock<[Option<Regex>; 2]> =
        LazyLock::new(|| [NO_COLUMN, TWO_COLUMNS].map(|class| Regex::new(class).ok()));
    if c.is_ascii() {
        return 1;
    }
    let mut buffer = [0; 4];
    let text = c.encode_utf8(&mut buffer);
    let is_in = |class: &Option<Regex>| class.as_ref().is_some_and(|class| class.is_match(text));
    let [none, two] = &*CLASSES;
    if is_in(none) {
        0
    } else if is_in(two) {
        2
    } else {
        1
    }
}

/// Whether a character shows nothing, white space aside, and so has to be named.
pub(crate) fn is_invisible(c: char) -> bool {
    let shapeless = matches!(c,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}');
    let blank = c.is_control() && !c.is_whitespace();
    blank || shapeless || is_direction(c)
}

/// Whether a character turns the direction of the text around it, which would move what
/// a message shows.
pub(crate) fn is_direction(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_their_columns() {
        let check = |text: &str, expected: usize| {
            assert_eq!(text.chars().map(columns).sum::<usize>(), expected, "{text:?}");
        };
        check("load", 4);
        check("Straße…", 7);
        check("漢字", 4);
        check("かな カナ", 9);
        check("한글", 4);
        check("ﾊﾝｶｸ", 4);
        check("ＡＢ。", 6);
        check("🦀🚢", 4);
        check("🇵🇹", 2);
        check("☀", 1);
        check("e\u{301}", 1);
        check("a\u{200b}b\u{feff}", 2);
        check("नमस्ते", 4);
    }
}
