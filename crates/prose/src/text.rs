//! Text on its way into HTML: escaped, without control characters, and in code with
//! every invisible change of direction made visible.

use std::borrow::Cow;

use memchr::memmem;

use crate::markdown::HALT;

/// Where a text stands, which decides what is done with invisible characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Sentences. Marks and isolates that languages written from the right need stay;
    /// embeddings and overrides, which make a text read otherwise than it is, do not.
    Prose,
    /// Code, where any such character can only deceive.
    Code,
    /// The value of an attribute in double quotes.
    Attribute,
}

/// A text without the noncharacters that this crate uses as marks of its own. What
/// replaces them is as long, so that places stay the same.
pub(crate) fn without_marks(text: &str) -> Cow<'_, str> {
    // All of them begin with the same two bytes, which are rare.
    match memmem::find(text.as_bytes(), b"\xef\xb7") {
        Some(_) => Cow::Owned(text.replace(MARKS, "\u{fffd}")),
        None => Cow::Borrowed(text),
    }
}

const MARKS: [char; 3] = ['\u{fdd0}', '\u{fdd1}', HALT];

/// What stands in HTML for a mark; nothing for every other byte.
const fn escape(byte: u8) -> &'static str {
    match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        _ => "",
    }
}

/// How many bytes a text takes when its marks are escaped.
pub(crate) fn escaped_len(text: &str) -> usize {
    text.bytes().map(|byte| escape(byte).len().max(1)).sum()
}

/// Appends a text so that no HTML parser finds anything but that text in it.
pub(crate) fn push(out: &mut String, text: &str, place: Place) {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (replacement, length): (&str, usize) = match bytes[at] {
            mark @ (b'&' | b'<' | b'>' | b'"') => (escape(mark), 1),
            b'\r' => (if bytes.get(at + 1) == Some(&b'\n') { "" } else { "\n" }, 1),
            b'\n' | b'\t' => {
                at += 1;
                continue;
            }
            0..0x20 | 0x7f => ("\u{fffd}", 1),
            // The first bytes of all characters beyond ASCII that are of interest.
            0xc2 | 0xd8..=0xef => {
                let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                    at += 1;
                    continue;
                };
                if !unseen(c, place) {
                    at += c.len_utf8();
                    continue;
                }
                out.push_str(&text[from..at]);
                push_unseen(out, c, place);
                at += c.len_utf8();
                from = at;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        out.push_str(&text[from..at]);
        out.push_str(replacement);
        at += length;
        from = at;
    }
    out.push_str(&text[from..]);
}

/// Whether a character must not stand there as it is.
pub(crate) fn unseen(c: char, place: Place) -> bool {
    match c {
        '\u{80}'..='\u{9f}' => true,
        // Embeddings and overrides.
        '\u{202a}'..='\u{202e}' => true,
        // Noncharacters: this crate marks formulas and depth with some of them.
        '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}' => true,
        // Isolates, direction marks, and characters without any width.
        '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}' => place != Place::Prose,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{00ad}' | '\u{180e}' => {
            place == Place::Code
        }
        _ => false,
    }
}

fn push_unseen(out: &mut String, c: char, place: Place) {
    if c == HALT {
        return;
    }
    let without_name =
        matches!(c, '\u{80}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}');
    if without_name || place == Place::Attribute {
        out.push('\u{fffd}');
        return;
    }
    out.push_str("<span class=\"unseen\">U+");
    out.push_str(&format!("{:04X}", u32::from(c)));
    out.push_str("</span>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, place: Place, expected: &str) {
        let mut out = String::new();
        push(&mut out, text, place);
        assert_eq!(out, expected, "{text:?}");
    }

    #[test]
    fn markup_becomes_text() {
        check(r#"<a b="c">&lt;'"#, Place::Prose, "&lt;a b=&quot;c&quot;&gt;&amp;lt;'");
        check("é – 日本 🦀\u{f8ff}", Place::Prose, "é – 日本 🦀\u{f8ff}");
    }

    #[test]
    fn control_characters_and_line_ends_are_made_harmless() {
        check(
            "a\0b\u{1b}[31m\u{85}\u{7f}c",
            Place::Prose,
            "a\u{fffd}b\u{fffd}[31m\u{fffd}\u{fffd}c",
        );
        check("a\r\nb\rc\td", Place::Code, "a\nb\nc\td");
    }

    #[test]
    fn sec_2_an_override_is_seen_and_a_mark_is_seen_in_code() {
        let seen = "x<span class=\"unseen\">U+202E</span>y";
        check("x\u{202e}y", Place::Code, seen);
        check("x\u{202e}y", Place::Prose, seen);
        check("x\u{202e}y", Place::Attribute, "x\u{fffd}y");
        check("א\u{200f}!", Place::Prose, "א\u{200f}!");
        check("א\u{200f}!", Place::Code, "א<span class=\"unseen\">U+200F</span>!");
        check("a\u{200b}b", Place::Code, "a<span class=\"unseen\">U+200B</span>b");
    }

    #[test]
    fn the_marks_of_formulas_cannot_come_from_outside() {
        check("\u{fdd0}1\u{fdd1}", Place::Prose, "\u{fffd}1\u{fffd}");
    }
}
