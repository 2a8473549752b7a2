use super::*;
use crate::{render, render_partial};

/// An unfinished text, and a finished one that it shall look like.
fn check(unfinished: &str, finished: &str) {
    assert_eq!(render_partial(unfinished), render(finished), "{unfinished:?}");
}

#[test]
fn what_is_open_is_closed() {
    check("a **bold wor", "a **bold wor**");
    check("a **bold** and *it", "a **bold** and *it*");
    check("a **bold*", "a **bold**");
    check("a **bold ", "a **bold**");
    check("a ***both", "a ***both***");
    check("**a *b", "**a *b***");
    check("~~old", "~~old~~");
    check("call `foo(", "call `foo(`");
    check("**call `foo", "**call `foo`**");
    check("- a\n- **b", "- a\n- **b**");
    check("> **q", "> **q**");
    check("# A **t", "# A **t**");
    check("snake_case and 2 * 3", "snake_case and 2 * 3");
    check("* a\n* b", "* a\n* b");
}

#[test]
fn what_has_only_begun_is_left_out() {
    check("a **", "a");
    check("a `", "a");
    check("a [link", "a link");
    check("a [link](https://exam", "a link");
    check("a **[link](htt", "a **link**");
    check("an ![image](https://exam", "an image");
    check("a\n-", "a");
    check("a\n--", "a");
    check("a\n1.", "a");
    check("a\n\n##", "a");
    check("a\\", "a");
    check("-", "");
}

#[test]
fn an_open_fence_is_a_block() {
    check("```rust\nfn a() {", "```rust\nfn a() {\n```");
    check("```rust\nfn a() {\n``", "```rust\nfn a() {\n```");
    check("```", "```\n```");
    check("- a\n  ```\n  b **c", "- a\n  ```\n  b **c\n  ```");
}

#[test]
fn a_table_is_one_from_its_first_row() {
    check("| a | b |", "| a | b |\n|---|---|");
    check("| a | b |\n|--", "| a | b |\n|---|---|");
    check("| a | b |\n|---|---|\n| 1 | **2", "| a | b |\n|---|---|\n| 1 | **2** |");
    check("x\n\n| a | b", "x\n\n| a | b |\n|---|---|");
}

#[test]
fn an_open_formula_is_its_source() {
    check("so \\(a_1 + b", "so `\\(a_1 + b`");
    check("$$\n\\frac{a", "`$$ \\frac{a`");
    check("done $x$ and", "done $x$ and");
}

#[test]
fn a_finished_text_stays_as_it_is() {
    for text in [
        "",
        "a",
        "a **b** *c* `d` [e](https://f) ~~g~~\n",
        "- a\n- b\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "```\na\n```\n",
        "[x] and arr[0] and [y]",
        "- [ ] task\n- [x] done\n",
    ] {
        check(text, text);
    }
}

#[test]
fn sec_5_long_and_odd_ends_are_cheap() {
    for piece in ["*a ", "[a](", "`a``", "\\(", "_a*b~c", "| a "] {
        let _ = complete(&piece.repeat(20_000));
    }
}
