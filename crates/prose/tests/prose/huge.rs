//! SEC-5: texts made to be expensive. They end, and they do not become deep; how fast is
//! a benchmark's business.

use plimsoll_prose::{limits::MAX_DEPTH, plain_preview, render, render_partial, stable_prefix};

use crate::walker::walk;

/// Tables, figures and formulas bring a few levels of their own below the last that is
/// counted, and a formula its own depth.
const LEVELS_BELOW: usize = 8;

fn check(name: &str, text: &str) {
    let html = render(text);
    let found = walk(&html).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(found.depth <= MAX_DEPTH + LEVELS_BELOW, "{name}: {} levels", found.depth);
    let _ = render_partial(text);
    let _ = stable_prefix(text);
    let _ = plain_preview(text, 80);
}

#[test]
fn deep_nesting_stays_shallow() {
    const N: usize = 100_000;
    for (name, text) in [
        ("quotes", ">".repeat(N)),
        ("quotes and text", "> ".repeat(N) + "a"),
        ("lists", "- ".repeat(N) + "a"),
        ("numbered lists", "1. ".repeat(N) + "a"),
        ("lists and empty lines", "- ".repeat(N) + "a" + &"\n".repeat(N)),
        ("quotes over lines", ("> ".repeat(60) + "a\n").repeat(500)),
        ("brackets", "[".repeat(N)),
        ("closed brackets", "[".repeat(N) + &"]".repeat(N)),
        ("links in links", "[a](".repeat(N)),
        ("images in images", "![".repeat(N) + &"](b)".repeat(N)),
        ("stars", "*".repeat(N)),
        ("emphasis", "*a ".repeat(N)),
        ("emphasis, closed", "*a ".repeat(N) + &"a* ".repeat(N)),
        ("strong", "**a ".repeat(N) + &"a** ".repeat(N)),
        ("mixed emphasis", "*_~a".repeat(N)),
        ("ticks", "`".repeat(N)),
        ("ticks of all lengths", (1..400).map(|n| "`".repeat(n) + "a").collect()),
        ("angles", "<".repeat(N)),
        ("open tags", "<a ".repeat(N)),
        ("comments", "<!-- ".repeat(N)),
        ("instructions", "<?".repeat(N)),
        ("backslashes", "\\".repeat(N)),
        ("dollars", "$a ".repeat(N)),
        ("formulas", "$a$ ".repeat(N)),
        ("open formulas", "\\[ ".repeat(N)),
        ("words in brackets", "\\(ab cd\\) ".repeat(N)),
        ("addresses", "https://a.example/ ".repeat(N / 10)),
        ("half addresses", "http://http://".repeat(N / 10)),
        ("definitions", (0..2_000).map(|n| format!("[{n}]: https://a/{n}\n")).collect()),
        ("bars", "|".repeat(N)),
        ("entities", "&amp;".repeat(N)),
        ("tasks", "- [ ] a\n".repeat(N / 10)),
        ("headings", "# a\n".repeat(N / 10)),
        ("rules", "- - - -\n".repeat(N / 10)),
        (
            "indents",
            (0..300).map(|n| " ".repeat(2 * n) + "- a\n").collect::<String>() + &"\n".repeat(N),
        ),
    ] {
        check(name, &text);
    }
}

#[test]
fn long_texts_end() {
    let line = "The quick brown fox jumps over the lazy dog and `code` and **bold** words. ";
    check("four megabytes", &(line.repeat(10) + "\n\n").repeat(4 * 1024 * 1024 / 752));
    check("a line of a megabyte", &line.repeat(1024 * 1024 / line.len()));
    check("a word of a megabyte", &"x".repeat(1024 * 1024));
    check(
        "ten thousand rows",
        &format!("| a | b |\n|---|---|\n{}", "| 1 | **2** |\n".repeat(10_000)),
    );
    check(
        "a wide table",
        &format!("{}\n{}\n{}", "|a".repeat(2_000), "|-".repeat(2_000), "|b\n".repeat(500)),
    );
    check(
        "a code block of a megabyte",
        &format!("```rust\n{}```", "let x = 1; // a\n".repeat(65_536)),
    );
    check("many code blocks", &"```rust\nlet x = 1;\n```\n\n".repeat(5_000));
}

#[test]
fn a_text_beyond_all_measure_is_plain() {
    let html = render(&"*a*\n\n".repeat(2_000_000));
    assert!(html.starts_with("<pre class=\"plain\""));
    assert!(html.len() < 12_000_000);
}
