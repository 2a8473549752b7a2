use proptest::prelude::*;

use super::*;
use crate::render;

fn check(markdown: &str, stable: &str) {
    assert_eq!(&markdown[..stable_prefix(markdown)], stable, "{markdown:?}");
}

#[test]
fn whole_blocks_are_stable_once_the_next_has_begun() {
    check("a\n\nb\n\nc\n", "a\n\nb\n\n");
    check("a\n\nb\n\nc", "a\n\n");
    check("a\n", "");
    check("", "");
    check("# a\n\n- b\n- c\n\nd\n", "# a\n\n- b\n- c\n\n");
    check("- b\n\n- c\n", "");
    check("1. a\n\n2", "");
    check("```\na\n\nb\n", "");
    check("a\n\n```\nb\n\nc\n", "a\n\n");
    check("see [a](https://b)\n\nc\n", "see [a](https://b)\n\n");
    check("`[a]`\n\nc\n", "`[a]`\n\n");
    check("$$x$$\n\nc $y$\n\nd\n", "$$x$$\n\nc $y$\n\n");
}

#[test]
fn a_link_that_may_still_come_keeps_a_block_open() {
    check("a\n\nsee [b]\n\nc\n", "a\n\n");
    check("[b]: https://c\n\na\n\nsee [b]\n", "");
    check("a\n\n[b]: https://c\n\nd\n\ne\n", "");
    check("a\n\nd\n\n[b]: https://c\n\ne\n", "a\n\n");
    check("- [x] a\n\nb\n", "- [x] a\n\n");
}

/// Found by fuzzing: a carriage return ends a line, too, here that of a fence.
#[test]
fn a_carriage_return_is_the_end_of_a_line() {
    let text = "a\n\nb\n\n```x\nc\n\n```\r2\nd\n";
    let cut = stable_prefix(text);
    assert_eq!(render(&text[..cut]) + &render(&text[cut..]), render(text));
    assert_eq!(&text[..cut], "a\n\nb\n\n");
}

const LINES: [&str; 36] = [
    "",
    "",
    "",
    "",
    "word",
    "*more* words",
    "- a",
    "- b",
    "  - c",
    "* d",
    "1. e",
    "2. f",
    "3",
    "  g",
    "    h",
    "```",
    "```rust",
    "~~~",
    "> q",
    ">",
    "# t",
    "---",
    "===",
    "| a | b |",
    "|---|---|",
    "[x]",
    "[x]: https://y",
    "[z](https://y)",
    "$$",
    "x $a_1$ y",
    "\\[ a",
    "b \\]",
    "<div>",
    "<!--",
    "-->",
    "- [ ] t",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Rendering both parts is rendering the whole, at the cut and with all that follows.
    #[test]
    fn a_cut_changes_nothing(
        lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..14),
        more in prop::collection::vec(prop::sample::select(&LINES[..]), 0..8),
        ended in any::<bool>(),
    ) {
        let mut text = lines.join("\n");
        if ended {
            text.push('\n');
        }
        let cut = stable_prefix(&text);
        prop_assert_eq!(render(&text[..cut]) + &render(&text[cut..]), render(&text));
        let whole = text.clone() + &more.join("\n");
        prop_assert_eq!(
            render(&whole[..cut]) + &render(&whole[cut..]), render(&whole), "{:?} cut at {}", whole, cut
        );
    }
}
