//! Undoing the escapes that errors collect on their way: JSON and Python string
//! escapes, HTML entities, percent signs.
//!
//! All of it is lenient. What cannot be decoded stays as it is, because half an
//! error message is worth more than none.

use std::borrow::Cow;

/// Replaces what `decode` knows at the head of each piece that starts with `mark`; it gives
/// the character and the bytes that stood for it.
fn replaced(
    text: &str,
    mark: char,
    decode: impl Fn(&str) -> Option<(char, usize)>,
) -> Cow<'_, str> {
    if !text.contains(mark) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(mark) {
        out.push_str(&rest[..at]);
        let (decoded, length) = decode(&rest[at..]).unwrap_or((mark, 1));
        out.push(decoded);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes the backslash escapes of a JSON or Python string.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    replaced(raw, '\\', |text| match text[1..].chars().next()? {
        'n' => Some(('\n', 2)),
        'r' => Some(('\r', 2)),
        't' => Some(('\t', 2)),
        'b' | 'f' => Some((' ', 2)),
        plain @ ('"' | '\'' | '\\' | '/') => Some((plain, 2)),
        'u' => hex_escape(text, 4),
        'x' => utf8_escape(text).or_else(|| hex_escape(text, 2)),
        _ => None,
    })
}

fn hex_escape(text: &str, digits: usize) -> Option<(char, usize)> {
    let unit = hex_at(text, 2, digits)?;
    let length = 2 + digits;
    // A character beyond the basic plane comes as two escapes.
    let low = text.get(length..).filter(|rest| rest.starts_with("\\u"));
    match (unit, low.and_then(|rest| hex_at(rest, 2, 4))) {
        (0xD800..0xDC00, Some(low @ 0xDC00..0xE000)) => {
            let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            Some((char::from_u32(code)?, length + 6))
        }
        _ => Some((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), length)),
    }
}

/// Python shows a character of a byte string as the bytes of its UTF-8.
fn utf8_escape(text: &str) -> Option<(char, usize)> {
    let byte = |at: usize| {
        let escape = text.get(4 * at..).filter(|rest| rest.starts_with("\\x"))?;
        u8::try_from(hex_at(escape, 2, 2)?).ok()
    };
    let length = match byte(0)? {
        0xC2..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF5 => 4,
        _ => return None,
    };
    let bytes: Option<Vec<u8>> = (0..length).map(byte).collect();
    Some((String::from_utf8(bytes?).ok()?.chars().next()?, 4 * length))
}

fn hex_at(text: &str, start: usize, digits: usize) -> Option<u32> {
    let code = text.get(start..start + digits)?;
    code.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(code, 16).ok()
}

/// Decodes the HTML entities that error pages use.
pub(crate) fn decode_entities(text: &str) -> Cow<'_, str> {
    const ENTITIES: [(&str, char); 9] = [
        ("&quot;", '"'),
        ("&#34;", '"'),
        ("&#39;", '\''),
        ("&#x27;", '\''),
        ("&apos;", '\''),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&nbsp;", ' '),
        ("&amp;", '&'),
    ];
    replaced(text, '&', |rest| {
        let (name, plain) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name))?;
        Some((*plain, name.len()))
    })
}

/// Decodes `%XX` for printable ASCII, where the text was put into a URL as a whole and
/// so has no blanks. A text that merely holds a percent sign stays as it is.
pub(crate) fn decode_percent(text: &str) -> Cow<'_, str> {
    if text.contains(' ') || !(text.contains("%20") || text.contains("%22")) {
        return Cow::Borrowed(text);
    }
    replaced(text, '%', |rest| {
        let decoded = hex_at(rest, 1, 2).and_then(char::from_u32)?;
        (' '..='~').contains(&decoded).then_some((decoded, 3))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fau_3_string_escapes_are_undone() {
        let check = |raw: &str, plain: &str| assert_eq!(unescape(raw), plain, "{raw:?}");
        check(r#"say \"hi\"\n"#, "say \"hi\"\n");
        check(r"it\'s \u4e0a\u4e0b \x41", "it's 上下 A");
        check(r"\ud83d\ude00 \ud83d alone", "\u{1F600} \u{FFFD} alone");
        check(r"\q \u12 \", r"\q \u12 \");
        check(r"\xe8\xbe\x93\xe5 \xe9t\xe9", "\u{8F93}\u{E5} \u{E9}t\u{E9}");
    }

    #[test]
    fn fau_3_entities_and_percent_signs_are_undone_lightly() {
        assert_eq!(decode_entities("a &gt; b &amp;&quot;c&quot; &x"), "a > b &\"c\" &x");
        assert_eq!(decode_percent("prompt%20is%20too%20long%3A%205"), "prompt is too long: 5");
        assert_eq!(decode_percent("Need more tokens%3F"), "Need more tokens%3F");
        assert_eq!(decode_percent("100%20%zz%"), "100 %zz%");
    }
}
