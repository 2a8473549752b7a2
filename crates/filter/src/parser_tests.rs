use super::*;

/// The canonical text of what was parsed.
#[track_caller]
fn check(text: &str, expected: &str) {
    let query = parse(text).unwrap_or_else(|error| panic!("{error}\n{}", error.caret(text)));
    let printed = query.expr.as_ref().map_or(String::new(), ToString::to_string);
    assert_eq!(printed, expected, "FLT-2 {text:?}");
    assert_eq!(parse(&printed).unwrap().expr, query.expr, "{printed:?}");
}

#[test]
fn an_empty_filter_is_everything() {
    // FLT-1
    check("", "");
    check(" \n\t ", "");
    assert_eq!(parse(" :help").unwrap().expr, None);
}

#[test]
fn operators_bind_as_the_grammar_says() {
    // FLT-2
    check("b|g e", "b | g e");
    check("b + g & e", "b | g e");
    check("(b|g)e", "(b | g) e");
    check("!b g", "!b g");
    check("!(b g)", "!(b g)");
    check("!(b)", "!b");
    check("!!b", "!!b");
    check("!!(b|g)", "!!(b | g)");
    check("((b) (g e))", "b g e");
    check("b|(g|e)", "b | g | e");
    check("b&g&e", "b g e");
    check(" b\n|\tg ", "b | g");
    check("b!g", "b !g");
    check("b(g)", "b g");
}

#[test]
fn atoms_are_read_as_the_table_says() {
    // FLT-3
    check("t", "t");
    check("t...", "t...");
    check("t10", "t10");
    check("t0", "t0");
    check("t'10'", "t'10'");
    check("t\"It's\"", r"t'It\'s'");
    check("t'Sea'...", "t'Sea'...");
    check("t'Sea...'", "t'Sea'...");
    check("t'Sea ... '...", "t'Sea'...");
    check("t'Sea......'", "t'Sea'...");
    check("t' Sea  >  Ships '", "t'/Sea/Ships'");
    check("t'/Sea/ Ships'...", "t'/Sea/Ships'...");
    check("t'/Sea'", "t'/Sea'");
    check("t'S** > *'", "t'/S*/*'");
    check("s3", "s3");
    check("s=3", "s3");
    check("s >= 2", "s>=2");
    check("s<1", "s<1");
    check("r5", "r5");
    check("r007", "r7");
    check("m", "m");
    check("m'gpt-4*'", "m'gpt-4*'");
    check(r#"c"a\"b\\c\n\t\*d*e""#, r#"c'a"b\\c\n\t\*d*e'"#);
    check("c'a\nb'", r"c'a\nb'");
    check("c':'", "c':'");
    check("d<7", "d<7d");
    check("d<7d", "d<7d");
    check("d>=2w", "d>=2w");
    check("d<30min", "d<30min");
    check("d<=3h", "d<=3h");
    check("d>1mo", "d>1mo");
    check("d>1y", "d>1y");
    check("d2025-09-01", "d2025-09-01");
    check("d=2025-09-01", "d2025-09-01");
    check("d>=25-09-01", "d>=2025-09-01");
    check("d<2024-2-29", "d<2024-02-29");
    check("e i a", "e i a");
    check("o", "o");
    check("o0", "o");
    check("o5", "o5");
    check("!o5", "!o5");
    check("k>500", "k>500");
    check("k500", "k500");
    check("@my_Filter-2 b", "@my_Filter-2 b");
}

#[test]
fn letters_may_stand_side_by_side_but_words_are_strays() {
    check("bg", "b g");
    check("s3b", "s3 b");
    check("bgs3", "b g s3");
    check("bgt'x'", "b g t'x'");
    check("c'x'bg", "c'x' b g");
    check("m b", "m b");
    check("t b", "t b");
    check("m s3", "m s3");
    check("m|bg", "m | b g");
    check("tb", "t b");
    check("bge", "b g e");
    check("beg", "b e g");
    check("(bag)", "b a g");
    check("bgas3", "b g a s3");
    check("b b", "b b");
    check("m bs3", "m b s3");
    check("d<7 b", "d<7d b");
    check("d<7 m", "d<7d m");
    check("d<7 d<30", "d<7d d<30d");
    check("d<7 d 2025-09-01", "d<7d d2025-09-01");
    check("d<7 mo5", "d<7d m o5");
    check("k>10k>5", "k>10 k>5");
    check("r5k500", "r5 k500");
}

#[test]
fn long_flat_chains_work() {
    // FLT-8
    for chain in ["b ", "b|", "!b&", "(b)|", "bg ", "t'a'...|", "c'a' "] {
        let text = format!("{}b", chain.repeat((MAX_INPUT - 1) / chain.len()));
        assert!(parse(&text).is_ok(), "{chain:?}");
    }
    let gap = format!("t{}{}", " ".repeat(MAX_INPUT / 2), "b ".repeat(MAX_INPUT / 4 - 1));
    assert!(parse(&gap).is_ok());
}

#[test]
fn deep_and_long_input_is_refused_without_harm() {
    // FLT-8
    let check = |text: String, expected: ErrorKind| {
        let error = parse(&text).unwrap_err();
        assert_eq!(error.kind, expected, "{}", error.caret(&text));
    };
    check("!".repeat(MAX_INPUT), ErrorKind::TooDeep);
    check("(".repeat(MAX_INPUT), ErrorKind::TooDeep);
    check("!(".repeat(MAX_INPUT / 2), ErrorKind::TooDeep);
    check("b|b(".repeat(MAX_INPUT / 4), ErrorKind::TooDeep);
    check(")".repeat(MAX_INPUT), ErrorKind::UnexpectedParenthesis);
    check("b".repeat(MAX_INPUT + 1), ErrorKind::TooLong);
    check("é".repeat(MAX_INPUT), ErrorKind::TooLong);
    check("b".repeat(MAX_INPUT), ErrorKind::StrayWord);
    check("9".repeat(MAX_INPUT), ErrorKind::UnexpectedCharacter);
    check(format!("r{}", "9".repeat(MAX_INPUT - 1)), ErrorKind::BadNumber);
    check(format!("c'{}'", "x".repeat(MAX_INPUT - 3)), ErrorKind::TooLong);
    check("'".repeat(MAX_INPUT), ErrorKind::EmptyText);

    let deepest = format!("{}b{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
    assert!(parse(&deepest).is_ok());
    let beside = format!("{} {}", "!".repeat(MAX_DEPTH) + "b", "!".repeat(MAX_DEPTH) + "b");
    assert!(parse(&beside).is_ok());
}
