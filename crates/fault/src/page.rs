//! HTML error pages: what a gateway says when the provider could not speak.

use crate::escapes::decode_entities;

/// Elements that stand inside a sentence. All others end it.
const INLINE: [&str; 8] = ["a", "b", "i", "em", "strong", "code", "span", "tt"];

/// Whether the text is, or holds, an HTML page.
pub(crate) fn is_page(text: &str) -> bool {
    ["<html", "<!doctype html", "<title", "<h1", "<body", "</p>"]
        .iter()
        .any(|tag| find_ignoring_case(text, tag).is_some())
}

/// The text of a page without its tags, scripts and styles.
pub(crate) fn page_text(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let inside = rest[1..].trim_start_matches('/');
        let inline = INLINE.iter().any(|name| starts_element(inside, name));
        let skipped = ["script", "style"].into_iter().find(|name| starts_element(&rest[1..], name));
        let is_tag = starts_tag(rest);
        // A page that was cut inside a tag has no more text.
        let end = match skipped {
            Some(name) => find_ignoring_case(rest, &format!("</{name}")),
            None if is_tag => rest.find('>').map(|end| end + 1),
            None => {
                out.push('<');
                Some(1)
            }
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => rest = "",
        }
        if !is_tag || out.is_empty() {
            continue;
        }
        // The indentation of the source says nothing about the text.
        if !inline {
            rest = rest.trim_start();
        }
        if inline && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        } else if !inline && !out.ends_with("\n\n") {
            out.push_str("\n\n");
        }
    }
    out.push_str(rest);
    decode_entities(&out).into_owned()
}

/// What the page says: its main heading, else its title, with the line after it
/// where the heading is only a status.
pub(crate) fn page_message(text: &str) -> Option<String> {
    let heading = element(text, "h1").or_else(|| element(text, "title"))?;
    let heading = page_text(heading).trim().to_owned();
    (!heading.is_empty()).then_some(heading)
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = find_ignoring_case(text, &format!("<{name}"))?;
    let inner = &text[open..];
    let inner = &inner[inner.find('>')? + 1..];
    let end = find_ignoring_case(inner, "</").unwrap_or(inner.len());
    Some(&inner[..end])
}

fn starts_tag(text: &str) -> bool {
    text[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!')
}

/// Whether what stands inside of a tag starts with this name.
fn starts_element(text: &str, name: &str) -> bool {
    let is_name = text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    is_name && !text[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Where an ASCII needle stands, case aside.
fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let needle = needle.as_bytes();
    text.as_bytes().windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fau_3_a_page_is_read_by_its_heading() {
        let page = "<html><head><TITLE>502 Bad Gateway</TITLE></head>\
            <body><center><h1>502 Bad Gateway</h1></center><p>nginx &amp; co</p>";
        assert!(is_page(page));
        assert_eq!(page_message(page).as_deref(), Some("502 Bad Gateway"));
        assert!(page_text(page).contains("nginx & co"));
    }

    #[test]
    fn what_is_not_a_tag_stays() {
        assert_eq!(page_text("1 < 2, see <b>"), "1 < 2, see ");
        assert!(!is_page("must be <= 2048"));
        assert_eq!(page_text("<style>a{}</style>x<script>1"), "x\n\n");
        assert_eq!(page_message("<title"), None);
    }
}
