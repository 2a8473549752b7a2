//! What holds for any text (FLT-4, FLT-8).

use proptest::prelude::*;

use crate::{testing::World, *};

/// Text made of the parts of the language, which gets further than random characters.
fn nearly_filters() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> = vec![
        "t",
        "t...",
        "t'",
        "'",
        "\"",
        "s",
        "3",
        ">=",
        "<",
        "=",
        "r",
        "b",
        "g",
        "m",
        "c'",
        "d",
        "7d",
        "mo",
        "2025-02-29",
        "25-1-1",
        "-",
        "e",
        "i",
        "a",
        "o",
        "k",
        "@",
        "name",
        "!",
        "(",
        ")",
        "|",
        "+",
        "&",
        " ",
        "\n",
        ":",
        "export",
        "--filename=",
        "star",
        "*",
        "\\",
        "\\*",
        ">",
        "/",
        "...",
        "é",
        "漢",
        "🦀",
        "999999999999999999999",
        "hello",
        "S",
        "\u{0}",
        "…",
        "\u{200b}",
        ",",
        ".5",
        ",000",
        "topic",
        "model",
        "star",
        "and",
        "gpt-4",
        "days",
    ];
    prop::collection::vec(prop::sample::select(words), 0..16).prop_map(|parts| parts.concat())
}

/// Text that is a filter, most of the time.
fn filters() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        prop::sample::select(vec![
            "t",
            "t...",
            "b",
            "g",
            "m",
            "e",
            "i",
            "a",
            "o",
            "x",
            "p",
            "bg",
            "@x",
            "t'A > B'",
            "t'/A/ *'...",
        ])
        .prop_map(str::to_owned),
        (prop::sample::select(vec!["s", "s>", "s<=", "s="]), 0..4u32)
            .prop_map(|(s, n)| format!("{s}{n}")),
        (prop::sample::select(vec!["r", "t", "o", "k", "k>=", "d<", "d>= "]), any::<u32>())
            .prop_map(|(s, n)| format!("{s}{n}")),
        (0..100u32, 1..13u32, 1..29u32).prop_map(|(y, m, d)| format!("d>{y:02}-{m:02}-{d}")),
        (
            prop::sample::select(vec!["t", "m", "c"]),
            r#"([a-zA-Z0-9 .:é漢>*(|!]|\\\\|\\'|\\"|\\n|\\t|\\\*){1,8}"#
        )
            .prop_map(|(letter, text)| format!("{letter}'{text}'")),
    ];
    atom.prop_recursive(4, 24, 4, |inner| {
        let operator = prop::sample::select(vec![" ", "&", " & ", "|", "+", " | "]);
        prop_oneof![
            inner.clone().prop_map(|x| format!("!{x}")),
            inner.clone().prop_map(|x| format!("( {x})")),
            (inner.clone(), operator, inner).prop_map(|(a, op, b)| format!("{a}{op}{b}")),
        ]
    })
}

fn check_never_panics(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Err(error) => {
            let end = error.position + error.length;
            prop_assert!(text.get(error.position..end).is_some(), "{error:?} of {text:?}");
            prop_assert_eq!(error.caret(text).lines().count().max(2), 2);
            prop_assert!(!error.to_string().contains('\n'));
            helpful(text, &error)?;
        }
        Ok(query) => {
            if let Err(error) = compile(query.expr.as_ref(), &World::small()) {
                let end = error.position + error.length;
                prop_assert!(text.get(error.position..end).is_some(), "{error:?} of {text:?}");
            }
            stable(text, &query)?;
        }
    }
    for cursor in 0..text.len() + 2 {
        let completions = complete(text, cursor, &World::small(), &["name".to_owned()]);
        prop_assert!(text.get(completions.replace).is_some());
    }
    Ok(())
}

/// What is suggested works: a hint that starts so has a whole query next.
fn helpful(text: &str, error: &FilterError) -> Result<(), TestCaseError> {
    let hint = error.suggestion.as_deref();
    prop_assert!(hint.is_some(), "{error} of {text:?}");
    // Suggestions with a back quote inside cannot be told apart, and long ones are cut.
    if let Some(tried) = hint.and_then(|hint| hint.strip_prefix("try `"))
        && let Some((query, _)) = tried.split_once('`')
        && !query.contains('…')
        && !text.contains('`')
    {
        prop_assert!(parse(query).is_ok(), "{query:?} is suggested for {text:?}");
    }
    Ok(())
}

/// The canonical form parses to the same filter, and prints as itself.
fn stable(text: &str, query: &Query) -> Result<(), TestCaseError> {
    let Some(expr) = &query.expr else { return Ok(()) };
    let printed = expr.to_string();
    match parse(&printed) {
        Ok(again) => {
            prop_assert_eq!(again.expr.as_ref(), Some(expr), "{:?} as {:?}", text, printed);
            prop_assert_eq!(again.expr.map(|expr| expr.to_string()), Some(printed));
        }
        Err(error) => prop_assert!(false, "{text:?} as {printed:?}: {error}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn garbage_never_panics(text in "\\PC{0,40}") {
        check_never_panics(&text)?;
    }

    #[test]
    fn what_looks_like_a_filter_never_panics(text in nearly_filters()) {
        check_never_panics(&text)?;
    }

    #[test]
    fn printing_and_parsing_again_changes_nothing(text in filters()) {
        // Bad paths such as `t' > '` are made too; they are refused and prove nothing.
        if let Ok(query) = parse(&text) {
            stable(&text, &query)?;
        }
    }

    #[test]
    fn carets_suit_any_source(
        source in "\\PC{0,120}",
        position in 0..400usize,
        length in 0..400usize,
    ) {
        let mut error = parse("s9").unwrap_err();
        (error.position, error.length) = (position, length);
        let caret = error.caret(&source);
        prop_assert!(caret.ends_with('^'));
        let width = |line: &str| line.chars().map(width::columns).sum::<usize>();
        prop_assert!(caret.lines().all(|line| width(line) <= 83));
    }
}
