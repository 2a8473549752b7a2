//! Whatever comes, what leaves is ours.

use proptest::prelude::*;

use crate::walker::{inert, walk};

const SCRAPS: [&str; 96] = [
    "a",
    "word ",
    " ",
    "\n",
    "\n\n",
    "  ",
    "    ",
    "\t",
    "\r\n",
    "\r",
    "*",
    "**",
    "_",
    "__",
    "~~",
    "`",
    "``",
    "```",
    "```rust\n",
    "~~~",
    "[",
    "]",
    "](",
    ")",
    "![",
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<br>",
    "<b>",
    "<script>",
    "</script>",
    "<img src=x onerror=y>",
    "<a href='",
    "\"",
    "'",
    "=",
    "&",
    "&lt;",
    "&#0;",
    "&amp;",
    "#",
    "# ",
    "- ",
    "* ",
    "1. ",
    "> ",
    ">",
    "|",
    "| a | b |\n",
    "|---|---|\n",
    "---",
    "===",
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "\\",
    "\\frac",
    "{",
    "}",
    "^",
    "\\text{",
    "\\begin{matrix}",
    "\\end{matrix}",
    "\\\\",
    "\\left(",
    "\\right)",
    "\\sqrt",
    "\\color{red}",
    "https://a.example/",
    "javascript:x",
    "www.a.example",
    "mailto:a@b.c",
    ":",
    "]: ",
    "[x]: https://y",
    "[x]",
    "é",
    "日本",
    "\u{202e}",
    "\u{200b}",
    "\u{fdd0}",
    "0\u{fdd1}",
    "\u{fdd2}",
    "\0",
    "\u{1b}",
    "- [x] ",
    "🦀",
    "&colon;",
    "\u{feff}",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&SCRAPS[..]), 0..60).prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn sec_2_soup_comes_out_clean(text in soup()) {
        inert(&text);
        let user = plimsoll_prose::Renderer { line_breaks: true }.render(&text);
        prop_assert!(walk(&user).is_ok());
    }

    #[test]
    fn sec_2_any_text_comes_out_clean(text in any::<String>()) {
        inert(&text);
        plimsoll_prose::plain_preview(&text, 80);
    }

    /// What is stable stays, and both parts together are the whole.
    #[test]
    fn a_cut_through_soup_changes_nothing(text in soup(), more in soup()) {
        let cut = plimsoll_prose::stable_prefix(&text);
        let whole = text + &more;
        let (before, after) = whole.split_at(cut);
        prop_assert_eq!(
            plimsoll_prose::render(before) + &plimsoll_prose::render(after),
            plimsoll_prose::render(&whole),
            "{:?} cut at {}", whole, cut
        );
    }

    /// No text falls into the plain block that stands for a mistake of ours.
    #[test]
    fn the_gate_is_never_needed(text in soup()) {
        prop_assert!(!plimsoll_prose::render(&text).starts_with("<pre class=\"plain\""));
    }
}
