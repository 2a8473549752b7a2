//! Text of strangers, such as names of files, fit to stand in a line of ours.

/// The text in double quotes, on one line. Quotes, backslashes, line breaks, control
/// characters and what is invisible or turns the direction of writing are escaped, so
/// nothing inside can end the quote or look as if it did.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => push_visible(&mut out, c),
        }
    }
    out.push('"');
    out
}

/// The text with everything but tabs made visible: what strangers wrote, fit to stand on
/// a line of ours.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\t' { out.push(c) } else { push_visible(&mut out, c) }
    }
    out
}

fn push_visible(out: &mut String, c: char) {
    if deceives(c) {
        out.extend(c.escape_unicode());
    } else {
        out.push(c);
    }
}

/// A name of a file as people are shown it: one line, without what is not seen or turns the
/// writing around, so that `invoice.exe` cannot pass for a text.
pub fn plain_name(name: &str) -> String {
    let shown = |c: &char| c.is_whitespace() || !deceives(*c);
    let shown: String = name.chars().filter(shown).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    if words.is_empty() { "file".to_owned() } else { words.join(" ") }
}

/// Characters that are not seen, or change how others are seen. The two joiners are left
/// alone: Persian, Hindi and many emoji are spelt with them.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0x00ad | 0x0600..=0x0605 | 0x061c | 0x06dd | 0x070f | 0x08e2 | 0x180e
            | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
            | 0xfeff | 0xfff9..=0xfffb | 0x110bd | 0x110cd | 0x13430..=0x1343f
            | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_its_quotes_or_hides_in_them() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
        assert_eq!(quoted("x\u{202e}y\u{2028}\u{7}"), r#""x\u{202e}y\u{2028}\u{7}""#);
        assert_eq!(quoted("👩\u{200d}🔬 می\u{200c}خواهم"), "\"👩\u{200d}🔬 می\u{200c}خواهم\"");
        assert_eq!(visible("a\tb\u{202e}"), "a\tb\\u{202e}");
    }

    /// SHW-1: no name looks like another.
    #[test]
    fn a_name_shows_what_it_is() {
        assert_eq!(plain_name("rtl\u{202e}txt.exe.md"), "rtltxt.exe.md");
        assert_eq!(plain_name(" a\u{200b}\n b\u{7}.txt "), "a b.txt");
        assert_eq!(plain_name("\u{2066}\u{feff}"), "file");
    }
}
