//! What must not be kept (MEM-5).

/// What stands in the place of a private part.
pub const REDACTED: &str = "[REDACTED]";

const OPEN: &str = "<private";
const CLOSE: &str = "</private";

/// Replaces every `<private>…</private>` of a text. A part that is never closed goes on to
/// the end, one within another is part of it, and case does not matter.
pub fn redact(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(start) = tag(&lower, OPEN, from) {
        kept.push_str(&text[from..start]);
        kept.push_str(REDACTED);
        from = end_of(&lower, start);
    }
    kept.push_str(&text[from..]);
    kept
}

/// Where the private part that starts here ends.
fn end_of(lower: &str, start: usize) -> usize {
    let mut depth = 1;
    let mut at = start + OPEN.len();
    while depth > 0 {
        let Some(close) = tag(lower, CLOSE, at) else { return lower.len() };
        match tag(lower, OPEN, at) {
            Some(open) if open < close => {
                depth += 1;
                at = open + OPEN.len();
            }
            _ => {
                depth -= 1;
                at = close + CLOSE.len();
            }
        }
    }
    // What is left of the closing tag; one that is not finished takes the rest.
    lower[at..].find('>').map_or(lower.len(), |rest| at + rest + 1)
}

/// The next place of a tag: its name and then no further letter.
fn tag(lower: &str, name: &str, from: usize) -> Option<usize> {
    lower[from..].match_indices(name).map(|(at, _)| from + at).find(|at| {
        let next = lower[at + name.len()..].chars().next();
        next.is_none_or(|c| c == '>' || c == '/' || c.is_whitespace())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mem_5_private_parts_are_redacted() {
        let cases = [
            ("a <private>key</private> b", "a [REDACTED] b"),
            ("<PRIVATE>x</Private>y", "[REDACTED]y"),
            ("never closed <private>secret\nmore", "never closed [REDACTED]"),
            ("a<private>b<private>c</private>d</private>e", "a[REDACTED]e"),
            ("<private>a</private><private>b</private>", "[REDACTED][REDACTED]"),
            ("<private kind=\"k\">a</private >b", "[REDACTED]b"),
            ("<private", "[REDACTED]"),
            ("<privateer> sails </private>", "<privateer> sails </private>"),
            ("İ <private>ß</private> ẞ", "İ [REDACTED] ẞ"),
            ("nothing", "nothing"),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text), expected, "{text}");
        }
    }

    proptest! {
        /// MEM-5: whatever stands between the tags does not come out, and what is outside does.
        #[test]
        fn no_secret_comes_out(
            before in "[a-z <>/é語]{0,20}",
            secret in "[A-Z]{5,10}",
            after in "[a-z é語]{0,20}",
            closed in any::<bool>(),
        ) {
            let close = if closed { "</private>" } else { "" };
            let told = redact(&format!("{before}<private>{secret}{close}{after}"));
            prop_assert!(!told.contains(&secret));
            prop_assert!(!closed || told.ends_with(&after) || before.contains("<private"));
            prop_assert_eq!(redact(&told), told.clone(), "twice is once");
        }
    }
}
