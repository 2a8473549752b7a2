//! FLT-4: every mistake has a kind, a place and a suggestion.

use crate::{ErrorKind::*, *};

/// `marked` shows the carets below the text; `suggestion` has to be part of the hint.
#[track_caller]
fn check(text: &str, marked: &str, kind: ErrorKind, suggestion: &str) {
    let error = match parse(text) {
        Err(error) => error,
        Ok(query) => panic!("{text:?} was read as {query:?}"),
    };
    let caret = error.caret(text);
    let hint = error.suggestion.clone().unwrap_or_default();
    assert_eq!(error.kind, kind, "{error}\n{caret}");
    assert_eq!(caret.lines().nth(1), Some(marked), "{error}\n{caret}");
    assert!(hint.contains(suggestion), "{error}\n{caret}");
    assert_eq!(error.to_string().lines().count(), 1);
}

#[test]
fn strays_are_errors() {
    check("hello", "^^^^^", StrayWord, "`c'hello'`");
    check("b hello", "  ^^^^^", StrayWord, "`c'hello'`");
    check("image", "^^^^^", StrayWord, "`c'image'`");
    check("bgei", "^^^^", StrayWord, "`c'bgei'`");
    check("bb", "^^", StrayWord, "`c'bb'`");
    check("bgb", "^^^", StrayWord, "`c'bgb'`");
    check("tt s3", "^^", StrayWord, "`c'tt'`");
    check("m bge", "  ^^^", StrayWord, "`m'bge'`");
    check("m gpt", "  ^^^", StrayWord, "`m'gpt'`");
    check("m gpt-4.1, b", "  ^^^^^^^", StrayWord, "`m'gpt-4.1'`");
    check("m age", "  ^^^", StrayWord, "`m'age'`");
    check("m ag", "  ^^", StrayWord, "`m'ag'`");
    check("t foo", "  ^^^", StrayWord, "`t'foo'`");
    check("t  be", "   ^^", StrayWord, "`t'be'`");
    check("t & be gone", "       ^^^^", StrayWord, "`c'gone'`");
    check("bass>2", "^^^^", StrayWord, "`c'bass'`");
    check("is", "^^", StrayWord, "`c'is'`");
    for word in ["api", "box", "map", "top", "tax", "gap"] {
        check(word, "^^^", StrayWord, &format!("`c'{word}'`"));
    }
    check("éé", "^^", StrayWord, "`c'éé'`");
    check("gpt-4", "^^^^^", StrayWord, "`c'gpt-4'`");
    check("c foo", "  ^^^", MissingArgument, "`c'foo'`");
    check("z", "^", UnknownLetter, "`c'z'`");
    check("b z3", "  ^^", UnknownLetter, "`c'z3'`");
    check("don't", "^^^", StrayWord, "`c\"don't\"`");
}

#[test]
fn letters_are_lower_case() {
    check("S3", "^^", UpperCase, "`s3`");
    check("S>=2", "^", UpperCase, "`s>=2`");
    check("T'Foo Bar' b", "^", UpperCase, "`t'Foo Bar'`");
    check("BG", "^^", UpperCase, "`bg`, or `c'BG'`");
    check("S9", "^^", UpperCase, "lower case");
    check("b E", "  ^", UpperCase, "`e`");
    check("d<7D", "   ^", BadAge, "`d<7d`");
}

#[test]
fn numbers_and_comparators() {
    check("s9", " ^", BadNumber, "stars go from 0 to 3");
    check("s>=10", "   ^^", BadNumber, "stars go from 0 to 3");
    check("s99999999999999999999999", &format!(" {}", "^".repeat(23)), BadNumber, "0 to 3");
    check("s", " ^", MissingArgument, "`s>=2`");
    check("s-1", " ^", MissingArgument, "stars go from 0 to 3");
    check("s==3", " ^^", BadComparator, "`=`");
    check("s=>3", " ^^", BadComparator, "`>=`");
    check("s=<3", " ^^", BadComparator, "`<=`");
    check("s!=3", " ^^", BadComparator, "`!s=…`");
    check("s≥3", " ^", BadComparator, "`>=`");
    check("s<<3", " ^^", BadComparator, "one comparator");
    check("r", " ^", MissingArgument, "`r10`");
    check("r99999999999", " ^^^^^^^^^^^", BadNumber, "4294967295");
    check("r5.5", " ^^^", BadNumber, "try `r5`");
    check("k>5.5", "  ^^^", BadNumber, "try `k>5`");
    check("s2.5", " ^^^", BadNumber, "try `s2`");
    check("k>10k", "  ^^^", BadNumber, "try `k>10000`");
    check("k>1.5K", "  ^^^^", BadNumber, "try `k>1500`");
    check("k>=1,000", "   ^^^^^", BadNumber, "try `k>=1000`");
    check("k > 1_000_000", "    ^^^^^^^^^", BadNumber, "try `k>1000000`");
    check("r9,999,999,999", " ^^^^^^^^^^^^^", BadNumber, "digits alone");
    check("r=5", " ^", MissingArgument, "try `r5`");
    check("r-5", " ^", MissingArgument, "try `r5`");
    check("k>-5", "  ^", MissingArgument, "try `k>5`");
    check("b o-5", "   ^", UnexpectedCharacter, "try `o5`");
    check("k>", "  ^", MissingArgument, "`k>500`");
    check("5", "^", UnexpectedCharacter, "`r5`");
    check("m4", " ^", UnexpectedCharacter, "`c'4'`");
    check(">3", "^", UnexpectedCharacter, "`s>=2`");
}

#[test]
fn ages_and_dates() {
    check("d7d", " ^^", BadAge, "`d<7d`");
    check("d=2w", "  ^^", BadAge, "`d<2w`");
    check("d7", " ^", BadAge, "`d<7d`");
    check("d", " ^", MissingArgument, "`d<7d`");
    check("d<1.5d", "  ^^^^", BadAge, "smaller unit");
    check("d<7days", "   ^^^^", BadAge, "`d<7d`");
    check("d<7m", "   ^", BadAge, "`mo`");
    check("d<7b", "  ^^", BadAge, "`d<7 b`");
    check("d<700db", "  ^^^^^", BadAge, "`d<700d b`");
    check("d<7mobs3", "  ^^^^^", BadAge, "`d<7mo bs3`");
    check("d<7xyz", "  ^^^^", BadAge, "leave a space");
    check("d<7 mo", "  ^^^^", BadAge, "`d<7mo`");
    check("d < 7 d", "    ^^^", BadAge, "`d<7d`");
    check("d<7 days", "  ^^^^^^", BadAge, "`d<7d`");
    check("d>=7 min b", "   ^^^^^", BadAge, "`d>=7min`");
    check("d<7\tWeeks", "  ^^^^^^^", BadAge, "`d<7w`");
    check("d7 h", " ^^^", BadAge, "`d<7h`");
    check("d<7d ago", "  ^^^^^^", BadAge, "`d<7d`");
    check("d<99999999999d", "  ^^^^^^^^^^^", BadNumber, "4294967295");
    check("d2025-13-01", " ^^^^^^^^^^", BadDate, "no month 13");
    check("d2025-09-31", " ^^^^^^^^^^", BadDate, "2025-09 has the days 1 to 30");
    check("d25-02-29", " ^^^^^^^^", BadDate, "2025-02 has the days 1 to 28");
    check("d2025-09", " ^^^^^^^", BadDate, "`d2025-09-01`");
    check("d2025-09-015", " ^^^^^^^^^^^", BadDate, "`d2025-09-01`");
    check("d205-09-01", " ^^^^^^^^^", BadDate, "`d2025-09-01`");
    check("d2025-09-01-02", " ^^^^^^^^^^^^^", BadDate, "`d2025-09-01`");
    check("d2025/09/02", " ^^^^^^^^^^", BadDate, "`d2025-09-02`");
    check("d20250902", " ^^^^^^^^", BadAge, "`d2025-09-02`");
}

#[test]
fn texts_and_paths() {
    check("c'foo", " ^", UnterminatedQuote, "close it with `'`");
    check("t\"foo' b", " ^", UnterminatedQuote, "close it with `\"`");
    check("c'foo\\", " ^", UnterminatedQuote, "close it");
    check("c'foo\\'", " ^", UnterminatedQuote, "close it");
    check(r"c'a\qb'", "   ^^", UnknownEscape, r"`\\q`");
    check("c'a\\\nb'", "   ^^", UnknownEscape, "for a backslash");
    check("c''", " ^^", EmptyText, "at least one");
    check("t'  '", " ^^^^", BadPath, "`*`");
    check("t'...'", " ^^^^^", BadPath, "`*`");
    check("t'A > '", " ^^^^^^", BadPath, "`*`");
    check("t'/A//B'", " ^^^^^^^", BadPath, "`*`");
    check("t'A/B'", " ^^^^^", BadPath, "`t'/A/B'`");
    check("t'/A > B'", " ^^^^^^^^", BadPath, "`t'A > B'`");
    check("t..", " ^^", UnexpectedCharacter, "`...`");
    check("t…", " ^", UnexpectedCharacter, "`...`");
    check("t10...", "   ^", UnexpectedCharacter, "`t...`");
    check("'foo'", "^^^^^", UnexpectedCharacter, "`c'foo'`");
    check("c‘foo’", " ^", MissingArgument, "`c'foo'`");
    check("t‘foo’", " ^", UnexpectedCharacter, "straight quotes");
    check("@", " ^", MissingArgument, "A–Z");
}

#[test]
fn parentheses_and_operators() {
    check("(b", "^", UnclosedParenthesis, "close it with `)`");
    check("b (g|(e)", "  ^", UnclosedParenthesis, "close it");
    check("(", "^", UnclosedParenthesis, "close it");
    check("b)", " ^", UnexpectedParenthesis, "remove it");
    check(")", "^", UnexpectedParenthesis, "remove it");
    check("b ()", "  ^^", UnexpectedParenthesis, "between them");
    check("b |", "  ^", DanglingOperator, "after it");
    check("| b", "^", DanglingOperator, "before it");
    check("(| b)", " ^", DanglingOperator, "before it");
    check("(b &)", "   ^", DanglingOperator, "after it");
    check("b && g", "   ^", DanglingOperator, "one operator");
    check("b || g", "   ^", DanglingOperator, "one operator");
    check("!", "^", DanglingOperator, "after it");
    check("b !)", "  ^", DanglingOperator, "after it");
    check("b & :help", "  ^", DanglingOperator, "after it");
}

#[test]
fn words_that_are_written_for_letters() {
    check("b AND g", "  ^^^", StrayWord, "`&`");
    check("b or g", "  ^^", StrayWord, "`|`");
    check("not b", "^^^", StrayWord, "`!`");
    check("m and b", "  ^^^", StrayWord, "`&`");
    check("blue", "^^^^", StrayWord, "try `b`, or `c'blue'`");
    check("Grey ship", "^^^^", StrayWord, "try `g`");
    check("star>2", "^^^^", StrayWord, "try `s>2`");
    check("stars >= 2", "^^^^^", StrayWord, "try `s>=2`");
    check("star", "^^^^", StrayWord, "try `s>=2`");
    check("last 5", "^^^^", StrayWord, "try `r5`");
    check("age<7", "^^^", StrayWord, "try `d<7`");
    check("date>2025-09-01", "^^^^", StrayWord, "try `d>2025-09-01`");
    check("model'gpt-4'", "^^^^^", StrayWord, "try `m'gpt-4'`");
    check("model gpt-4*", "^^^^^", StrayWord, "try `m'gpt-4*'`");
    check("topic'Sea'", "^^^^^", StrayWord, "try `t'Sea'`");
    check("topic=Sea/Ships", "^^^^^", StrayWord, "try `t'/Sea/Ships'`");
    check("cload", "^^^^^", StrayWord, "`c'load'`");
    check("mgpt-4", "^^^^^^", StrayWord, "`m'gpt-4'`");
    check("tSea", "^^^^", StrayWord, "`t'Sea'`");
    check("t Sea/Ships", "  ^^^^^^^^^", StrayWord, "try `t'/Sea/Ships'`");
}

#[test]
fn signs_that_other_languages_use() {
    check("m=gpt-4", " ^", UnexpectedCharacter, "try `m'gpt-4'`");
    check("m = 'gpt-4'", "  ^", UnexpectedCharacter, "try `m'gpt-4'`");
    check("m:gpt-4", "  ^^^^^", UnknownCommand, "try `m'gpt-4'`");
    check("model:gpt-4", "^^^^^", StrayWord, "try `m'gpt-4'`");
    check("t=Sea", " ^", UnexpectedCharacter, "try `t'Sea'`");
    check("t:'Sea'", "  ^", MissingArgument, "try `t'Sea'`");
    check("b t: Sea", "     ^^^", UnknownCommand, "try `t'Sea'`; or did you mean `:star`?");
    check("t/Sea/Ships", " ^", UnexpectedCharacter, "try `t'/Sea/Ships'`");
    check("c=load", " ^", MissingArgument, "try `c'load'`");
    check("c:load", " ^", MissingArgument, "try `c'load'`");
    check("s:2", " ^", MissingArgument, "try `s2`");
    check("d:7d", " ^", MissingArgument, "try `d<7d`");
    check("b:falg g", "  ^^^^", UnknownCommand, "did you mean `:flag`?");
    check("hello m:gpt-4", "^^^^^", StrayWord, "`c'hello'`");
    check("b,g", " ^", UnexpectedCharacter, "`b | g` for either, or `b & g`");
    check("b , t'A b'", "  ^", UnexpectedCharacter, "`b | t'A b'`");
    check("b, hello", " ^", UnexpectedCharacter, "`|` for either");
    check("*", "^", UnexpectedCharacter, "empty");
    check("b -g", "  ^", UnexpectedCharacter, "`!g`");
    check("c'it's'", "    ^", UnexpectedCharacter, r#"`c"it's"` or `c'it\'s'`"#);
    check("c'don't'", "     ^", UnexpectedCharacter, r#"`c"don't"`"#);
    check("b t'Bob's ships'|g", "       ^", UnexpectedCharacter, r#"`t"Bob's ships"`"#);
    check("c\"say \"hi\" now\"", "      ^", UnexpectedCharacter, "`c'say \"hi\" now'`");
    check("c'foo'bar c'x'", "      ^^^", StrayWord, "`c'bar'`");
}

#[test]
fn what_cannot_be_seen_is_named() {
    let check_found = |text: &str, found: &str| {
        let error = parse(text).unwrap_err();
        assert_eq!(error.found, found, "{error}");
        assert!(error.to_string().contains("remove this character"), "{error}");
    };
    check_found("b\u{200b}", "U+200B");
    check_found("s\u{feff}3", "U+FEFF");
    check_found("b \u{7} g", "U+0007");
    check_found("b\u{202e}g", "U+202E");
}
