//! Code blocks: a figure with the language as its caption, and colours as classes.
//!
//! The structure is for the page to build on (it adds a copy button to the caption):
//! `<figure class="code" data-lang="rust"><figcaption>rust</figcaption><pre><code>…`

use crate::{
    highlight,
    limits::{MAX_HIGHLIGHT_BYTES, MAX_HIGHLIGHT_TOTAL, MAX_LANGUAGE_CHARS},
    text::{self, Place},
};

/// Levels of elements in a code block, down to a visible mark in a coloured word.
pub(crate) const LEVELS: usize = 5;

/// What a block without a language is called.
const NO_LANGUAGE: &str = "text";

/// How much code of a text was coloured so far.
#[derive(Default)]
pub(crate) struct Colours {
    used: usize,
}

/// Appends a code block.
pub(crate) fn push(out: &mut String, info: &str, source: &str, colours: &mut Colours) {
    let name = language_name(info);
    let shown = if name.is_empty() { NO_LANGUAGE } else { &name };
    out.push_str("<figure class=\"code\" data-lang=\"");
    text::push(out, shown, Place::Attribute);
    out.push_str("\"><figcaption>");
    text::push(out, shown, Place::Code);
    out.push_str("</figcaption><pre tabindex=\"0\"><code>");
    let source = source.strip_suffix('\n').unwrap_or(source);
    let fits =
        source.len() <= MAX_HIGHLIGHT_BYTES && colours.used + source.len() <= MAX_HIGHLIGHT_TOTAL;
    match highlight::language(&name) {
        Some(language) if fits => {
            colours.used += source.len();
            highlight::push(out, source, language);
        }
        _ => text::push(out, source, Place::Code),
    }
    out.push_str("</code></pre></figure>\n");
}

/// The language that an info string begins with: `rust,ignore`, `{.python}`, `C++ x=1`.
pub(crate) fn language_name(info: &str) -> String {
    let part = |c: char| c.is_ascii_alphanumeric() || "+#-_".contains(c);
    let word = info.split(|c: char| !part(c)).find(|word| !word.is_empty()).unwrap_or_default();
    word.chars().take(MAX_LANGUAGE_CHARS).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_a_short_plain_word() {
        for (info, name) in [
            ("rust", "rust"),
            ("Rust,ignore", "rust"),
            ("{.python #id}", "python"),
            ("C++ x=1", "c++"),
            ("", ""),
            ("\"><script>", "script"),
            ("objective-c", "objective-c"),
            ("日本", ""),
        ] {
            assert_eq!(language_name(info), name, "{info}");
        }
        assert_eq!(language_name(&"x".repeat(999)).len(), MAX_LANGUAGE_CHARS);
    }

    #[test]
    fn sec_5_a_long_block_has_no_colours() {
        let mut colours = Colours::default();
        let mut out = String::new();
        push(&mut out, "rust", &"fn a() {}\n".repeat(30_000), &mut colours);
        assert!(!out.contains("<span"));
        let block = "fn a() {}\n".repeat(15_000);
        let coloured = (0..10).filter(|_| {
            let mut out = String::new();
            push(&mut out, "rust", &block, &mut colours);
            out.contains("<span")
        });
        assert_eq!(coloured.count(), MAX_HIGHLIGHT_TOTAL / block.len());
    }
}
