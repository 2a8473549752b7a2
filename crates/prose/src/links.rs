//! Which addresses may be followed, and where a bare one begins and ends.
//!
//! Only what starts with one of three schemes becomes a link. It is an allow list on the
//! very first bytes, so no spelling of another scheme can slip past it.

use crate::{
    limits::MAX_URL_BYTES,
    text::{self, Place},
};

/// The attributes of every link: a new tab that cannot reach back and is not told where
/// it was opened from.
const ATTRIBUTES: &str = "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">";

/// Opens a link, if the address may be followed; says whether it did.
pub(crate) fn open(out: &mut String, address: &str, class: Option<&str>) -> bool {
    let address = address.trim();
    if !may_be_followed(address) {
        return false;
    }
    out.push_str("<a");
    if let Some(class) = class {
        out.push_str(" class=\"");
        out.push_str(class);
        out.push('"');
    }
    out.push_str(" href=\"");
    push_address(out, address);
    out.push_str(ATTRIBUTES);
    true
}

fn may_be_followed(address: &str) -> bool {
    if address.len() > MAX_URL_BYTES {
        return false;
    }
    let rest = ["https://", "http://", "mailto:"].iter().find_map(|scheme| {
        let start = address.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &address[scheme.len()..])
    });
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '['))
}

/// Everything that is not plainly part of an address is written in percent signs, so
/// neither quotes nor spaces nor invisible characters are left in the attribute.
fn push_address(out: &mut String, address: &str) {
    for &byte in address.as_bytes() {
        match byte {
            b'&' => out.push_str("&amp;"),
            b'\'' => out.push_str("&#39;"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
            byte if b"-._~:/?#[]@!$()*+,;=%".contains(&byte) => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// Appends prose in which bare web addresses become links.
pub(crate) fn push_prose(out: &mut String, prose: &str) {
    let mut written = 0;
    let mut from = 0;
    while let Some((start, end)) = next(prose, from) {
        text::push(out, &prose[written..start], Place::Prose);
        let shown = &prose[start..end];
        let address = match shown.starts_with(['w', 'W']) {
            true => format!("http://{shown}"),
            false => shown.to_owned(),
        };
        let opened = open(out, &address, None);
        text::push(out, shown, Place::Prose);
        if opened {
            out.push_str("</a>");
        }
        written = end;
        from = end;
    }
    text::push(out, &prose[written..], Place::Prose);
}

/// The next bare address at or after a place.
fn next(prose: &str, mut from: usize) -> Option<(usize, usize)> {
    let bytes = prose.as_bytes();
    let least = from;
    loop {
        // Each kind has one of these two somewhere near its start, and they are rare.
        let at = from + memchr::memchr2(b':', b'.', &bytes[from..])?;
        from = at + 1;
        let start = ["https://", "http://", "www."].iter().find_map(|prefix| {
            let mark = prefix.find([':', '.'])?;
            let start = at.checked_sub(mark).filter(|&start| start >= least)?;
            let found = prose.get(start..start + prefix.len())?;
            found.eq_ignore_ascii_case(prefix).then_some((start, start + prefix.len()))
        });
        let Some((start, body)) = start else { continue };
        let free = prose[..start].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        if free && prose[body..].starts_with(|c: char| c.is_alphanumeric()) {
            return Some((start, end_of(prose, body)));
        }
    }
}

/// Where an address ends: before what cannot be in one, and before punctuation that
/// belongs to the sentence around it.
fn end_of(prose: &str, from: usize) -> usize {
    const STOPS: &str = "<>\"`|\u{fdd0}。，、；：！？）】」』》”’";
    let stops = |c: char| c.is_whitespace() || c.is_control() || STOPS.contains(c);
    let body = &prose[from..prose.floor_char_boundary(from + MAX_URL_BYTES)];
    let mut body = &body[..body.find(stops).unwrap_or(body.len())];
    let count = |c: char| body.matches(c).count();
    let mut spare_round = count(')').saturating_sub(count('('));
    let mut spare_square = count(']').saturating_sub(count('['));
    while let Some(last) = body.chars().next_back() {
        let spare = match last {
            '?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'' | '\u{2026}' => true,
            ')' if spare_round > 0 => {
                spare_round -= 1;
                true
            }
            ']' if spare_square > 0 => {
                spare_square -= 1;
                true
            }
            _ => false,
        };
        if !spare {
            break;
        }
        body = &body[..body.len() - last.len_utf8()];
    }
    from + body.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(prose: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = next(prose, from) {
            found.push(&prose[start..end]);
            from = end;
        }
        found
    }

    #[test]
    fn bare_addresses_end_where_a_reader_would_say() {
        for (prose, expected) in [
            ("see https://a.org/b.", vec!["https://a.org/b"]),
            ("(https://a.org/b_(c))", vec!["https://a.org/b_(c)"]),
            ("www.a.org, HTTP://B.org!", vec!["www.a.org", "HTTP://B.org"]),
            ("xhttps://a.org awww.b.org", vec![]),
            ("https:// and http://. www. a", vec![]),
            ("https://a.org。次", vec!["https://a.org"]),
            ("[https://a.org]", vec!["https://a.org"]),
            ("a.b:c", vec![]),
        ] {
            assert_eq!(shown(prose), expected, "{prose}");
        }
    }

    #[test]
    fn ui_7_only_three_schemes_are_followed() {
        for address in ["https://a", "http://[::1]/", "mailto:a@b.c", " https://a ", "HTTPS://A"] {
            assert!(may_be_followed(address.trim()), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            "java\tscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "//a.org",
            "/etc/passwd",
            "file:///etc/passwd",
            "https:",
            "https://",
            "http:\\\\a",
            "\u{1}https://a",
            "blob:https://a",
            "",
        ] {
            assert!(!may_be_followed(address), "{address}");
        }
        assert!(!may_be_followed(&format!("https://{}", "a".repeat(MAX_URL_BYTES))));
    }

    #[test]
    fn an_address_leaves_its_attribute_for_nobody() {
        let mut out = String::new();
        push_address(&mut out, "https://a/\"><b onx='y' \u{202e}é\\&z");
        assert_eq!(out, "https://a/%22%3E%3Cb%20onx=&#39;y&#39;%20%E2%80%AE%C3%A9%5C&amp;z");
    }
}
