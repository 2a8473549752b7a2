use super::*;

/// The bodies of the formulas that are found, display ones in brackets.
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = formulas(text)
        .iter()
        .map(|place| {
            let body = &text[place.body.clone()];
            if place.display { format!("[{body}]") } else { body.to_owned() }
        })
        .collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn the_four_ways_to_write_a_formula() {
    check("a $x$ b", &["x"]);
    check("the $n$th and $E = mc^2$.", &["n", "E = mc^2"]);
    check("$$\nx\n$$", &["[\nx\n]"]);
    check(r"so \(a_1 + b\) and \[ c \]", &["a_1 + b", "[ c ]"]);
    check(
        r"\[\begin{aligned} a &= b \\ c &= d \end{aligned}\]",
        &[r"[\begin{aligned} a &= b \\ c &= d \end{aligned}]"],
    );
    check("**$x$**, ($y$), \"$z$\"", &["x", "y", "z"]);
    check("| $|x|$ | $a$ |\n|--|--|\n", &["|x|", "a"]);
    check("- $a$\n  $$b$$\n", &["a", "[b]"]);
    check("$\\text{costs \\$5}$", &["\\text{costs \\$5}"]);
}

#[test]
fn ui_7_money_stays_money() {
    for text in [
        "$5 and $10",
        "from $5 to $10.",
        "between $5-$10",
        "US$5 or 5$ a piece",
        "$5 and 10$ more",
        "$20, perhaps 30$",
        "it is $ 5 $ here",
        "$20M–$30M",
        "costs $1,000 (about $900)",
        r"\$5 and \$6$",
        "a $ b $ c",
        "$HOME and $PATH",
        "$$$ and $$$",
        "$",
        "$$",
        "he said $this is not a formula at all$",
    ] {
        check(text, &[]);
    }
}

#[test]
fn escaped_brackets_stay_brackets() {
    for text in [
        r"\[1\] and \[x\] and \[ \]",
        r"\[a link\](https://a.org)",
        r"\(as was said before\)",
        r"\\(a = b\\)",
        r"\(open",
        r"\[open",
    ] {
        check(text, &[]);
    }
}

#[test]
fn code_addresses_and_raw_html_hold_no_formula() {
    for text in [
        "`$x$`",
        "```\n$x$ \\(y\\)\n```",
        "    $x$ code",
        "[a](https://a.org/$x$)",
        "<https://a.org/$x$>",
        "<div>\n$x$\n</div>",
        "$a `b$` c$ d",
        "$a\n\nb$",
        "$$a\n\nb$$",
        "$$a\\\n\nb$$",
    ] {
        check(text, &[]);
    }
    check("[$x$](https://a.org/$y$) $z$", &["x", "z"]);
    check("<https://a.org> $z$", &["z"]);
    check("[<https://b.org> $w$](https://a.org/$y$) $z$", &["w", "z"]);
}

#[test]
fn lonely_openings_do_not_search_again_and_again() {
    for opening in ["$$a ", "$a ", "\\[ ", "\\( "] {
        let text = opening.repeat(100_000);
        let _ = formulas(&text);
    }
}
