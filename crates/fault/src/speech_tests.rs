use super::*;

#[test]
fn advice_is_not_part_of_the_statement() {
    let check = |text: &str, expected: &str| {
        assert_eq!(without_advice(text).trim(), expected, "{text:?}");
    };
    check("it is long. please reduce the output.", "it is long. .");
    check("200 > 100, decrease input or `max_tokens`", "200 > 100.");
    check(
        "(5 in your prompt; 7 for it). please reduce; or else",
        "(5 in your prompt; 7 for it). .",
    );
    check("version 1.5 is old", "version 1.5 is old.");
}

#[test]
fn fau_3_wrapped_lines_are_joined_and_records_are_not() {
    let check = |text: &str, expected: &str| assert_eq!(folded(text), expected, "{text:?}");
    check("should be [1,\r\n    8192]", "should be [1, 8192]");
    check("too\u{A0} large. Max\nsize:\t8000 ", "too large. Max size: 8000");
    check("Exception\nThe rest", "Exception The rest");
    check("One\n \ntwo\n\n  Three", "One\ntwo\nThree");
    check("One\n     \n  and a half", "One and a half");
    check("why\n* a limit\n* another", "why\n* a limit\n* another");
    check("message: a\nname: b", "message: a\nname: b");
    check("POST /chat max_tokens=5\nError: no", "POST /chat max_tokens=5\nError: no");
    check("POST /chat\n   Error: no", "POST /chat Error: no");
    check("[a] x\n2026-01-02 y\n[b] z", "[a] x\n2026-01-02 y\n[b] z");
}

#[test]
fn a_wrapped_sentence_is_not_a_stack_frame() {
    let kept = |text: &str| without_frames(text).into_owned();
    assert_eq!(kept("It has\n  at least 5 tokens (x"), "It has\n  at least 5 tokens (x");
    assert_eq!(kept("It has\n  at A.B(C d)"), "It has");
}

#[test]
fn fau_3_the_chatter_before_an_error_is_not_heard() {
    let chatter = "Loaded cached credentials.\n(node:1) DeprecationWarning: x is deprecated\n\
        user\nWhat is a rate limit?\nsystem\nmodel: x\nthinking\n";
    let output = format!("{chatter}ERROR: prompt is too long\n    at main (x.js)\n");
    assert_eq!(last_error(&output), "ERROR: prompt is too long\n    at main (x.js)\n");
    assert_eq!(last_error(chatter), chatter, "nothing is lost where nothing is marked");
    assert_eq!(last_error("Error: a\nb"), "Error: a\nb");
    let wrapped = "It failed.\n  a\n  a\n  a\n  a\n  a\n  error: went wrong\n";
    assert_eq!(last_error(wrapped), wrapped, "a line that is set in goes on");
}
