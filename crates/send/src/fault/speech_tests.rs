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
fn wrapped_lines_are_joined_and_others_are_not() {
    assert_eq!(unwrapped("should be [1,\n    8192]"), "should be [1,     8192]");
    assert_eq!(unwrapped("One.\ntwo"), "One.\ntwo");
    assert_eq!(unwrapped("message: a\nname: b"), "message: a\nname: b");
    assert_eq!(unwrapped("Exception\nThe rest"), "Exception\nThe rest");
}

#[test]
fn fau_3_the_chatter_before_an_error_is_not_heard() {
    let chatter = "Loaded cached credentials.\n(node:1) DeprecationWarning: x is deprecated\n\
        user\nWhat is a rate limit?\nsystem\nmodel: x\nthinking\n";
    let output = format!("{chatter}ERROR: prompt is too long\n    at main (x.js)\n");
    assert_eq!(last_error(&output), "ERROR: prompt is too long\n    at main (x.js)\n");
    assert_eq!(last_error(chatter), chatter, "nothing is lost where nothing is marked");
    assert_eq!(last_error("Error: a\nb"), "Error: a\nb");
}
