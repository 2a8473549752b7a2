//! The marks of footnotes, `[^1]`, as raised numbers.
//!
//! Only numbers: `[^a-z]` in prose is a pattern. The mark and the note are not tied together,
//! because that would take ids from the text, and a text that still arrives has no note yet.

use crate::{links, markdown::HALT};

/// More digits are no footnote.
const MOST_DIGITS: usize = 3;

/// Appends prose in which bare addresses become links and the marks of footnotes are raised.
/// `opens` says that the prose begins a line: a mark there names the note that follows.
pub(crate) fn push_prose(out: &mut String, prose: &str, opens: bool) {
    let mut rest = prose;
    let mut opens = opens;
    while let Some((at, number)) = next_mark(rest) {
        links::push_prose(out, &rest[..at]);
        out.push_str("<span class=\"foot\">");
        out.push_str(number);
        out.push_str("</span>");
        rest = &rest[at + number.len() + 3..];
        if opens && at == 0 {
            rest = rest.trim_start_matches(HALT).strip_prefix(':').unwrap_or(rest);
        }
        opens = false;
    }
    links::push_prose(out, rest);
}

/// Where in a line the colon of a footnote's own text stands.
pub(crate) fn note_in(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start_matches(' ').len();
    let (at, number) = next_mark(line.get(start..)?)?;
    let colon = start + number.len() + 3;
    (at == 0 && line.get(colon..)?.starts_with(':')).then_some(colon)
}

/// Where the next mark stands, and its number.
fn next_mark(prose: &str) -> Option<(usize, &str)> {
    prose.match_indices("[^").find_map(|(at, _)| {
        let inside = &prose[at + 2..];
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        let is_mark = (1..=MOST_DIGITS).contains(&digits) && inside[digits..].starts_with(']');
        is_mark.then(|| (at, &inside[..digits]))
    })
}

#[cfg(test)]
mod tests {
    use crate::render;

    #[test]
    fn ui_7_footnotes_are_raised_numbers_and_patterns_stay() {
        for (markdown, html) in [
            ("It sinks.[^1]", "<p>It sinks.<span class=\"foot\">1</span></p>\n"),
            (
                "[^1]: Archimedes.\n[^2]: Pascal.",
                "<p><span class=\"foot\">1</span> Archimedes.\n<span class=\"foot\">2</span> Pascal.</p>\n",
            ),
            ("See [^12]: it is so.", "<p>See <span class=\"foot\">12</span>: it is so.</p>\n"),
            ("Use [^a-z] or [^1234].", "<p>Use [^a-z] or [^1234].</p>\n"),
            ("`[^1]`", "<p><code>[^1]</code></p>\n"),
        ] {
            assert_eq!(render(markdown), html, "{markdown}");
        }
    }
}
