use super::*;
use crate::{
    MAX_INPUT, Row, parse,
    testing::{Table, World},
};

#[track_caller]
fn compiled(text: &str, world: &World) -> Result<Filter, FilterError> {
    let query = parse(text).unwrap_or_else(|error| panic!("{error}"));
    compile(query.expr.as_ref(), world)
}

#[track_caller]
fn check_error(text: &str, world: &World, marked: &str, kind: ErrorKind, suggestion: &str) {
    let error = compiled(text, world).expect_err(text);
    let caret = error.caret(text);
    assert_eq!(error.kind, kind, "{error}\n{caret}");
    assert_eq!(caret.lines().nth(1), Some(marked), "{error}\n{caret}");
    let hint = error.suggestion.clone().unwrap_or_default();
    assert!(hint.contains(suggestion), "{error}\n{caret}");
}

#[test]
fn what_is_not_selected_cannot_be_meant() {
    let mut world = World::small();
    world.selected_topic = None;
    world.selected_model = None;
    check_error("b t", &world, "  ^", ErrorKind::NothingSelected, "select a topic");
    check_error("t...", &world, "^^^^", ErrorKind::NothingSelected, "`t'Name'`");
    check_error("b|t10", &world, "  ^^^", ErrorKind::NothingSelected, "select a topic");
    check_error("!m", &world, " ^", ErrorKind::NothingSelected, "choose a model, or name one");
    world.selected_model = Some(String::new());
    check_error("m", &world, "^", ErrorKind::NothingSelected, "`m'gpt-4*'`");
    assert!(compiled("t'nothing' m'nothing'", &world).is_ok());
}

#[test]
fn models_have_no_case_and_a_blank_one_is_none() {
    let mut world = World::small();
    world.models = ["GPT-4", "", "gpt-4"].map(str::to_owned).to_vec();
    let check = |text: &str, expected: &[u32]| {
        let filter = compiled(text, &world).unwrap();
        let rows: Vec<Row> = (0..3).map(|model| Row { model, ..Row::plain() }).collect();
        let table = Table { rows: &rows, texts: &[], terms: &[] };
        assert_eq!(filter.visible(&table), expected, "FLT-3 {text}");
    };
    check("m", &[0, 2]);
    check("!m", &[1]);
    check("m'gpt-4'", &[0, 2]);
    check("m'*'", &[0, 2]);
    check("!m'*'", &[1]);
    check("m'***'|m'*g*'", &[0, 2]);
}

#[test]
fn o_stands_only_as_a_top_level_and_term() {
    // FLT-3
    let saved = [("plain", "o b"), ("either", "o|b"), ("empty", ""), ("only", "!o5")];
    let world = World::small().with_saved(&saved);
    let misplaced = ErrorKind::MisplacedBoundary;
    for text in ["o", "!o", "b o", "(b (o5))", "(o) !(!o)", "b|g !@empty", "@plain g", "!@only"] {
        assert!(compiled(text, &world).is_ok(), "{text}");
    }
    assert!(compiled("@plain", &world).unwrap().has_boundary_terms());
    check_error("b|o", &world, "  ^", misplaced, "`(…) o`");
    check_error("o | b", &world, "^", misplaced, "can only narrow what all other terms show");
    check_error("!(o & b)", &world, "  ^", misplaced, "must stand alone at the top level");
    check_error("b (g|o5)", &world, "     ^^", misplaced, "`(…) o5`");
    check_error("!(b o)", &world, "    ^", misplaced, "parentheses");
    check_error("b @either", &world, "  ^^^^^^^", misplaced, "parentheses");
    check_error("b|@plain", &world, "  ^^^^^^", misplaced, "parentheses");
    check_error("!@plain", &world, " ^^^^^^", misplaced, "parentheses");
}

#[test]
fn saved_filters_are_bounded() {
    let deep = format!("{}@g{}", "(b|b".repeat(60), ")".repeat(60));
    let saved = [
        ("self", "b @self"),
        ("a", "@b"),
        ("b", "g|@a"),
        ("bad", "b s9"),
        ("command", "b :delete"),
        ("g", "g"),
        ("deep", deep.as_str()),
    ];
    let world = World::small().with_saved(&saved);
    let bad = ErrorKind::BadSavedFilter;
    check_error("b @self", &world, "  ^^^^^", bad, "@self");
    check_error("@a", &world, "^^", bad, "@a, @b");
    check_error("@bad", &world, "^^^^", bad, "stars go from 0 to 3");
    check_error("@command", &world, "^^^^^^^^", bad, "without the `:`");
    check_error("e @none", &world, "  ^^^^^", ErrorKind::UnknownSavedFilter, "`:save none`");
    assert!(compiled("@g @g !@g|@g", &world).is_ok());
    assert!(compiled("@deep", &world).is_ok());

    // Each name doubles the one before it.
    let names: Vec<String> = (0..40).map(|n| format!("n{n}")).collect();
    let texts: Vec<String> = (1..40).map(|n| format!("@n{n} @n{n}")).collect();
    let mut saved: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    saved.push(("n39", "b"));
    let world = World::small().with_saved(&saved);
    check_error("@n0", &world, "^^^", ErrorKind::TooLong, "fewer");
    assert!(compiled("@n35", &world).is_ok());
}

#[test]
fn saved_filters_that_nest_deeply_are_refused() {
    let names: Vec<String> = (0..20).map(|n| format!("n{n}")).collect();
    let texts: Vec<String> =
        (1..=20).map(|n| format!("{}@n{n}{}", "b|b(".repeat(60), ")".repeat(60))).collect();
    let mut saved: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    saved.push(("n20", "b"));
    let world = World::small().with_saved(&saved);
    check_error("@n0", &world, "^^^", ErrorKind::TooDeep, "fewer");
    assert!(compiled("@n18", &world).is_ok());
}

#[test]
fn delete_refuses_what_moves() {
    // FLT-5
    let world = World::small().with_saved(&[("recent", "b r5"), ("blue", "b")]);
    let check = |text: &str, expected: Option<(&str, usize)>| {
        let filter = compiled(text, &world).unwrap();
        let refusal = filter.delete_refusal().map(|error| (error.found.as_str(), error.position));
        assert_eq!(refusal, expected, "{text}");
    };
    check("", None);
    check("b t'Sea'... m s3 d<7d e k>5 c'x' @blue", None);
    check("b r5", Some(("`r5`", 2)));
    check("!(b|t)", Some(("`t`", 4)));
    check("t...", Some(("`t...`", 0)));
    check("t3", Some(("`t3`", 0)));
    check("b !o2", Some(("`o2`", 3)));
    check("b|@recent", Some(("`r5`", 2)));
}

#[test]
fn texts_are_shared_and_bounded() {
    let world = World::small();
    let filter = compiled("c'a'|c'b' c'a'", &world).unwrap();
    let terms: Vec<String> =
        filter.text_terms().iter().map(|term| term.pattern().to_string()).collect();
    assert_eq!(terms, ["a", "b"]);
    assert!(!filter.needs_tokens());
    assert!(compiled("b|k<5", &world).unwrap().needs_tokens());

    let many: String = (0..=MAX_TEXT_TERMS).map(|n| format!("c'{n}'|")).collect();
    let error = compiled(&format!("{many}b"), &world).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLong);

    let long = format!("c'{}'", "é*".repeat(crate::MAX_PATTERN / 2));
    assert!(compiled(&long, &world).is_ok(), "the longest pattern can be searched for");
}

#[test]
fn texts_match_without_case_and_across_lines() {
    let check = |text: &str, haystack: &str, expected: bool| {
        let filter = compiled(text, &World::small()).unwrap();
        assert_eq!(filter.text_terms()[0].is_match(haystack), expected, "{text} {haystack:?}");
    };
    check("c'ship'", "The SHIPS", true);
    check("c'ship'", "sheep", false);
    check("c'été'", "un ÉTÉ", true);
    check("c'a*z'", "xa\n\n zx", true);
    check("c'a*z'", "az", true);
    check("c'a*z'", "z a", false);
    check("c'*a*'", "a", true);
    check("c'ab*ba'", "aba", false);
    check("c'ab*ba'", "ABBA", true);
    check("c'a*b*c*d*e*f*g*h*i*j*k'", "xabc\ndefghi jk", true);
    check("c'a*b*c*d*e*f*g*h*i*j*k'", "xabc\ndefghi kj", false);
    check("c'*'", "", true);
    check(r"c'a\*z'", "a*z", true);
    check(r"c'a\*z'", "abz", false);
    check("c'a.z'", "abz", false);
    check("c'(?x'", "(?X", true);
    check(r"c'\\d\n'", "\\d\n", true);
}

#[test]
fn flat_chains_of_the_largest_size_compile() {
    // FLT-8
    let world = World::small().with_saved(&[("b", "g")]);
    for chain in ["b ", "b|", "!b&", "t'a'...|", "m'*x*'|", "@b|", "k>1|"] {
        let text = format!("{}b", chain.repeat((MAX_INPUT - 1) / chain.len()));
        assert!(compiled(&text, &world).is_ok(), "{chain:?}");
    }
}
